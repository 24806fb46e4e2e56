import { sql } from 'kysely'
import { Type } from 'typebox'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { processInHalves } from '#platform/events/follow-subjects.ts'
import { addFollowed } from '#platform/events/sequencer.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { isHere } from '#platform/moves/fence.ts'
import { copyStock, lockStockList, STOCK_LIST_TOPIC } from '../stock/keep-stock-list.ts'
import { lockListing, type Place, placesSql } from './lock-listing.ts'

const BATCH = 500
/** A movement is dated before its transaction ends: the last ones are looked at again. */
const OVERLAP_SECONDS = 180

/**
 * Brings into the rows of lists whether products are in stock, and into the list of stock how much there is, for those whose stock
 * has moved. A checkout has no time for it, so a list may be a minute behind.
 */
export const refreshListedStock = defineJob({
  name: 'catalog.refresh-listed-stock',
  on: 'cell',
  payload: Type.Object({}),
  cron: '* * * * *',
  async run(_payload, { db, signal }) {
    const at = now()
    for (let last: Place | undefined = { businessId: '', productId: '' }; last && !signal.aborted; ) {
      const moved: Place[] = await readMoved(db, last, at)
      await refreshInHalves(db, moved)
      last = moved.length < BATCH ? undefined : moved.at(-1)
    }
    if (!signal.aborted) await sql`update catalog.listing_stock set seen_until = ${at}`.execute(db)
  },
})

/** A product that fails does not delay the others: the follower of products logs and retries it. */
const refreshInHalves = (db: Db, moved: readonly Place[]) =>
  processInHalves(
    moved,
    async (places) => {
      await refreshStock(db, places)
      return places.length
    },
    ({ businessId, productId }) =>
      transaction(db, (tx) => addFollowed(tx, STOCK_LIST_TOPIC.topic, [{ businessId, id: productId }])),
  )

async function readMoved(db: Db, last: Place, at: Date): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select distinct business_id, product_id
      from catalog.stock_movements
     where created_at >= (select least(seen_until, ${at}) - make_interval(secs => ${OVERLAP_SECONDS}) from catalog.listing_stock)
       and ${isHere('business_id')} and (business_id, product_id) > (${last.businessId}, ${last.productId})
     order by business_id, product_id
     limit ${BATCH}`.execute(db)
  return rows
}

/** Looks at these products now, whenever their stock has moved. */
export const refreshStock = (db: Db, moved: readonly Place[]) =>
  transaction(db, async (tx) => {
    // Locked first, read then: whoever writes one of these products meanwhile has the last word.
    await lockListing(tx, moved)
    await sql`
      update catalog.listing
         set is_in_stock = counted.is_in_stock
        from ${placesSql(moved)}
       cross join lateral (
         select coalesce(bool_or(not tracked or quantity > 0), false) as is_in_stock
           from catalog.stock
          where business_id = place.business_id and product_id = place.product_id and position is not null) as counted
       where listing.business_id = place.business_id and listing.product_id = place.product_id
         and listing.is_in_stock <> counted.is_in_stock`.execute(tx)
    await lockStockList(tx)
    await copyStock(tx, moved)
  })
