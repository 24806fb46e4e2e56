import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSums, type Delta, keepSubjects } from '#modules/reports/sums.ts'
import { transaction } from '#platform/database/transaction.ts'
import { randomOf } from '../../scenarios/report-histories.ts'
import { openReports } from '../../support/reports.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const DAY = 96
const BEGIN = 20_000 * DAY
const DAYS = 30
const PLACES = [
  ['us', 'USD'],
  ['de', 'EUR'],
] as const

type Row = { productId: string; market: string; orders: number; units: number; net: number }

/** Sales of many variants at any quarter of an hour; how many of the nth, `soldOf` says. */
async function sellMany(seed: number, variants: number, soldOf: (n: number) => number) {
  const shop = await openReports(used.api, used.make, 'Asia/Kathmandu')
  const random = randomOf(seed)
  const deltas = Array.from({ length: variants }, (_, n) =>
    PLACES.flatMap(([market, currency]) =>
      Array.from({ length: soldOf(n + 1) }, (): Delta => {
        const total = 100 + random(900)
        return {
          businessId: shop.id,
          kind: 'PRODUCT',
          quarter: BEGIN + random(DAYS * DAY),
          subject: null,
          key: `prod_${n}`,
          variantId: 'one',
          market,
          currency,
          orders: 1,
          units: 1 + random(3),
          subtotal: total,
          discount: 0,
          shipping: 0,
          tax: 0,
          total,
          refunded: random(5) === 0 ? random(total) : 0,
        }
      }),
    ),
  ).flat()
  await transaction(shop.db, async (tx) => {
    await keepSubjects(tx, deltas, [])
    await addSums(tx, deltas)
  })
  return { shop, deltas }
}

/** What each variant comes to in each market, between two times. */
function sumUp(deltas: readonly Delta[], from: number, to: number): Map<string, Omit<Row, 'productId' | 'market'>> {
  const sums = new Map<string, Omit<Row, 'productId' | 'market'>>()
  for (const { key, market, quarter, orders, units, total, refunded } of deltas) {
    if (quarter * 900 < from || quarter * 900 >= to) continue
    const known = sums.get(`${key} ${market}`) ?? { orders: 0, units: 0, net: 0 }
    const net = known.net + total - refunded
    sums.set(`${key} ${market}`, { orders: known.orders + orders, units: known.units + units, net })
  }
  return sums
}

for (const [what, soldOf] of [
  ['a few sell most', (n: number) => Math.ceil(120 / n)],
  ['all sell alike', () => 6],
] as const)
  test(`where ${what}, pages of products have every variant once, the highest first`, async () => {
    const { shop, deltas } = await sellMany(7, 260, soldOf)
    const asked = [
      { days: [0, DAYS], limit: 100, sort: '-net' },
      { days: [1, 27], limit: 20, sort: '-net' },
      { days: [3, 24], limit: 20, sort: '-units' },
      { days: [2, 29], limit: 7, sort: '-net', market: 'de' },
      { days: [9, 10], limit: 20, sort: '-units' },
    ] as const
    for (const { days, ...query } of asked) {
      const [from, to] = days.map((day) => (BEGIN + day * DAY) * 900) as [number, number]
      const rows: (Row & { from: number; to: number })[] = []
      for (let cursor = ''; ; ) {
        const page = await shop.report('products', { from, to, ...query, ...(cursor && { cursor }) })
        rows.push(...page.items)
        if (page.cursor === null || rows.length > 1_000) break
        cursor = page.cursor
      }
      const [first] = rows
      assert.ok(first)
      const expected = sumUp(
        deltas.filter(({ market }) => !('market' in query) || market === query.market),
        first.from,
        first.to,
      )
      assert.equal(rows.length, expected.size, JSON.stringify(query))
      const figure = query.sort === '-net' ? 'net' : 'units'
      for (const [index, { productId, market, orders, units, net, ...row }] of rows.entries()) {
        assert.deepEqual({ orders, units, net }, expected.get(`${productId} ${market}`), JSON.stringify(query))
        const next = rows[index + 1]
        const rank = figure === 'net' ? net : units
        if (next) assert.ok(rank >= next[figure], `${rank} of ${row.from} before ${next[figure]}`)
      }
      assert.equal(new Set(rows.map(({ productId, market }) => `${productId} ${market}`)).size, rows.length)
    }
  })
