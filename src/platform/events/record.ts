import { newId } from '#vocabulary/ids.ts'
import { now } from '../clock.ts'
import type { JsonObject } from '../database/cell-tables.ts'
import type { Tx } from '../database/database.ts'
import { insertion, type Write, write } from '../database/write.ts'
import type { NewEvent } from './define.ts'

/** A transactional outbox: the event is written in the transaction of the change, so both are there or neither is. */
export const record = (tx: Tx, ...events: NewEvent[]): Promise<void> => write(tx, newEvents(events))

export function newEvents(events: readonly NewEvent[]): Write {
  const occurredAt = now()
  if (check) for (const event of events) check(event)
  return insertion(
    'cell.eventOutbox',
    events.map(({ businessId, definition, subject, actor, data }) => ({
      businessId,
      id: newId('evt'),
      type: definition.type,
      subject,
      actorId: actor?.userId ?? null,
      actorKind: actor?.kind ?? 'system',
      data: data as JsonObject,
      occurredAt,
    })),
  )
}

let check: ((event: NewEvent) => void) | undefined

/** Tests check event data against the definition at runtime. In production the compiler's check is enough. */
export function checkEvents(next: (event: NewEvent) => void): void {
  check = next
}
