import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { isUnsettled } from '../database/errors.ts'
import { deleteByKey, findGone, type KnownTable, putRows, readRowsByKey } from '../portable/rows.ts'

const BATCH = 500
const FORGOTTEN_AT_ONCE = 5_000

/** Rows that changed since they were copied, by table; `positions` are the entries of the log that say so. */
export type Changes = { keys: Map<string, string[][]>; positions: number[] }

/** The oldest of them: the log of a business that is being imported into is long. */
export async function readChanges(db: Db, businessId: string, limit: number): Promise<Changes> {
  const { rows } = await sql<{ position: number; table: string; key: string[] }>`
    select position, table_name as "table", key from cell.changed_rows
     where business_id = ${businessId} order by position limit ${limit}`.execute(db)
  const keys = new Map<string, Map<string, string[]>>()
  for (const { table, key } of rows) {
    const ofTable = keys.get(table) ?? new Map<string, string[]>()
    keys.set(table, ofTable.set(JSON.stringify(key), key))
  }
  return {
    keys: new Map([...keys].map(([table, each]) => [table, [...each.values()]])),
    positions: rows.map(({ position }) => position),
  }
}

export async function hasMoreChanges(db: Db, businessId: string, than: number): Promise<boolean> {
  const { rows } = await sql`
    select from cell.changed_rows where business_id = ${businessId} order by position offset ${than} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Exactly these: an entry with a lower position may be committed later than one with a higher. */
export async function forgetChanges(db: Db, businessId: string, positions: readonly number[]): Promise<void> {
  for (let at = 0; at < positions.length; at += 10_000)
    await sql`
      delete from cell.changed_rows
       where business_id = ${businessId} and position = any (${positions.slice(at, at + 10_000)}::bigint[])`.execute(db)
}

export async function forgetAllChanges(db: Db, businessId: string): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from cell.changed_rows
       where business_id = ${businessId} and position = any (array(
               select position from cell.changed_rows
                where business_id = ${businessId} order by position limit ${FORGOTTEN_AT_ONCE}))`.execute(db)
    if (numAffectedRows === 0n) return
  }
}

/** Rows that took each other's unique values in a circle, or refer to what is not there. */
export class Unsettled extends Error {}

/**
 * Makes the rows with these keys in `target` what they are in `source`. It goes by how rows are now, not by what happened to them: done
 * again, it changes nothing. Those that are gone go first, what refers to others before them; the rest the other way round.
 */
export async function applyChanges(
  source: Db,
  target: Tx,
  tables: readonly KnownTable[],
  businessId: string,
  { keys }: Changes,
): Promise<number> {
  let rows = 0
  for (const table of tables.toReversed()) {
    const changed = keys.get(table.table) ?? []
    for (const some of table.isLinked ? [changed] : inBatches(changed))
      await deleteByKey(target, table, businessId, await findGone(source, table, businessId, some))
  }
  for (const table of tables) {
    const wanted = keys.get(table.table) ?? []
    for (const some of table.isLinked ? [wanted] : inBatches(wanted)) {
      const found = await readRowsByKey(source, table, businessId, some)
      await put(
        target,
        table,
        businessId,
        found.map(({ line }) => line),
      )
      rows += found.length
    }
  }
  return rows
}

function* inBatches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}

/** Where a row has a unique value that another one has had, that one comes first. */
async function put(tx: Tx, table: KnownTable, businessId: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  if (await fits(tx, () => putRows(tx, table, businessId, lines))) return
  for (let left = lines; left.length > 0; ) {
    const later: string[] = []
    for (const line of left) if (!(await fits(tx, () => putRows(tx, table, businessId, [line])))) later.push(line)
    if (later.length === left.length)
      throw new Unsettled(`${later.length} rows of ${table.table} stand in each other's way`)
    left = later
  }
}

async function fits(tx: Tx, work: () => Promise<void>): Promise<boolean> {
  await sql`savepoint piece`.execute(tx)
  try {
    await work()
    await sql`release savepoint piece`.execute(tx)
    return true
  } catch (error) {
    if (!isUnsettled(error)) throw error
    await sql`rollback to savepoint piece`.execute(tx)
    return false
  }
}
