import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'

export const REDEMPTION_OUTCOMES = ['REDEEMED', 'EXHAUSTED', 'CUSTOMER_EXHAUSTED', 'NEEDS_CUSTOMER', 'GONE'] as const
export type RedemptionOutcome = (typeof REDEMPTION_OUTCOMES)[number]

/**
 * Counts one redemption, in total and per customer, or changes nothing and returns why. One statement locks the code's
 * row before it reads a counter, so redemptions of one code are serialised until the transaction ends. The snapshot may
 * be older than the lock, so the customer's row is never read plainly: `on conflict` sees its latest version. Customers
 * are counted even without a limit: a limit set later must count earlier redemptions.
 */
export async function redeemPromo(
  tx: Tx,
  businessId: string,
  promoId: string,
  customer: string | undefined,
): Promise<RedemptionOutcome> {
  const { rows } = await sql<{ outcome: RedemptionOutcome }>`
    with promo as materialized (
      select redemptions, max_redemptions, max_per_customer
        from catalog.promo_codes
       where business_id = ${businessId} and id = ${promoId} and deleted_at is null
         for update
    ), judged as materialized (
      select case
               when max_per_customer is not null and ${customer ?? null}::text is null then 'NEEDS_CUSTOMER'
               when redemptions >= max_redemptions then 'EXHAUSTED'
             end as refusal
        from promo
    ), by_customer as (
      insert into catalog.promo_customers (business_id, promo_id, customer, redemptions)
      select ${businessId}, ${promoId}, ${customer ?? null}, 1
        from judged
       where refusal is null and ${customer ?? null}::text is not null
          on conflict on constraint promo_customers_pkey do update
         set redemptions = promo_customers.redemptions + 1
       where coalesce(promo_customers.redemptions < (select max_per_customer from promo), true)
      returning customer
    ), counted as materialized (
      select from by_customer
       union all
      select from judged where refusal is null and ${customer ?? null}::text is null
    ), redeemed as (
      update catalog.promo_codes
         set redemptions = promo_codes.redemptions + 1
        from counted
       where business_id = ${businessId} and id = ${promoId}
      returning id
    )
    select case
             when not exists (select from judged) then 'GONE'
             when exists (select from redeemed) then 'REDEEMED'
             else coalesce((select refusal from judged), 'CUSTOMER_EXHAUSTED')
           end as outcome`.execute(tx)
  return rows[0]?.outcome ?? 'GONE'
}

/**
 * Gives one redemption back, also of a deleted code. `customer` is the one who redeemed it. Returns false, and changes
 * nothing, when there is nothing to give back in total or for that customer. A customer's row stays at zero: one that
 * was deleted and inserted again while a statement waited would be invisible to it.
 */
export async function releasePromo(
  tx: Tx,
  businessId: string,
  promoId: string,
  customer: string | undefined,
): Promise<boolean> {
  const { rows } = await sql<{ released: boolean }>`
    with promo as materialized (
      select redemptions
        from catalog.promo_codes
       where business_id = ${businessId} and id = ${promoId} and redemptions > 0
         for update
    ), by_customer as (
      update catalog.promo_customers
         set redemptions = promo_customers.redemptions - 1
        from promo
       where business_id = ${businessId} and promo_id = ${promoId} and customer = ${customer ?? null}::text
         and promo_customers.redemptions > 0
      returning customer
    ), counted as materialized (
      select from by_customer
       union all
      select from promo where ${customer ?? null}::text is null
    ), released as (
      update catalog.promo_codes
         set redemptions = promo_codes.redemptions - 1
        from counted
       where business_id = ${businessId} and id = ${promoId}
      returning id
    )
    select exists (select from released) as released`.execute(tx)
  return rows[0]?.released ?? false
}
