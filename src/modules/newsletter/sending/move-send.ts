import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { EventKind } from '#platform/events/define.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { cannotMove, sendNotFound } from '../errors.ts'
import { sendCancelled, sendPaused, sendResumed } from '../events.ts'
import type { SendStatus } from '../schemas.ts'
import type { SendRow } from './send.ts'

type Writer = { businessId: string; actor: Actor }

const MOVES: Record<
  'pause' | 'resume' | 'cancel',
  { from: SendStatus[]; to: SendStatus; done: string; event: EventKind<(typeof sendPaused)['data']> }
> = {
  pause: { from: ['SCHEDULED', 'RUNNING'], to: 'PAUSED', done: 'paused', event: sendPaused },
  resume: { from: ['PAUSED'], to: 'RUNNING', done: 'resumed', event: sendResumed },
  cancel: { from: ['SCHEDULED', 'RUNNING', 'PAUSED'], to: 'CANCELLED', done: 'cancelled', event: sendCancelled },
}

/** Pauses, resumes or cancels a send. Mails already in flight are not stopped. Idempotent. */
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
  if (!row) throw sendNotFound()
  const before = row as SendRow
  const { from, to, done, event } = MOVES[move]
  // A send that was paused before it started waits for its time again.
  const target = move === 'resume' && !before.startedAt ? 'SCHEDULED' : to
  if (before.status === target) return before
  if (!from.includes(before.status)) throw cannotMove({ status: before.status, verb: done })
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
  await record(tx, event({ businessId, subject: id, actor, data: { entryId } }))
  return after
}
