import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { noteMove } from '#platform/moves/moves.ts'
import { type KeyedRow, type KnownTable, readAllKeyedRows } from '#platform/portable/rows.ts'
import type { Work } from './move-business.ts'

/** Rows are not what they were. Nothing is deleted: somebody has to look. */
export class Different extends Error {}

const NOTED_EXAMPLES = 5

/**
 * Compares every row that was left behind with the one that moved. What was changed since it lives in the other cell is in that cell's log,
 * and left out.
 */
export async function compareCells({ control, move, source, target, tables, signal }: Work): Promise<void> {
  const { businessId, id } = move
  let rows = 0
  let different = 0
  const examples: string[] = []
  for (const table of tables.filter(({ is }) => is !== 'queue')) {
    let after: string[] | undefined
    for await (const { rows: old, isLast } of readAllKeyedRows(source, table, businessId)) {
      signal.throwIfAborted()
      const upTo = isLast ? undefined : old.at(-1)?.key
      for await (const odd of findOdd(target, table, businessId, old, { after, upTo })) {
        const changed = await findChanged(target, table, businessId, odd) // after the rows: what changed them is in it
        const names = odd.map((key) => JSON.stringify(key)).filter((key) => !changed.has(key))
        different += names.length
        examples.push(...names.slice(0, NOTED_EXAMPLES - examples.length).map((key) => `${table.table} ${key}`))
      }
      rows += old.length
      after = upTo
    }
    await noteMove(control, id, { rowsCompared: rows })
  }
  if (different > 0)
    throw new Different(`${different} rows are not the same in both cells, such as ${examples.join(', ')}`)
}

type Range = { after: string[] | undefined; upTo: string[] | undefined }

/** Keys of rows that are other than they were, are missing, or were not there: some at a time, since many may have come. */
async function* findOdd(
  target: Db,
  table: KnownTable,
  businessId: string,
  old: readonly KeyedRow[],
  range: Range,
): AsyncGenerator<string[][]> {
  const expected = new Map(old.map((row) => [JSON.stringify(row.key), row]))
  const firstRows = old.length + 1 // if they are the same, one statement finds that there are no more
  for await (const { rows } of readAllKeyedRows(target, table, businessId, { ...range, firstRows })) {
    const odd: string[][] = []
    for (const { key, line } of rows) {
      const name = JSON.stringify(key)
      if (expected.get(name)?.line !== line) odd.push(key)
      expected.delete(name)
    }
    if (odd.length > 0) yield odd
  }
  if (expected.size > 0) yield [...expected.values()].map(({ key }) => key)
}

/** Those of these keys that are in the log. */
async function findChanged(
  db: Db,
  { table, key }: KnownTable,
  businessId: string,
  keys: readonly string[][],
): Promise<Set<string>> {
  const columns = key.map((_, at) => sql`${keys.map((each) => each[at])}::text[]`)
  const names = sql.join(key.map((_, at) => sql.ref(`k${at}`)))
  const { rows } = await sql<{ key: string[] }>`
    select distinct key from cell.changed_rows
      join unnest(${sql.join(columns)}) as odd (${names}) on key = array[${names}]
     where business_id = ${businessId} and table_name = ${table}`.execute(db)
  return new Set(rows.map(({ key }) => JSON.stringify(key)))
}
