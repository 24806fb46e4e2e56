import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { seededRandom } from '../../../twins/stripe/random.ts'
import { buyAll, findViolations, raceCarts, raceForStock, raceKeys, racePromo, tally } from '../../scenarios/buyers.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

let service: StartedWorld<'stripe'>
let node: TestApi
before(async () => {
  service = await startWorld({ providers: ['stripe'] })
  node = await startApi({ databases: service.api.databases, env: service.env })
})
after(async () => {
  await node.close()
  await service.close()
})

const nodes = (count: number) => ({ make: service.make, urls: [service.api.url, node.url].slice(0, count) })

for (const count of [1, 2]) {
  describe(`with ${count === 1 ? 'one API' : 'two APIs on the same databases'}`, () => {
    test('of what there is, all is sold and nothing more', async () => {
      const { violations, seconds: _, ...race } = await raceForStock(nodes(count), { checkouts: 1_000, stock: 100 })
      assert.deepEqual(race, {
        sold: 100,
        orders: 100,
        refusals: { '409 OUT_OF_STOCK': 900 },
        failed: 0,
        askedToRetry: 0,
        left: 0,
      })
      assert.deepEqual(violations, [])
    })

    test('carts that want the same goods in any order neither oversell nor deadlock', async () => {
      const random = seededRandom(count)
      const race = await raceCarts(nodes(count), { carts: 500, stock: 100, random })
      assert.deepEqual([race.wrong, race.violations], [[], []])
      assert.deepEqual([race.failed, race.askedToRetry], [0, 0])
      assert.ok(race.sold > 100)
      assert.equal(race.sold + (race.refusals['409 OUT_OF_STOCK'] ?? 0), 500)
    })

    test('a promo code is used as often as it may be, not once more', async () => {
      const race = await racePromo(nodes(count), { racers: 200, tries: 1, limits: { maxRedemptions: 20 } })
      assert.deepEqual([race.sold, race.redemptions, race.refusals], [20, 20, { '409 PROMO_EXHAUSTED': 180 }])
      assert.deepEqual(race.violations, [])
    })

    test('each customer uses a promo code as often as a customer may', async () => {
      const race = await racePromo(nodes(count), { racers: 40, tries: 5, limits: { maxPerCustomer: 1 } })
      assert.deepEqual([race.sold, race.winners, race.redemptions], [40, 40, 40])
      assert.deepEqual(race.refusals, { '409 PROMO_EXHAUSTED': 160 })
      assert.deepEqual(race.violations, [])
    })

    test('a key makes one order, however often it is sent at once, and everybody is told of it', async () => {
      const { violations, ...race } = await raceKeys(nodes(count), { keys: 50, copies: 8 })
      assert.deepEqual(race, {
        sold: 400,
        orders: 50,
        refusals: {},
        failed: 0,
        askedToRetry: 0,
        differentAnswers: 0,
        left: 350,
      })
      assert.deepEqual(violations, [])
    })
  })
}

test('what is to be paid is sold as exactly, and paid', async () => {
  const shop = await service.make.shop({ cell: 'second' })
  const product = await service.make.product(shop, {
    variants: [
      {
        id: 'one',
        pricing: { markets: [{ marketId: 'us', price: 1_000 }] },
        inventory: { tracked: true, quantity: 20 },
      },
    ],
  })
  const { token } = await service.make.guest()
  const body = { market: 'us', items: [{ productId: product.id, variantId: 'one', quantity: 1 }] }
  const { urls } = nodes(2)
  const answers = await buyAll(
    shop,
    Array.from({ length: 100 }, (_, index) => ({ body, token, url: urls[index % 2] as string, key: `k${index}` })),
  )
  const { sold, refusals } = tally(answers)
  assert.deepEqual([sold, refusals, await product.stock()], [20, { '409 OUT_OF_STOCK': 80 }, 0])
  for (const { id } of service.twin.sessions()) service.twin.pay(id)
  await until('all are paid', async () => {
    const { body: page } = await shop.admin.get(`${shop.path}/orders?status=PROCESSING&limit=100`)
    return page.items.length === 20
  })
  assert.deepEqual(await findViolations(shop.db), [])
})
