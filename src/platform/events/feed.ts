import { type RawBuilder, type Selectable, sql } from 'kysely'
import { Type } from 'typebox'
import { BusinessId, idOf, Nullable, UnixSeconds } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { CellEvents } from '../database/cell-tables.ts'
import type { Db } from '../database/database.ts'
import { isHere } from '../moves/fence.ts'

/** The one form in which events are read. */
export const eventFields = {
  id: idOf('evt', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
  number: Type.Integer({ description: 'Counts the events of this business, without gaps.', examples: [42] }),
  type: Type.String({ examples: ['order.paid'] }),
  businessId: BusinessId,
  subject: Type.String({
    description: 'The id of what it happened to.',
    examples: ['ord_01jcq3v7k8f5t9x2m4n6p8r0sw'],
  }),
  actorId: Nullable(Type.String({ examples: ['usr_01jcq3v7k8f5t9x2m4n6p8r0sw'] })),
  actorKind: Type.String({ examples: ['user'] }),
  data: Type.Unsafe<unknown>({
    type: 'object',
    additionalProperties: true,
    examples: [{ number: 'K7Q2-M9X3', total: 4877, currency: 'USD' }],
  }),
  timestamp: UnixSeconds,
}

export type EventRow = Selectable<CellEvents>

export const presentEvent = (row: EventRow) => ({
  id: row.id,
  number: row.number,
  type: row.type,
  businessId: row.businessId,
  subject: row.subject,
  actorId: row.actorId,
  actorKind: row.actorKind,
  data: row.data,
  timestamp: toSeconds(row.occurredAt),
})

/** What the feed holds about one record, newest first. */
export const listEventsAbout = (db: Db, businessId: string, subject: string, limit: number): Promise<EventRow[]> =>
  db
    .selectFrom('cell.events')
    .selectAll()
    .where((event) => event.and({ businessId, subject }))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()

/** The next events of a business, oldest first. */
export const readAfter = (db: Db, businessId: string, number: number, limit: number): Promise<EventRow[]> =>
  db
    .selectFrom('cell.events')
    .selectAll()
    .where('businessId', '=', businessId)
    .where('number', '>', number)
    .orderBy('number')
    .limit(limit)
    .execute()

/** The next events of several businesses, each after a number of its own, oldest first; in one statement. */
export async function readAllAfter(
  db: Db,
  positions: readonly { businessId: string; number: number }[],
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select event.*
      from unnest(${positions.map(({ businessId }) => businessId)}::text[], ${positions.map(({ number }) => number)}::bigint[])
           as position (business_id, number)
     cross join lateral (
             select * from cell.events as each
              where each.business_id = position.business_id and each.number > position.number
              order by each.number
              limit ${limit}) as event
     order by event.business_id, event.number`.execute(db)
  return rows
}

/** Some events of a business, by their numbers. */
export const readNumbered = (db: Db, businessId: string, numbers: readonly number[]): Promise<EventRow[]> =>
  db
    .selectFrom('cell.events')
    .selectAll()
    .where('businessId', '=', businessId)
    .where('number', '=', sql<number>`any(${[...numbers]}::bigint[])`)
    .orderBy('number')
    .execute()

/** The number of the last event that was in the feed at a time; 0 if there was none. */
export async function readNumberAt(db: Db, businessId: string, time: Date): Promise<number> {
  const row = await db
    .selectFrom('cell.events')
    .select('number')
    .where('businessId', '=', businessId)
    .where('sequencedAt', '<', time)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.number ?? 0
}

/** The numbers of the newest events of these businesses; those without any are missing. */
export async function readLastNumbers(db: Db, businessIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('cell.eventCounters')
    .selectAll()
    .where('businessId', '=', sql<string>`any(${[...businessIds]}::text[])`)
    .execute()
  return new Map(rows.map(({ businessId, lastNumber }) => [businessId, lastNumber]))
}
export const findEvent = (db: Db, businessId: string, number: number): Promise<EventRow | undefined> =>
  db
    .selectFrom('cell.events')
    .selectAll()
    .where((event) => event.and({ businessId, number }))
    .executeTakeFirst()

/** The number of the newest event; 0 if there is none. */
export async function readLastNumber(db: Db, businessId: string): Promise<number> {
  const row = await db
    .selectFrom('cell.eventCounters')
    .select('lastNumber')
    .where('businessId', '=', businessId)
    .executeTakeFirst()
  return row?.lastNumber ?? 0
}

/** Of these positions (`business_id` and `number`), the ones that their feed is ahead of, as a query. */
export const behindSql = (positions: RawBuilder<unknown>) => sql`
  select position.business_id
    from ${positions} as position
    join cell.event_counters as counter on counter.business_id = position.business_id
   where counter.last_number > position.number and ${isHere('counter.business_id')}`

/** Every business in which something happened, as a query. */
export const withEventsSql = sql`
  select business_id, last_number from cell.event_counters where ${isHere('business_id')}`
