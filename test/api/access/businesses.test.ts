import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import type { Client } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const market = {
  id: 'us',
  name: 'United States',
  currency: 'USD',
  taxBps: 825,
  taxShipping: false,
  pricesIncludeTax: false,
  taxRates: [],
  shippingMethods: [{ id: 'standard', name: 'Standard', price: 500, freeFrom: 5000 }],
  paymentMethods: ['CREDIT_CARD'],
}

test('whoever creates a business becomes its ADMIN', async () => {
  const ada = await used.make.user()
  const made = await ada.post('/v1/businesses', {
    name: 'Harbour Goods',
    markets: [market],
    contactEmail: 'ada@example.com',
  })

  assert.equal(made.status, 201, made.text)
  assert.match(made.body.id, /^biz_[0-9a-z]{12}$/)
  assert.match(made.body.slug, /^harbour-goods-/)
  assert.deepEqual(made.body.markets, [market])
  assert.equal((await ada.get(`/v1/businesses/${made.body.id}/roles`)).body.items[0].permissions[0], 'ADMIN')
  assert.equal((await ada.get('/v1/businesses')).body.items.length, 1)
})

describe('contact address of a new business', () => {
  const create = async (user: Pick<Client, 'post'>, body: object = {}) => {
    const made = await user.post('/v1/businesses', { name: 'Harbour Goods', ...body })
    assert.equal(made.status, 201, made.text)
    return made.body.contactEmail
  }

  test('defaults to the confirmed address of its creator', async () => {
    const ada = await used.make.user()
    const { email } = (await ada.get('/v1/users/me')).body
    assert.equal(await create(ada), email)
    assert.equal(await create(await used.make.apiKey(ada.id)), email)
  })

  test('is the one sent, or none if null is sent', async () => {
    const ada = await used.make.user()
    assert.equal(await create(ada, { contactEmail: 'shop@example.com' }), 'shop@example.com')
    assert.equal(await create(ada, { contactEmail: null }), null)
  })

  test('is none while the creator’s address is unconfirmed', async () => {
    const ada = await used.make.user()
    const { control } = used.api.services.databases
    await control.updateTable('accounts.users').set({ confirmedAt: null }).where('id', '=', ada.id).execute()
    assert.equal(await create(ada), null)
  })
})

test('a guest and a stranger see what a storefront needs, and nothing else', async () => {
  const business = await used.make.business()
  for (const caller of [await used.make.guest(), await used.make.user()]) {
    const { status, body } = await caller.get(business.path)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), ['defaultLocale', 'id', 'locales', 'logo', 'markets', 'name', 'slug'])
  }
  const { body } = await business.admin.get(business.path)
  assert.ok('contactEmail' in body && 'allowedOrigins' in body && 'createdAt' in body)
})

test('a PUT changes what is sent, keeps the rest, and is seen at once', async () => {
  const { admin, path } = await used.make.business()
  await admin.get(path) // now it is cached
  const changed = await admin.put(path, { markets: [market], locales: ['en', 'de'] })

  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(changed.body.locales, ['en', 'de'])
  const { body } = await admin.get(path)
  assert.deepEqual(body.markets, [market])
  assert.equal(body.defaultLocale, 'en')
})

test('a slug belongs to one business only', async () => {
  const first = await used.make.business()
  const { admin, path } = await used.make.business()
  const taken = await admin.put(path, { slug: first.slug })

  assert.equal(taken.status, 409)
  assert.equal(taken.body.error, 'CONFLICT')
  assert.equal(taken.body.details[0].error, 'SLUG_EXISTS')
  assert.equal((await admin.post('/v1/businesses', { name: 'Second', slug: first.slug })).status, 409)
})

test('settings that a schema cannot judge are refused field by field', async () => {
  const { admin, path } = await used.make.business()
  const { status, body } = await admin.put(path, {
    locales: ['en', 'not a locale'],
    defaultLocale: 'fr',
    allowedOrigins: ['https://shop.example.com/path'],
    markets: [market, { ...market, currency: 'XXQ' }],
  })

  assert.equal(status, 422)
  assert.equal(body.error, 'VALIDATION_FAILED')
  assert.deepEqual(body.details.map((detail: { field: string }) => detail.field).sort(), [
    'allowedOrigins.0',
    'defaultLocale',
    'locales.1',
    'markets.1.currency',
    'markets.1.id',
  ])
})

test('If-None-Match answers 304, a stale If-Match 412', async () => {
  const { admin, path } = await used.make.business()
  const read = await admin.get(path)
  const etag = read.headers.get('etag') ?? ''

  assert.equal((await admin.get(path, { 'if-none-match': etag })).status, 304)
  assert.equal((await admin.put(path, { name: 'Renamed' }, { 'if-match': etag })).status, 200)
  const stale = await admin.put(path, { name: 'Again' }, { 'if-match': etag })
  assert.equal(stale.status, 412)
  assert.equal(stale.body.error, 'PRECONDITION_FAILED')
})

test('where sign-up is closed, only the operator creates businesses', async (t) => {
  const { startApi } = await import('../../support/start-api.ts')
  const { createMake } = await import('../../support/make.ts')
  const closed = await startApi({ databases: used.api.databases, env: { BUSINESS_SIGNUP: 'closed' } })
  t.after(() => closed.close())
  const ada = await createMake(closed).user()
  const { status, body } = await ada.post('/v1/businesses', { name: 'Mine' })
  assert.equal(status, 403)
  assert.equal(body.error, 'FORBIDDEN')
})

test('the settings of a business may have 64 KB, and those that had more may only become smaller', async () => {
  const { admin, path, id } = await used.make.business()
  const markets = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...market, id: `m${index}`, name: 'n'.repeat(200) }))
  const tooLarge = '422 VALIDATION_FAILED markets TOO_LARGE'
  const refused = await admin.put(path, { markets: markets(200) })
  assert.equal(refusal(refused), tooLarge)
  assert.match(refused.body.message, /64 KB/)
  assert.equal(refusal(await admin.post('/v1/businesses', { name: 'Large', markets: markets(200) })), tooLarge)
  assert.equal((await admin.put(path, { markets: markets(100) })).status, 200)

  // As they may have been before there was that limit.
  const { control } = used.api.services.databases
  await sql`update access.businesses set markets = ${JSON.stringify(markets(400))} where id = ${id}`.execute(control)
  assert.equal((await admin.get(path)).status, 200)
  assert.equal(refusal(await admin.put(path, { name: 'A name that is longer than before, by a lot' })), tooLarge)
  assert.equal((await admin.put(path, { markets: markets(150) })).status, 200)
})
