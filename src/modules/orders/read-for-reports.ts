import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import type { OrderRow } from './order.ts'
import type { OrderPlace } from './read-for-customers.ts'

/** What reports are made of. */
export type SoldOrder = Pick<
  OrderRow,
  | 'businessId'
  | 'id'
  | 'version'
  | 'customerId'
  | 'market'
  | 'currency'
  | 'promoCode'
  | 'paymentStatus'
  | 'createdAt'
  | 'lines'
  | 'subtotal'
  | 'discount'
  | 'shipping'
  | 'shippingTax'
  | 'tax'
  | 'taxIncluded'
  | 'total'
  | 'refundedAmount'
> & {
  /** What refunds that have not failed are for; of shipping, the `lineId` is empty. */
  refundLines: { lineId: string; amount: number }[]
}

export async function readSold(db: Db, places: readonly OrderPlace[]): Promise<SoldOrder[]> {
  if (places.length === 0) return []
  const { rows } = await sql<SoldOrder>`
    select orders.business_id, orders.id, orders.version, orders.customer_id, orders.market, orders.currency,
           orders.promo_code, orders.payment_status, orders.created_at, orders.lines, orders.subtotal, orders.discount,
           orders.shipping, orders.shipping_tax, orders.tax, orders.tax_included, orders.total, orders.refunded_amount,
           case when orders.refunded_amount = 0 then '[]' else coalesce((
             select json_agg(json_build_object('lineId', line_id, 'amount', amount) order by refund_id, position)
               from orders.refund_lines
              where refund_lines.business_id = orders.business_id and refund_lines.order_id = orders.id
                and refund_lines.freed_at is null), '[]') end as refund_lines
      from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
           as wanted (business_id, id)
      join orders.orders on orders.business_id = wanted.business_id and orders.id = wanted.id`.execute(db)
  return rows
}
