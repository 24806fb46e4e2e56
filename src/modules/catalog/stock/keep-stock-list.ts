import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { type FollowerLog, followSubjects, type Subject } from '#platform/events/follow-subjects.ts'
import { hasFollowed } from '#platform/events/sequencer.ts'
import { type Place, placesSql } from '../listing/lock-listing.ts'

/** The events after which a product may have other variants or thresholds. Sales are read from the ledger, once a minute. */
export const STOCK_LIST_TOPIC = { topic: 'stock-list', of: 'product' }

const LOCK = 'kontor.catalog.stock-list'

/** Whether the stock of a product is to be copied. */
export const hasUnlisted = () => hasFollowed(STOCK_LIST_TOPIC)

/** Copies the stock of products that have changed. */
export function keepStockList(db: Db, log: FollowerLog, signal?: AbortSignal): Promise<void> {
  const followers = [{ topic: STOCK_LIST_TOPIC.topic, project: copyStockOf }]
  return followSubjects(db, { lock: LOCK, followers }, log, signal)
}

const copyStockOf = (tx: Tx, products: readonly Subject[]) =>
  copyStock(
    tx,
    products.map(({ businessId, id }) => ({ businessId, productId: id })),
  )

/** One writer at a time, and locked before it reads: an older state never replaces a newer one. */
export const lockStockList = (tx: Tx) => sql`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`.execute(tx)

/** The caller holds the lock. */
export async function copyStock(tx: Tx, places: readonly Place[]): Promise<void> {
  if (places.length === 0) return
  await sql`
    with held as materialized (
      select stock.business_id, stock.product_id, stock.variant_id, stock.quantity,
             coalesce(stock.quantity <= stock.low_stock_threshold, false) as is_low
        from ${placesSql(places)}
       cross join lateral (
         select * from catalog.products
          where products.business_id = place.business_id and products.id = place.product_id
          limit 1) as product
        join catalog.stock on stock.business_id = place.business_id and stock.product_id = place.product_id
       where product.status <> 'DELETED' and stock.position is not null and stock.tracked
    ), gone as (
      delete from catalog.stock_list as known
       using ${placesSql(places)}
       where known.business_id = place.business_id and known.product_id = place.product_id
         and not exists (select from held
                          where held.business_id = known.business_id and held.product_id = known.product_id
                            and held.variant_id = known.variant_id)
    )
    insert into catalog.stock_list (business_id, product_id, variant_id, quantity, is_low)
    select business_id, product_id, variant_id, quantity, is_low from held
    on conflict (business_id, product_id, variant_id) do update
       set quantity = excluded.quantity, is_low = excluded.is_low
     where (stock_list.quantity, stock_list.is_low) is distinct from (excluded.quantity, excluded.is_low)`.execute(tx)
}
