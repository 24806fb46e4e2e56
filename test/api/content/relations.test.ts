import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Answer } from '../../support/client.ts'
import {
  BODY,
  DRAFT,
  EVERY_TYPE,
  everyValue,
  openContentShop,
  PUBLISHED,
  type SentBlock,
  TITLE,
  text,
  titled,
} from '../../support/content.ts'
import { recordStatements } from '../../support/explain.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const TARGETS = ['USER', 'PRODUCT', 'ENTRY', 'COLLECTION', 'ORDER'] as const
const SCHEMA: SentBlock[] = [
  { id: 'title', type: 'TEXT' },
  ...TARGETS.map((targetType) => ({ id: targetType.toLowerCase(), type: 'RELATIONSHIP', settings: { targetType } })),
]
const pointTo = (targets: Partial<Record<(typeof TARGETS)[number], string>>): SentBlock[] =>
  Object.entries(targets).map(([type, value]) => ({ id: type.toLowerCase(), type: 'RELATIONSHIP', value }))

/** A business with one record of every kind that can be pointed at. */
async function open() {
  const shop = await openContentShop(used.make)
  const place = await shop.collection({ blocks: SCHEMA })
  const member = await used.make.member(shop.id, 'ORDERS_READ')
  await member.put('/v1/users/update', { name: 'Ada' })
  const customer = await used.make.user()
  const targets = {
    USER: member.id,
    PRODUCT: shop.gift.id,
    ENTRY: (await shop.entry(place, { blocks: titled('Target') })).id,
    COLLECTION: place.id,
    ORDER: await shop.order(customer),
  }
  return { ...shop, place, customer, targets }
}

const relationsOf = ({ status, body, text }: Answer) => {
  assert.equal(status, 200, text)
  return body.relations as Record<string, Record<string, { id: string; name?: string }>>
}

test('what an entry points at comes with it, when asked for', async () => {
  const { admin, entries, place, entry, targets, gift } = await open()
  const { path, id } = await entry(place, { blocks: [text('title', 'Pointer'), ...pointTo(targets)] })
  const guest = await used.make.guest()
  for (const reader of [guest, admin]) {
    const target = (await reader.get(`${entries}/${targets.ENTRY}`)).body
    const product = (await reader.get(gift.path)).body
    const { staleEntries: _, ...collection } = (await reader.get(place.path)).body
    const expected = {
      ENTRY: { [target.id]: target },
      COLLECTION: { [place.id]: collection },
      PRODUCT: { [gift.id]: product },
      USER: { [targets.USER]: { id: targets.USER, name: 'Ada' } },
    }
    const plain = await reader.get(path)
    assert.ok(!('relations' in plain.body))
    const whole = await reader.get(`${path}?include=relations`)
    assert.deepEqual(whole.body, { ...plain.body, relations: expected })
    assert.equal(whole.headers.get('etag'), null, 'what it points at changes without it')
    const list = await reader.get(`${entries}?include=relations`)
    assert.deepEqual(relationsOf(list), expected)
    assert.deepEqual(list.body.items[0].id, id)
    assert.deepEqual(relationsOf(await reader.get(`${entries}?include=relations&query=pointer`)), expected)
    assert.deepEqual(relationsOf(await reader.get(`${entries}?include=relations&block.title=Pointer`)), expected)
  }
  const nothing = { ENTRY: {}, COLLECTION: {}, PRODUCT: {}, USER: {} }
  assert.deepEqual(relationsOf(await guest.get(`${entries}/${targets.ENTRY}?include=relations`)), nothing)
  assert.deepEqual(relationsOf(await guest.get(`${entries}?include=relations&query=nowhere`)), nothing)
  assert.match(refusal(await guest.get(`${path}?include=all`)), /^422 VALIDATION_FAILED include/)
})

test('what is gone is absent, and the entry can still be written', async () => {
  const { admin, entries, place, entry, targets, gift, collection } = await open()
  const other = await collection()
  const { path } = await entry(place, { blocks: pointTo({ ...targets, COLLECTION: other.id }) })
  assert.equal((await admin.delete(`${entries}/${targets.ENTRY}`)).status, 200)
  assert.equal((await admin.delete(other.path)).status, 200)
  assert.equal((await admin.delete(gift.path)).status, 200)
  const { ENTRY, COLLECTION, PRODUCT } = relationsOf(await admin.get(`${path}?include=relations`))
  assert.deepEqual([ENTRY, COLLECTION, PRODUCT], [{}, {}, {}])
  const { body } = await admin.get(path)
  assert.equal((await admin.put(path, { blocks: body.blocks, locale: 'fr' })).status, 200, 'it pointed there before')
  const fresh = await admin.post(entries, { collectionId: place.id, blocks: pointTo({ ENTRY: targets.ENTRY }) })
  assert.equal(refusal(fresh), '422 VALIDATION_FAILED blocks.0.value NOT_FOUND')
})

test('drafts are relations only for who may see them', async () => {
  const { id, admin, place, entry, collection, product } = await open()
  const hidden = {
    ENTRY: (await entry(place, { blocks: [], statuses: DRAFT })).id,
    COLLECTION: (await collection({ statuses: DRAFT })).id,
    PRODUCT: (await product({ statuses: [{ status: 'DRAFT' }] })).id,
  }
  const { path } = await entry(place, { blocks: pointTo(hidden) })
  const seen = async (reader: Pick<typeof admin, 'get'>) =>
    Object.entries(relationsOf(await reader.get(`${path}?include=relations`))).flatMap(([type, found]) =>
      Object.keys(found).length ? [type] : [],
    )
  assert.deepEqual(await seen(await used.make.guest()), [])
  assert.deepEqual(await seen(await used.make.user()), [])
  assert.deepEqual(await seen(await used.make.member(id, 'CONTENT_READ_DRAFTS')), ['ENTRY', 'COLLECTION'])
  assert.deepEqual(await seen(await used.make.member(id, 'PRODUCTS_WRITE')), ['PRODUCT'])
  assert.deepEqual(await seen(admin), ['ENTRY', 'COLLECTION', 'PRODUCT'])
})

test('an entry for payers is a relation for who pays', async () => {
  const { id: businessId, db, entries, place, entry, collection } = await open()
  const price = { amount: 500, currency: 'usd', interval: 'MONTHLY' }
  const letters = await collection({ type: 'NEWSLETTER', plans: [{ id: 'monthly', name: 'Monthly', price }] })
  const letter = await entry(letters)
  const { path } = await entry(place, { blocks: pointTo({ ENTRY: letter.id }) })
  const [reader, stranger] = [await used.make.user(), await used.make.user()]
  const email = String(reader.email)
  await db
    .insertInto('newsletter.subscriptions')
    .values({
      businessId,
      id: newId('sub'),
      collectionId: letters.id,
      email,
      emailKey: email,
      name: 'Ada',
      planId: 'monthly',
      status: 'ACTIVE',
      providerId: 'sub_1',
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    .execute()
  for (const [who, seen] of [
    [reader, [letter.id]],
    [stranger, []],
  ] as const) {
    for (const asked of [path, entries]) {
      const { ENTRY = {} } = relationsOf(await who.get(`${asked}?include=relations`))
      assert.deepEqual(
        Object.keys(ENTRY).filter((id) => id === letter.id),
        seen,
        asked,
      )
    }
  }
})

test('of many relations the first 200 come, of large ones about 4 MB', async () => {
  const { admin, entries, place, entry, collection } = await open()
  const point = async (targets: { id: string }[]) => {
    const settings = { targetType: 'ENTRY' }
    const blocks = targets.map(({ id }, at) => ({ id: `to${at}`, type: 'RELATIONSHIP', settings, value: id }))
    return entry('reservation:r1', { blocks })
  }
  const count = async (path: string) => Object.keys(relationsOf(await admin.get(path)).ENTRY ?? {}).length

  const parts = Array.from({ length: 14 }, (_, index) => ({ id: `part${index}`, type: 'TEXT' }))
  const library = await collection({ blocks: parts })
  const blocks = parts.map((part) => ({ ...part, value: 'x '.repeat(49_000) }))
  const large = [await entry(library, { blocks }), await entry(library, { blocks }), await entry(library, { blocks })]
  assert.equal(await count(`${(await point(large)).path}?include=relations`), 2)

  const small: { id: string }[] = []
  for (let index = 0; index < 210; index++) small.push(await entry(place, { blocks: titled(`Target ${index}`) }))
  for (const from of [0, 70, 140]) await point(small.slice(from, from + 70))
  assert.equal(await count(`${entries}?owner=reservation:r1&limit=3&include=relations`), 200)
})

test('nothing of another business can be pointed at', async () => {
  const [here, there] = [await open(), await open()]
  const mine = await here.entry(here.place, { blocks: [] })
  for (const type of TARGETS) {
    const blocks = pointTo({ [type]: there.targets[type] })
    const refused = '422 VALIDATION_FAILED blocks.0.value NOT_FOUND'
    const { admin, entries, place } = here
    assert.equal(refusal(await admin.post(entries, { collectionId: place.id, blocks })), refused, type)
    assert.equal(refusal(await admin.put(mine.path, { blocks })), refused, type)
    const free = [{ ...blocks[0], settings: { targetType: type } }]
    assert.equal(refusal(await admin.post(entries, { owner: 'reservation:r1', blocks: free })), refused, type)
    assert.equal((await admin.put(mine.path, { blocks: pointTo({ [type]: here.targets[type] }) })).status, 200, type)
  }
  const stranger = await used.make.user()
  const blocks = pointTo({ USER: stranger.id })
  assert.equal(refusal(await here.admin.put(mine.path, { blocks })), '422 VALIDATION_FAILED blocks.0.value NOT_FOUND')
  assert.equal(
    (await here.admin.put(mine.path, { blocks: pointTo({ USER: here.customer.id }) })).status,
    200,
    'a customer',
  )
})

test('all that leads nowhere is told at once', async () => {
  const { admin, entries, place } = await open()
  const blocks = pointTo({ USER: 'usr_x', PRODUCT: 'prod_x', ENTRY: 'ent_x', COLLECTION: 'col_x', ORDER: 'ord_x' })
  const complaints = [0, 1, 2, 3, 4].map((index) => `blocks.${index}.value NOT_FOUND`)
  assert.equal(
    refusal(await admin.post(entries, { collectionId: place.id, blocks })),
    ['422 VALIDATION_FAILED', ...complaints].join(' '),
  )
})

/** Until this process has heard its own news a second time, from the database: after that nothing more is forgotten. */
async function allIsHeard(): Promise<void> {
  const { databases, listener } = used.api.services
  const topic = `test-${newId('x')}`
  let times = 0
  listener.on(topic, () => void times++)
  await transaction(databases.control, (tx) => notify(tx, topic, 'x'))
  await until('it is heard twice', () => times === 2)
}

const isFrame = (text: string) => /^\s*(begin|commit|rollback\s*$)/i.test(text)

/** How often one call speaks to the databases, without the frame of its transaction. */
async function countOf(call: () => Promise<Answer>, status = 200): Promise<number> {
  const statements = await recordStatements(async () => {
    const answer = await call()
    assert.equal(answer.status, status, answer.text)
  })
  return statements.filter(({ text }) => !isFrame(text)).length
}

test('a read or a list is one statement, a typo two, relations three more, however many entries there are', async () => {
  const { admin, entries, place, entry, targets } = await open()
  const guest = await used.make.guest()
  const made: { path: string }[] = []
  for (let index = 0; index < 21; index++)
    made.push(await entry(place, { blocks: [text('title', 'Lamp'), ...pointTo(targets)] }))
  await allIsHeard()
  for (const reader of [guest, admin]) {
    await reader.get(entries)
    const count = (path: string) => countOf(() => reader.get(path))
    assert.equal(await count(made[0]?.path ?? ''), 1)
    assert.equal(await count(`${made[0]?.path}?include=relations`), 4)
    for (const query of [
      '',
      `collectionId=${place.id}`,
      'locale=en',
      'block.title=Lamp',
      `block.title=Lamp&block.product=${targets.PRODUCT}&locale=en`,
      'query=lamp',
    ]) {
      assert.equal(await count(`${entries}?${query}`), 1, query)
      assert.equal(await count(`${entries}?${query}&include=relations`), 4, query)
    }
    assert.equal(await count(`${entries}?query=lmap`), 2)
    for (const word of ['la', 'lmap']) assert.ok((await count(`${entries}?query=${word}&block.title=Lamp`)) <= 2, word)
    assert.equal(await count(`${entries}?query=lmap&include=relations`), 5)
    assert.equal(await count(`${entries}?owner=collection:${place.id}`), 1)
  }
  assert.equal(await countOf(() => guest.get(place.path)), 1)
  assert.equal(await countOf(() => admin.get(place.path)), 2, 'with the number of stale entries')
  assert.equal(await countOf(() => guest.get(place.path.replace(`/${place.id}`, ''))), 1)
})

test('a write takes as many statements for a large entry as for a small one', async () => {
  const { admin, entries, collections, collection } = await open()
  const place = await collection({ blocks: EVERY_TYPE })
  const many = Array.from({ length: 100 }, (_, index) => ({ id: `b${index}`, type: 'TEXT' }))
  const large = await collection({ blocks: many })
  await allIsHeard()
  await admin.get(entries)
  const create = (body: object) => countOf(() => admin.post(entries, body), 201)
  const values = many.map(({ id }) => text(id, `words of ${id}`))
  assert.equal(await create({ collectionId: place.id, blocks: titled('x') }), 3)
  assert.equal(await create({ collectionId: large.id, blocks: values, statuses: PUBLISHED }), 3)
  assert.equal(
    await create({ collectionId: place.id, blocks: everyValue(place.id) }),
    4,
    'what it points at is looked up',
  )

  const { body } = await admin.post(entries, { collectionId: large.id, blocks: [] })
  const path = `${entries}/${body.id}`
  assert.equal(await countOf(() => admin.put(path, { blocks: values })), 5)
  assert.equal(await countOf(() => admin.put(path, { statuses: PUBLISHED })), 5)
  assert.equal(await countOf(() => admin.delete(path)), 3)
  assert.equal(await countOf(() => admin.post(collections, { name: 'New', blocks: [TITLE, BODY] }), 201), 4)
  assert.equal(await countOf(() => admin.put(place.path, { name: 'New' })), 3)
  assert.equal(await countOf(() => admin.put(large.path, { blocks: many.slice(1) })), 6, 'and its entries are checked')
})
