import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createKontor, etagOf, KontorError, paymentStatusOf, statusOf } from '../../packages/sdk/src/index.ts'
import { item, openShop } from '../support/shop.ts'
import { useWorld } from '../support/world.ts'
import { isError, openStub } from './support.ts'

const used = useWorld()

async function openOwner() {
  const shop = await openShop(used.make)
  const { value: apiKey } = await used.make.apiKey(shop.admin.id)
  return { shop, kontor: createKontor({ baseUrl: used.api.url, businessId: shop.id, market: 'us', apiKey }) }
}

test('a copy of a record still knows its version: spread, assigned, changed', async () => {
  const { kontor } = await openOwner()
  const { id } = await kontor.products.create({ name: 'Shirt' })
  const seen = await kontor.products.get(id)
  const copies = [{ ...seen }, Object.assign({}, seen), { ...seen, name: 'Blouse' }]
  assert.deepEqual(
    copies.map(etagOf),
    copies.map(() => etagOf(seen)),
  )

  await kontor.products.update(id, { name: 'Blouse' }, { ifMatch: etagOf({ ...seen }) })
  const late = kontor.products.update(id, { name: 'Skirt' }, { ifMatch: etagOf({ ...seen }) })
  await assert.rejects(late, isError(412, 'PRECONDITION_FAILED'))
})

test('the version is in nobody’s way: not in JSON, not among the names', async () => {
  const { kontor } = await openOwner()
  const made = await kontor.products.create({ name: 'Shirt' })
  const seen = await kontor.products.get(made.id)
  assert.ok(!JSON.stringify(seen).includes('etag'))
  assert.deepEqual(Object.keys(seen), Object.keys(JSON.parse(JSON.stringify(seen))))
})

test('a record whose version cannot be known says so, and what to do', async () => {
  const { kontor } = await openOwner()
  const { id } = await kontor.products.create({ name: 'Shirt' })
  const seen = await kontor.products.get(id)
  const {
    items: [listed],
  } = await kontor.products.list()
  assert.ok(listed)
  for (const record of [listed, structuredClone(seen), JSON.parse(JSON.stringify(seen)), {}]) {
    assert.throws(() => etagOf(record), /version[^]*list[^]*JSON[^]*get\(id\)/)
    assert.throws(() => etagOf(record), isError(0, 'MISUSE'))
  }
})

test('an ifMatch that is there but undefined is a mistake, not a change without a condition', async () => {
  const { kontor } = await openOwner()
  const { id } = await kontor.products.create({ name: 'Shirt' })
  const options = { ifMatch: undefined } as never
  await assert.rejects(kontor.products.update(id, { name: 'Blouse' }, options), isError(0, 'MISUSE'))
  await assert.rejects(kontor.products.update(id, { name: 'Blouse' }, options), /etagOf\(record\)[^]*leave ifMatch out/)
  for (const ifMatch of ['', null]) {
    await assert.rejects(kontor.products.delete(id, { ifMatch } as never), isError(0, 'MISUSE'))
  }
  assert.equal((await kontor.products.get(id)).name, 'Shirt')
})

test('a variant is created only with ifNoneMatch', async () => {
  const { kontor } = await openOwner()
  const { id } = await kontor.products.create({ name: 'Shirt' })
  const put = (options?: { ifNoneMatch: '*' }) =>
    kontor.operations.putVariant({ path: { id, variantId: 'red' }, body: { name: 'Red' } }, options)
  await assert.rejects(put(), isError(404, 'NOT_FOUND'))
  const { variants } = await put({ ifNoneMatch: '*' })
  assert.deepEqual(
    variants.map((variant) => [variant.id, variant.name]),
    [['red', 'Red']],
  )
  await assert.rejects(put({ ifNoneMatch: '*' }), isError(412, 'PRECONDITION_FAILED'))
  assert.equal((await put()).variants.length, 1)
})

test('a record tells its current status: the last one of its history', async () => {
  const { shop, kontor } = await openOwner()
  const product = await shop.priced(1_000)
  await shop.promo({ code: 'GIFT', value: 10_000 })
  const { orderId } = await kontor.checkout({ items: [item(product)], promoCode: 'GIFT' })
  const order = await kontor.orders.get(orderId)
  assert.deepEqual([statusOf(order), paymentStatusOf(order)], ['PROCESSING', 'PAID'])
  assert.equal(statusOf(await kontor.orders.setStatus(orderId, 'SHIPPED')), 'SHIPPED')
  assert.equal(statusOf(await kontor.products.get(product.id)), 'ACTIVE')

  const collection = await kontor.collections.create({ name: 'Boats', blocks: [] })
  const entry = await kontor.entries.create({ collectionId: collection.id, statuses: [{ status: 'PUBLISHED' }] })
  assert.deepEqual([statusOf(collection), statusOf(entry)], ['DRAFT', 'PUBLISHED'])
  assert.throws(() => statusOf({ statuses: [] }), isError(0, 'MISUSE'))
})

test('an answer of somebody else says where it came from, and what to check', async (context) => {
  const page = { 'content-type': 'text/html' }
  const { kontor, baseUrl } = await openStub(context, [404, page, '<h1>Not Found</h1>'])
  const error = await kontor.products.get('x').catch((error: unknown) => error)
  assert.ok(error instanceof KontorError)
  assert.deepEqual([error.status, error.code], [404, 'UNKNOWN_ANSWER'])
  assert.ok(error.message.includes(`${baseUrl}/v1/businesses/biz_1/products/x answered 404`), error.message)
  assert.match(error.message, /baseUrl[^]*path prefix[^]*proxy/)
})

const ignored = [200, { 'x-ignored-fields': 'colour, variants.0.prise' }, { id: 'prod_1' }] as [number, object, unknown]

/** What the client says on the console. */
function listen(context: TestContext) {
  const warn = context.mock.method(console, 'warn', () => {})
  return () => warn.mock.calls.map(({ arguments: [text] }) => String(text))
}

test('in development, fields that the service did not take are said on the console', async (context) => {
  const { kontor } = await openStub(context, ignored)
  const heard = listen(context)
  await kontor.products.update('x', { name: 'Shirt' })
  assert.equal(heard().length, 1)
  assert.match(heard()[0] ?? '', /updateProduct[^]*colour, variants\.0\.prise/)
})

test('nothing is said about them in production, or to those who do not want it', async (context) => {
  const { open } = await openStub(context, ignored)
  const heard = listen(context)
  await open({ warnings: false }).products.update('x', { name: 'Shirt' })
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await open().products.update('x', { name: 'Shirt' })
    assert.deepEqual(heard(), [])
    await open({ warnings: true }).products.update('x', { name: 'Shirt' })
    assert.equal(heard().length, 1)
  } finally {
    process.env.NODE_ENV = before
  }
})
