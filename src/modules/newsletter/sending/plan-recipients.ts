import { type RawBuilder, sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type MarkCustomers, makeRoomForSets, matchingReaders } from '../segments/matching-readers.ts'
import { findSend, lockSend } from './queries.ts'
import { remainingReaders } from './remaining-readers.ts'
import type { SendRow } from './send.ts'

const BATCH = 20_000
/** What is asked about customers is found anew for each batch, and takes longer than the rows of the recipients. */
const SEGMENT_BATCH = 100_000
const MAX_SECONDS = 30

/** BUSY: locked by another process, or stopped. */
type Planning = 'MORE' | 'DONE' | 'BUSY'

/** Those subscribed since before the start whose address is not suppressed, and for whom the send's conditions hold. */
const readersOf = (send: SendRow, markCustomers: MarkCustomers, limit: number): RawBuilder<unknown> => {
  const { businessId, collectionId, conditions, planAfter, startedAt } = send
  const segment = { businessId, collectionId, conditions: conditions ?? [], at: startedAt ?? now() }
  const { sets, isReached, fits } = matchingReaders(segment, markCustomers)
  return sql`
    ${sets}
    select subscription.id
      from newsletter.subscriptions as subscription
     where ${isReached} and subscription.id > ${planAfter} and ${fits}
     order by subscription.id
     limit ${limit}`
}

/**
 * Plans the next batch of recipients, some thousands in one statement. Whoever pauses or cancels the send waits for its
 * row: it is locked only once the readers are found, which may take long where conditions are many people's.
 */
export async function planRecipients(
  db: Db,
  { businessId, id }: Pick<SendRow, 'businessId' | 'id'>,
  markCustomers: MarkCustomers,
): Promise<Planning> {
  return transaction(db, async (tx) => {
    const found = await findNext(tx, { businessId, id }, markCustomers)
    if (!found) return 'BUSY'
    const send = await lockSend(tx, businessId, id, 'RUNNING')
    if (!send || send.planAfter !== found.after) return 'BUSY'
    if (send.isPlanned) return 'DONE'
    await sql`
      with planned as (
        insert into newsletter.recipients (business_id, send_id, subscription_id, state, due_at, updated_at)
        select ${businessId}, ${id}, next.id, 'PLANNED', ${now()}, ${now()} from unnest(${found.ids}::text[]) as next (id)
      )
      update newsletter.sends
         set total = total + ${found.ids.length},
             plan_after = ${found.ids.at(-1) ?? found.after},
             is_planned = ${found.isLast},
             updated_at = ${now()}
       where business_id = ${businessId} and id = ${id}`.execute(tx)
    await fault('send.planned')
    return found.isLast ? 'DONE' : 'MORE'
  })
}

type Next = { ids: string[]; after: string; isLast: boolean }

/** Undefined: another process is about it, or there is nothing to plan. */
async function findNext(
  tx: Tx,
  place: Pick<SendRow, 'businessId' | 'id'>,
  markCustomers: MarkCustomers,
): Promise<Next | undefined> {
  const { rows: locks } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`newsletter.plan ${place.id}`}, 0)) as locked`.execute(tx)
  if (!locks[0]?.locked) return undefined
  const send = await findSend(tx, place.businessId, place.id)
  if (send.status !== 'RUNNING') return undefined
  // Forces the index in the order of ids: with outdated statistics (after an import, say), PostgreSQL would fetch all
  // subscribers and sort them, for each batch.
  await sql`set local enable_sort = off`.execute(tx)
  if (send.conditions) await makeRoomForSets(tx, MAX_SECONDS)
  const batch = send.conditions ? SEGMENT_BATCH : BATCH
  const next = send.remainderOf === null ? readersOf(send, markCustomers, batch) : remainingReaders(send, batch)
  const { rows } = await sql<{ id: string }>`${next}`.execute(tx)
  return { ids: rows.map((row) => row.id), after: send.planAfter, isLast: rows.length < batch }
}
