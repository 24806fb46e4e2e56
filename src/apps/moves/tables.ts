import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { CompiledQuery, sql } from 'kysely'
import type { Cell, Db, Tx } from '#platform/database/database.ts'
import { Unsettled } from '#platform/moves/catch-up.ts'
import type { Prints } from '#platform/moves/moves.ts'
import { describeTables, findUnlisted, findUsed, type KnownTable } from '#platform/portable/rows.ts'
import { asMoved, type BusinessTable } from '#platform/portable/tables.ts'
import { businessTables, cellTables } from '../portable/tables.ts'

/** Why a business cannot move. It is said to whoever asked, and nothing has happened. */
export class NotMovable extends Error {}

/** All tables whose rows move, those that others refer to first; with those of extensions, which no list names. */
export async function movedTables(cell: Db): Promise<KnownTable[]> {
  const unlisted = (await findUnlisted(cell, businessTables, 'cell')).map(
    (table): BusinessTable => ({ ...table, is: 'kept' }),
  )
  const all = [...cellTables.filter(({ moves }) => moves), ...(await inOrder(cell, unlisted))]
  return (await describeTables(cell, all)).map(asMoved)
}

/** Every table with rows of the business that go when it has left: those that have moved, and those that stay behind. */
export async function leftTables(cell: Cell, moved: readonly KnownTable[]): Promise<KnownTable[]> {
  const stays = cellTables.filter(({ moves, table }) => !moves && !IS_OF_MOVES.has(table))
  return [...moved, ...(await describeTables(cell, stays))]
}

/** The tables that have come since, with rows of the business that nobody has copied. */
export async function findForgotten(cell: Cell, moved: readonly KnownTable[], businessId: string): Promise<string[]> {
  const names = new Set(moved.map(({ table }) => table))
  const others = (await movedTables(cell)).filter(({ table }) => !names.has(table))
  return findUsed(cell, others, businessId)
}

const IS_OF_MOVES = new Set(['cell.moves', 'cell.changed_rows'])

/** Those that others refer to first. */
async function inOrder(db: Db, tables: readonly BusinessTable[]): Promise<BusinessTable[]> {
  const { rows } = await sql<{ table: string; refersTo: string }>`
    select namespace.nspname || '.' || class.relname as "table", other_namespace.nspname || '.' || other.relname as refers_to
      from pg_constraint
      join pg_class as class on class.oid = conrelid join pg_namespace as namespace on namespace.oid = class.relnamespace
      join pg_class as other on other.oid = confrelid join pg_namespace as other_namespace on other_namespace.oid = other.relnamespace
     where contype = 'f' and conrelid <> confrelid`.execute(db)
  const left = new Map(tables.map((table) => [table.table, table]))
  const sorted: BusinessTable[] = []
  while (left.size > 0) {
    const free = [...left.values()].filter(
      ({ table }) => !rows.some((row) => row.table === table && left.has(row.refersTo)),
    )
    const next = free.length > 0 ? free : [...left.values()] // a circle: the database says so when rows come
    for (const table of next) {
      sorted.push(table)
      left.delete(table.table)
    }
  }
  return sorted
}

export function printsOf(tables: readonly KnownTable[]): Prints {
  const printOf = ({ columns, key }: KnownTable) => {
    const shape = JSON.stringify([key, columns.map(({ name, type }) => `${name} ${type}`).toSorted()])
    return createHash('sha256').update(shape).digest('base64url')
  }
  return Object.fromEntries(tables.map((table) => [table.table, printOf(table)]))
}

/** Rows are written as they were read, so the tables have to be the same. */
export function checkSame(source: readonly KnownTable[], target: readonly KnownTable[]): void {
  const [here, there] = [printsOf(source), printsOf(target)]
  const other = source.find(({ table }) => here[table] !== there[table])
  if (other)
    throw new NotMovable(`${other.table} is not the same in both cells. Bring both to the same version: cli migrate`)
}

/** Nothing has come to the tables since they were copied: no table, and no column. */
export const areAsCopied = (prints: Prints | undefined, tables: readonly KnownTable[]): boolean =>
  isDeepStrictEqual(prints, printsOf(tables))

/** The same for good: nobody changes their columns until the transaction ends. */
export async function holdTables(tx: Tx, tables: readonly KnownTable[]): Promise<void> {
  const names = tables.map(({ table }) => table).join(', ')
  await tx.executeQuery(CompiledQuery.raw(`lock table ${names} in access share mode`))
  if (!areAsCopied(printsOf(tables), await movedTables(tx)))
    throw new Unsettled('An update has changed the tables since they were copied')
}

/** Rows without a key cannot be followed. */
export async function checkKeys(cell: Cell, tables: readonly KnownTable[], businessId: string): Promise<void> {
  const listed = new Set(businessTables.map(({ table }) => table))
  const keyless = tables.filter(({ table, key, of }) => !listed.has(table) && key.length === 1 && key[0] === of)
  for (const table of await findUsed(cell, keyless, businessId)) {
    const { rows } = await sql`
      select from pg_index where indrelid = ${table}::regclass and indisprimary`.execute(cell)
    if (rows.length === 0) throw new NotMovable(`${table} has no primary key: its rows cannot be followed.`)
  }
}
