import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/setup.ts'

const used = useApi()
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
