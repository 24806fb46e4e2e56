import { type RawBuilder, sql } from 'kysely'
import type { DB as CellTables } from './cell-tables.ts'
import type { Tx } from './database.ts'
import { executePrepared } from './prepared.ts'

/** A statement that writes, alone or combined with others. Undefined: nothing to write. */
export type Write = RawBuilder<unknown> | undefined

type Rows<Table extends keyof CellTables> = readonly Partial<Record<keyof CellTables[Table], unknown>>[]
type Column<Table extends keyof CellTables> = keyof CellTables[Table] & string

/**
 * Passes rows as one JSON value. A VALUES list has a parameter per field and another text for each number of rows,
 * which costs PostgreSQL more to parse than the rows cost to insert. Columns are always named: one that a later
 * migration adds gets its default from code that does not know it yet.
 */
export function insertion<Table extends keyof CellTables>(table: Table, rows: Rows<Table>): Write {
  const [first] = rows
  if (!first) return undefined
  const columns = refs(Object.keys(first))
  return sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from ${asRows(table, rows, Object.keys(first))}`
}

/** Inserts the rows that do not exist yet. */
export function insertMissing<Table extends keyof CellTables>(table: Table, rows: Rows<Table>): Write {
  const inserted = insertion(table, rows)
  return inserted && sql`${inserted} on conflict do nothing`
}

/** Deletes the rows that match in all given columns. */
export function deletion<Table extends keyof CellTables>(table: Table, rows: Rows<Table>): Write {
  const [first] = rows
  if (!first) return undefined
  const names = Object.keys(first)
  const same = names.map((name) => sql`known.${sql.ref(name)} = gone.${sql.ref(name)}`)
  return sql`
    delete from ${sql.table(table)} as known
     using ${asRows(table, rows, names)} as gone
     where ${sql.join(same, sql` and `)}`
}

function asRows(table: string, rows: readonly object[], names: readonly string[]) {
  const columns = names.map(toColumn)
  const values = rows.map((row) => toRecord(row as Record<string, unknown>, names, columns))
  return sql`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(values)}::json)`
}

/** Half of a new order's columns are null. What is left out is null, too, and costs nobody anything. */
function toRecord(row: Record<string, unknown>, names: readonly string[], columns: readonly string[]) {
  const record: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) {
    const value = row[name]
    if (value !== null) record[columns[index] as string] = toJson(value)
  }
  return record
}

const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

type Upsert<Table extends keyof CellTables> = {
  /** The unique key. */
  key: readonly Column<Table>[]
  /** Columns that keep their value in an existing row. */
  keep?: readonly Column<Table>[]
  /** The order in which rows are locked, so that two writers of the same rows do not deadlock; by default, the key. */
  order?: readonly Column<Table>[]
  /**
   * Leaves rows that already have these values untouched. Not for tables with `json` columns, which cannot be compared.
   */
  changedOnly?: boolean
}

/** Inserts rows, or updates those whose key exists. */
export function upsert<Table extends keyof CellTables>(
  table: Table,
  rows: Rows<Table>,
  { key, keep = [], order = key, changedOnly = false }: Upsert<Table>,
): Write {
  const inserted = insertion(table, rows)
  if (!inserted) return undefined
  const fixed = new Set<string>([...key, ...keep])
  const changes = Object.keys(rows[0] as object).filter((name) => !fixed.has(name))
  const sets = sql.join(changes.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))
  const ofAll = (prefix: string) => refs(changes.map((name) => `${prefix}.${name}`))
  const isChanged = sql`where (${ofAll(table)}) is distinct from (${ofAll('excluded')})`
  return sql`
    ${inserted} order by ${refs(order)} on conflict (${refs(key)}) do update set ${sets} ${changedOnly ? isChanged : sql``}`
}

/** Runs all writes as one statement, in one round trip; their order is undefined. */
export async function write(tx: Tx, ...writes: Write[]): Promise<void> {
  const parts = toParts(writes)
  if (parts.length > 0) await executePrepared(tx, sql`with ${sql.join(parts)} select`)
}

/** A statement that returns rows, in two pieces: the parts after `with`, and the final `select`. */
export type Returning<Row> = { parts: RawBuilder<unknown>; result: RawBuilder<Row> }

/** `write` together with a statement that returns rows: one round trip. */
export async function writeReturning<Row>(
  tx: Tx,
  statement: Returning<Row> | undefined,
  ...writes: Write[]
): Promise<Row[]> {
  if (statement) {
    const { parts, result } = statement
    return executePrepared(tx, sql<Row>`with ${sql.join([parts, ...toParts(writes)])} ${result}`)
  }
  await write(tx, ...writes)
  return []
}

/** The writes as parts of a `with` clause. */
export const toParts = (writes: readonly Write[]) =>
  writes
    .filter((each) => each !== undefined)
    .map((each, index) => sql`${sql.ref(`write${index}`)} as (${each} returning null)`)

/** A camelCase name as SQL spells it: snake_case. */
export const toColumn = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const toJson = (value: unknown) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value)
