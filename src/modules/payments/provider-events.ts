import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { isHere } from '#platform/moves/fence.ts'

export type NewEvent = {
  businessId: string
  id: string
  type: string
  provider: string
  account: string | null
  subject: string
  body: string
}

/** False when the event was stored before. */
export async function storeEvent(tx: Tx, event: NewEvent): Promise<boolean> {
  const rows = await tx
    .insertInto('payments.events')
    .values({ ...event, receivedAt: now() })
    .onConflict((known) => known.columns(['businessId', 'id']).doNothing())
    .returning('id')
    .execute()
  return rows.length > 0
}

export const noteApplied = (tx: Tx, businessId: string, id: string) =>
  tx
    .updateTable('payments.events')
    .set({ appliedAt: now() })
    .where((event) => event.and({ businessId, id }))
    .execute()

const KEEP_EVENTS_DAYS = 90

/** Deletes old events in batches. Returns how many. */
export async function pruneEvents(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from payments.events
     where ctid = any (array(
       select ctid from payments.events
        where received_at < ${new Date(nowMs() - KEEP_EVENTS_DAYS * 86_400_000)} and ${isHere('business_id')}
        limit 5000))`.execute(db)
  return Number(numAffectedRows)
}
