import { sql } from 'kysely'
import { decodeCursor, encodeCursor, toPage } from '#vocabulary/paging.ts'
import type { Db } from '../database/database.ts'
import { presentEvent } from './feed.ts'

/** A page looks at no more rows than this: where few of them are shown, it ends early, with a cursor. */
const MAX_LOOKED_AT = 20_000

export type EventFilters = {
  limit?: number
  cursor?: string | undefined
  after?: number
  type?: readonly string[]
  subject?: string
}

/** `topics`: what the caller may see; undefined: everything. The cursor moves over what they may not. */
export async function listEvents(
  db: Db,
  businessId: string,
  topics: readonly string[] | undefined,
  { limit = 20, cursor, after, type, subject }: EventFilters,
) {
  const filters = { list: 'events', businessId, after, type, ...(subject === undefined ? {} : { subject }) }
  const position = decodeCursor(filters, cursor, ['number'])?.[0] as number | undefined
  const direction = after === undefined ? 'desc' : 'asc'
  let query = db.selectFrom('cell.events').where('businessId', '=', businessId).orderBy('number', direction)
  const from = position ?? after
  if (from !== undefined) query = query.where('number', direction === 'asc' ? '>' : '<', from)

  // Read before the page, so that it cannot lie beyond what the page has seen.
  const isSparse = subject === undefined && (topics !== undefined || type !== undefined)
  const end = isSparse
    ? await query
        .select('number')
        .offset(MAX_LOOKED_AT - 1)
        .limit(1)
        .executeTakeFirst()
    : undefined
  if (end) query = query.where('number', direction === 'asc' ? '<=' : '>=', end.number)
  if (type !== undefined) query = query.where('type', 'in', type)
  if (subject !== undefined) query = query.where('subject', '=', subject)
  if (topics) query = query.where(sql<string>`split_part(type, '.', 1)`, '=', sql<string>`any(${[...topics]}::text[])`)
  const rows = await query
    .selectAll()
    .limit(limit + 1)
    .execute()
  const page = toPage(rows, limit, filters, (row) => [row.number], presentEvent)
  return page.cursor === null && end ? { ...page, cursor: encodeCursor(filters, [end.number]) } : page
}
