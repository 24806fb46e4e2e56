import { sql } from 'kysely'
import { verify } from '#apps/verify.ts'
import { eraseEntriesOf } from '#modules/content/index.ts'
import { beginErasure } from '#modules/customers/begin-erasure.ts'
import { workOffErasure } from '#modules/customers/erase-person.ts'
import { eraseOrderPayers } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import { startChild } from '../../test/support/child.ts'
import { openCustomers } from '../../test/support/customers.ts'
import { onServer } from '../../test/support/database.ts'
import { findSequentialScans, recordStatements } from '../../test/support/explain.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, none, percentile, type Run } from '../report/figures.ts'

export const title = 'Is somebody with 10,000 orders erased in short transactions, found by indexes, while others read?'

const MANY_MS = 600_000
const NOTE = 'cnryproof'

/** A statement of the service may take only so long. */
const AT_ONCE = 5_000

/** So many delivered orders of a person, like the first one: with payment, an event of the provider and a promo code. */
async function fill(db: Db, businessId: string, orderId: string, { orders, name }: { orders: number; name: string }) {
  for (let from = 1; from <= orders; from += AT_ONCE) {
    const to = Math.min(from + AT_ONCE - 1, orders)
    const idOf = (n: number) => `ord_${name}${String(n).padStart(8, '0')}`
    await sql`
      insert into orders.orders
      select (jsonb_populate_record(orders, jsonb_build_object(
               'id', ${`ord_${name}`} || lpad(n::text, 8, '0'), 'number', upper(${name}) || n))).*
        from orders.orders, generate_series(${from}::int, ${to}::int) n
       where business_id = ${businessId} and id = ${orderId}`.execute(db)
    await sql`
      insert into payments.payments (business_id, id, subject, attempt, status, amount, currency, email, page_id, paid,
                                     checked_at, expires_at, created_at, updated_at)
      select business_id, 'pay' || id, 'order:' || id, 1, 'PAID', total, currency, ${NOTE}, 'cs' || id, total, now(), now(), now(),
             now()
        from orders.orders where business_id = ${businessId} and id between ${idOf(from)} and ${idOf(to)}`.execute(db)
    await sql`
      insert into payments.events (business_id, id, type, subject, body, received_at, applied_at)
      select business_id, 'evt' || id, 'x', 'order:' || id, ${`{"email":"${NOTE}"}`}, now(), now()
        from orders.orders where business_id = ${businessId} and id between ${idOf(from)} and ${idOf(to)}`.execute(db)
  }
}

export async function run({ quick, note }: Run) {
  const [orders, others] = quick ? [1_000, 5_000] : [10_000, 200_000]
  const api = await startApi()
  const make = createMake(api)
  try {
    const shop = await openCustomers(api, make)
    const { db, id, admin, follow } = shop
    const { id: promoId, code } = await shop.promo()
    const address = { name: NOTE, street: NOTE, city: NOTE, country: 'US' }
    const contact = { customerNote: NOTE, contactEmail: `${NOTE}@example.com`, shippingAddress: address }
    const sell = async (name: string, customerId: string, count: number, body: object = contact) => {
      const sold = await shop.sell(customerId, { ...body, statuses: [{ status: 'DELIVERED' }] })
      await sql`
        update orders.orders set promo_id = ${promoId}, promo_code = ${code}, promo_customer = ${name} where id = ${sold.id}`.execute(
        db,
      )
      await fill(db, id, sold.id, { orders: count - 1, name })
      await sql`insert into catalog.promo_customers values (${id}, ${promoId}, ${name}, ${count})`.execute(db)
    }
    const [reader, first, second] = [await make.customer(id), await make.customer(id), await make.customer(id)]
    await sell('other', reader.id, others, {})
    await sell('first', first.id, orders)
    await sell('second', second.id, orders)
    await sql`update catalog.promo_codes set redemptions = ${others + 2 * orders} where id = ${promoId}`.execute(db)
    for (const { url } of [api.databases.main, api.databases.second])
      await onServer((client) => client.query('vacuum analyze'), url)
    note(`${others + 2 * orders} orders are there`)

    // In this process, one step after another: how long is each?
    await beginErasure(db, { businessId: id, userId: first.id, ids: [first.id], emailKey: null })
    const keeping = { keepPersonDays: 0, erasePayers: eraseOrderPayers, eraseEntries: eraseEntriesOf }
    const steps: number[] = []
    const step = async () => {
      const begun = performance.now()
      const goesOn = await workOffErasure(db, { businessId: id, userId: first.id }, keeping)
      steps.push(performance.now() - begun)
      return goesOn
    }
    const statements = await recordStatements(async () => void (await step(), await step(), await step()))
    const walked = await findSequentialScans(statements)
    for (const scan of walked) note(scan)
    while (await step()) {}

    // By a worker, as it is, beside people who read; what follows the feed goes on after it.
    const read = async (times: number[]) => {
      const begun = performance.now()
      await admin.get(`${shop.orders}?limit=20`)
      times.push(performance.now() - begun)
    }
    const worker = await startChild('worker', api.databases.env)
    const named = async () => {
      const { rows } = await sql`
        select from orders.orders where business_id = ${id} and customer_id = ${second.id} and customer_note is not null limit 1`.execute(
        db,
      )
      return rows.length > 0
    }
    const quiet = async () => {
      const { rows } = await sql`select from cell.event_outbox limit 1`.execute(db)
      const { rows: waiting } = await sql`select from cell.followed limit 1`.execute(db)
      return rows.length + waiting.length === 0
    }
    await until('the worker rests', quiet, { withinMs: MANY_MS, everyMs: 500 })
    const alone: number[] = []
    for (let n = 0; n < 200; n++) await read(alone)
    const beside: number[] = []
    const begun = performance.now()
    if ((await second.delete('/v1/users/me')).status !== 200) throw new Error('The account cannot be deleted')
    while (await named()) await read(beside)
    const seconds = (performance.now() - begun) / 1_000
    await until('search rows are written', quiet, { withinMs: MANY_MS, everyMs: 500 })
    const searched = (performance.now() - begun) / 1_000
    await worker.stop()
    await follow()
    const broken = (await verify(db, id)).filter(({ violations }) => violations.length > 0)
    for (const { check } of broken) note(check)

    const shown = (name: string, value: number, unit: string): Figure => ({ name, value, unit })
    const longest = Math.max(...steps)
    return {
      figures: [
        shown('orders of the person', orders, ''),
        shown('orders of the business', others + 2 * orders, ''),
        { name: 'the longest transaction', value: longest, unit: 'ms', goal: '≤ 500', ok: longest <= 500 },
        shown('a transaction (100 orders), median', percentile(steps, 50), 'ms'),
        shown('all of them, one after another', steps.reduce((sum, taken) => sum + taken, 0) / 1_000, 's'),
        shown('from the request until no order names the person, by a worker', seconds, 's'),
        shown('until their search rows are written, too', searched, 's'),
        shown('a page of orders, nothing beside it, p50', percentile(alone, 50), 'ms'),
        shown('a page of orders, nothing beside it, p95', percentile(alone, 95), 'ms'),
        shown('a page of orders, beside the erasure, p50', percentile(beside, 50), 'ms'),
        shown('a page of orders, beside the erasure, p95', percentile(beside, 95), 'ms'),
        none('statements that read a whole table', walked.length),
        none('rules broken', broken.length),
      ],
    }
  } finally {
    await api.close()
  }
}
