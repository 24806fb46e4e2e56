import { sql } from 'kysely'
import pino from 'pino'
import { check, invariants } from '#apps/verify.ts'
import { followReports, rebuildReports } from '#modules/reports/index.ts'
import { loadConfig } from '#platform/config.ts'
import { type Db, openDatabases } from '#platform/database/database.ts'
import { liveHistory } from '../../test/scenarios/report-histories.ts'
import {
  addOrders,
  addTroubles,
  fillYear,
  HOURS,
  MONTH,
  SIZES,
  TIME_ZONE,
  tellAll,
  YEAR,
} from '../../test/scenarios/report-year.ts'
import { startChild } from '../../test/support/child.ts'
import { createMake } from '../../test/support/make.ts'
import { openReports, type Shop } from '../../test/support/reports.ts'
import { startApi, type TestApi } from '../../test/support/start-api.ts'
import { type Chart, type Figure, none, p95Bars, percentile, type Run, sizeOf } from '../report/figures.ts'

export const title = 'Reports: the sum over orders after any history, and a year of ten million orders at once'

const MAX_MS = 100
const WARMING = 5
const ROUNDS = 40
const MIN_ORDERS_A_SECOND = 500
const WAITING_ORDERS = 100_000
const DAY_MS = 86_400_000

export async function run({ quick, note }: Run) {
  const api = await startApi()
  try {
    const shop = await openReports(api, createMake(api), TIME_ZONE)
    const patient = patientDatabases(api)
    try {
      const db = patient.cells.get(shop.cell) as Db
      const lived = await live(shop.db, sizeOf('histories', quick ? 100 : 2_000), note)
      const followed = await follow(db, sizeOf('orders', quick ? 5_000 : 200_000), note)
      const { figures, chart } = await measure(api, shop, db, sizeOf('variants', quick ? 2_000 : SIZES.variants), note)
      return { figures: [...lived, ...followed, ...figures], charts: [chart] }
    } finally {
      await patient.close()
    }
  } finally {
    await api.close()
  }
}

/** No statement of the service may take as long as these. */
const patientDatabases = (api: TestApi) =>
  openDatabases(loadConfig({ NODE_ENV: 'test', ...api.databases.env }).databases, {
    max: 2,
    statementTimeoutMs: 3_600_000,
  })

async function live(db: Db, histories: number, note: Run['note']): Promise<Figure[]> {
  let [rows, lost, wrong] = [0, 0, 0]
  for (let seed = 1; seed <= histories; seed++) {
    try {
      const lived = await liveHistory(db, seed)
      rows += lived.rows
      lost += lived.lost
    } catch (error) {
      wrong++
      note(`history ${seed}: ${error instanceof Error ? error.message : String(error)}`)
    }
    if (seed % 200 === 0) note(`${seed} histories, ${rows} rows`)
  }
  return [
    { name: 'histories', value: histories, unit: '' },
    { name: 'rows of reports that were compared', value: rows, unit: '' },
    { name: 'connections lost on the way', value: lost, unit: '' },
    none('histories after which a report is not the sum over its orders', wrong),
  ]
}

/** How fast orders are counted: as they come, all of them of these minutes; and anew, over a year. Then what `verify` says. */
async function follow(db: Db, orders: number, note: Run['note']): Promise<Figure[]> {
  const businessId = 'biz_followed'
  const log = pino({ level: 'silent' })
  const now = Date.now()
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now()
    await work()
    return (performance.now() - start) / 1_000
  }
  const live = Math.min(orders, 20_000)
  await addOrders(db, 'biz_live', { count: live, from: new Date(now - 40_000), to: new Date(now) })
  await tellAll(db, 'biz_live')
  await sql`vacuum analyze cell.followed, orders.orders`.execute(db)
  const asTheyCome = live / (await timed(() => followReports(db, log)))
  note(`${Math.round(asTheyCome)} orders a second`)
  await addOrders(db, businessId, { count: orders, from: new Date(now - 365 * DAY_MS), to: new Date(now) })
  await sql`vacuum analyze orders.orders`.execute(db)
  const anew = orders / (await timed(() => rebuildReports(db, businessId)))
  note(`${Math.round(anew)} orders a second, anew`)
  await sql`vacuum analyze reports.orders, reports.sums, reports.subjects`.execute(db)
  let violations = 0
  const seconds = await timed(async () => {
    for (const rule of [...invariants.keys()].filter((each) => /report/.test(each)))
      violations += (await check(db, rule, businessId)).violations.length
  })
  return [
    {
      name: 'orders a second that the worker counts as they come',
      value: asTheyCome,
      unit: '/s',
      goal: `≥ ${MIN_ORDERS_A_SECOND}`,
      ok: asTheyCome >= MIN_ORDERS_A_SECOND,
    },
    { name: 'orders of a year that are counted anew', value: orders, unit: '' },
    { name: 'orders a second of these', value: anew, unit: '/s' },
    { name: 'rules of verify on them', value: seconds, unit: 's' },
    none('rows that violate them', violations),
  ]
}

const ASKED: [name: string, report: string, query: Record<string, string | number>][] = [
  ['sales, a year by day, one market', 'sales', { ...YEAR, interval: 'day', market: 'us' }],
  ['sales, a year by day, four markets', 'sales', { ...YEAR, interval: 'day' }],
  ['sales, a year by day, with the year before', 'sales', { ...YEAR, interval: 'day', compare: 'previous' }],
  ['sales, a year by week, with the year before', 'sales', { ...YEAR, interval: 'week', compare: 'previous' }],
  ['sales, a year by month, with the year before', 'sales', { ...YEAR, interval: 'month', compare: 'previous' }],
  ['sales, 33 days by hour', 'sales', { ...HOURS, interval: 'hour' }],
  [
    'sales, 33 days by hour, one market, with those before',
    'sales',
    { ...HOURS, interval: 'hour', market: 'us', compare: 'previous' },
  ],
  ['sales, 33 days by hour, with those before', 'sales', { ...HOURS, interval: 'hour', compare: 'previous' }],
  ['customers, a year by day', 'customers', { ...YEAR, interval: 'day' }],
  ['customers, a year by week, with the year before', 'customers', { ...YEAR, interval: 'week', compare: 'previous' }],
  [
    'customers, a year by month, with the year before',
    'customers',
    { ...YEAR, interval: 'month', compare: 'previous' },
  ],
  ['products, a year', 'products', YEAR],
  ['products, a year, one market', 'products', { ...YEAR, market: 'us' }],
  ['products, a month, with the one before', 'products', { ...MONTH, compare: 'previous' }],
  ['promo codes, a year, with the year before', 'promo-codes', { ...YEAR, compare: 'previous' }],
  [
    'subscribers, a year by day, with the year before',
    'subscribers',
    { ...YEAR, interval: 'day', compare: 'previous' },
  ],
  ['home', 'home', {}],
]

/** Over HTTP, of the service in a process of its own, until the whole answer is here. */
async function measure(api: TestApi, shop: Shop, db: Db, variants: number, note: Run['note']) {
  const { rows, orders } = await fillYear(db, shop.id, { ...SIZES, variants }, note)
  const now = Date.now()
  await addOrders(db, shop.id, { count: WAITING_ORDERS, from: new Date(now - 30 * DAY_MS), to: new Date(now) })
  await addTroubles(db, shop.id)
  await sql`vacuum analyze orders.orders, payments.payments, payments.refunds`.execute(db)
  const figures: Figure[] = [
    { name: 'orders of the year in the sums', value: orders, unit: '' },
    { name: 'variants that sell, in four markets', value: variants, unit: '' },
    { name: 'promo codes', value: SIZES.codes, unit: '' },
    { name: 'rows of sums', value: rows, unit: '' },
  ]
  const times = new Map<string, number[]>()
  const service = await startChild('api', api.databases.env)
  try {
    for (const [name, report, query] of ASKED) {
      const asked = Object.entries(query).map(([key, value]) => `${key}=${value}`)
      const ms: number[] = []
      for (let round = -WARMING; round < ROUNDS; round++) {
        const start = performance.now()
        const response = await fetch(`${service.url}${shop.base}/reports/${report}?${asked.join('&')}`, {
          headers: { authorization: `Bearer ${shop.admin.token}` },
        })
        const text = await response.text()
        if (response.status !== 200) throw new Error(text)
        if (round >= 0) ms.push(performance.now() - start)
      }
      times.set(name, ms)
      const p95 = percentile(ms, 95)
      note(`${name}: ${percentile(ms, 50).toFixed(0)} ms, 95 %: ${p95.toFixed(0)} ms`)
      figures.push({ name: `${name}, 95 %`, value: p95, unit: 'ms', goal: `≤ ${MAX_MS}`, ok: p95 <= MAX_MS })
    }
  } finally {
    await service.kill()
  }
  const chart: Chart = p95Bars('Reports of a year of ten million orders, 95 %', times)
  return { figures, chart }
}
