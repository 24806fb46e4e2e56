import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { filledId, fillOrders } from '../../scenarios/fill-orders.ts'
import { findSequentialScans, recordStatements } from '../../support/explain.ts'
import { createMake, type Make } from '../../support/make.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

// More than a page looks at, so that short pages are seen, and the ways of rare and of common words.
const ORDERS = 45_000
/** All of these has gone out, whatever their status says: cancelled since, or waiting for something else. */
const SENT_ANYWAY = [10, 370, 22_220, 44_990, 44_992]
const ALL = Array.from({ length: ORDERS }, (_, index) => index + 1)

let api: TestApi
let shop: Awaited<ReturnType<Make['shop']>>

before(async () => {
  api = await startApi()
  shop = await createMake(api).shop({ cell: 'main' })
  await fillOrders(shop.db, { businessId: shop.id, orders: ORDERS, businesses: 300, ordersEach: 5 })
  await shop.db
    .updateTable('orders.orders')
    .set({ fulfillment: 'FULFILLED' })
    .where('businessId', '=', shop.id)
    .where('id', 'in', SENT_ANYWAY.map(filledId))
    .execute()
})
after(() => api.close())

type Page = { items: { id: string; total: number }[]; cursor: string | null }

async function readAll(query: string) {
  const pages: Page[] = []
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.cursor ?? null) {
    const { status, text, body } = await shop.admin.get(`${shop.path}/orders?${query}&cursor=${cursor}`)
    assert.equal(status, 200, text)
    pages.push(body as Page)
  }
  return { pages, ids: pages.flatMap(({ items }) => items.map(({ id }) => id)) }
}
const expected = (fits: (n: number) => boolean) => ALL.filter(fits).map(filledId).toReversed()
const payment = (n: number) =>
  n % 101 === 0
    ? 'FAILED'
    : n % 10 === 0
      ? 'PENDING'
      : n % 37 === 0
        ? 'REFUNDED'
        : n % 211 === 0
          ? 'PARTIALLY_REFUNDED'
          : 'PAID'
const marketOf = (n: number) => (n % 1009 === 0 ? 'is' : n % 10 < 3 ? 'de' : 'us')
const tagOf = (n: number) => (n % 20 === 0 ? 'gift' : n % 7919 === 0 ? 'fraud' : '')
const priceOf = (n: number) => 100 + ((n * 7919) % 50_000)
const product = (n: number) => `prod_${String(n).padStart(26, '0')}`
const productOf = (n: number) => (n % 10 === 4 ? 1 : 2 + (n % 4_999))
const isNewest = (n: number) => n > ORDERS - Math.floor(ORDERS / 200)
const status = (n: number) =>
  isNewest(n)
    ? n % 3 === 0
      ? 'PENDING'
      : 'PROCESSING'
    : n % 10 === 0
      ? 'CANCELLED'
      : n % 37 === 0
        ? 'REFUNDED'
        : n % 41 === 0
          ? 'SHIPPED'
          : 'DELIVERED'

const fulfillment = (n: number) =>
  n % 5_003 === 0
    ? 'PARTIALLY_FULFILLED'
    : SENT_ANYWAY.includes(n) || ['SHIPPED', 'DELIVERED'].includes(status(n))
      ? 'FULFILLED'
      : 'UNFULFILLED'
const isSent = (n: number) => fulfillment(n) === 'FULFILLED'

const CASES: [string, (n: number) => boolean][] = [
  [
    'paymentStatus=FAILED&paymentStatus=PARTIALLY_REFUNDED',
    (n) => ['FAILED', 'PARTIALLY_REFUNDED'].includes(payment(n)),
  ],
  ['paymentStatus=PENDING&fulfillment=PARTIALLY_FULFILLED', (n) => payment(n) === 'PENDING' && n % 5_003 === 0],
  ['fulfillment=PARTIALLY_FULFILLED', (n) => n % 5_003 === 0],
  ['fulfillment=UNFULFILLED&status=PENDING', (n) => fulfillment(n) === 'UNFULFILLED' && status(n) === 'PENDING'],
  ['fulfillment=UNFULFILLED&status=SHIPPED', () => false],
  [
    'fulfillment=FULFILLED&status=SHIPPED&status=CANCELLED',
    (n) => isSent(n) && status(n) !== 'DELIVERED' && status(n) !== 'REFUNDED' && !isNewest(n),
  ],
  ['fulfillment=FULFILLED&tag=gift', (n) => isSent(n) && tagOf(n) === 'gift'],
  [
    'fulfillment=FULFILLED&fulfillment=PARTIALLY_FULFILLED&totalFrom=45000',
    (n) => fulfillment(n) !== 'UNFULFILLED' && priceOf(n) >= 45_000,
  ],
  [
    'fulfillment=UNFULFILLED&fulfillment=PARTIALLY_FULFILLED&status=CANCELLED&status=PROCESSING',
    (n) => !isSent(n) && ['CANCELLED', 'PROCESSING'].includes(status(n)),
  ],
  ['status=SHIPPED&status=REFUNDED', (n) => ['SHIPPED', 'REFUNDED'].includes(status(n))],
  [
    'status=DELIVERED&status=SHIPPED&market=is',
    (n) => ['SHIPPED', 'DELIVERED'].includes(status(n)) && marketOf(n) === 'is',
  ],
  ['market=is', (n) => marketOf(n) === 'is'],
  ['market=us&market=is&tag=fraud', (n) => marketOf(n) !== 'de' && tagOf(n) === 'fraud'],
  ['tag=gift', (n) => tagOf(n) === 'gift'],
  ['promoCode=SUMMER&promoCode=RARE', (n) => n % 33 === 0 || n % 9_973 === 0],
  [`productId=${product(77)}`, (n) => productOf(n) === 77],
  [`productId=${product(1)}&tag=fraud`, (n) => productOf(n) === 1 && tagOf(n) === 'fraud'],
  ['totalFrom=50000', (n) => priceOf(n) >= 50_000],
  [
    'totalFrom=20000&totalTo=20500&market=de',
    (n) => priceOf(n) >= 20_000 && priceOf(n) <= 20_500 && marketOf(n) === 'de',
  ],
  ['query=name77', (n) => String((n * 31) % 20_011).startsWith('77')],
  ['query=ada.name77.', (n) => n % 20 === 0 && (n * 31) % 20_011 === 77],
  ['query=hamburg%20ada', (n) => n % 20 === 0 && Math.floor(n / 7) % 10 === 0],
  [
    'query=hamburg&paymentStatus=FAILED&market=us',
    (n) => Math.floor(n / 7) % 10 === 0 && payment(n) === 'FAILED' && marketOf(n) === 'us',
  ],
]

test('every order that matches is seen once, newest first, whatever the filters', async () => {
  for (const [query, fits] of CASES) {
    const { ids, pages } = await readAll(`limit=100&${query}`)
    assert.deepEqual(ids, expected(fits), query)
    assert.ok(pages.every(({ items }) => items.length <= 100))
  }
})

test('sorted by total, too, and across equal totals', async () => {
  const some = CASES.filter(([query]) => /market=is$|^tag=gift|tag=fraud$|market=de$|45000$/.test(query))
  for (const [query, fits] of some) {
    const { pages, ids } = await readAll(`limit=37&sort=-total&${query}`)
    const totals = pages.flatMap(({ items }) => items.map(({ total }) => total))
    assert.deepEqual(
      totals,
      totals.toSorted((a, b) => b - a),
      query,
    )
    assert.deepEqual(ids.toSorted().toReversed(), expected(fits), query)
  }
})

test('a page that is not full after 20,000 rows is answered short, with a cursor', async () => {
  // No index tells that there are none: orders that nobody has paid are not delivered.
  const { pages } = await readAll('paymentStatus=PENDING&status=DELIVERED')
  assert.deepEqual(
    pages.map(({ items, cursor }) => [items.length, cursor !== null]),
    [
      [0, true],
      [0, false],
    ],
  )
})

test('counts say when there are more than they counted', async () => {
  const counts = async (query: string) => (await shop.admin.get(`${shop.path}/orders/counts?${query}`)).body
  const ofAll = await counts('by=market')
  assert.equal(ofAll.isExact, false)
  assert.equal(
    ofAll.items.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    20_000,
  )
  assert.deepEqual(await counts('by=tag&market=is'), {
    items: [{ value: 'gift', count: ALL.filter((n) => marketOf(n) === 'is' && tagOf(n) === 'gift').length }],
    isExact: true,
  })
})

test('no statement reads a whole table', async () => {
  const queries = [
    ...CASES.map(([query]) => query),
    'sort=total',
    'sort=total&status=DELIVERED&totalFrom=1',
    'query=a',
    `totalFrom=1&productId=${product(1)}`,
    'sort=-updatedAt&market=us',
    'createdFrom=1750000000&createdTo=1750100000',
  ]
  for (const query of queries) {
    const statements = await recordStatements(() => shop.admin.get(`${shop.path}/orders?${query}`))
    assert.deepEqual(await findSequentialScans(statements), [], query)
  }
})

// The last one: it changes half of the orders.
test('orders that have gone out are found without looking through those that wait', async () => {
  await shop.db
    .updateTable('orders.orders')
    .set({ status: 'PROCESSING' })
    .where('businessId', '=', shop.id)
    .where('id', '>', filledId(ORDERS - 21_000))
    .execute()
  const { body } = await shop.admin.get(`${shop.path}/orders?fulfillment=FULFILLED&limit=50`)
  assert.equal(body.items.length, 50)
})
