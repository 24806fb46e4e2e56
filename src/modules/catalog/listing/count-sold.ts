import { sql } from 'kysely'
import { Type } from 'typebox'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { isHere } from '#platform/moves/fence.ts'
import { lockListing, type Place } from './lock-listing.ts'

/** So much of the ledger at a time: few enough rows for one transaction, also where a whole cell sells. */
const SLICE_SECONDS = 300
/** A movement is dated before its transaction ends: the newest are left for the next night. */
const SETTLED_SECONDS = 600

/** Adds what was sold since last night to the rows of lists. What is not tracked has no ledger, and is not counted. */
export const countSold = defineJob({
  name: 'catalog.count-sold',
  on: 'cell',
  payload: Type.Object({}),
  cron: '41 2 * * *',
  async run(_payload, { db, signal }) {
    const until = new Date(now().getTime() - SETTLED_SECONDS * 1_000)
    while (!signal.aborted && (await countSlice(db, until)));
  },
})

type Slice = { from: Date; to: Date }

/** Whether there is more. What is added and how far that is are one transaction: a job that dies has counted nothing twice. */
const countSlice = (db: Db, until: Date): Promise<boolean> =>
  transaction(db, async (tx) => {
    const { rows } = await sql<Slice>`
      select sold_until as from, least(${until}::timestamptz, sold_until + make_interval(secs => ${SLICE_SECONDS})) as to
        from catalog.listing_stock
       where sold_until < ${until}
         for update`.execute(tx)
    const [slice] = rows
    if (!slice) return false
    await addSold(tx, slice)
    await sql`update catalog.listing_stock set sold_until = ${slice.to}`.execute(tx)
    return true
  })

async function addSold(tx: Tx, { from, to }: Slice): Promise<void> {
  const { rows: moved } = await sql<Place & { sold: number }>`
    select business_id, product_id, -sum(delta)::bigint as sold
      from catalog.stock_movements
     where created_at >= ${from} and created_at < ${to} and kind in ('ORDER', 'CANCEL', 'RETURN') and ${isHere('business_id')}
     group by business_id, product_id`.execute(tx)
  if (moved.length === 0) return
  await lockListing(tx, moved)
  await sql`
    update catalog.listing set sold = greatest(0, listing.sold + moved.sold)
      from unnest(${moved.map(({ businessId }) => businessId)}::text[], ${moved.map(({ productId }) => productId)}::text[],
                  ${moved.map(({ sold }) => sold)}::bigint[]) as moved (business_id, product_id, sold)
     where listing.business_id = moved.business_id and listing.product_id = moved.product_id`.execute(tx)
}
