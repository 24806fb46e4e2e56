import { createHash } from 'node:crypto'
import { invalid } from './errors.ts'

export type Page<Item> = { items: Item[]; cursor: string | null }

/** Where a page ends: the sort values of its last row, the id last. Numbers are whole. */
export type Position = (string | number)[]

/** A cursor belongs to the filters it was made for; `filters` also names the list and its business. */
export type Filters = Record<string, string | number | boolean | undefined | null | readonly string[]>

const fingerprint = (filters: Filters) =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('base64url')
    .slice(0, 11)

export const encodeCursor = (filters: Filters, position: Position): string =>
  Buffer.from(JSON.stringify([fingerprint(filters), ...position])).toString('base64url')

/** Undefined on the first page. A broken cursor, or one of another list, is the caller's mistake: 422. */
export function decodeCursor(
  filters: Filters,
  cursor: string | null | undefined,
  shape: readonly ('string' | 'number')[],
): Position | undefined {
  if (cursor === undefined || cursor === null || cursor === '' || cursor === 'null') return undefined
  const [print, ...position] = parse(cursor)
  const fits = position.length === shape.length && position.every((value, index) => isOfKind(value, shape[index]))
  if (print !== fingerprint(filters) || !fits) {
    throw invalid('cursor', 'INVALID', 'This cursor does not belong to this list and its filters. Start without one.')
  }
  return position as Position
}

/** Anybody can write a cursor, so no value may get through that a column cannot be compared with. */
const isOfKind = (value: unknown, kind: 'string' | 'number' | undefined) =>
  kind === 'number'
    ? Number.isSafeInteger(value)
    : typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** `rows` were read with `limit + 1`: one more than asked means that there is a next page. */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  filters: Filters,
  positionOf: (row: Row) => Position,
  present: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { items: shown.map(present), cursor: last === undefined ? null : encodeCursor(filters, positionOf(last)) }
}

/** Stored documents are joined as they are: parsing and writing them again would cost more than everything else together. */
export const toPageText = ({ items, cursor }: Page<string>) =>
  `{"items":[${items.join(',')}],"cursor":${JSON.stringify(cursor)}}`
