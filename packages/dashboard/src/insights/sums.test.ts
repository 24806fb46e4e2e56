import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scaleOf } from '../ui/scale.ts'
import { addUp, averageOf, begunBy, changeOf, currenciesOf, NOTHING, orderQueryOf, pointsOf } from './sums.ts'

const row = (from: number, market: string, orders: number, net: number, more = '') => ({
  ...NOTHING,
  from,
  to: from + 100,
  orders,
  net,
  orderQuery: `createdFrom=${from}&createdTo=${from + 100}&paymentStatus=PAID&market=${market}&currency=EUR${more}`,
})

test('figures of several markets are added up, an average is of all orders', () => {
  const sums = addUp([row(0, 'de', 2, 1_000), row(0, 'at', 1, 501)])
  assert.deepEqual([sums.orders, sums.net, sums.units], [3, 1_501, 0])
  assert.equal(averageOf(sums), 500)
  assert.equal(averageOf(NOTHING), 0)
})

test('the list behind several rows is all of their orders, and nothing where there are none', () => {
  const query = (rows: Parameters<typeof orderQueryOf>[0]) =>
    Object.fromEntries(
      [...new Set(new URLSearchParams(orderQueryOf(rows)).keys())].map((name) => [
        name,
        new URLSearchParams(orderQueryOf(rows)).getAll(name).join(),
      ]),
    )
  assert.deepEqual(query([row(100, 'de', 1, 1), row(200, 'at', 1, 1), row(900, 'fr', 0, 0)]), {
    createdFrom: '100',
    createdTo: '300',
    paymentStatus: 'PAID',
    market: 'de,at',
    currency: 'EUR',
  })
  const both = [row(0, 'de', 1, 1, '&customer=NEW'), row(0, 'de', 1, 1, '&customer=RETURNING')]
  assert.equal(query(both).customer, undefined)
  assert.equal(query(both.slice(0, 1)).customer, 'NEW')
  assert.equal(orderQueryOf([row(0, 'de', 0, 0)]), undefined)
})

test('a row belongs to the span of its middle, and what has not begun is not compared', () => {
  const points = pointsOf(
    [
      { from: 0, to: 100 },
      { from: 100, to: 200 },
    ],
    [row(10, 'de', 1, 1), row(95, 'de', 2, 2), row(500, 'de', 9, 9)],
  )
  assert.deepEqual(
    points.map(({ rows }) => rows.map(({ orders }) => orders)),
    [[1], [2]],
  )
  assert.equal(begunBy(points, 99).length, 1)
  assert.equal(begunBy(points, 100).length, 2)
})

test('against nothing there is no share, and amounts keep their currency', () => {
  assert.equal(changeOf(150, 100), 0.5)
  assert.equal(changeOf(10, 0), undefined)
  assert.deepEqual(
    currenciesOf([{ currency: 'USD' }, { currency: 'JPY' }, { currency: 'EUR' }], ['EUR', 'CHF', 'USD']),
    ['EUR', 'USD', 'JPY'],
  )
})

test('an axis has round steps up to what is shown', () => {
  assert.deepEqual(scaleOf(1_846), { top: 2_000, steps: [500, 1_000, 1_500, 2_000] })
  assert.deepEqual(scaleOf(3, true), { top: 3, steps: [1, 2, 3] })
  assert.deepEqual(scaleOf(0), { top: 1, steps: [] })
  for (const highest of [0.07, 1, 99, 101, 12_345_678]) {
    const { top, steps } = scaleOf(highest)
    assert.ok(top >= highest && steps.length <= 4, String(highest))
  }
})
