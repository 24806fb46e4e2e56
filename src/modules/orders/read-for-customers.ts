import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import type { OrderRow } from './order.ts'

export type OrderPlace = { businessId: string; id: string }

/** What a customer's sums are made of. */
export type OrderFigures = OrderPlace &
  Pick<OrderRow, 'customerId' | 'currency' | 'version' | 'total' | 'refundedAmount' | 'paymentStatus'>

export async function readFigures(db: Db, places: readonly OrderPlace[]): Promise<OrderFigures[]> {
  if (places.length === 0) return []
  const { rows } = await sql<OrderFigures>`
    select orders.business_id, orders.id, orders.customer_id, orders.currency, orders.version, orders.total,
           orders.refunded_amount, orders.payment_status
      from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
           as wanted (business_id, id)
      join orders.orders on orders.business_id = wanted.business_id and orders.id = wanted.id`.execute(db)
  return rows
}

/** A person by all ids under which they may have ordered. */
export type PersonIds = { businessId: string; userId: string; ids: readonly string[] }

/** Whom an order names, and when it was made. */
export type OrderContact = { businessId: string; userId: string } & Pick<
  OrderRow,
  'id' | 'contactEmail' | 'phone' | 'shippingAddress' | 'billingAddress' | 'blocks' | 'createdAt'
>

/** The newest orders of each person, and their oldest; each person's newest first. */
export async function readContacts(db: Db, people: readonly PersonIds[], newest: number): Promise<OrderContact[]> {
  const pairs = people.flatMap(({ businessId, userId, ids }) => ids.map((id) => ({ businessId, userId, id })))
  if (pairs.length === 0) return []
  const { rows } = await sql<OrderContact>`
    select person.business_id, person.user_id, contact.*
      from unnest(${pairs.map(({ businessId }) => businessId)}::text[], ${pairs.map(({ userId }) => userId)}::text[],
                  ${pairs.map(({ id }) => id)}::text[]) as person (business_id, user_id, customer_id)
     cross join lateral (
       (select ${CONTACT}
          from orders.orders
         where orders.business_id = person.business_id and orders.customer_id = person.customer_id
         order by orders.id desc
         limit ${newest})
       union all
       (select ${CONTACT}
          from orders.orders
         where orders.business_id = person.business_id and orders.customer_id = person.customer_id
         order by orders.id
         limit 1)) as contact
     order by contact.id desc`.execute(db)
  return rows
}

const CONTACT = sql`
  orders.id, orders.contact_email, orders.phone, orders.shipping_address, orders.billing_address, orders.blocks, orders.created_at`

/** The next orders in the order of their keys. */
export async function listOrdersAfter(tx: Tx, after: OrderPlace, limit: number): Promise<OrderPlace[]> {
  const { rows } = await sql<OrderPlace>`
    select business_id, id
      from orders.orders
     where (business_id, id) > (${after.businessId}, ${after.id})
     order by business_id, id
     limit ${limit}`.execute(tx)
  return rows
}

/**
 * What orders of these payment statuses hold: each product once for an order, and who ordered it. `wanted` has
 * `business_id` and `id`.
 */
export const soldSql = (wanted: RawBuilder<unknown>, paymentStatuses: readonly string[]) => sql`
  select distinct orders.business_id, orders.id as order_id, orders.customer_id, orders.created_at,
                  (line ->> 'productId') collate "C" as product_id
    from ${wanted} as wanted
    join orders.orders on orders.business_id = wanted.business_id and orders.id = wanted.id
   cross join lateral json_array_elements(orders.lines) as line
   where orders.payment_status = any (${paymentStatuses}::text[]) and line ->> 'productId' is not null`

/** The last of these orders that holds a product. `wanted` has `business_id`, `customer_id` and `product_id`. */
export const lastSoldSql = (wanted: RawBuilder<unknown>, paymentStatuses: readonly string[]) => sql`
  select wanted.*, last.order_id, last.created_at
    from ${wanted} as wanted
   cross join lateral (
     select orders.id as order_id, orders.created_at
       from orders.orders
      where orders.business_id = wanted.business_id and orders.customer_id = wanted.customer_id
        and orders.payment_status = any (${paymentStatuses}::text[])
        and exists (select from json_array_elements(orders.lines) as line where line ->> 'productId' = wanted.product_id)
      order by orders.created_at desc, orders.id desc
      limit 1) as last`
