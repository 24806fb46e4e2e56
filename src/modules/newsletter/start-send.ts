import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { findBusiness } from '#modules/access/index.ts'
import { checkComplete, findEntry } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { AppError, businessSuspended, notFound } from '#vocabulary/errors.ts'
import { compose } from './compose.ts'
import { entryMoved, notANewsletter } from './errors.ts'
import { findNewsletter } from './newsletter.ts'
import type { SendRow } from './send.ts'

const BATCH = 20_000

/** Starts what is due: from then on it is settled what is sent, and to whom. */
export async function startDue(control: ControlDb, db: Db, publicUrl: string, log: FastifyBaseLogger): Promise<number> {
  const due = await db
    .selectFrom('newsletter.sends')
    .select(['businessId', 'id'])
    .where('status', '=', 'SCHEDULED')
    .where('scheduledAt', '<=', now())
    .orderBy('scheduledAt')
    .limit(20)
    .execute()
  for (const { businessId, id } of due) {
    try {
      await start(control, db, { businessId, id, publicUrl })
    } catch (error) {
      log.error({ err: error, businessId, sendId: id }, 'a newsletter cannot be started yet')
    }
  }
  return due.length
}

async function start(
  control: ControlDb,
  db: Db,
  { businessId, id, publicUrl }: { businessId: string; id: string; publicUrl: string },
): Promise<void> {
  const business = await findBusiness(control, businessId)
  await transaction(db, async (tx) => {
    const send = await lockSend(tx, businessId, id, 'SCHEDULED')
    if (!send || send.scheduledAt > now()) return // somebody else was faster, or changed their mind
    try {
      if (!business) throw notFound('business')
      if (business.suspendedAt) return await stopSend(tx, send, 'PAUSED', businessSuspended().message)
      await save(tx, send, await composeSend(tx, send, { ...business, publicUrl }))
      await record(tx, { businessId, type: 'newsletter.send-started', subject: id, data: { entryId: send.entryId } })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // The entry is gone, or no longer complete: nobody gets half a letter, and somebody is told.
      await stopSend(tx, send, 'CANCELLED', error.message)
    }
    await fault('send.started')
  })
}

type Sender = {
  name: string
  contactEmail: string | null
  defaultLocale: string
  allowedOrigins: string[]
  publicUrl: string
}

async function composeSend(tx: Tx, { businessId, entryId, collectionId }: SendRow, sender: Sender) {
  const entry = await findEntry(tx, businessId, entryId)
  if (!entry) throw notFound('entry')
  const collection = await findNewsletter(tx, entry)
  if (!collection) throw notANewsletter('entryId')
  if (collection.id !== collectionId) throw entryMoved()
  checkComplete(collection, entry)
  const { name, contactEmail, defaultLocale, allowedOrigins, publicUrl } = sender
  const siteUrl = allowedOrigins[0] ?? publicUrl
  const mail = await compose({ business: { name, defaultLocale, siteUrl }, newsletter: collection, entry })
  return {
    status: 'RUNNING' as const,
    startedAt: now(),
    fromName: name,
    replyTo: contactEmail,
    subject: mail.subject,
    html: mail.html,
    body: mail.text,
  }
}

async function lockSend(
  tx: Tx,
  businessId: string,
  id: string,
  status: SendRow['status'],
): Promise<SendRow | undefined> {
  const row = await tx
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, id, status }))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row as SendRow | undefined
}

/** It cannot go on, and the business is told why. */
export async function stopSend(
  tx: Tx,
  send: Pick<SendRow, 'businessId' | 'id'>,
  status: 'PAUSED' | 'CANCELLED',
  problem: string,
): Promise<void> {
  const { businessId, id } = send
  await save(tx, send, { status, problem, ...(status === 'CANCELLED' && { finishedAt: now() }) })
  await record(tx, { businessId, type: 'newsletter.send-failed', subject: id, data: { problem } })
}

const save = (tx: Tx, { businessId, id }: Pick<SendRow, 'businessId' | 'id'>, changes: Partial<SendRow>) =>
  tx
    .updateTable('newsletter.sends')
    .set({ ...changes, updatedAt: now() })
    .where((send) => send.and({ businessId, id }))
    .execute()

/** BUSY: somebody else is at it, or it was stopped. */
type Planning = 'MORE' | 'DONE' | 'BUSY'

/**
 * Writes down who gets it, some thousands at a time, each time in one statement: those who are subscribed, were so when it
 * started, and have not bounced.
 */
export async function planSome(db: Db, { businessId, id }: Pick<SendRow, 'businessId' | 'id'>): Promise<Planning> {
  return transaction(db, async (tx) => {
    const send = await lockSend(tx, businessId, id, 'RUNNING')
    if (!send) return 'BUSY'
    if (send.isPlanned) return 'DONE'
    // There is an index in the order of their ids. Before it knows how many they are (after an import, say), PostgreSQL finds it as
    // cheap to fetch all of them and sort, each time.
    await sql`set local enable_sort = off`.execute(tx)
    const { rows } = await sql<{ isPlanned: boolean }>`
      with next as materialized (
        select subscription.id
          from newsletter.subscriptions as subscription
         where business_id = ${businessId} and collection_id = ${send.collectionId} and status = 'ACTIVE'
           and subscription.id > ${send.planAfter} and activated_at <= ${send.startedAt}
           and not exists (select from newsletter.suppressions as suppression
                            where suppression.business_id = ${businessId} and suppression.email_key = subscription.email_key)
         order by subscription.id
         limit ${BATCH}
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
