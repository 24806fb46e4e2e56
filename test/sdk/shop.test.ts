import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKontor, etagOf, KontorError } from '../../packages/sdk/src/index.ts'
import { openShop } from '../support/shop.ts'
import { useWorld } from '../support/world.ts'
import { isError } from './support.ts'

const used = useWorld()

async function openClient() {
  const shop = await openShop(used.make)
  const kontor = createKontor({ baseUrl: used.api.url, businessId: shop.id, market: 'us', locale: 'en' })
  return { shop, kontor }
}

/** As the owner's server. */
async function openOwner() {
  const { shop } = await openClient()
  const { value } = await used.make.apiKey(shop.admin.id)
  return { shop, kontor: createKontor({ baseUrl: used.api.url, businessId: shop.id, market: 'us', apiKey: value }) }
}

test('a guest browses, asks for the price and checks out, without a word about logging in', async () => {
  const { shop, kontor } = await openClient()
  const { id } = await shop.priced(1_999)
  await shop.promo({ code: 'GIFT', value: 10_000 })

  assert.equal((await kontor.business.get()).markets[0]?.id, 'us')
  const { items: products } = await kontor.products.list({ limit: 10 })
  const variant = (await kontor.products.get(id)).variants[0]
  assert.deepEqual(
    products.map((product) => product.id),
    [id],
  )
  assert.ok(variant)
  assert.equal(kontor.formatPrice(kontor.priceOf(variant)?.price ?? 0, 'USD'), '$19.99')

  const items = [{ productId: id, variantId: variant.id, quantity: 2 }]
  const { subtotal, tax, total } = await kontor.quote({ items })
  assert.deepEqual([subtotal, tax, total], [3_998, 400, 4_398])
  const { orderId, status } = await kontor.checkout({ items, promoCode: 'GIFT' })
  assert.equal(status, 'COMPLETED')

  const order = await kontor.orders.get(orderId)
  assert.equal(order.customerId, (await kontor.session.current())?.userId)
  assert.deepEqual(
    (await kontor.orders.list().all()).map(({ id }) => id),
    [orderId],
  )
})

test('a public shop is read without a session, in the market and the locale of the client', async () => {
  const { shop, kontor } = await openClient()
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  const lamp = await used.make.product(shop, { name: 'Lamp', slug: 'lamp', translations: { de: { name: 'Lampe' } } })
  await shop.admin.post(`${shop.path}/categories`, { name: 'Lamps', translations: { de: { name: 'Lampen' } } })

  assert.equal((await kontor.storefront.get()).id, shop.id)
  const [listed] = await kontor.storefront.products.list({ slug: 'lamp' }).all()
  assert.deepEqual([listed?.id, listed?.variants[0]?.availability], [lamp.id, 'IN_STOCK'])
  const german = await kontor.storefront.products.get('lamp', { locale: 'de', market: 'de' })
  assert.deepEqual([german.name, german.variants[0]?.pricing.markets[0]?.currency], ['Lampe', 'EUR'])
  assert.equal((await kontor.storefront.categories({ locale: 'de' }))?.items[0]?.name, 'Lampen')
  assert.deepEqual(await kontor.storefront.entries.list().all(), [])
  assert.equal(await kontor.session.current(), undefined, 'nobody had to log in')
})

test('products are filtered by attributes, sorted by price and counted by facets, for everybody and for staff', async () => {
  const { shop, kontor } = await openOwner()
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  const make = async (name: string, price: number, ...colours: string[]) => {
    const pricing = { markets: [{ marketId: 'us', price }] }
    const variants = colours.map((value) => ({
      attributes: [
        { name: 'Colour', value },
        { name: 'Size', value: 'M' },
      ],
      pricing,
    }))
    await kontor.products.create({ name, variants, tags: ['new'], statuses: [{ status: 'ACTIVE' }] })
  }
  await make('Shirt', 3_000, 'Red', 'Blue')
  await make('Socks', 1_000, 'Blue & white')
  await make('Scarf', 2_000, 'Green')
  const names = (items: { name: string }[]) => items.map(({ name }) => name)

  for (const { list, facets } of [kontor.storefront.products, kontor.products]) {
    const either = { market: 'us', 'attribute.Colour': ['Red', 'Blue & white'], 'attribute.Size': 'M' }
    assert.deepEqual(names((await list({ ...either, sort: 'price' })).items), ['Socks', 'Shirt'])
    assert.deepEqual(names(await list({ 'attribute.Colour': [], sort: 'name' }).all()), ['Scarf', 'Shirt', 'Socks'])

    const counted = await facets(['attribute.Colour', 'price', 'tag'], either)
    assert.deepEqual(counted, {
      'attribute.Colour': {
        values: ['Blue', 'Blue & white', 'Green', 'Red'].map((value) => ({ value, count: 1 })),
        isExact: true,
      },
      price: { min: 1_000, max: 3_000, isExact: true },
      tag: { values: [{ value: 'new', count: 2 }], isExact: true },
    })
  }
  const { price } = await kontor.storefront.products.facets(['price'], { 'attribute.Colour': 'Green' })
  assert.deepEqual([price.min, price.max], [2_000, 2_000], 'in the market of the client')
})

test('a list gives its first page, every page, or every item once', async () => {
  const { shop, kontor } = await openClient()
  const made: string[] = []
  for (let count = 0; count < 7; count++) made.unshift((await shop.product()).id)
  const ids = (items: { id: string }[]) => items.map(({ id }) => id)

  const first = await kontor.products.list({ limit: 3 })
  assert.deepEqual(ids(first.items), made.slice(0, 3))
  const rest = kontor.products.list({ limit: 3, cursor: first.cursor })
  assert.deepEqual(ids(await rest.all()), made.slice(3))

  const found: string[] = []
  for await (const product of kontor.products.list({ limit: 3 })) found.push(product.id)
  assert.deepEqual(found, made)
  const sizes: number[] = []
  for await (const { items } of kontor.products.list({ limit: 3 }).pages()) sizes.push(items.length)
  assert.deepEqual(sizes, [3, 3, 1])
  assert.deepEqual(await kontor.products.list({ category: 'none' }).all(), [])
})

test('a server works with a key, without a session', async () => {
  const { shop, kontor } = await openOwner()
  const product = await kontor.products.create({ name: 'Shirt', variants: [{ id: 'one', inventory: { quantity: 1 } }] })
  const moved = await kontor.products.changeStock(product.id, 'one', { delta: 4, reason: 'found' })
  assert.deepEqual([moved.quantity, (await kontor.products.stockMovements(product.id, 'one').all()).length], [5, 2])

  const role = await kontor.operations.createRole({ body: { name: 'Editors', permissions: ['CONTENT_WRITE'] } })
  assert.equal((await kontor.operations.getRole({ path: { id: role.id } })).name, 'Editors')
  const exported = await kontor.operations.exportProducts({ query: { format: 'csv' } })
  assert.match(await exported.text(), /Shirt/)
  const imported = new Blob(['name\nTrousers\n'], { type: 'text/csv' })
  assert.match((await kontor.operations.importProducts({ body: imported })).id, /^imp_/)

  assert.equal((await kontor.me.get()).id, shop.admin.id)
  assert.equal(await kontor.session.current(), undefined)
  await assert.rejects(kontor.session.login({ email: 'ada@example.com', password: 'x' }), isError(0, 'MISUSE'))
})

test('a record that somebody else has changed is not overwritten by those who say which one they saw', async () => {
  const { kontor } = await openOwner()
  const { id } = await kontor.products.create({ name: 'Shirt' })
  const seen = await kontor.products.get(id)
  const changed = await kontor.products.update(id, { name: 'Blouse' }, { ifMatch: etagOf(seen) })
  assert.equal(changed.name, 'Blouse')
  const late = kontor.products.update(id, { name: 'Skirt' }, { ifMatch: etagOf(seen) })
  await assert.rejects(late, isError(412, 'PRECONDITION_FAILED'))
  assert.deepEqual(await kontor.products.delete(id), { success: true })
})

test('entries are found by the values of their blocks', async () => {
  const { kontor } = await openOwner()
  const blocks = [{ id: 'colour', type: 'SELECT' as const, settings: { options: ['Red', 'Blue'] } }]
  const { id: collectionId } = await kontor.collections.create({ name: 'Boats', blocks })
  for (const value of ['Red', 'Blue', 'Red']) {
    await kontor.entries.create({ collectionId, blocks: [{ id: 'colour', type: 'SELECT', value }] })
  }
  const red = await kontor.entries.list({ collectionId, 'block.colour': 'Red' }).all()
  assert.deepEqual(
    red.map(({ blocks }) => kontor.blockText(blocks, 'colour')),
    ['Red', 'Red'],
  )
})

test('an error says what was wrong, and which request it was', async () => {
  const { kontor } = await openOwner()
  await kontor.products.create({ name: 'Shirt', slug: 'shirt' })
  const error = await kontor.products.create({ name: 'Other', slug: 'shirt' }).catch((error: unknown) => error)
  assert.ok(error instanceof KontorError)
  assert.deepEqual([error.status, error.code, error.has('SLUG_EXISTS')], [409, 'CONFLICT', true])
  assert.equal(error.details[0]?.field, 'slug')
  assert.match(error.requestId ?? '', /\S/)

  const guest = createKontor({ baseUrl: used.api.url, businessId: 'biz_none' })
  await assert.rejects(async () => guest.products.list(), isError(404, 'NOT_FOUND'))
  await assert.rejects(guest.products.create({ name: 'Shirt' }), isError(403, 'FORBIDDEN'))
})

test('a call that cannot be made says what is missing', async () => {
  const kontor = createKontor({ baseUrl: used.api.url })
  await assert.rejects(kontor.products.get('prod_1'), /getProduct needs a business: createKontor/)
  await assert.rejects(kontor.quote({ items: [] }), /quote needs a business/)
  const shop = createKontor({ baseUrl: used.api.url, businessId: 'biz_1' })
  await assert.rejects(shop.quote({ items: [] }), /In which market/)
  for (const id of ['', '.', '..']) await assert.rejects(shop.products.get(id), /getProduct needs path\.id/)
  assert.equal(await shop.session.current(), undefined)
})
