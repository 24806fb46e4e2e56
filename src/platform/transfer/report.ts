import { sql } from 'kysely'
import type { Actor } from '#vocabulary/actor.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Db } from '../database/database.ts'
import { countFitting, fittingRows, isFitting } from '../database/page-bytes.ts'
import { SEEN_LINE_LENGTH, shortenLine } from './file.ts'
import type { ImportReport, ImportStore, Place, UnknownColumn } from './kind.ts'
import { importNotFound } from './refusals.ts'

/** The row of an import; some kinds have further columns for its place. */
export type ImportRow<Counter extends string = string> = {
  businessId: string
  id: string
  status: string
  total: number
  failed: number
  position: number
  /** Only of kinds that keep a report. */
  dryRun?: boolean
  isUndoable?: boolean
  appliedBy?: Actor | null
  actor: Actor | null
  unknownColumns: UnknownColumn[]
  createdAt: Date
  finishedAt: Date | null
} & Record<Counter, number>

export function presentImport<Counter extends string>(
  { counters }: ImportStore<Counter>,
  row: ImportRow<Counter>,
): ImportReport<Counter> {
  const counts = countsOf(counters, row)
  return {
    id: row.id,
    status: row.status as ImportReport['status'],
    total: row.total,
    done: Object.values<number>(counts).reduce((sum, count) => sum + count, 0),
    ...counts,
    failed: row.failed,
    unknownColumns: row.unknownColumns,
    createdAt: toSeconds(row.createdAt),
    finishedAt: row.finishedAt && toSeconds(row.finishedAt),
  }
}

export const countsOf = <Counter extends string>(counters: Record<Counter, string>, row: Record<Counter, number>) =>
  Object.fromEntries(Object.keys(counters).map((name) => [name, row[name as Counter]])) as Record<Counter, number>

export async function getImport<Counter extends string>(
  store: ImportStore<Counter>,
  db: Db,
  businessId: string,
  id: string,
  place: Place = {},
): Promise<ImportReport<Counter>> {
  const there = Object.entries(place).map(([column, value]) => sql`and ${sql.ref(column)} = ${value}`)
  const { rows } = await sql<ImportRow<Counter>>`
    select * from ${sql.table(store.tables.imports)}
     where business_id = ${businessId} and id = ${id} ${sql.join(there, sql` `)}`.execute(db)
  if (!rows[0]) throw importNotFound()
  return presentImport(store, rows[0])
}

type FailedRow = { number: number; line: string; details: Detail[] }

/** The lines that could not be imported, in the order of the file. */
export async function listImportErrors(
  store: ImportStore,
  db: Db,
  businessId: string,
  importId: string,
  { limit = 20, cursor, place = {} }: PageOnly & { place?: Place },
): Promise<Page<FailedRow>> {
  await getImport(store, db, businessId, importId, place)
  const filters = { list: 'import-errors', businessId, importId }
  const [after = 0] = (decodeCursor(filters, cursor, ['number']) ?? []) as number[]
  const page = sql`
    select number, left(line, ${SEEN_LINE_LENGTH}) as line, details
      from ${sql.table(store.tables.rows)}
     where business_id = ${businessId} and import_id = ${importId} and details is not null
       and number > ${Math.max(0, Math.min(after, 2_147_483_647))}
     order by number
     limit ${limit + 1}`
  const { rows } = await fittingRows<FailedRow>(page, ['details'], sql`number`).execute(db)
  return toPage(
    rows,
    countFitting(rows, limit, isFitting),
    filters,
    (row) => [row.number],
    ({ number, line, details }) => ({ number, line: shortenLine(line), details }),
  )
}
