import { sql } from 'kysely'

/** Paid at some time, whatever went back since. */
export const EVER_PAID: readonly string[] = ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED']

/**
 * The orders of a time that were paid, as a table for the statement of another module: by whom, with which promo code, and
 * what they brought, less what went back. One marked REFUNDED by hand, without an amount, brought nothing.
 */
export const paidOrdersSql = (businessId: string, from: Date, to: Date) => sql`
  (select orders.id, orders.customer_id, lower(orders.contact_email) collate "C" as email_key, orders.promo_code,
          orders.currency, orders.created_at,
          case when orders.payment_status = 'REFUNDED' and orders.refunded_amount = 0 then 0
               else orders.total - orders.refunded_amount end as net
     from orders.orders
    where orders.business_id = ${businessId} and orders.payment_status = any (${EVER_PAID}::text[])
      and orders.created_at >= ${from} and orders.created_at < ${to})`
