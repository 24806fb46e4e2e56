import { createHash } from 'node:crypto'
import { cursorInvalid } from './refusals.ts'

export type Page<Item> = { items: Item[]; cursor: string | null }

/** Keyset pagination: the sort values of a page's last row, its id last. Numbers are integers. */
export type Position = (string | number)[]

/** A cursor is valid only for the filters it was made for; `filters` also names the list and its business. */
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
    throw cursorInvalid()
  }
  return position as Position
}

/** Anybody can forge a cursor, so every value must have a type that its column can be compared with. */
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

/** `rows` were read with `limit + 1`: an extra row means that there is a next page. */
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

/** Joins stored JSON documents as text: parsing and serialising them would cost more than the rest of the request. */
export const toPageText = ({ items, cursor }: Page<string>) =>
  `{"items":[${items.join(',')}],"cursor":${JSON.stringify(cursor)}}`
