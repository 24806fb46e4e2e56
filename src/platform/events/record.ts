import { sql } from 'kysely'
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
  return insertion(
    'cell.eventOutbox',
    events.map((event) => toEventRow(event, occurredAt)),
  )
}

export function toEventRow(event: NewEvent, occurredAt: Date = now()) {
  check?.(event)
  const { businessId, definition, subject, actor, data } = event
  return {
    businessId,
    id: newId('evt'),
    type: definition.type,
    subject,
    actorId: actor?.userId ?? null,
    actorKind: actor?.kind ?? 'system',
    data: data as JsonObject,
    occurredAt,
  }
}

type CarriedEvent = Omit<ReturnType<typeof toEventRow>, 'data'> & { position: number; data: unknown }

/** Records events that happened in another database, under their own ids, each once however often it comes. */
export async function recordCarried(tx: Tx, businessId: string, events: readonly CarriedEvent[]): Promise<void> {
  // One after another: two at once would both find nothing.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`kontor.carried:${businessId}`}, 0))`.execute(tx)
  await sql`
    insert into cell.event_outbox (business_id, id, type, subject, actor_id, actor_kind, data, occurred_at)
    select ${businessId}, id, type, subject, actor_id, actor_kind, data, occurred_at
      from json_populate_recordset(null::cell.event_outbox, ${JSON.stringify(events.map(toColumns))}::json) as carried
     where not exists (select from cell.event_outbox as waiting where waiting.id = carried.id)
       and not exists (select from cell.events as known
                        where known.business_id = ${businessId} and known.subject = carried.subject
                          and known.id = carried.id)
     order by position`.execute(tx)
}

const toColumns = ({ position, id, type, subject, actorId, actorKind, data, occurredAt }: CarriedEvent) => ({
  position,
  id,
  type,
  subject,
  data,
  actor_id: actorId,
  actor_kind: actorKind,
  occurred_at: occurredAt,
})

let check: ((event: NewEvent) => void) | undefined

/** Tests check event data against the definition at runtime. In production the compiler's check is enough. */
export function checkEvents(next: (event: NewEvent) => void): void {
  check = next
}
