import { type RawBuilder, sql } from 'kysely'

/** Whether an order is the first of its customer that counts, as an expression for the list of orders. */
export const isFirstSql = (businessId: RawBuilder<unknown>, orderId: RawBuilder<unknown>) => sql`
  coalesce((select kept.is_first from reports.orders as kept where kept.business_id = ${businessId} and kept.order_id = ${orderId}),
           false)`
