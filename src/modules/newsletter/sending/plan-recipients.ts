import { type RawBuilder, sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type MarkCustomers, makeRoomForSets, matchingReaders } from '../segments/matching-readers.ts'
import { lockSend } from './queries.ts'
import { remainingReaders } from './remaining-readers.ts'
import type { SendRow } from './send.ts'

const BATCH = 20_000

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

/** Plans the next batch of recipients, some thousands in one statement. */
export async function planRecipients(
  db: Db,
  { businessId, id }: Pick<SendRow, 'businessId' | 'id'>,
  markCustomers: MarkCustomers,
): Promise<Planning> {
  return transaction(db, async (tx) => {
    const send = await lockSend(tx, businessId, id, 'RUNNING')
    if (!send) return 'BUSY'
    if (send.isPlanned) return 'DONE'
    // Forces the index in the order of ids: with outdated statistics (after an import, say), PostgreSQL would fetch all
    // subscribers and sort them, for each batch.
    await sql`set local enable_sort = off`.execute(tx)
    if (send.conditions) await makeRoomForSets(tx)
    const { rows } = await sql<{ isPlanned: boolean }>`
      with next as materialized (
        ${send.remainderOf === null ? readersOf(send, markCustomers, BATCH) : remainingReaders(send, BATCH)}
      ), planned as (
        insert into newsletter.recipients (business_id, send_id, subscription_id, state, due_at, updated_at)
        select ${businessId}, ${id}, next.id, 'PLANNED', ${now()}, ${now()} from next
      )
      update newsletter.sends
         set total = total + (select count(*) from next),
             plan_after = coalesce((select max(next.id) from next), plan_after),
             is_planned = (select count(*) from next) < ${BATCH},
             updated_at = ${now()}
       where business_id = ${businessId} and id = ${id}
      returning is_planned`.execute(tx)
    await fault('send.planned')
    return rows[0]?.isPlanned ? 'DONE' : 'MORE'
  })
}
