import assert from 'node:assert/strict'
import { test } from 'node:test'
import { item, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const HEADER = 'x-ignored-fields'

test('fields that a body holds in vain are named in a header, by their paths', async () => {
  const { admin, products } = await used.make.shop()
  const { status, headers } = await admin.post(products, {
    name: 'Sea salt',
    colour: 'white',
    variants: [
      { id: 'one', name: 'One' },
      { id: 'two', name: 'Two', weigth: 5, pricing: { markets: [], vat: 19 } },
    ],
  })
  assert.equal(status, 201)
  assert.equal(headers.get(HEADER), 'colour, variants.1.weigth, variants.1.pricing.vat')
})

test('unknown fields of addresses are named, and not stored', async () => {
  const shop = await openShop(used.make)
  const mug = await shop.priced(0)
  const guest = await used.make.guest()
  const sent = { country: 'DE', postcode: '20095', city: 'Hamburg' }
  const kept = { country: 'DE', city: 'Hamburg' }
  const addresses = { shippingAddress: sent, billingAddress: { ...sent, postcode: undefined, vatId: 'DE1' } }
  const names = 'shippingAddress.postcode, billingAddress.vatId'

  const bought = await shop.checkout(guest, { items: [item(mug)], ...addresses })
  assert.deepEqual([bought.status, bought.headers.get(HEADER)], [200, names], bought.text)
  assert.deepEqual((await shop.order(bought.body.orderId)).shippingAddress, kept)

  const line = { productId: mug.id, variantId: 'one', quantity: 1, unitPrice: 100, totalPrice: 100 }
  const figures = { lines: [line], subtotal: 100, tax: 0, shipping: 0, total: 100 }
  const manual = await shop.admin.post(shop.orders, { customerId: guest.id, market: 'us', ...figures, ...addresses })
  assert.deepEqual([manual.status, manual.headers.get(HEADER)], [201, names])
  assert.deepEqual([manual.body.shippingAddress, manual.body.billingAddress], [kept, kept])

  const { id } = manual.body
  const changed = await shop.admin.put(`${shop.orders}/update`, { id, ...addresses })
  assert.deepEqual([changed.status, changed.headers.get(HEADER)], [200, names])
  const cleared = await shop.admin.put(`${shop.orders}/update`, { id, shippingAddress: null })
  assert.deepEqual([cleared.status, cleared.body.shippingAddress, cleared.headers.get(HEADER)], [200, null, null])
})

test('unknown fields inside a map are named', async () => {
  const { admin, path } = await used.make.business()
  const translations = { de: { name: 'Hemden', slug: 'hemden', nmae: 'x' }, fr: { name: 'Chemises', slug: 'chemises' } }
  const { status, headers, body, text } = await admin.post(`${path}/categories`, { name: 'Shirts', translations })
  assert.equal(status, 201, text)
  assert.equal(headers.get(HEADER), 'translations.de.nmae')
  assert.equal('nmae' in body.translations.de, false)
})

test('a body without such fields has no such header, and the business of the path may be in it', async () => {
  const { admin, products, id } = await used.make.shop()
  const { status, headers } = await admin.post(products, { name: 'Sea salt', businessId: id })
  assert.equal(status, 201)
  assert.equal(headers.get(HEADER), null)
})

test('the header stays short and holds safe characters only', async () => {
  const { admin, path } = await used.make.business()
  const put = async (body: object) => (await admin.put(path, body)).headers.get(HEADER) ?? ''
  assert.equal(
    await put({ 'a, b': 1, 'ü\r\nset-cookie: x': 1, '': 1 }),
    'a%2C%20b, %C3%BC%0D%0Aset-cookie%3A%20x, %22%22',
  )
  const many = await put(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, { deep: index }])))
  assert.equal(many.split(', ').length, 20)
  const long = await put(
    Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`${index}-${'x'.repeat(400)}`, 1])),
  )
  assert.ok(long.length > 0 && long.length <= 1_024, `${long.length}`)
})

test('what is free in its form is not ignored', async () => {
  const { admin, id } = await used.make.business()
  const { status, headers } = await admin.put(`/v1/users/me/businesses/${id}`, {
    settings: { any: { thing: 1 } },
    x: 1,
  })
  assert.equal(status, 200)
  assert.equal(headers.get(HEADER), 'x')
})
