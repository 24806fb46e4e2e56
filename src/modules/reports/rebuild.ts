import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { listOrdersAfter, type OrderPlace } from '#modules/orders/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { countOrders } from './count-orders.ts'
import { lockSums } from './follow-feed.ts'

const BATCH = 500
const CLEARED_AT_ONCE = 20_000

export type RebuiltReports = { orders: number }

/** One run of the command. */
type Run = { businessId: string; run: string }

/**
 * Makes the sums of a business anew from its orders. The service can go on meanwhile; `upToEvent` is 0 until it is done. One
 * that was stopped begins again; one that begins while another runs takes over.
 */
export async function rebuildReports(
  db: Db,
  businessId: string,
  progress: (orders: number) => void = () => {},
): Promise<RebuiltReports> {
  const mine = { businessId, run: randomUUID() }
  await begin(db, mine)
  for (const table of TABLES)
    for (let after: Key | undefined; ; ) {
      after = await clearNext(db, mine, table, after)
      if (!after) break
      await fault('reports.cleared')
    }
  // From here on events are counted again, by whoever follows: what they name is counted then, or below, or twice alike.
  await whileMine(db, mine, (tx) =>
    sql`update reports.rebuilding set is_clearing = false where business_id = ${businessId}`.execute(tx),
  )
  let orders = 0
  for (let after: OrderPlace = { businessId, id: '' }; ; ) {
    const places = await whileMine(db, mine, (tx) => countNext(tx, after))
    const last = places.at(-1)
    if (!last) break
    orders += places.length
    progress(orders)
    after = last
    await fault('reports.recounted')
  }
  await whileMine(db, mine, (tx) => sql`delete from reports.rebuilding where business_id = ${businessId}`.execute(tx))
  return { orders }
}

/** Whoever counts holds the lock until they commit: nobody who saw no rebuild is still writing. */
const begin = (db: Db, { businessId, run }: Run) =>
  transaction(db, async (tx) => {
    await lockSums(tx)
    await sql`
      insert into reports.rebuilding (business_id, is_clearing, run) values (${businessId}, true, ${run})
      on conflict (business_id) do update set is_clearing = true, run = excluded.run`.execute(tx)
  })

/** A step under the lock, unless another run has begun since: two at once would clear what the other has counted. */
const whileMine = <Result>(db: Db, { businessId, run }: Run, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  transaction(db, async (tx) => {
    await lockSums(tx)
    const { rows } = await sql`
      select from reports.rebuilding where business_id = ${businessId} and run = ${run}`.execute(tx)
    if (rows.length === 0) throw new Error('Another rebuild of this business has begun: this one has stopped.')
    return work(tx)
  })

const KEYS = { orders: ['order_id'], sums: ['kind', 'grain', 'at', 'subject', 'market', 'currency'] } as const
const TABLES = ['orders', 'sums'] as const
type Key = unknown[]

/** By key, so that no page reads again over what the pages before have left dead. Returns the last key; undefined at the end. */
const clearNext = (db: Db, mine: Run, table: keyof typeof KEYS, after: Key | undefined): Promise<Key | undefined> =>
  whileMine(db, mine, async (tx) => {
    const name = sql.table(`reports.${table}`)
    const key = sql.join(KEYS[table].map((column) => sql.ref(column)))
    const { rows } = await sql<{ key: Key }>`
      with page as materialized (
        select ctid, row_number() over (order by ${key}) as place, ${key}
          from ${name}
         where business_id = ${mine.businessId} ${after ? sql`and (${key}) > (${sql.join(after)})` : sql``}
         order by ${key}
         limit ${CLEARED_AT_ONCE}
      ), gone as (
        delete from ${name} where ctid = any (array(select ctid from page))
      )
      select json_build_array(${key}) as key from page order by place desc limit 1`.execute(tx)
    return rows[0]?.key
  })

async function countNext(tx: Tx, after: OrderPlace): Promise<OrderPlace[]> {
  const places = (await listOrdersAfter(tx, after, BATCH)).filter(({ businessId }) => businessId === after.businessId)
  await countOrders(tx, places)
  return places
}
