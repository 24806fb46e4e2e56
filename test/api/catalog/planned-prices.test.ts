import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { catalogJobs, rebuildProducts } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

const HOUR = 3_600
const DAY = 24 * HOUR

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const seconds = () => Math.trunc(now().getTime() / 1_000)

/** What the worker does every minute. */
const refreshPrices = (db: Db) => runJob('catalog.refresh-prices', db)

async function runJob(wanted: string, db: Db) {
  const job = catalogJobs.find(({ name }) => name === wanted)
  assert.ok(job?.on === 'cell')
  const signal = AbortSignal.timeout(20_000)
  await job.run({}, { db, signal } as never)
  assert.ok(!signal.aborted, 'it comes to an end')
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
  const put = (list: readonly Price[], headers = {}) =>
    admin.put(`${product.path}/variants/one`, { pricing: pricesOf(list) }, headers)
  return { ...shop, admin, product, read, quote, put, refresh: () => refreshPrices(shop.db) }
}

const CREATED = { 'if-none-match': '*' }

type Priced = Awaited<ReturnType<typeof makePriced>>

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

test('a price that is taken away, by hand, by plan or with its variant, is history all the same', async () => {
  const gone = {
    byHand: ({ admin, product }: Priced) => admin.delete(`${product.path}/variants/one/prices/us`),
    withItsVariant: ({ admin, product }: Priced) => admin.delete(`${product.path}/variants/one`),
    together: ({ put }: Priced) => put([]),
  }
  for (const [how, takeAway] of Object.entries(gone)) {
    const priced = await makePriced({ price: 1_000 })
    clock.advance(DAY)
    assert.equal((await takeAway(priced)).status, 200, how)
    clock.advance(DAY)
    await priced.put([{ price: 1_500 }], how === 'withItsVariant' ? CREATED : {})
    clock.advance(DAY)
    await priced.put([{ price: 1_200, compareAtPrice: 1_500 }])
    assert.equal((await priced.read())[0]?.lowestOf30Days, 1_000, how)
  }

  const planned = await makePriced({ price: 1_000, validTo: seconds() + DAY })
  clock.advance(DAY)
  await planned.refresh()
  assert.deepEqual(await planned.read(await used.make.guest()), [])
  clock.advance(DAY)
  await planned.put([{ price: 1_500 }])
  clock.advance(DAY)
  await planned.put([{ price: 1_200, compareAtPrice: 1_500 }])
  assert.equal((await planned.read())[0]?.lowestOf30Days, 1_000, 'by plan')
})

test('a variant that comes back reduced has the lowest price that it had before it went', async () => {
  const { admin, product, put, read } = await makePriced({ price: 1_000 })
  clock.advance(DAY)
  assert.equal((await admin.delete(`${product.path}/variants/one`)).status, 200)
  clock.advance(DAY)
  await put([{ price: 1_200, compareAtPrice: 1_500 }], CREATED)
  assert.equal((await read())[0]?.lowestOf30Days, 1_000)
})

test('a price that is called reduced without a change was its own lowest', async () => {
  const { put, read, admin, product } = await makePriced({ price: 1_500 })
  clock.advance(DAY)
  await put([{ price: 900 }])
  clock.advance(DAY)
  await put([{ price: 900, compareAtPrice: 1_200 }])
  assert.equal((await read())[0]?.lowestOf30Days, 900)
  await admin.put(product.path, { name: 'Renamed' })
  assert.equal((await read())[0]?.lowestOf30Days, 900)

  const fromTheStart = await makePriced({ price: 900, compareAtPrice: 1_200 })
  clock.advance(DAY)
  await fromTheStart.admin.put(fromTheStart.product.path, { name: 'Renamed' })
  assert.equal((await fromTheStart.read())[0]?.lowestOf30Days, undefined, 'it never cost anything else')
})

test('a rebuild between the planned moment and the worker loses nothing of the history', async () => {
  const from = seconds() + DAY
  const { id, db, put, read } = await makePriced({ price: 1_000 }, { price: 700, validFrom: from, validTo: from + DAY })
  clock.advance(DAY + 30)
  await rebuildProducts(db, { businessId: id })
  assert.equal((await read())[0]?.lowestOf30Days, 1_000)
  clock.advance(DAY)
  await rebuildProducts(db, { businessId: id })
  clock.advance(DAY)
  await put([{ price: 900, compareAtPrice: 1_000 }])
  assert.equal((await read())[0]?.lowestOf30Days, 700)
})

test('products that were deleted before their planned moment keep no others waiting', async () => {
  const from = seconds() + HOUR
  const { admin, db, id, products, read, refresh } = await makePriced(
    { price: 1_000 },
    { price: 800, validFrom: from + 1 },
  )
  const variants = [{ id: 'one', pricing: { markets: [{ marketId: 'us', price: 1, validFrom: from }] } }]
  for (let number = 0; number < 200; number++) {
    const { body } = await admin.post(products, { name: `Gone ${number}`, variants })
    assert.equal((await admin.delete(`${products}/${body.id}`)).status, 200)
  }
  // Only an archive can contain a deleted product that still has a planned price.
  await sql`update catalog.products set prices_change_at = ${new Date(from * 1_000)}
             where business_id = ${id} and status = 'DELETED'`.execute(db)
  clock.advance(HOUR + 1)
  await refresh()
  assert.equal((await read())[0]?.price, 800)
})

test('prices of more than 40 days ago are forgotten, however many they are', async () => {
  const { db, id, product, put } = await makePriced({ price: 1_000 })
  await put([{ price: 900 }])
  await sql`
    insert into catalog.price_history (business_id, product_id, variant_id, market_id, until, price)
    select ${id}, ${product.id}, 'one', 'us', ${now()}::timestamptz - interval '41 days' - number * interval '1 second', 1
      from generate_series(1, 20001) as number`.execute(db)
  await runJob('catalog.forget-past-prices', db)
  const { rows } = await sql`select price from catalog.price_history where business_id = ${id}`.execute(db)
  assert.deepEqual(rows, [{ price: 1_000 }])
})
