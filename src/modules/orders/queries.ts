import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { insertion, type Write } from '#platform/database/write.ts'
import { isHere } from '#platform/moves/fence.ts'
import { orderNotFound } from './errors.ts'
import type { OrderRow } from './order.ts'

export async function findOrder(db: Db, businessId: string, id: string): Promise<OrderRow | undefined> {
  const row = await db
    .selectFrom('orders.orders')
    .selectAll()
    .where((order) => order.and({ businessId, id }))
    .executeTakeFirst()
  return row as OrderRow | undefined
}

export async function findOrders(db: Db, businessId: string, ids: readonly string[]): Promise<OrderRow[]> {
  const rows = await db
    .selectFrom('orders.orders')
    .selectAll()
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  return rows as OrderRow[]
}

/** Whether one of these customers placed the order. */
export async function isOrderOf(db: Db, businessId: string, id: string, customerIds: readonly string[]) {
  const order = await findOrder(db, businessId, id)
  return order !== undefined && customerIds.includes(order.customerId)
}

/** The ids among these that exist. */
export async function findOrderIds(db: Db, businessId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('orders.orders')
    .select('id')
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Locks the order. Every change of an order takes this lock. */
export async function lockOrder(tx: Tx, businessId: string, id: string): Promise<OrderRow> {
  const row = await tx
    .selectFrom('orders.orders')
    .selectAll()
    .where((order) => order.and({ businessId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw orderNotFound()
  return row as OrderRow
}

const SWEEP_AGAIN_SECONDS = 30

const isExpired = () => sql`
  status = 'PENDING' and payment_status in ('PENDING', 'FAILED') and expires_at <= ${now()} and ${isHere('business_id')}
  and (swept_at is null or swept_at <= ${new Date(nowMs() - SWEEP_AGAIN_SECONDS * 1000)})`

/** Whether an order is to be ended. */
export const hasExpired = () => sql`exists (select from orders.orders where ${isExpired()})`

/** Claims expired orders, each for half a minute: one that cannot be ended now does not block the others. */
export async function claimExpired(
  db: Db,
  limit: number,
  except: readonly string[] = [],
): Promise<{ businessId: string; id: string }[]> {
  const { rows } = await sql<{ businessId: string; id: string }>`
    update orders.orders
       set swept_at = ${now()}
      from (select business_id, id
              from orders.orders
             where ${isExpired()} and business_id <> all (${[...except]}::text[])
             order by swept_at nulls first, expires_at -- one that fails again and again comes after all others
             limit ${limit}
               for update skip locked) as due
     where orders.business_id = due.business_id and orders.id = due.id
    returning orders.business_id, orders.id`.execute(db)
  return rows
}

const DAY_MS = 24 * 3_600_000
/** There is no index of addresses, so the search goes only this many orders back. */
const MAX_LOOKED_AT = 5_000

/** The number of free orders in the 24 hours before this one, up to `max`; only of one address, if given. */
export async function countFreeOrdersBefore(
  db: Db,
  order: OrderRow,
  max: number,
  { email }: { email?: string | null } = {},
): Promise<number> {
  const { rows } = await sql`
    select
      from (select total, contact_email, created_at
              from orders.orders
             where business_id = ${order.businessId} and id < ${order.id}
             order by id desc
             limit ${MAX_LOOKED_AT}) as earlier
     where total = 0 ${email ? sql`and lower(contact_email) = lower(${email})` : sql``}
       and created_at > ${new Date(order.createdAt.getTime() - DAY_MS)}
     limit ${max}`.execute(db)
  return rows.length
}

/** The number of unpaid checkouts of each customer, up to `max`: neither paid nor ended. */
export const countUnpaid = (businessId: string, customerIds: readonly string[], max: number) =>
  sql<Record<string, number>>`
    select json_object_agg(customer.id, unpaid.count)
      from unnest((select ${customerIds}::text[])) as customer (id)
     cross join lateral (
       select count(*)
         from (select
                 from orders.orders
                where business_id = ${businessId} and customer_id = customer.id
                  and status = 'PENDING' and payment_status = 'PENDING' and expires_at > ${now()}
                limit ${max}) as waiting) as unpaid`

/** Orders that these customers placed with these idempotency keys, by key. */
export async function findRequested(
  db: Db,
  businessId: string,
  requests: readonly { caller: string; requestKey: string }[],
): Promise<OrderRow[]> {
  if (requests.length === 0) return []
  const { rows } = await sql<OrderRow>`
    select orders.*
      from unnest(${requests.map(({ caller }) => caller)}::text[], ${requests.map(({ requestKey }) => requestKey)}::text[])
           as sent (request_caller, request_key)
      join orders.orders on orders.business_id = ${businessId}
           and orders.request_caller = sent.request_caller and orders.request_key = sent.request_key`.execute(db)
  return rows
}

export const newOrders = (rows: readonly OrderRow[]): Write => insertion('orders.orders', rows)

/** Writes the whole row; the caller must hold its lock. */
export async function saveOrder(tx: Tx, row: OrderRow): Promise<void> {
  const {
    businessId,
    id,
    lines,
    blocks,
    statuses,
    paymentStatuses,
    trace,
    shippingAddress,
    billingAddress,
    ...values
  } = row
  await tx
    .updateTable('orders.orders')
    .set({
      ...values,
      lines: JSON.stringify(lines),
      blocks: JSON.stringify(blocks),
      statuses: JSON.stringify(statuses),
      paymentStatuses: JSON.stringify(paymentStatuses),
      trace: trace === null ? null : JSON.stringify(trace),
      shippingAddress: shippingAddress && JSON.stringify(shippingAddress),
      billingAddress: billingAddress && JSON.stringify(billingAddress),
    })
    .where((order) => order.and({ businessId, id }))
    .execute()
}
