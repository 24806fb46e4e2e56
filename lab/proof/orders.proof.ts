import { sql } from 'kysely'
import type { Cell } from '#platform/database/database.ts'
import { sizeOf } from '../../test/scenarios/fill-catalog.ts'
import { fillOrders } from '../../test/scenarios/fill-orders.ts'
import { findSequentialScans, recordStatements } from '../../test/support/explain.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { median, p95Bars, percentile, type Run } from '../report/figures.ts'

export const title =
  'Ten million orders in one business, ten thousand businesses beside it, and staff who look for some'

const ONE_FILTER = 10
const THREE_FILTERS = 30
const QUERY = 50
const COUNTS = 100

/** Reads through the API, one after another, each with other values: no whole table is read, and how long they take. */
export async function run({ quick, note }: Run) {
  const api = await startApi()
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  const orders = Number(process.env.ORDERS ?? (quick ? 300_000 : 10_000_000))
  const written = await costOfIndexes(shop.db, shop.id)
  await fillOrders(shop.db, { businessId: shop.id, orders, businesses: quick ? 1_000 : 10_000, ordersEach: 5 }, note)
  for (const table of ['orders', 'search', 'words']) note(`${table}: ${await sizeOf(shop.db, `orders.${table}`)}`)

  const any = (max: number) => Math.floor(Math.random() * max)
  const pick = (...values: string[]) => values[any(values.length)] as string
  const product = (number: number) => `prod_${String(number).padStart(26, '0')}`
  const [first, last] = [Date.UTC(2024, 0, 1) / 1000, Date.UTC(2027, 0, 1) / 1000]
  const day = () => first + any((last - first) / 86_400) * 86_400
  const range = () => {
    const from = day()
    return `createdFrom=${from}&createdTo=${from + 86_400}`
  }
  const city = () => pick('hamburg', 'berlin', 'oslo', 'porto', 'reno')
  const reads: Record<string, [goal: number, path: () => string]> = {
    newest: [ONE_FILTER, () => ''],
    status: [ONE_FILTER, () => `status=${pick('PENDING', 'PROCESSING', 'DELIVERED', 'CANCELLED')}`],
    'two statuses': [ONE_FILTER, () => 'status=PENDING&status=PROCESSING'],
    'payment status': [ONE_FILTER, () => `paymentStatus=${pick('PAID', 'FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED')}`],
    fulfillment: [ONE_FILTER, () => `fulfillment=${pick('FULFILLED', 'PARTIALLY_FULFILLED', 'UNFULFILLED')}`],
    market: [ONE_FILTER, () => `market=${pick('us', 'de', 'is')}`],
    tag: [ONE_FILTER, () => `tag=${pick('gift', 'fraud')}`],
    'promo code': [ONE_FILTER, () => `promoCode=${pick('SUMMER', 'RARE')}`],
    'product, common': [ONE_FILTER, () => `productId=${product(1)}`],
    'product, rare': [ONE_FILTER, () => `productId=${product(2 + any(4_999))}`],
    customer: [ONE_FILTER, () => `customerId=usr_${any(orders / 5)}`],
    'a day': [ONE_FILTER, range],
    total: [ONE_FILTER, () => `totalFrom=${20_000 + any(20_000)}`],
    'sort by total': [ONE_FILTER, () => `sort=${pick('total', '-total')}`],
    'sort by update': [ONE_FILTER, () => 'sort=-updatedAt'],
    'status, market and tag': [
      THREE_FILTERS,
      () => `status=DELIVERED&market=${pick('us', 'de', 'is')}&tag=${pick('gift', 'fraud')}`,
    ],
    'payment status, day and market': [THREE_FILTERS, () => `paymentStatus=REFUNDED&market=de&${range()}`],
    'product, status and total': [
      THREE_FILTERS,
      () => `productId=${product(1)}&status=CANCELLED&totalFrom=${any(40_000)}`,
    ],
    'none match: payment status, fulfillment, market': [
      THREE_FILTERS,
      () => 'paymentStatus=PENDING&fulfillment=FULFILLED&market=us',
    ],
    'market and status by total': [
      THREE_FILTERS,
      () => `market=${pick('us', 'de', 'is')}&status=DELIVERED&sort=-total`,
    ],
    'query: beginning of a number': [QUERY, () => `query=${any(0xffffff).toString(16).padStart(6, '0')}`],
    'query: two characters': [QUERY, () => `query=${any(0xff).toString(16).padStart(2, '0')}`],
    'query: email address': [QUERY, () => `query=ada.name${any(20_011)}.`],
    'query: common first name': [QUERY, () => `query=${pick('ada', 'carla', 'dmitri')}`],
    'query: last name': [QUERY, () => `query=name${any(20_011)}`],
    'query: name and city': [QUERY, () => `query=${city()}%20name${any(20_011)}`],
    'query: two common words': [QUERY, () => `query=${city()}%20lantern`],
    'query: SKU': [QUERY, () => `query=SKU-${2 + any(4_999)}`],
    'query: telephone': [QUERY, () => `query=%2B4940${1 + any(orders)}`],
    'query: nothing found': [QUERY, () => 'query=zzzyx'],
    'query and two filters': [QUERY, () => `query=${city()}&paymentStatus=FAILED&market=us`],
    'counts by status': [COUNTS, () => 'counts?by=status'],
    'counts by tag of a market': [COUNTS, () => `counts?by=tag&market=${pick('us', 'is')}`],
    'counts by market of a word': [COUNTS, () => `counts?by=market&query=${city()}`],
  }
  const times = new Map<string, number[]>()
  const figures: { name: string; value: number; unit: string; goal: string; ok: boolean }[] = []
  const scans = new Set<string>()
  let wrong = 0
  for (const [name, [goal, path]] of Object.entries(reads)) {
    const address = () => {
      const asked = path()
      return `${shop.path}/orders${asked.startsWith('counts') ? `/${asked}` : `?${asked}`}`
    }
    const statements = await recordStatements(() => shop.admin.get(address()))
    for (const found of await findSequentialScans(statements)) scans.add(`${name}: ${found}`)
    const taken: number[] = []
    for (let round = 0; round < (quick ? 30 : 100); round++) {
      const asked = address()
      const start = performance.now()
      const { status, text } = await shop.admin.get(asked)
      taken.push(performance.now() - start)
      if (status !== 200 && wrong++ < 10) note(`${asked}: ${status} ${text.slice(0, 300)}`)
    }
    times.set(name, taken)
    const value = percentile(taken, 95)
    note(`${name}: p50 ${median(taken).toFixed(1)} ms, p95 ${value.toFixed(1)} ms`)
    figures.push({ name: `${name}, p95`, value, unit: 'ms', goal: `≤ ${goal} ms`, ok: value <= goal })
  }
  for (const scan of scans) note(scan.slice(0, 500))
  await api.close()
  return {
    figures: [
      { name: 'orders in the business', value: orders, unit: '' },
      { name: 'statements that read a whole table', value: scans.size, unit: '', goal: '0', ok: scans.size === 0 },
      { name: 'answers that failed', value: wrong, unit: '', goal: '0', ok: wrong === 0 },
      ...figures,
      ...written,
    ],
    charts: [p95Bars(`p95 of each read, ${orders.toLocaleString('en')} orders`, times)],
  }
}

/** What each index that a new order may be in costs: 10,000 orders inserted in one transaction, with and without. */
async function costOfIndexes(db: Cell, businessId: string) {
  const NEW = 10_000
  const insert = (promo: boolean) => sql`
    insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount, total,
      promo_code, blocks, contact_email, statuses, status, payment_statuses, payment_status, created_at, updated_at)
    select ${businessId}, 'ord_' || lpad(n::text, 26, '0'), upper(md5(n::text)), 'usr_' || n, 'us', 'USD', '[]', 100, 0, 0, 0, 100,
           ${promo ? 'SUMMER' : null}::text, '[]', md5(n::text) || '@example.com', '[]', 'PENDING', '[]', 'PENDING', now(), now()
      from generate_series(1, ${NEW}) as n`
  const measure = async (dropped: string | undefined, promo: boolean) => {
    const taken: number[] = []
    for (let round = 0; round < 7; round++) {
      await db
        .transaction()
        .execute(async (tx) => {
          if (dropped) await sql`drop index ${sql.table(`orders.${dropped}`)}`.execute(tx)
          const start = performance.now()
          await insert(promo).execute(tx)
          taken.push(performance.now() - start)
          throw new Error('rolled back')
        })
        .catch((error: Error) => {
          if (error.message !== 'rolled back') throw error
        })
    }
    return (median(taken) * 1_000) / NEW
  }
  const figures: { name: string; value: number; unit: string }[] = []
  for (const [index, promo] of [
    ['orders_by_email', false],
    ['orders_by_promo', true],
    ['orders_by_rare_payment', false],
    ['orders_partly_fulfilled', false],
    ['orders_fulfilled_anyway', false],
    ['orders_by_tag', false],
  ] as const) {
    const [withIt, without] = [await measure(undefined, promo), await measure(index, promo)]
    figures.push({ name: `a new order, with ${index}`, value: withIt, unit: 'µs' })
    figures.push({ name: `a new order, without ${index}`, value: without, unit: 'µs' })
  }
  return figures
}
