import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPromo, redeemPromo, releasePromo } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Answer } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

const PERCENT = { code: 'TEN', type: 'PERCENT', value: 1_000 }
const FIXED = { code: 'FIVER', type: 'FIXED', value: 500, currency: 'USD' }
const TERMS = {
  minSubtotal: 2_000,
  maxRedemptions: 10,
  maxPerCustomer: 1,
  startsAt: 1_800_000_000,
  endsAt: 1_900_000_000,
  markets: ['de'],
}
const NO_TERMS = {
  currency: null,
  minSubtotal: null,
  maxRedemptions: null,
  maxPerCustomer: null,
  startsAt: null,
  endsAt: null,
  markets: null,
}

async function makeShop() {
  const shop = await used.make.shop()
  const promos = `${shop.path}/promo-codes`
  const create = async (body: object = {}) => {
    const made = await shop.admin.post(promos, { ...PERCENT, ...body })
    assert.equal(made.status, 201, made.text)
    return { ...(made.body as { id: string; code: string }), body: made.body, path: `${promos}/${made.body.id}` }
  }
  const list = async () => (await shop.admin.get(`${promos}?limit=100`)).body.items as { id: string; code: string }[]
  const redeem = (promoId: string, customer?: string) =>
    transaction(shop.db, (tx) => redeemPromo(tx, shop.id, promoId, customer))
  const release = (promoId: string, customer?: string) =>
    transaction(shop.db, (tx) => releasePromo(tx, shop.id, promoId, customer))
  return { ...shop, promos, create, list, redeem, release }
}

test('a promo code is created, read, listed, changed and deleted', async () => {
  const { admin, promos, list } = await makeShop()
  const made = await admin.post(promos, { ...FIXED, ...TERMS, redemptions: 7, id: 'mine' })
  const path = `${promos}/${made.body.id}`

  assert.equal(made.status, 201, made.text)
  const { id, createdAt, updatedAt, ...rest } = made.body
  assert.match(id, /^promo_[0-9a-z]{26}$/)
  assert.deepEqual(rest, { ...FIXED, ...TERMS, redemptions: 0 })
  assert.ok(Number.isInteger(createdAt) && updatedAt === createdAt)
  assert.deepEqual((await admin.get(path)).body, made.body)
  assert.deepEqual(await list(), [made.body])

  const changed = await admin.put(path, { value: 700 })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual({ ...changed.body, updatedAt }, { ...made.body, value: 700 })
  assert.deepEqual((await admin.get(path)).body, changed.body)

  assert.deepEqual((await admin.delete(path)).body, { success: true })
  assert.equal(refusal(await admin.get(path)), '404 NOT_FOUND')
  assert.equal(refusal(await admin.put(path, { value: 1 })), '404 NOT_FOUND')
  assert.equal(refusal(await admin.delete(path)), '404 NOT_FOUND')
  assert.deepEqual(await list(), [])
})

test('a change moves updatedAt and not createdAt', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const { admin, create } = await makeShop()
  const { path, body } = await create()
  clock.advance(60)
  const changed = await admin.put(path, { value: 2_000 })
  assert.deepEqual([changed.body.createdAt, changed.body.updatedAt], [body.createdAt, body.updatedAt + 60])
})

test('terms that are left out or null do not restrict', async () => {
  const { create } = await makeShop()
  for (const [code, terms] of [
    ['ONE', {}],
    ['TWO', NO_TERMS],
  ] as const) {
    const { body } = await create({ code, ...terms })
    assert.deepEqual(body, { ...body, ...PERCENT, ...NO_TERMS, code, redemptions: 0 })
  }
})

test('null takes a term away, and what is not sent stays', async () => {
  const { admin, create } = await makeShop()
  const { path, body } = await create(TERMS)
  for (const term of Object.keys(TERMS) as (keyof typeof TERMS)[]) {
    const without = await admin.put(path, { [term]: null })
    assert.deepEqual({ ...without.body, updatedAt: 0 }, { ...body, [term]: null, updatedAt: 0 }, term)
    const back = await admin.put(path, { [term]: TERMS[term] })
    assert.deepEqual({ ...back.body, updatedAt: 0 }, { ...body, updatedAt: 0 }, term)
  }
})

test('what was read can be sent back', async () => {
  const { admin, create } = await makeShop()
  for (const { path, body } of [await create(TERMS), await create({ ...FIXED })]) {
    const same = await admin.put(path, body)
    assert.deepEqual({ ...same.body, updatedAt: 0 }, { ...body, updatedAt: 0 })
  }
})

test('a code is kept in one spelling and found in all of them', async () => {
  const { admin, id, db, promos, create } = await makeShop()
  const made = await create({ code: '  straße_2-ａ ' })
  assert.equal(made.code, 'STRASSE_2-A')
  for (const code of ['STRASSE_2-A', 'straße_2-a', ' Strasse_2-A ', 'STRAẞE_2-A']) {
    const { body } = await admin.get(`${promos}?code=${encodeURIComponent(code)}`)
    assert.deepEqual(body, { items: [made.body], cursor: null }, code)
    assert.equal((await findPromo(db, id, code))?.id, made.id)
  }
  for (const code of ['STRASSE', 'A B', '%', '']) {
    assert.deepEqual((await admin.get(`${promos}?code=${encodeURIComponent(code)}`)).body.items, [], code)
  }
  for (const code of ['STRASSE', '', ' ', 'A\0', '\ud800', 'X'.repeat(100_000)]) {
    assert.equal(await findPromo(db, id, code), undefined)
  }
})

test('a code is 1 to 64 letters, digits, _ and -', async () => {
  const { admin, promos, create, list } = await makeShop()
  const refused = async (code: unknown) => refusal(await admin.post(promos, { ...PERCENT, code }))
  assert.equal(await refused(''), '422 VALIDATION_FAILED code TOO_SHORT')
  assert.equal(await refused('X'.repeat(65)), '422 VALIDATION_FAILED code TOO_LONG')
  assert.equal(await refused('ß'.repeat(33)), '422 VALIDATION_FAILED code TOO_LONG')
  assert.equal(await refused('X'.repeat(201)), '422 VALIDATION_FAILED code TOO_LONG')
  for (const code of [' ', 'A B', 'A.B', '50%', '💥', null, 5]) {
    assert.equal(await refused(code), '422 VALIDATION_FAILED code INVALID', String(code))
  }
  assert.deepEqual(await list(), [])
  assert.equal((await create({ code: ` ${'x'.repeat(64)} ` })).code, 'X'.repeat(64))
  const { path } = await create()
  assert.equal(refusal(await admin.put(path, { code: 'A B' })), '422 VALIDATION_FAILED code INVALID')
})

test('a promo code needs code, type and value, and nothing is coerced', async () => {
  const { admin, promos, create, list } = await makeShop()
  const refused = async (body: object) => refusal(await admin.post(promos, { ...PERCENT, ...body }))
  const wrong = (...details: string[]) => ['422 VALIDATION_FAILED', ...details].join(' ')

  assert.equal(refusal(await admin.post(promos, {})), wrong('code REQUIRED', 'type REQUIRED', 'value REQUIRED'))
  assert.equal(await refused({ type: 'FREE' }), wrong('type INVALID'))
  assert.equal(await refused({ value: 0 }), wrong('value TOO_SMALL'))
  assert.equal(await refused({ value: 10_001 }), wrong('value TOO_LARGE'))
  assert.equal(await refused({ value: 0.5 }), wrong('value INVALID'))
  assert.equal(await refused({ value: '100' }), wrong('value INVALID'))
  assert.equal(await refused({ ...FIXED, value: 2 ** 53 }), wrong('value TOO_LARGE'))
  assert.equal(await refused({ minSubtotal: -1 }), wrong('minSubtotal INVALID'))
  assert.equal(await refused({ maxRedemptions: 0 }), wrong('maxRedemptions INVALID'))
  assert.equal(await refused({ maxPerCustomer: 0 }), wrong('maxPerCustomer INVALID'))
  assert.equal(await refused({ maxRedemptions: 1_000_000_001 }), wrong('maxRedemptions INVALID'))
  assert.equal(await refused({ startsAt: -1, endsAt: 1.5 }), wrong('endsAt INVALID', 'startsAt INVALID'))
  assert.deepEqual(await list(), [])

  const { path } = await create({ code: 'ALL', value: 10_000 })
  assert.equal(refusal(await admin.put(path, { value: null })), wrong('value INVALID'))
  assert.equal(refusal(await admin.put(path, { type: null, code: null })), wrong('code INVALID', 'type INVALID'))
  await create({ ...FIXED, code: 'MUCH', value: Number.MAX_SAFE_INTEGER, minSubtotal: Number.MAX_SAFE_INTEGER })
})

test('a FIXED code needs a currency that exists, a PERCENT code has none', async () => {
  const { admin, promos, create } = await makeShop()
  const refused = async (body: object) => refusal(await admin.post(promos, body))
  assert.equal(await refused({ ...FIXED, currency: undefined }), '422 VALIDATION_FAILED currency REQUIRED')
  assert.equal(await refused({ ...FIXED, currency: null }), '422 VALIDATION_FAILED currency REQUIRED')
  assert.equal(await refused({ ...FIXED, currency: 'ZZZ' }), '422 VALIDATION_FAILED currency INVALID')
  assert.equal(await refused({ ...FIXED, currency: 'usd' }), '422 VALIDATION_FAILED currency INVALID')
  assert.equal(await refused({ ...PERCENT, currency: 'USD' }), '422 VALIDATION_FAILED currency INVALID')

  const percent = await create()
  const fixed = await create({ ...FIXED, value: 20_000 })
  assert.equal(refusal(await admin.put(percent.path, { type: 'FIXED' })), '422 VALIDATION_FAILED currency REQUIRED')
  assert.equal(refusal(await admin.put(percent.path, { currency: 'USD' })), '422 VALIDATION_FAILED currency INVALID')
  assert.equal(refusal(await admin.put(fixed.path, { currency: null })), '422 VALIDATION_FAILED currency REQUIRED')
  assert.equal(
    refusal(await admin.put(fixed.path, { type: 'PERCENT' })),
    '422 VALIDATION_FAILED currency INVALID value TOO_LARGE',
  )
  assert.deepEqual((await admin.get(fixed.path)).body, fixed.body)
  const turned = await admin.put(fixed.path, { type: 'PERCENT', value: 500, currency: null })
  assert.deepEqual([turned.status, turned.body.type, turned.body.currency], [200, 'PERCENT', null])
})

test('a code ends after it starts, also when only one of the two is sent', async () => {
  const { admin, promos, create } = await makeShop()
  const ends = '422 VALIDATION_FAILED endsAt INVALID'
  assert.equal(refusal(await admin.post(promos, { ...PERCENT, startsAt: 200, endsAt: 200 })), ends)
  assert.equal(refusal(await admin.post(promos, { ...PERCENT, startsAt: 200, endsAt: 199 })), ends)
  const { path } = await create({ startsAt: 200, endsAt: 201 })
  assert.equal(refusal(await admin.put(path, { startsAt: 201 })), ends)
  assert.equal(refusal(await admin.put(path, { endsAt: 200 })), ends)
  assert.equal((await admin.put(path, { startsAt: 300, endsAt: 301 })).status, 200)
  assert.equal((await admin.put(path, { startsAt: null, endsAt: 1 })).status, 200)
})

test('each wrong field is told, once', async () => {
  const { admin, promos } = await makeShop()
  const body = { code: 'A B', type: 'PERCENT', value: 20_000, currency: 'ZZZ', startsAt: 2, endsAt: 1, markets: ['x'] }
  assert.equal(
    refusal(await admin.post(promos, body)),
    '422 VALIDATION_FAILED code INVALID currency INVALID endsAt INVALID markets.0 NOT_FOUND value TOO_LARGE',
  )
})

test('markets are those of the business, each once', async () => {
  const { admin, promos, create, path: business } = await makeShop()
  const refused = async (markets: unknown) => refusal(await admin.post(promos, { ...PERCENT, markets }))
  assert.equal(await refused(['us', 'fr', 'de', 'at']), '422 VALIDATION_FAILED markets.1 NOT_FOUND markets.3 NOT_FOUND')
  assert.equal(await refused([]), '422 VALIDATION_FAILED markets INVALID')
  assert.equal(await refused(['us', 'us']), '422 VALIDATION_FAILED markets INVALID')
  assert.equal(await refused('us'), '422 VALIDATION_FAILED markets INVALID')

  const { path } = await create({ markets: ['us', 'de'] })
  assert.equal(refusal(await admin.put(path, { markets: ['fr'] })), '422 VALIDATION_FAILED markets.0 NOT_FOUND')
  const { markets } = (await admin.get(business)).body
  await admin.put(business, { markets: markets.filter(({ id }: { id: string }) => id === 'us') })
  const changed = await admin.put(path, { value: 5 })
  assert.deepEqual([changed.status, changed.body.markets], [200, ['us', 'de']], 'a market that went hinders no change')
})

test('a code belongs to one promo code of a business until that is deleted', async () => {
  const { admin, promos, create } = await makeShop()
  const other = await makeShop()
  const first = await create({ code: 'SPRING' })
  const second = await create({ code: 'AUTUMN' })
  const exists = '409 CONFLICT code CODE_EXISTS'

  assert.equal(refusal(await admin.post(promos, { ...PERCENT, code: 'spring ' })), exists)
  assert.equal(refusal(await admin.put(second.path, { code: 'Spring' })), exists)
  assert.equal((await admin.put(first.path, { code: 'spring' })).status, 200)
  await other.create({ code: 'SPRING' })
  await admin.delete(first.path)
  assert.equal((await admin.put(second.path, { code: 'Spring' })).body.code, 'SPRING')
  await create({ code: 'AUTUMN' })
})

test('of many who create one code at once, one does', async () => {
  const { admin, promos, list } = await makeShop()
  const answers = await Promise.all(Array.from({ length: 8 }, () => admin.post(promos, PERCENT)))
  assert.deepEqual(answers.map(refusal).sort(), ['201', ...Array(7).fill('409 CONFLICT code CODE_EXISTS')])
  assert.equal((await list()).length, 1)
})

test('the list is paged, newest first, and its cursor is good for this list only', async () => {
  const { admin, promos, create } = await makeShop()
  const other = await makeShop()
  for (const code of ['A', 'B', 'C', 'D', 'E', 'F']) await create({ code })
  const gone = (await admin.get(`${promos}?code=c`)).body.items[0]
  await admin.delete(`${promos}/${gone.id}`)
  const pages: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: Answer = await admin.get(`${promos}?limit=2&cursor=${cursor}`)
    pages.push(body.items.map(({ code }: { code: string }) => code).join(''))
    cursor = body.cursor
  }
  assert.deepEqual(pages, ['FE', 'DB', 'A'])

  const { cursor } = (await admin.get(`${promos}?limit=2`)).body
  const invalid = '422 VALIDATION_FAILED cursor INVALID'
  assert.equal(refusal(await other.admin.get(`${other.promos}?cursor=${cursor}`)), invalid)
  assert.equal(refusal(await admin.get(`${promos}?code=A&cursor=${cursor}`)), invalid)
  assert.equal(refusal(await admin.get(`${promos}?cursor=nonsense`)), invalid)
  assert.equal(refusal(await admin.get(`${promos}?limit=0`)), '422 VALIDATION_FAILED limit TOO_SMALL')
  assert.equal(refusal(await admin.get(`${promos}?limit=101`)), '422 VALIDATION_FAILED limit TOO_LARGE')
})

test('a repeated create with one key makes one promo code', async () => {
  const { admin, promos, list } = await makeShop()
  const key = { 'idempotency-key': 'once' }
  const first = await admin.post(promos, PERCENT, key)
  const again = await admin.post(promos, PERCENT, key)

  assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text])
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  const reused = await admin.post(promos, { ...PERCENT, value: 5 }, key)
  assert.equal(refusal(reused), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')
  assert.equal((await list()).length, 1)

  const taken = { 'idempotency-key': 'taken' }
  assert.equal(refusal(await admin.post(promos, PERCENT, taken)), '409 CONFLICT code CODE_EXISTS')
  const replayed = await admin.post(promos, PERCENT, taken)
  assert.equal(refusal(replayed), '409 CONFLICT code CODE_EXISTS')
  assert.equal(replayed.headers.get('idempotency-replayed'), 'true')
})

test('a promo code has an ETag: 304 while it fits, 412 when a change was made meanwhile', async () => {
  const { admin, create } = await makeShop()
  const { path } = await create()
  const first = (await admin.get(path)).headers.get('etag') ?? ''

  assert.match(first, /^".+"$/)
  assert.equal((await admin.get(path, { 'if-none-match': first })).status, 304)
  const changed = await admin.put(path, { value: 2 }, { 'if-match': first })
  const second = changed.headers.get('etag') ?? ''
  assert.equal(changed.status, 200, changed.text)
  assert.notEqual(second, first)
  assert.equal((await admin.get(path)).headers.get('etag'), second)
  assert.equal((await admin.get(path, { 'if-none-match': first })).status, 200)

  const stale = '412 PRECONDITION_FAILED'
  assert.equal(refusal(await admin.put(path, { value: 3 }, { 'if-match': first })), stale)
  assert.equal(refusal(await admin.delete(path, { 'if-match': first })), stale)
  assert.equal((await admin.get(path)).body.value, 2)
  assert.equal((await admin.put(path, { value: 4 }, { 'if-match': '*' })).status, 200)
  const third = (await admin.get(path)).headers.get('etag') ?? ''
  assert.equal((await admin.delete(path, { 'if-match': third })).status, 200)
})

test('a redemption changes the ETag, but does not make an edit stale', async () => {
  const { admin, create, redeem } = await makeShop()
  const { id, path } = await create()
  const before = (await admin.get(path)).headers.get('etag') ?? ''
  assert.equal(await redeem(id), 'REDEEMED')

  const read = await admin.get(path, { 'if-none-match': before })
  assert.deepEqual([read.status, read.body.redemptions], [200, 1])
  const changed = await admin.put(path, { value: 2 }, { 'if-match': before })
  assert.deepEqual([changed.status, changed.body.redemptions], [200, 1])
})

test('of many changes to one version, one is made', async () => {
  const { admin, create } = await makeShop()
  const { path } = await create()
  const etag = (await admin.get(path)).headers.get('etag') ?? ''
  const changes = Array.from({ length: 8 }, (_, index) => admin.put(path, { value: index + 1 }, { 'if-match': etag }))
  const answers = (await Promise.all(changes)).map(refusal).sort()
  assert.deepEqual(answers, ['200', ...Array(7).fill('412 PRECONDITION_FAILED')])
})

test('only who holds PROMOS_WRITE sees or changes promo codes', async () => {
  const { id, promos, create } = await makeShop()
  const { path, body } = await create()
  const others = PERMISSIONS.filter((permission) => permission !== 'PROMOS_WRITE' && permission !== 'ADMIN')
  const [guest, stranger, member, holder] = [
    await used.make.guest(),
    await used.make.user(),
    await used.make.member(id, ...others),
    await used.make.member(id, 'PROMOS_WRITE'),
  ]
  for (const [caller, answer] of [
    [used.make.anonymous(), '401 UNAUTHENTICATED'],
    [guest, '403 FORBIDDEN'],
    [stranger, '403 FORBIDDEN'],
    [member, '403 FORBIDDEN'],
  ] as const) {
    assert.equal(refusal(await caller.post(promos, { ...PERCENT, code: 'MINE' })), answer)
    assert.equal(refusal(await caller.get(promos)), answer)
    assert.equal(refusal(await caller.get(path)), answer)
    assert.equal(refusal(await caller.put(path, { value: 1 })), answer)
    assert.equal(refusal(await caller.delete(path)), answer)
  }
  assert.deepEqual((await holder.get(promos)).body.items, [body])
  assert.equal((await holder.post(promos, { ...PERCENT, code: 'MINE' })).status, 201)
  assert.equal((await holder.put(path, { value: 1 })).status, 200)
  assert.equal((await holder.delete(path)).status, 200)
})

test('another business’s promo codes do not exist here, and are closed there', async () => {
  const mine = await makeShop()
  const theirs = await makeShop()
  const promo = await theirs.create()

  for (const [path, answer] of [
    [`${mine.promos}/${promo.id}`, '404 NOT_FOUND'],
    [promo.path, '403 FORBIDDEN'],
  ] as const) {
    assert.equal(refusal(await mine.admin.get(path)), answer)
    assert.equal(refusal(await mine.admin.put(path, { value: 1 })), answer)
    assert.equal(refusal(await mine.admin.delete(path)), answer)
  }
  assert.equal(await findPromo(mine.db, mine.id, promo.code), undefined)
  assert.equal(await mine.redeem(promo.id), 'GONE')
  assert.equal(await mine.release(promo.id), false)
  assert.deepEqual(await theirs.list(), [promo.body])
})

test('what happens to a promo code is told as events', async () => {
  const { admin, id: businessId, db, promos, create } = await makeShop()
  const { id, path } = await create()
  await admin.put(path, { value: 5, endsAt: null })
  await admin.put(path, { value: 50_000 })
  await admin.post(promos, PERCENT)
  await admin.delete(path)
  const events = await db
    .selectFrom('cell.eventOutbox')
    .select(['type', 'subject', 'actorId', 'data'])
    .where('businessId', '=', businessId)
    .orderBy('id')
    .execute()
  const told = { subject: id, actorId: admin.id }
  assert.deepEqual(events, [
    { type: 'promo.created', ...told, data: {} },
    { type: 'promo.updated', ...told, data: { fields: ['value', 'endsAt'] } },
    { type: 'promo.deleted', ...told, data: {} },
  ])
})

test('a code is redeemed until it is exhausted, and again once one is given back', async () => {
  const { admin, create, redeem, release } = await makeShop()
  const { id, path } = await create({ maxRedemptions: 2 })
  const redemptions = async () => (await admin.get(path)).body.redemptions as number

  assert.deepEqual([await redeem(id), await redeem(id, 'ada@example.com')], ['REDEEMED', 'REDEEMED'])
  assert.deepEqual([await redeem(id), await redemptions()], ['EXHAUSTED', 2])
  assert.deepEqual([await release(id), await redemptions()], [true, 1])
  assert.deepEqual([await redeem(id), await redeem(id)], ['REDEEMED', 'EXHAUSTED'])
  assert.deepEqual([await release(id), await release(id, 'ada@example.com')], [true, true])
  assert.deepEqual([await release(id), await redemptions()], [false, 0])
})

test('a customer redeems a code so often, and others still do', async () => {
  const { admin, create, redeem, release } = await makeShop()
  const { id, path } = await create({ maxPerCustomer: 2 })

  assert.equal(await redeem(id), 'NEEDS_CUSTOMER')
  assert.deepEqual(
    [await redeem(id, 'ada'), await redeem(id, 'ada'), await redeem(id, 'bo')],
    Array(3).fill('REDEEMED'),
  )
  assert.equal(await redeem(id, 'ada'), 'CUSTOMER_EXHAUSTED')
  assert.equal((await admin.get(path)).body.redemptions, 3)
  assert.equal(await release(id, 'cy'), false)
  assert.deepEqual([await release(id, 'ada'), await redeem(id, 'ada')], [true, 'REDEEMED'])
  assert.equal((await admin.get(path)).body.redemptions, 3)
})

test('a limit set later counts what was redeemed before', async () => {
  const { admin, create, redeem, release } = await makeShop()
  const { id, path } = await create()
  await redeem(id, 'ada')
  await redeem(id, 'ada')
  await admin.put(path, { maxPerCustomer: 1, maxRedemptions: 1 })

  assert.equal(await redeem(id, 'bo'), 'EXHAUSTED')
  await release(id, 'ada')
  await admin.put(path, { maxRedemptions: 9 })
  assert.equal(await redeem(id, 'ada'), 'CUSTOMER_EXHAUSTED')
  await release(id, 'ada')
  assert.equal(await redeem(id, 'ada'), 'REDEEMED')
})

test('a deleted code cannot be redeemed, but what was redeemed can be given back', async () => {
  const { admin, id: businessId, db, create, redeem, release } = await makeShop()
  const { id, path } = await create({ maxPerCustomer: 1 })
  await redeem(id, 'ada')
  await admin.delete(path)

  assert.equal(await findPromo(db, businessId, 'TEN'), undefined)
  assert.equal(await redeem(id, 'bo'), 'GONE')
  assert.deepEqual([await release(id, 'ada'), await release(id, 'ada')], [true, false])
  const again = await create({ maxPerCustomer: 1 })
  assert.equal(await redeem(again.id, 'ada'), 'REDEEMED')
})

test('a redemption goes with the transaction that it is part of', async () => {
  const { admin, id: businessId, db, create } = await makeShop()
  const { id, path } = await create({ maxPerCustomer: 1 })
  const undone = transaction(db, async (tx) => {
    assert.equal(await redeemPromo(tx, businessId, id, 'ada'), 'REDEEMED')
    assert.equal(await redeemPromo(tx, businessId, id, 'ada'), 'CUSTOMER_EXHAUSTED')
    throw new Error('out of stock')
  })
  await assert.rejects(undone, /out of stock/)
  assert.equal((await admin.get(path)).body.redemptions, 0)
})

test('codes are found by a part, by market and by status, and counted', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const { admin, promos, create, redeem } = await makeShop()
  const soon = toSeconds(now()) + 600
  await create({ code: 'SPRING-ALL' })
  await create({ code: 'SPRING-DE', markets: ['de'], endsAt: soon })
  await create({ code: 'LATER', startsAt: soon })
  const once = await create({ code: 'ONCE', maxRedemptions: 1 })
  assert.equal(await redeem(once.id), 'REDEEMED')
  const codes = async (query: string) =>
    (await admin.get(`${promos}?${query}`)).body.items.map(({ code }: { code: string }) => code)
  const counts = async (query = '') => {
    const { body } = await admin.get(`${promos}/counts?${query}`)
    return Object.fromEntries(body.items.map(({ value, count }: { value: string; count: number }) => [value, count]))
  }

  assert.deepEqual(await codes('query=pring-'), ['SPRING-DE', 'SPRING-ALL'])
  assert.deepEqual(await codes('query=%25'), [])
  assert.deepEqual(await codes('market=us&query=spring'), ['SPRING-ALL'])
  assert.deepEqual(await codes('status=USED_UP&status=PLANNED'), ['ONCE', 'LATER'])
  assert.deepEqual(await codes('status=ACTIVE'), ['SPRING-DE', 'SPRING-ALL'])
  assert.deepEqual(await counts(), { ACTIVE: 2, PLANNED: 1, USED_UP: 1 })
  assert.deepEqual(await counts('market=us&query=spring'), { ACTIVE: 1 })

  clock.advance(600) // the end of one is the beginning of another
  assert.deepEqual(await counts(), { ACTIVE: 2, ENDED: 1, USED_UP: 1 })
  assert.deepEqual(await codes('status=ENDED'), ['SPRING-DE'])

  const { body } = await admin.get(`${promos}?status=ACTIVE&limit=1`)
  assert.deepEqual(await codes(`status=ACTIVE&limit=1&cursor=${body.cursor}`), ['SPRING-ALL'])
  assert.equal(refusal(await admin.get(`${promos}?status=ENDED&cursor=${body.cursor}`)).slice(0, 3), '422')
})
