import { sql } from 'kysely'
import { MERGED_TOPIC } from '#modules/customers/index.ts'
import { IMPORTED_TOPIC } from '#modules/newsletter/index.ts'
import type { OrderPlace } from '#modules/orders/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { type FollowerLog, followSubjects } from '#platform/events/follow-subjects.ts'
import { hasFollowed } from '#platform/events/sequencer.ts'
import { fault } from '#platform/faults.ts'
import { countOrders } from './count-orders.ts'
import { countSubscriptions } from './count-subscriptions.ts'
import { ORDERS, SUBSCRIPTIONS } from './topics.ts'

const BATCH = 500

/** What to do with the subjects of a topic. */
type Count = (tx: Tx, places: readonly OrderPlace[]) => Promise<void>
const COUNTS: readonly [topic: string, count: Count][] = [
  [ORDERS, async (tx, places) => countOrders(tx, await withoutClearing(tx, places))],
  [MERGED_TOPIC, countMerged],
  [SUBSCRIPTIONS, countSubscriptions],
  [IMPORTED_TOPIC, countSubscriptions],
]

/** Whether something is to be counted. */
export const hasUnreported = () => hasFollowed(...COUNTS.map(([topic]) => topic))

/** Updates the sums after orders and subscriptions that have changed. */
export function followReports(db: Db, log: FollowerLog, signal?: AbortSignal): Promise<void> {
  const followers = COUNTS.map(([topic, count]) => ({
    topic,
    async project(tx: Tx, places: readonly OrderPlace[]) {
      await fault('reports.taken')
      await count(tx, places)
      await fault('reports.before-commit')
    },
  }))
  return followSubjects(db, { lock: LOCK, followers }, log, signal)
}

/** Whoever changes sums holds this lock: one at a time in a cell. */
const LOCK = 'kontor.reports'

export async function lockSums(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`.execute(tx)
}

/** Without the orders of businesses that are being cleared: whoever clears them counts all orders afterwards. */
async function withoutClearing(tx: Tx, places: readonly OrderPlace[]): Promise<OrderPlace[]> {
  const { rows } = await sql<{
    businessId: string
  }>`select business_id from reports.rebuilding where is_clearing`.execute(tx)
  const clearing = new Set(rows.map(({ businessId }) => businessId))
  return places.filter(({ businessId }) => !clearing.has(businessId))
}

/** Customers who are somebody else now: their orders are looked at again. */
async function countMerged(tx: Tx, guests: readonly OrderPlace[]): Promise<void> {
  for (const { businessId, id } of guests) {
    for (let after: { createdAt: Date; id: string } = { createdAt: new Date(0), id: '' }; ; ) {
      const { rows } = await sql<OrderPlace & { createdAt: Date }>`
        select business_id, order_id as id, created_at
          from reports.orders
         where business_id = ${businessId} and person = ${id} and is_counted
           and (created_at, order_id) > (${after.createdAt}, ${after.id})
         order by created_at, order_id
         limit ${BATCH}`.execute(tx)
      await countOrders(tx, await withoutClearing(tx, rows))
      const last = rows.at(-1)
      if (!last || rows.length < BATCH) break
      after = last
    }
  }
}
