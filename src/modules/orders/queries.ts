import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { executePrepared } from '#platform/database/hot.ts'
import { fittingRows } from '#platform/database/page-bytes.ts'
import { insertion, type Write } from '#platform/database/write.ts'
import { notFound } from '#vocabulary/errors.ts'
import { decodeCursor } from '#vocabulary/paging.ts'
import type { OrderRow } from './order.ts'
import type { OrderQuery } from './schemas.ts'

export async function findOrder(db: Db, businessId: string, id: string): Promise<OrderRow | undefined> {
  const row = await db
    .selectFrom('orders.orders')
    .selectAll()
    .where((order) => order.and({ businessId, id }))
    .executeTakeFirst()
  return row as OrderRow | undefined
}

/** Which of these orders there are. */
export async function findOrderIds(db: Db, businessId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('orders.orders')
    .select('id')
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Locked until the transaction ends: whatever changes an order does it on this row. */
export async function lockOrder(tx: Tx, businessId: string, id: string): Promise<OrderRow> {
  const row = await tx
    .selectFrom('orders.orders')
    .selectAll()
    .where((order) => order.and({ businessId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('order')
  return row as OrderRow
}

/** What of an order can be long. */
const LARGE_COLUMNS = ['lines', 'blocks', 'statuses', 'payment_statuses', 'trace']

/** Newest first; of these customers only, if they are given. */
export async function listOrders(
  db: Db,
  businessId: string,
  { limit = 20, cursor, status, customerId }: OrderQuery,
  customerIds: readonly string[] | undefined,
) {
  // By the first, the person: a guest who becomes the same person between two pages makes no other list.
  const filters = { list: 'orders', businessId, status, customerId, of: customerIds?.[0] }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
  const page = sql`
    where orders.business_id = ${businessId} and orders.id < ${after}
          ${status === undefined ? sql`` : sql`and orders.status = ${status}`}`
  // A person's orders may be under several ids (guests that became an account): a page of each, then the newest of them.
  const found =
    customerIds === undefined
      ? sql`select * from orders.orders ${page} order by id desc limit ${limit + 1}`
      : sql`
        select found.*
          from unnest((select ${customerIds}::text[])) as customer (id)
         cross join lateral (
           select * from orders.orders ${page} and orders.customer_id = customer.id order by id desc limit ${limit + 1}) as found
         order by found.id desc
         limit ${limit + 1}`
  const rows = await executePrepared(db, fittingRows<OrderRow>(found, LARGE_COLUMNS, sql`id desc`))
  return { rows, filters }
}

const SWEEP_AGAIN_SECONDS = 30

/** Orders whose time is up. Each is this caller's for half a minute: one that cannot be ended now does not keep others waiting. */
export async function takeExpired(db: Db, limit: number): Promise<{ businessId: string; id: string }[]> {
  const { rows } = await sql<{ businessId: string; id: string }>`
    update orders.orders
       set swept_at = ${now()}
      from (select business_id, id
              from orders.orders
             where status = 'PENDING' and payment_status in ('PENDING', 'FAILED') and expires_at <= ${now()}
               and (swept_at is null or swept_at <= ${new Date(nowMs() - SWEEP_AGAIN_SECONDS * 1000)})
             order by swept_at nulls first, expires_at -- one that fails again and again comes after all others
             limit ${limit}
               for update skip locked) as due
     where orders.business_id = due.business_id and orders.id = due.id
    returning orders.business_id, orders.id`.execute(db)
  return rows
}

const DAY_MS = 24 * 3_600_000
/** There is no index of addresses: so many orders back, and no further, it is worth looking. */
const MAX_LOOKED_AT = 5_000

/** How many orders that cost nothing the same address had in the day before this one, up to `max`. */
export async function countFreeBefore(db: Db, order: OrderRow, max: number): Promise<number> {
  const { rows } = await sql`
    select
      from (select total, contact_email, created_at
              from orders.orders
             where business_id = ${order.businessId} and id < ${order.id}
             order by id desc
             limit ${MAX_LOOKED_AT}) as earlier
     where total = 0 and lower(contact_email) = lower(${order.contactEmail})
       and created_at > ${new Date(order.createdAt.getTime() - DAY_MS)}
     limit ${max}`.execute(db)
  return rows.length
}

/** How many orders each of these customers has to pay, up to `max`: made by a checkout, neither paid nor ended. */
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

/** Orders that these customers have sent with these keys, by key. */
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

/** Writes the whole row back; it must have been locked. */
export async function saveOrder(tx: Tx, row: OrderRow): Promise<void> {
  const { businessId, id, lines, blocks, statuses, paymentStatuses, trace, ...values } = row
  await tx
    .updateTable('orders.orders')
    .set({
      ...values,
      lines: JSON.stringify(lines),
      blocks: JSON.stringify(blocks),
      statuses: JSON.stringify(statuses),
      paymentStatuses: JSON.stringify(paymentStatuses),
      trace: trace === null ? null : JSON.stringify(trace),
    })
    .where((order) => order.and({ businessId, id }))
    .execute()
}
