import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const price = (marketId: string, amount: number) => ({
  marketId,
  currency: marketId === 'de' ? 'EUR' : 'USD',
  price: amount,
})
const variant = (id: string, quantity = 5) => ({
  id,
  name: id,
  pricing: { markets: [price('us', 1_000)] },
  inventory: { quantity },
})

async function makeTwo() {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, { variants: [variant('one'), variant('two')] })
  const read = async () => (await shop.admin.get(product.path)).body
  const variantOf = async (id: string) => (await read()).variants.find((each: { id: string }) => each.id === id)
  return { ...shop, product, read, variantOf, pathOf: (id: string) => `${product.path}/variants/${id}` }
}

test('one variant is changed and the others stay as they are', async () => {
  const { admin, pathOf, read, product } = await makeTwo()
  const before = await read()
  const answer = await admin.put(pathOf('two'), { name: 'Second', inventory: { lowStockThreshold: 2 } })
  assert.equal(answer.status, 200, answer.text)
  const [one, two] = answer.body.variants
  assert.deepEqual(one, before.variants[0])
  assert.deepEqual(two, {
    ...before.variants[1],
    name: 'Second',
    inventory: { tracked: true, quantity: 5, lowStockThreshold: 2 },
  })
  const { body, headers } = await admin.get(product.path)
  assert.deepEqual(body, answer.body)
  assert.equal(headers.get('etag'), answer.headers.get('etag'))
})

test('a missing variant is created only with If-None-Match', async () => {
  const { admin, pathOf, product, read } = await makeTwo()
  const before = await read()
  const created = { 'if-none-match': '*' }
  const typo = await admin.put(pathOf('tow'), { name: 'Second' })
  assert.equal(refusal(typo), '404 NOT_FOUND')
  const other = await admin.put(pathOf('tow'), { name: 'Second' }, { 'if-none-match': '"1.1"' })
  assert.equal(refusal(other), '404 NOT_FOUND')
  const known = await admin.put(pathOf('two'), { name: 'Second' }, created)
  assert.equal(refusal(known), '412 PRECONDITION_FAILED')
  const nowhere = await admin.put(`${product.path}x/variants/two`, { name: 'Second' }, created)
  assert.equal(refusal(nowhere), '404 NOT_FOUND')
  const stale = await admin.put(pathOf('three'), {}, { ...created, 'if-match': '"0.0"' })
  assert.equal(refusal(stale), '412 PRECONDITION_FAILED')
  assert.deepEqual(await read(), before)
})

test('a new variant comes after the others, with its stock', async () => {
  const { admin, pathOf } = await makeTwo()
  const { body } = await admin.put(pathOf('three'), { inventory: { quantity: 7 } }, { 'if-none-match': '*' })
  assert.deepEqual(
    body.variants.map(({ id, inventory }: { id: string; inventory: { quantity: number } }) => [id, inventory.quantity]),
    [
      ['one', 5],
      ['two', 5],
      ['three', 7],
    ],
  )
})

test('a variant is removed, and its price of a market set, changed and removed', async () => {
  const { admin, pathOf, variantOf } = await makeTwo()
  assert.equal((await admin.put(`${pathOf('one')}/prices/de`, { price: 900, compareAtPrice: 1_200 })).status, 200)
  assert.deepEqual((await variantOf('one')).pricing.markets, [
    price('us', 1_000),
    { ...price('de', 900), compareAtPrice: 1_200 },
  ])
  await admin.put(`${pathOf('one')}/prices/us`, { price: 1_100 })
  assert.deepEqual((await variantOf('one')).pricing.markets, [
    price('us', 1_100),
    { ...price('de', 900), compareAtPrice: 1_200 },
  ])
  assert.equal((await admin.delete(`${pathOf('one')}/prices/de`)).status, 200)
  assert.deepEqual((await variantOf('one')).pricing.markets, [price('us', 1_100)])
  assert.equal((await admin.delete(pathOf('one'))).body.variants.length, 1)
})

test('what is wrong is named where it stands in the request', async () => {
  const { admin, pathOf } = await makeTwo()
  const refused = async (path: string, body: object) => refusal(await admin.put(pathOf(path), body))
  assert.deepEqual(
    [
      await refused('one/prices/us', { price: 1, currency: 'EUR' }),
      await refused('one/prices/mars', { price: 1 }),
      await refused('one', { pricing: { markets: [{ marketId: 'mars', price: 1 }] } }),
    ],
    [
      '422 VALIDATION_FAILED currency INVALID',
      '422 VALIDATION_FAILED marketId NOT_FOUND',
      '422 VALIDATION_FAILED pricing.markets.0.marketId NOT_FOUND',
    ],
  )
  for (const path of ['nothing/prices/us', 'one/prices/de'])
    assert.equal((await admin.delete(pathOf(path))).status, 404, path)
  assert.equal((await admin.delete(pathOf('nothing'))).status, 404)
})

test('an old version is refused, and a quantity compares the stock, too', async () => {
  const { admin, pathOf, product } = await makeTwo()
  const stale = { 'if-match': (await admin.get(product.path)).headers.get('etag') ?? '' }
  await admin.post(`${pathOf('two')}/stock`, { delta: -1 })
  assert.equal((await admin.put(pathOf('two'), { inventory: { quantity: 9 } }, stale)).status, 412)
  assert.equal((await admin.put(`${pathOf('two')}/prices/us`, { price: 1_500 }, stale)).status, 200)
  assert.equal((await admin.put(`${pathOf('two')}/prices/us`, { price: 1_600 }, stale)).status, 412)
})

test('no price is lost when all prices are set at the same time, while the name is changed', async () => {
  const { admin, pathOf, variantOf, product, read } = await makeTwo()
  const answers = await Promise.all([
    ...['one', 'two'].flatMap((id) => [
      admin.put(`${pathOf(id)}/prices/us`, { price: 2_000 }),
      admin.put(`${pathOf(id)}/prices/de`, { price: 1_900 }),
      admin.put(pathOf(id), { sku: `SKU-${id}` }),
    ]),
    admin.put(product.path, { name: 'Renamed' }),
  ])
  for (const { status, text } of answers) assert.equal(status, 200, text)
  for (const id of ['one', 'two']) {
    const { pricing, sku } = await variantOf(id)
    assert.deepEqual(new Set(pricing.markets), new Set([price('us', 2_000), price('de', 1_900)]))
    assert.equal(sku, `SKU-${id}`)
  }
  assert.equal((await read()).name, 'Renamed')
})
