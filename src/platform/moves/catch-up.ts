import { sql } from 'kysely'
import { attempt } from '../database/attempt.ts'
import type { Db, Tx } from '../database/database.ts'
import { isUnsettled } from '../database/errors.ts'
import {
  BATCH_BYTES,
  countOn,
  deleteByKey,
  findGone,
  findTakers,
  type KeyedRow,
  type KnownTable,
  putRows,
  readRowsByKey,
  rowsAtOnce,
} from '../portable/rows.ts'

/** Rows that are looked for at once by their keys: so many at first, and at most. Their size decides. */
const [FIRST_ROWS, MOST_ROWS] = [50, 500]
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

type Places = { source: Db; target: Tx; businessId: string }
/** Rows that are gone, or are to become what they are in the source. */
type Piece = { table: KnownTable; keys: readonly string[][]; isGone: boolean }

/**
 * Makes the rows with these keys in `target` what they are in `source`. It goes by how rows are now, not by what happened to them: done
 * again, it changes nothing. Those that are gone go first, what refers to others before them; the rest the other way round. A row may
 * have to wait for another one all the same: a slug still leads to the category that is gone, and the next one is not there yet.
 */
export async function applyChanges(
  source: Db,
  target: Tx,
  tables: readonly KnownTable[],
  businessId: string,
  { keys }: Changes,
): Promise<number> {
  const places = { source, target, businessId }
  const left: Piece[] = []
  let rows = 0
  for (const table of tables.toReversed()) {
    for (const some of inBatches(keys.get(table.table) ?? [])) {
      const piece = { table, keys: await findGone(source, table, businessId, some), isGone: true }
      if (piece.keys.length > 0 && !(await fits(places, piece))) left.push(piece)
    }
  }
  for (const table of tables) {
    const wanted = keys.get(table.table) ?? []
    for (let [at, limit] = [0, FIRST_ROWS]; at < wanted.length; ) {
      const found = await readRowsByKey(source, table, businessId, wanted.slice(at, at + limit))
      for (const some of inChunks(found)) {
        const piece = { table, keys: some.map(({ key }) => key), isGone: false }
        if (!(await fits(places, piece, some))) left.push(piece)
      }
      rows += found.length
      at += limit
      limit = rowsAtOnce(
        found.map(({ line }) => line),
        MOST_ROWS,
      )
    }
  }
  await settle(places, left)
  for (const table of tables) if (keys.has(table.table)) await countOn(target, table, businessId)
  return rows
}

function* inBatches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += MOST_ROWS) yield items.slice(at, at + MOST_ROWS)
}

/** They are written as one parameter: of a few megabytes, or a single row. */
function* inChunks(rows: readonly KeyedRow[]): Generator<KeyedRow[]> {
  let [chunk, bytes]: [KeyedRow[], number] = [[], 0]
  for (const row of rows) {
    if (chunk.length > 0 && bytes + row.line.length > BATCH_BYTES) {
      yield chunk
      ;[chunk, bytes] = [[], 0]
    }
    chunk.push(row)
    bytes += row.line.length
  }
  if (chunk.length > 0) yield chunk
}

/** What stood in the way of a piece may be gone by now. When nothing fits any more, pieces are halved; at last, room is made for them. */
async function settle(places: Places, pieces: readonly Piece[]): Promise<void> {
  for (let left = pieces; left.length > 0; ) {
    const later: Piece[] = []
    for (const piece of left) if (!(await fits(places, piece))) later.push(piece)
    if (later.length < left.length) left = later
    else if (later.some(({ keys }) => keys.length > 1)) left = later.flatMap(halve)
    else if ((await makeRoom(places, later)) === 0) {
      const names = new Set(later.map(({ table }) => table.table))
      throw new Unsettled(`${later.length} rows stand in each other's way, of ${[...names].join(', ')}`)
    }
  }
}

function halve({ keys, ...piece }: Piece): Piece[] {
  const middle = Math.ceil(keys.length / 2)
  return [keys.slice(0, middle), keys.slice(middle)]
    .filter((half) => half.length > 0)
    .map((half) => ({ ...piece, keys: half }))
}

/** Rows that are about to be written go first, where that takes nothing else along. */
async function makeRoom(places: Places, left: readonly Piece[]): Promise<number> {
  const { target, businessId } = places
  const takers = await findTakers(target)
  let deleted = 0
  for (const { table, keys, isGone } of left.toReversed()) {
    if (isGone || takers.has(table.table)) continue
    await tryOut(target, async () => {
      const count = await deleteByKey(target, table, businessId, keys)
      deleted += count
    })
  }
  return deleted
}

function fits({ source, target, businessId }: Places, { table, keys, isGone }: Piece, known?: readonly KeyedRow[]) {
  return tryOut(target, async () => {
    if (isGone) return void (await deleteByKey(target, table, businessId, keys))
    const rows = known ?? (await readRowsByKey(source, table, businessId, keys))
    const lines = rows.map(({ line }) => line)
    await putRows(target, table, businessId, lines)
  })
}

/** False: other rows stand in the way, and nothing has happened. */
const tryOut = async (tx: Tx, work: () => Promise<void>): Promise<boolean> =>
  (await attempt(tx, work, isUnsettled)) === undefined
