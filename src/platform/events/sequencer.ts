import { sql } from 'kysely'
import { now } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { PartitionedLog } from '../database/partitions.ts'
import { transaction } from '../database/transaction.ts'

export const EVENT_LOG: PartitionedLog = { table: 'cell.events', keepMonths: 13 }

const BATCH = 5_000

/**
 * Numbers what has been committed and moves it to the feed. One at a time, so numbers become visible in their order: a reader
 * who has seen number n never misses one below it, however late its transaction committed. Answers how many were moved;
 * undefined when another process is at it.
 */
export function sequenceEvents(db: Db): Promise<number | undefined> {
  return transaction(db, async (tx) => {
    const { rows: locks } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('kontor.events', 0)) as locked`.execute(tx)
    if (!locks[0]?.locked) return undefined
    const { numAffectedRows = 0n } = await sql`
      with taken as (
        delete from cell.event_outbox
         where position = any (array(select position from cell.event_outbox order by position limit ${BATCH}))
        returning *
      ), counted as (
        insert into cell.event_counters as counter (business_id, last_number)
        select business_id, count(*) from taken group by business_id order by business_id
        on conflict (business_id) do update set last_number = counter.last_number + excluded.last_number
        returning business_id, last_number
      )
      insert into cell.events
             (business_id, number, id, type, subject, actor_id, actor_kind, data, occurred_at, sequenced_at)
      select business_id,
             last_number + 1 - row_number() over (partition by business_id order by position desc),
             id, type, subject, actor_id, actor_kind, data, occurred_at, ${now()}
        from taken join counted using (business_id)`.execute(tx)
    return Number(numAffectedRows)
  })
}
