import { type RawBuilder, sql } from 'kysely'
import type { DB as CellTables } from './cell-tables.ts'
import type { Tx } from './database.ts'
import { executePrepared } from './hot.ts'

/** Something to be written, by itself or together with others. Undefined: nothing is to be written. */
export type Write = RawBuilder<unknown> | undefined

/**
 * Rows as one JSON value. A list of values has as many parameters as it has fields, and is another text for each number of rows,
 * which costs PostgreSQL more to read than the rows cost to insert.
 */
export function insertion<Table extends keyof CellTables>(
  table: Table,
  rows: readonly Partial<Record<keyof CellTables[Table], unknown>>[],
): Write {
  const [first] = rows
  if (!first) return undefined
  const names = Object.keys(first) as (keyof typeof first & string)[]
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const keys = names.map((name) => [name, toColumn(name)] as const)
  const values = JSON.stringify(
    rows.map((row) => Object.fromEntries(keys.map(([name, column]) => [column, toJson(row[name])]))),
  )
  return sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${values}::json)`
}

/** In one statement, and so in one round trip; in no order that anybody could rely on. */
export async function write(tx: Tx, ...writes: Write[]): Promise<void> {
  const parts = toParts(writes)
  if (parts.length > 0) await executePrepared(tx, sql`with ${sql.join(parts)} select`)
}

/** As parts of a statement that begins with `with`. */
export const toParts = (writes: readonly Write[]) =>
  writes
    .filter((each) => each !== undefined)
    .map((each, index) => sql`${sql.ref(`write${index}`)} as (${each} returning null)`)

const toColumn = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const toJson = (value: unknown) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value)
