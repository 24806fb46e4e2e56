import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { findBusiness } from '#modules/access/index.ts'
import { checkComplete, findEntry } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { isHere } from '#platform/moves/fence.ts'
import { collectDetails } from '#vocabulary/block-values.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError, isRefusal } from '#vocabulary/errors.ts'
import { businessSuspended } from '#vocabulary/refusals.ts'
import { businessNotFound, entryMoved, entryNotFound, notANewsletter } from '../errors.ts'
import { sendFailed, sendStarted } from '../events.ts'
import { composeLetter } from '../mail/compose-letter.ts'
import { checkCategories } from '../segments/read-conditions.ts'
import { findNewsletter } from './newsletter.ts'
import { lockSend } from './queries.ts'
import type { SendRow } from './send.ts'

const BATCH = 20

/** Whether a send is to be started. */
export const hasDueSends = () =>
  sql`exists (select from newsletter.sends where status = 'SCHEDULED' and scheduled_at <= ${now()} and ${isHere('business_id')})`

/** Starts sends that are due, and with that fixes their content and their recipients. */
export async function startDue(control: ControlDb, db: Db, publicUrl: string, log: FastifyBaseLogger): Promise<number> {
  let count = 0
  for (let after: Due | undefined; ; ) {
    const due = await listDue(db, after)
    for (const send of due) {
      try {
        await start(control, db, send, publicUrl)
      } catch (error) {
        const { businessId, id } = send
        log.error({ err: error, businessId, sendId: id }, 'a newsletter cannot be started yet')
      }
    }
    count += due.length
    if (due.length < BATCH) return count
    after = due.at(-1) // also past those that failed: they are still due, and the others must not wait for them
  }
}

async function listDue(db: Db, after: Due | undefined): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select business_id, id, entry_id, collection_id, remainder_of, conditions, scheduled_at::text as position
      from newsletter.sends
     where status = 'SCHEDULED' and scheduled_at <= ${now()} and ${isHere('business_id')}
       and (scheduled_at, business_id, id) > (${after?.position ?? '-infinity'}::timestamptz, ${after?.businessId ?? ''}, ${after?.id ?? ''})
     order by scheduled_at, business_id, id
     limit ${BATCH}`.execute(db)
  return rows
}

type Due = Pick<SendRow, 'businessId' | 'id' | 'entryId' | 'collectionId' | 'remainderOf' | 'conditions'> & {
  position: string
}
/** A letter that goes out by itself chooses its readers otherwise. */
type Written = Pick<SendRow, 'businessId' | 'entryId' | 'collectionId'> & Partial<Pick<SendRow, 'conditions'>>

async function start(control: ControlDb, db: Db, due: Due, publicUrl: string): Promise<void> {
  const { businessId, id, entryId } = due
  const business = await findBusiness(control, businessId)
  // Composed before the transaction, because it may take seconds. Skipped for suspended businesses.
  const letter = business?.suspendedAt ? undefined : await readLetter(db, due, business && { ...business, publicUrl })
  await transaction(db, async (tx) => {
    const send = await lockSend(tx, businessId, id, 'SCHEDULED')
    if (!send || send.scheduledAt > now()) return // started by another process, or rescheduled
    if (!letter) {
      await stopSend(tx, send, 'PAUSED', businessSuspended().message)
    } else if (letter instanceof AppError) {
      await stopSend(tx, send, 'CANCELLED', letter.message) // nobody gets half a letter; an event is recorded
    } else {
      const { entryVersion, ...changes } = letter
      // Changed while it was composed: still due, and composed again.
      if (entryVersion !== undefined && (await findEntry(tx, businessId, entryId))?.version !== entryVersion) return
      await save(tx, send, { ...changes, status: 'RUNNING', startedAt: now() })
      await record(tx, sendStarted({ businessId, subject: id, data: { entryId } }))
    }
    await fault('send.started')
  })
}

type Sender = Business & { publicUrl: string }

export type Letter = Pick<SendRow, 'fromName' | 'replyTo' | 'subject' | 'html' | 'body' | 'links' | 'countsOpens'> & {
  /** Of the entry it was composed from. */
  entryVersion?: number
}

/** What is sent; or the reason why nothing is. */
const readLetter = (db: Db, due: Due, sender: Sender | undefined): Promise<Letter | AppError> =>
  due.remainderOf === null ? composeSend(db, due, sender) : readFirst(db, due.businessId, due.remainderOf)

/** Who gets a letter later gets the one that the others got. */
const readFirst = (db: Db, businessId: string, id: string): Promise<Letter> =>
  db
    .selectFrom('newsletter.sends')
    .select(['fromName', 'replyTo', 'subject', 'html', 'body', 'links', 'countsOpens'])
    .where((send) => send.and({ businessId, id }))
    .executeTakeFirstOrThrow()

/** The mail; or the reason why there is none: the entry is gone, incomplete, or was moved, or a category of its conditions is gone. */
export async function composeSend(
  db: Db,
  { businessId, entryId, collectionId, conditions }: Written,
  sender: Sender | undefined,
): Promise<Letter | AppError> {
  try {
    if (!sender) throw businessNotFound()
    const entry = await findEntry(db, businessId, entryId)
    if (!entry) throw entryNotFound()
    const collection = await findNewsletter(db, entry)
    if (!collection) throw notANewsletter({ field: 'entryId' })
    if (collection.id !== collectionId) throw entryMoved()
    checkComplete(collection, entry)
    const { report, throwIfAny } = collectDetails()
    await checkCategories(db, businessId, conditions ?? [], report)
    throwIfAny()
    const { name, contactEmail, publicUrl } = sender
    const mail = await composeLetter(db, { business: sender, newsletter: collection, entry, publicUrl })
    const { subject, html, text: body, links = null, countsOpens = false } = mail
    return {
      entryVersion: entry.version,
      fromName: name,
      replyTo: contactEmail,
      subject,
      html,
      body,
      links,
      countsOpens,
    }
  } catch (error) {
    if (isRefusal(error)) return error
    throw error // a failure of ours: still due, and tried again
  }
}

/** Stops a send and records the reason. */
export async function stopSend(
  tx: Tx,
  send: Pick<SendRow, 'businessId' | 'id'>,
  status: 'PAUSED' | 'CANCELLED',
  problem: string,
): Promise<void> {
  const { businessId, id } = send
  const changes = { status, problem, ...(status === 'CANCELLED' && { finishedAt: now() }) }
  const { entryId } = await save(tx, send, changes)
  await record(tx, sendFailed({ businessId, subject: id, data: { entryId } }))
}

const save = (tx: Tx, { businessId, id }: Pick<SendRow, 'businessId' | 'id'>, changes: Partial<SendRow>) =>
  tx
    .updateTable('newsletter.sends')
    .set({ ...changes, updatedAt: now() })
    .where((send) => send.and({ businessId, id }))
    .returning('entryId')
    .executeTakeFirstOrThrow()
