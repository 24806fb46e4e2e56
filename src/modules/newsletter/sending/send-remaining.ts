import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { hasNobodyLeft, isUnderWay, sendNotFound, wentByItself } from '../errors.ts'
import { sendPlanned } from '../events.ts'
import type { RemainingSend } from '../schemas.ts'
import { insertSend } from './queries.ts'
import { remainingReaders } from './remaining-readers.ts'
import type { SendRow } from './send.ts'

type Sender = { businessId: string; actor: Actor }

/** Plans to send the same letter to those whom a send that has ended did not reach. */
export async function sendRemaining(
  tx: Tx,
  { businessId, actor }: Sender,
  { entryId, id }: { entryId: string; id: string },
  { statuses }: RemainingSend,
): Promise<SendRow> {
  // The lock: of two requests at once, the second sees the send that the first has planned.
  const first = await tx
    .selectFrom('newsletter.sends')
    .select(['status', 'collectionId', 'onUncertain', 'automationId'])
    .where((send) => send.and({ businessId, entryId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (!first) throw sendNotFound()
  if (first.automationId !== null) throw wentByItself()
  const at = now()
  const row = {
    businessId,
    id: newId('snd'),
    entryId,
    collectionId: first.collectionId,
    status: 'SCHEDULED',
    onUncertain: first.onUncertain,
    scheduledAt: at,
    remainderOf: id,
    remainderStates: statuses,
    userId: actor.userId,
    createdAt: at,
    updatedAt: at,
  }
  const made = await insertSend(tx, row)
  if (!made) throw isUnderWay()
  const { rows } = await sql<{ id: string }>`${remainingReaders(made, 1)}`.execute(tx)
  if (rows.length === 0) throw hasNobodyLeft()
  await record(
    tx,
    sendPlanned({ businessId, subject: made.id, actor, data: { entryId, scheduledAt: toSeconds(made.scheduledAt) } }),
  )
  return made
}
