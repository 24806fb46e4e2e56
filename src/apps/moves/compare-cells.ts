import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { noteMove } from '#platform/moves/moves.ts'
import { type KeyedRow, type KnownTable, readKeyedRows } from '#platform/portable/rows.ts'
import type { Work } from './move-business.ts'

/** Rows are not what they were. Nothing is deleted: somebody has to look. */
export class Different extends Error {}

const BATCH = 1_000
const NOTED_EXAMPLES = 5

/**
 * Compares every row that was left behind with the one that moved. What was changed since it lives in the other cell is in that cell's log,
 * and left out.
 */
export async function compareCells({ control, move, source, target, tables, signal }: Work): Promise<void> {
  const { businessId, id } = move
  let rows = 0
  const differences: string[] = []
  for (const table of tables.filter(({ is }) => is !== 'queue')) {
    for (let after: string[] | undefined; ; ) {
      signal.throwIfAborted()
      const old = await readKeyedRows(source, table, businessId, { after, limit: BATCH })
      const upTo = old.length === BATCH ? old.at(-1)?.key : undefined
      const odd = await findOdd(target, table, businessId, old, { after, upTo })
      if (odd.length > 0) {
        const changed = await findChanged(target, table, businessId, odd) // after the rows: what changed them is in it
        differences.push(
          ...odd
            .map((key) => JSON.stringify(key))
            .filter((key) => !changed.has(key))
            .map((key) => `${table.table} ${key}`),
        )
      }
      rows += old.length
      if (!upTo) break
      after = upTo
    }
    await noteMove(control, id, { rowsCompared: rows })
  }
  if (differences.length > 0)
    throw new Different(
      `${differences.length} rows are not the same in both cells, such as ${differences.slice(0, NOTED_EXAMPLES).join(', ')}`,
    )
}

type Range = { after: string[] | undefined; upTo: string[] | undefined }

/** Keys of rows that are other than they were, are missing, or were not there. */
async function findOdd(
  target: Db,
  table: KnownTable,
  businessId: string,
  old: readonly KeyedRow[],
  { after, upTo }: Range,
): Promise<string[][]> {
  const expected = new Map(old.map((row) => [JSON.stringify(row.key), row]))
  const odd: string[][] = []
  for (let from = after; ; ) {
    const found = await readKeyedRows(target, table, businessId, { after: from, upTo, limit: BATCH })
    for (const { key, line } of found) {
      const name = JSON.stringify(key)
      if (expected.get(name)?.line !== line) odd.push(key)
      expected.delete(name)
    }
    if (found.length < BATCH) return [...odd, ...[...expected.values()].map(({ key }) => key)]
    from = found.at(-1)?.key
  }
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
