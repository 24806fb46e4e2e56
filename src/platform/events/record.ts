import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { now } from '../clock.ts'
import type { JsonObject } from '../database/cell-tables.ts'
import type { Tx } from '../database/database.ts'
import { insertion, type Write, write } from '../database/write.ts'

export type NewEvent = {
  businessId: string
  /** What happened, as `subject.verb-in-the-past`: `order.paid`. */
  type: string
  /** The id of what it happened to. */
  subject: string
  /** Who did it; undefined when the service did it by itself. */
  actor?: Actor | undefined
  data?: JsonObject
}

/** Tells the business what happened, in the transaction in which it happened: both are there, or neither is. */
export const record = (tx: Tx, ...events: NewEvent[]): Promise<void> => write(tx, newEvents(events))

export function newEvents(events: readonly NewEvent[]): Write {
  const occurredAt = now()
  return insertion(
    'cell.eventOutbox',
    events.map(({ businessId, type, subject, actor, data = {} }) => ({
      businessId,
      id: newId('evt'),
      type,
      subject,
      actorId: actor?.userId ?? null,
      actorKind: actor?.kind ?? 'system',
      data,
      occurredAt,
    })),
  )
}
