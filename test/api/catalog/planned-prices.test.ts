import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { catalogJobs } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { useApi } from '../../support/setup.ts'

const used = useApi()

const HOUR = 3_600
const DAY = 24 * HOUR

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const seconds = () => Math.trunc(now().getTime() / 1_000)

/** What the worker does every minute. */
async function refreshPrices(db: Db) {
  const job = catalogJobs.find(({ name }) => name === 'catalog.refresh-prices')
  assert.ok(job?.on === 'cell')
  await job.run({}, { db, signal: new AbortController().signal } as never)
}

type Price = { price: number; compareAtPrice?: number; validFrom?: number; validTo?: number }

/** A product with one variant and these prices in one market; people call with keys, which outlast a moved clock. */
async function makePriced(...prices: Price[]) {
  const shop = await used.make.shop()
  const admin = await used.make.apiKey(shop.admin.id)
  const pricesOf = (list: readonly Price[]) => ({ markets: list.map((price) => ({ marketId: 'us', ...price })) })
  const product = await used.make.product(shop, {
    statuses: [{ status: 'ACTIVE' }],
    variants: [{ id: 'one', pricing: pricesOf(prices), inventory: { tracked: false } }],
  })
  const read = async (reader: { get: typeof admin.get } = admin) => {
    const { body } = await reader.get(product.path)
    return body.variants[0].pricing.markets as (Price & { lowestOf30Days?: number })[]
  }
  const quote = async () => {
    const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
    const { body, text } = await admin.post('/v1/payments/quote', { businessId: shop.id, items, market: 'us' })
    assert.ok(body.subtotal !== undefined, text)
    return body.subtotal as number
  }
  const put = (list: readonly Price[]) => admin.put(`${product.path}/variants/one`, { pricing: pricesOf(list) })
  return { ...shop, admin, product, read, quote, put, refresh: () => refreshPrices(shop.db) }
}

test('a planned price holds from its beginning to its end, in quotes to the second', async () => {
  const from = seconds() + HOUR
  const { quote, read, refresh } = await makePriced(
    { price: 1_000 },
    { price: 800, validFrom: from, validTo: from + HOUR },
  )
  assert.equal(await quote(), 1_000)
  clock.advance(HOUR)
  assert.equal(await quote(), 800)
  await refresh()
  assert.deepEqual(
    (await read()).map(({ price }) => price),
    [800, 1_000],
    'what holds comes first',
  )
  clock.advance(HOUR)
  assert.equal(await quote(), 1_000)
  await refresh()
  assert.deepEqual(
    (await read()).map(({ price }) => price),
    [1_000, 800],
  )
})

test('what is planned is for those who write products only', async () => {
  const { read } = await makePriced({ price: 1_000 }, { price: 800, validFrom: seconds() + HOUR })
  assert.equal((await read()).length, 2)
  assert.deepEqual(
    (await read(await used.make.guest())).map(({ price }) => price),
    [1_000],
  )
})

test('a reduced price says the lowest of the 30 days before it', async () => {
  const { put, read, refresh } = await makePriced({ price: 1_000 })
  clock.advance(40 * DAY)
  await put([{ price: 900 }])
  clock.advance(DAY)
  await put([{ price: 1_200 }])
  clock.advance(DAY)
  const from = seconds() + DAY
  await put([{ price: 1_200 }, { price: 1_100, validFrom: from }])
  assert.equal((await read())[0]?.lowestOf30Days, undefined, 'the plain price is not reduced')
  clock.advance(DAY)
  await refresh()
  assert.deepEqual((await read())[0], {
    marketId: 'us',
    currency: 'USD',
    price: 1_100,
    validFrom: from,
    lowestOf30Days: 900,
  })

  clock.advance(HOUR)
  await put([{ price: 1_200 }, { price: 1_100, validFrom: from }])
  assert.equal((await read())[0]?.lowestOf30Days, 900, 'sent again, it stays')
  clock.advance(31 * DAY)
  await put([{ price: 1_000, compareAtPrice: 1_200 }])
  assert.equal((await read())[0]?.lowestOf30Days, 1_100, 'the 900 were too long ago')
})

test('a change that comes between the planned moment and the worker loses nothing of the history', async () => {
  const from = seconds() + DAY
  const { admin, product, read } = await makePriced({ price: 1_000 }, { price: 700, validFrom: from })
  clock.advance(DAY + 30)
  assert.equal((await admin.put(product.path, { name: 'Renamed' })).status, 200)
  assert.deepEqual((await read())[0], {
    marketId: 'us',
    currency: 'USD',
    price: 700,
    validFrom: from,
    lowestOf30Days: 1_000,
  })
})

test('two planned prices cannot hold at the same time, and one must end after it begins', async () => {
  const { put, admin, product } = await makePriced({ price: 1_000 })
  const at = seconds()
  const wrong = async (...prices: Price[]) => refusal(await put(prices))
  assert.deepEqual(
    [
      await wrong({ price: 1, validFrom: at, validTo: at + 10 }, { price: 2, validFrom: at + 9 }),
      await wrong({ price: 1, validFrom: at, validTo: at + 10 }, { price: 2, validTo: at + 10 }),
      await wrong({ price: 1, validFrom: at + 1, validTo: at }),
      await wrong({ price: 1 }, { price: 2 }),
      await wrong({ price: 1, validFrom: at, validTo: at + 10 }, { price: 2, validFrom: at + 10 }),
    ],
    [
      '422 VALIDATION_FAILED pricing.markets.1.validFrom INVALID',
      '422 VALIDATION_FAILED pricing.markets.0.validFrom INVALID',
      '422 VALIDATION_FAILED pricing.markets.0.validTo INVALID',
      '422 VALIDATION_FAILED pricing.markets.1.marketId DUPLICATE',
      '200',
    ],
  )
  const planned = `${product.path}/variants/one/prices/us`
  assert.equal((await admin.put(planned, { price: 3, validFrom: at + 10 })).status, 200)
  const { body } = await admin.delete(`${planned}?validFrom=${at + 10}`)
  assert.deepEqual(
    body.variants[0].pricing.markets.map(({ price }: Price) => price),
    [1],
  )
})
