import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { prepare } from '#platform/database/prepared.ts'
import { onServer } from '../../support/database.ts'
import { createMake, type Make } from '../../support/make.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

let api: TestApi
let make: Make

before(async () => {
  api = await startApi()
  make = createMake(api)
})
after(() => api.close())

test('a migration that changes the type of a column is not noticed by those who read and buy meanwhile', async () => {
  const shop = await make.shop({ cell: 'main' })
  const pricing = { markets: [{ marketId: 'us', price: 0 }] }
  const product = await make.product(shop, {
    variants: [{ id: 'one', pricing, inventory: { tracked: true, quantity: 10 } }],
  })
  const guest = await make.guest()
  const cart = { market: 'us', items: [{ productId: product.id, variantId: 'one', quantity: 1 }] }
  const ask = async () => {
    const answers = [
      await guest.get(`${shop.products}/${product.id}`),
      await guest.post('/v1/payments/quote', { businessId: shop.id, ...cart }),
      await guest.post(`${shop.path}/orders/checkout`, cart),
    ]
    return answers.map(({ status }) => status)
  }
  assert.deepEqual(await ask(), [200, 200, 200])
  for (const type of ['bigint', 'integer']) {
    await onServer(
      (client) => client.query(`alter table catalog.stock alter quantity type ${type}, alter version type bigint`),
      api.databases.main.url,
    )
    assert.deepEqual(await ask(), [200, 200, 200], type)
  }
  const { body } = await shop.admin.get(`${shop.products}/${product.id}`)
  assert.equal(body.variants[0].inventory.quantity, 7)
})

test('a statement that holds its values in its text is not prepared for ever', () => {
  assert.throws(() => {
    for (let value = 0; value < 200; value++) prepare(`select ${value}`)
  }, /Not another prepared statement/)
})
