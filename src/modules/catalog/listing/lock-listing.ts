import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'

export type Place = { businessId: string; productId: string }

/** These products, as a table for a statement. */
export const placesSql = (places: readonly Place[]) =>
  sql`unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ productId }) => productId)}::text[])
      as place (business_id, product_id)`

/** Locks what lists know of them, in the order in which products are written, so that both queue instead of deadlocking. */
export const lockListing = (tx: Tx, places: readonly Place[]) =>
  sql`
    select from catalog.listing
      join ${placesSql(places)} using (business_id, product_id)
     order by business_id, market_id, product_id
       for update of listing`.execute(tx)
