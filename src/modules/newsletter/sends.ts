import { type Collection, checkComplete, type Entry, findEntry } from '#modules/content/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { notFound } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { fromSeconds, toSeconds } from '#vocabulary/time.ts'
import { alreadySent, cannotMove, notANewsletter } from './errors.ts'
import { findNewsletter } from './newsletter.ts'
import type { NewSend, SendStatus } from './schemas.ts'
import { presentSend, type SendRow } from './send.ts'

type Writer = { businessId: string; actor: Actor }
/** `compose` throws if the entry cannot become a mail. */
type Planner = Writer & { compose: (entry: Entry, newsletter: Collection) => Promise<unknown> }

/** Plans the sending of an entry, now or later. While one is under way, it is that one. */
export async function planSend(tx: Tx, writer: Planner, entryId: string, sent: NewSend): Promise<SendRow> {
  const { businessId, actor, compose } = writer
  const entry = await findEntry(tx, businessId, entryId)
  if (!entry) throw notFound('entry')
  const collection = await findNewsletter(tx, entry)
  if (!collection) throw notANewsletter('entryId')
  const earlier = await listOfEntry(tx, businessId, entryId)
  const live = earlier.find(({ status }) => status !== 'DONE' && status !== 'CANCELLED')
  if (live) return live
  // Once it has begun, somebody may have got it, noted or not.
  const wasSent = earlier.some(({ status, startedAt, total }) => status === 'DONE' || (startedAt && total > 0))
  if (wasSent && !sent.resend) throw alreadySent()
  checkComplete(collection, entry)
  await compose(entry, collection) // what cannot be rendered is told now

  const at = now()
  const scheduledAt = sent.scheduledAt === undefined ? at : fromSeconds(sent.scheduledAt)
  const row = {
    businessId,
    id: newId('snd'),
    entryId,
    collectionId: collection.id,
    status: 'SCHEDULED',
    onUncertain: sent.onUncertain ?? 'SKIP',
    scheduledAt: scheduledAt.getTime() < nowMs() ? at : scheduledAt,
    userId: actor.userId,
    createdAt: at,
    updatedAt: at,
  }
  const inserted = await tx
    .insertInto('newsletter.sends')
    .values(row)
    .onConflict((known) =>
      known.columns(['businessId', 'entryId']).where('status', 'in', ['SCHEDULED', 'RUNNING', 'PAUSED']).doNothing(),
    )
    .returningAll()
    .execute()
  const [made] = inserted as SendRow[]
  if (!made) return planSend(tx, writer, entryId, sent) // somebody was faster
  await record(tx, {
    businessId,
    type: 'newsletter.send-planned',
    subject: made.id,
    actor,
    data: { entryId, scheduledAt: toSeconds(made.scheduledAt) },
  })
  return made
}

/** All sends of an entry, newest first. */
async function listOfEntry(tx: Tx, businessId: string, entryId: string): Promise<SendRow[]> {
  const rows = await tx
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, entryId }))
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
  return rows as SendRow[]
}

/** Whatever entry it is of: for an operator. */
export async function findSend(db: Db, businessId: string, id: string): Promise<SendRow> {
  const row = await db
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, id }))
    .executeTakeFirst()
  if (!row) throw notFound('send')
  return row as SendRow
}

/** How many sends of a cell are under way, and how many wait for their time. */
export const countOpen = (db: Db) =>
  db
    .selectFrom('newsletter.sends')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('status', '=', 'RUNNING').as('running'),
      fn.countAll<number>().filterWhere('status', '=', 'SCHEDULED').as('scheduled'),
    ])
    .where('status', 'in', ['RUNNING', 'SCHEDULED'])
    .executeTakeFirstOrThrow()

export async function getSend(db: Db, businessId: string, entryId: string, id: string): Promise<SendRow> {
  const row = await db
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, entryId, id }))
    .executeTakeFirst()
  if (!row) throw notFound('send')
  return row as SendRow
}

export async function listSends(
  db: Db,
  businessId: string,
  entryId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<ReturnType<typeof presentSend>>> {
  const filters = { list: 'sends', businessId, entryId }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
  const rows = await db
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, entryId }))
    .where('id', '<', after)
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows as SendRow[], limit, filters, ({ id }) => [id], presentSend)
}

const MOVES: Record<'pause' | 'resume' | 'cancel', { from: SendStatus[]; to: SendStatus; done: string }> = {
  pause: { from: ['SCHEDULED', 'RUNNING'], to: 'PAUSED', done: 'paused' },
  resume: { from: ['PAUSED'], to: 'RUNNING', done: 'resumed' },
  cancel: { from: ['SCHEDULED', 'RUNNING', 'PAUSED'], to: 'CANCELLED', done: 'cancelled' },
}

/** Mails that are being handed over meanwhile are not stopped. Asking for what is so already changes nothing. */
export async function moveSend(
  tx: Tx,
  { businessId, actor }: Writer,
  { entryId, id }: { entryId: string; id: string },
  move: keyof typeof MOVES,
): Promise<SendRow> {
  const row = await tx
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, entryId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('send')
  const before = row as SendRow
  const { from, to, done } = MOVES[move]
  // One that was paused before it began goes on waiting for its time.
  const target = move === 'resume' && !before.startedAt ? 'SCHEDULED' : to
  if (before.status === target) return before
  if (!from.includes(before.status)) throw cannotMove(before.status, done)
  const after: SendRow = {
    ...before,
    status: target,
    finishedAt: target === 'CANCELLED' ? now() : before.finishedAt,
    updatedAt: now(),
  }
  await tx
    .updateTable('newsletter.sends')
    .set({ status: after.status, finishedAt: after.finishedAt, updatedAt: after.updatedAt })
    .where((send) => send.and({ businessId, id }))
    .execute()
  await record(tx, { businessId, type: `newsletter.send-${done}`, subject: id, actor, data: { entryId } })
  return after
}
