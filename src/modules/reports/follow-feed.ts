import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { MERGED_TOPIC } from '#modules/customers/index.ts'
import { IMPORTED_TOPIC, listSubscriptionsAfter } from '#modules/newsletter/index.ts'
import { listOrdersAfter, type OrderPlace } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { isDatabaseUnavailable } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { addFollowed, dropFollowed, hasFollowed, peekFollowed } from '#platform/events/sequencer.ts'
import { fault } from '#platform/faults.ts'
import { countOrders } from './count-orders.ts'
import { countSubscriptions } from './count-subscriptions.ts'
import { ORDERS, SUBSCRIPTIONS } from './topics.ts'

const BATCH = 500

type Log = Pick<FastifyBaseLogger, 'error'>
type Waiting = OrderPlace & { position: number }
/** What to do with the subjects of a topic. */
type Count = (tx: Tx, places: readonly OrderPlace[]) => Promise<void>
const COUNTS: readonly [topic: string, count: Count][] = [
  [ORDERS, async (tx, places) => countOrders(tx, await withoutClearing(tx, places))],
  [MERGED_TOPIC, countMerged],
  [SUBSCRIPTIONS, countSubscriptions],
  [IMPORTED_TOPIC, countSubscriptions],
]

/** Whether something is to be counted. */
export const hasUnreported = () => sql`
  ${hasFollowed(...COUNTS.map(([topic]) => topic))} or exists (select from reports.filling where begins_at <= ${now()})`

/** Keeps the sums after orders and subscriptions that have changed; then counts those from before the tables. */
export async function followReports(db: Db, log: Log, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await followBatch(db, log))) {}
}

/** Something of each topic, so that none keeps another waiting. Returns 0 when all is done, undefined when another process is at it. */
async function followBatch(db: Db, log: Log): Promise<number | undefined> {
  let looked = 0
  for (const [topic, count] of COUNTS) {
    const rows = await peekFollowed(db, topic, BATCH)
    if (rows.length === 0) continue
    const waiting = rows.map(({ position, businessId, subject }) => ({ position, businessId, id: subject }))
    if (!(await followTopic(db, topic, count, waiting, log))) return undefined
    looked += waiting.length
  }
  return looked > 0 ? looked : fillOld(db)
}

/**
 * A batch has orders of many businesses. One that cannot be counted is found by halves and left out: it does not keep the others
 * waiting. False when another process holds the lock.
 */
async function followTopic(
  db: Db,
  topic: string,
  count: Count,
  waiting: readonly Waiting[],
  log: Log,
): Promise<boolean> {
  try {
    return await takeBatch(db, topic, count, waiting)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    const [one] = waiting
    if (one && waiting.length === 1) {
      await transaction(db, (tx) => dropFollowed(tx, topic, [one.position]))
      log.error({ err: error, businessId: one.businessId, subject: one.id }, 'reports: left out until its next event')
      return true
    }
  }
  const half = Math.ceil(waiting.length / 2)
  for (const part of [waiting.slice(0, half), waiting.slice(half)])
    if (!(await followTopic(db, topic, count, part, log))) return false
  return true
}

/** What is written and the leaving of the queue are one. False when another process holds the lock. */
function takeBatch(db: Db, topic: string, count: Count, waiting: readonly Waiting[]): Promise<boolean> {
  return transaction(db, async (tx) => {
    if (!(await tryLock(tx))) return false
    const left = await dropFollowed(
      tx,
      topic,
      waiting.map(({ position }) => position),
    )
    await fault('reports.taken')
    const found = waiting.filter(({ position }) => left.has(position))
    await count(tx, [...new Map(found.map((place) => [`${place.businessId} ${place.id}`, place])).values()])
    await fault('reports.before-commit')
    return true
  })
}

/** Whoever changes sums holds this lock: one at a time in a cell. */
const WRITERS = sql`hashtextextended('kontor.reports', 0)`

async function tryLock(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${WRITERS}) as locked`.execute(tx)
  return rows[0]?.locked ?? false
}

export async function lockSums(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${WRITERS})`.execute(tx)
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

const FILLS = {
  orders: { listAfter: listOrdersAfter, topic: ORDERS },
  subscriptions: { listAfter: listSubscriptionsAfter, topic: SUBSCRIPTIONS },
}

/** Takes up the next ones from before the tables were there, and notes how far it got. Returns 0 when there are none. */
function fillOld(db: Db): Promise<number | undefined> {
  return transaction(db, async (tx) => {
    if (!(await tryLock(tx))) return undefined
    const { rows } = await sql<{ kind: keyof typeof FILLS; businessId: string; id: string }>`
      select kind, business_id, id from reports.filling where begins_at <= ${now()} order by kind limit 1`.execute(tx)
    const [position] = rows
    if (!position) return 0
    const { kind } = position
    const { listAfter, topic } = FILLS[kind]
    const places = await listAfter(tx, position, BATCH)
    const last = places.at(-1)
    await addFollowed(tx, topic, places)
    await (last
      ? sql`update reports.filling set business_id = ${last.businessId}, id = ${last.id} where kind = ${kind}`.execute(
          tx,
        )
      : sql`delete from reports.filling where kind = ${kind}`.execute(tx))
    return 1
  })
}
