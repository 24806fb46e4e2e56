import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { prepare, preparedName } from '#platform/database/statement-names.ts'
import { onServer } from '../../support/database.ts'
import { createMake, type Make } from '../../support/make.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

let api: TestApi
let make: Make

before(async () => {
  api = await startApi()
  make = createMake(api)
})
after(() => api.close())

const BUYERS = 6

test('a migration that changes the type of a column is not noticed by those who read and buy meanwhile', async () => {
  const shop = await make.shop({ cell: 'main' })
  const pricing = { markets: [{ marketId: 'us', price: 0 }] }
  const product = await make.product(shop, {
    variants: [{ id: 'one', pricing, inventory: { tracked: true, quantity: 1_000_000 } }],
  })
  const guest = await make.guest()
  const cart = { market: 'us', items: [{ productId: product.id, variantId: 'one', quantity: 1 }] }
  let bought = 0
  const ask = async () => {
    const answers = [
      await guest.get(`${shop.products}/${product.id}`),
      await guest.post('/v1/payments/quote', { businessId: shop.id, ...cart }),
      await guest.post(`${shop.path}/orders/checkout`, cart),
    ]
    for (const { status, text } of answers) assert.equal(status, 200, text)
    bought++
  }
  let isOver = false
  const buyers = Array.from({ length: BUYERS }, async () => {
    while (!isOver) await ask()
  })
  const migrating = (async () => {
    for (const type of ['bigint', 'integer', 'bigint', 'integer']) {
      const before = bought
      await until('everybody has bought', () => bought >= before + 10 * BUYERS) // plans are kept after five times
      await onServer(
        (client) => client.query(`alter table catalog.stock alter quantity type ${type}, alter version type bigint`),
        api.databases.main.url,
      )
    }
    await Promise.all(Array.from({ length: BUYERS }, ask))
  })()
  await migrating.finally(() => {
    isOver = true
  })
  await Promise.all(buyers)
  const { body } = await shop.admin.get(`${shop.products}/${product.id}`)
  assert.equal(body.variants[0].inventory.quantity, 1_000_000 - bought)
})

test('texts that hold their values are not all prepared: connections would keep them for ever', () => {
  const texts = Array.from({ length: 200 }, (_, value) => `select ${value}`)
  for (const text of texts) prepare(text)
  assert.ok(texts.filter((text) => preparedName(text) !== undefined).length <= 100)
})
