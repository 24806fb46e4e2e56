import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'

/** Uses of a code by a customer that count for another name from now on. */
export type PromoMove = { promoId: string; from: string; to: string; uses: number }

/** A customer is erased: what they redeemed stays counted, under a name that says nothing. */
export async function movePromoUses(tx: Tx, businessId: string, moves: readonly PromoMove[]): Promise<void> {
  if (moves.length === 0) return
  const moved = sql`
    (select promo_id collate "C" as promo_id, from_customer collate "C" as from_customer, to_customer, uses
       from unnest(${moves.map(({ promoId }) => promoId)}::text[], ${moves.map(({ from }) => from)}::text[],
                   ${moves.map(({ to }) => to)}::text[], ${moves.map(({ uses }) => uses)}::integer[])
            as moved (promo_id, from_customer, to_customer, uses))`
  await sql`
    update catalog.promo_customers set redemptions = greatest(0, redemptions - moved.uses)
      from ${moved} as moved
     where business_id = ${businessId} and promo_customers.promo_id = moved.promo_id and customer = moved.from_customer`.execute(
    tx,
  )
  await sql`
    delete from catalog.promo_customers
     using ${moved} as moved
     where business_id = ${businessId} and promo_customers.promo_id = moved.promo_id and customer = moved.from_customer
       and redemptions = 0`.execute(tx)
  // A person may have used a code under several names, and is erased in several batches: the new name is one.
  await sql`
    insert into catalog.promo_customers as known (business_id, promo_id, customer, redemptions)
    select ${businessId}, promo_id, to_customer, sum(uses)
      from ${moved} as moved
     group by promo_id, to_customer
    having sum(uses) > 0
     order by promo_id, to_customer
    on conflict (business_id, promo_id, customer) do update set redemptions = known.redemptions + excluded.redemptions`.execute(
    tx,
  )
}
