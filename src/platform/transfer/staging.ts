import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { type Actor, withoutEmail } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { newId } from '#vocabulary/ids.ts'
import { now } from '../clock.ts'
import type { DB as CellTables } from '../database/cell-tables.ts'
import type { Db, Tx } from '../database/database.ts'
import { transaction } from '../database/transaction.ts'
import { insertion } from '../database/write.ts'
import { enqueue } from '../jobs/define.ts'
import {
  type FileFormat,
  type FileLine,
  limitFile,
  readLines,
  refuseLine,
  shortenLine,
  toKeptColumn,
  toKeptDetail,
  tooLong,
} from './file.ts'
import {
  type ImportJob,
  type ImportReport,
  type ImportStore,
  type ImportTables,
  MAX_UNKNOWN_COLUMNS,
  type OnUnknown,
  type Place,
  type UnknownColumn,
} from './kind.ts'
import { type ImportRow, presentImport } from './report.ts'

export const MAX_FILE_BYTES = 100 * 1024 * 1024
const STAGE_ROWS = 1_000
const STAGE_CHARACTERS = 2_000_000
const DROP_ROWS = 20_000
/** What an import of more lines changed is not kept for an undo. */
export const MAX_UNDO_LINES = 100_000

export type Upload = {
  business: Business
  place?: Place
  actor: Actor | undefined
  file: Readable
  format: FileFormat
  maxBytes?: number
  progress?: (bytes: number) => void
  /** Called once the whole file is here: what it throws refuses the file. */
  arrived?: () => Promise<void>
  /** Reads the CSV of another system. */
  readCsv?: (file: Readable, onUnknown: OnUnknown) => AsyncIterable<FileLine>
  /** What further columns of the import say of it. */
  about?: Readonly<Record<string, unknown>>
  /** Nothing is written until a person has seen the report: only for kinds that keep one. */
  isDryRun?: boolean
}
export type Staged<Counter extends string = string> = ImportStore<Counter> & {
  maxLineBytes: number
  readCsv: (file: Readable, business: Business, onUnknown: OnUnknown) => AsyncIterable<FileLine>
}

/**
 * Stages a whole file: a refused or incomplete one leaves nothing behind. Without a job, the caller runs the import.
 */
export async function takeFile<Counter extends string>(
  kind: Staged<Counter>,
  db: Db,
  upload: Upload,
  job?: ImportJob,
): Promise<ImportReport<Counter>> {
  const businessId = upload.business.id
  const importId = await beginImport(kind, db, upload)
  try {
    const staged = await stageFile(kind, db, importId, upload)
    await upload.arrived?.()
    return await transaction(db, async (tx) => {
      const sealed = await sealImport(kind, tx, upload, importId, staged)
      if (job && staged.total > 0) await enqueue(tx, job, { businessId, importId })
      return sealed
    })
  } catch (error) {
    await dropImport(kind, db, businessId, importId)
    throw error
  }
}

async function beginImport(
  { tables }: ImportStore,
  db: Db,
  { business, place = {}, about = {}, actor, isDryRun = false }: Upload,
): Promise<string> {
  const id = newId('imp')
  const at = { createdAt: now(), updatedAt: now() }
  const told = { ...place, ...about, ...(tables.items && { dryRun: isDryRun }) }
  const row = {
    businessId: business.id,
    id,
    ...told,
    status: 'RECEIVING',
    actor: actor ? withoutEmail(actor) : null,
    ...at,
  }
  await insertion(tables.imports, [row])?.execute(db)
  return id
}

type StagedFile = { total: number; unknownColumns: UnknownColumn[] }

/** Streams a file into the table of staged rows. */
async function stageFile(
  { tables, maxLineBytes, readCsv }: Staged,
  db: Db,
  importId: string,
  { business, file, format, maxBytes = MAX_FILE_BYTES, progress, isDryRun = false, ...upload }: Upload,
): Promise<StagedFile> {
  const limited = limitFile(file, maxBytes, progress)
  let unknownColumns: UnknownColumn[] = []
  const onUnknown: OnUnknown = (columns) => {
    unknownColumns = columns.slice(0, MAX_UNKNOWN_COLUMNS).map(toKeptColumn)
  }
  const readFile = upload.readCsv ?? ((csv: Readable) => readCsv(csv, business, onUnknown))
  let total = 0
  let waiting: FileLine[] = []
  let characters = 0
  const flush = async () => {
    await stageRows(tables, db, business.id, importId, isDryRun ? waiting : waiting.map(shortenWrong))
    total += waiting.length
    waiting = []
    characters = 0
  }
  for await (const row of format === 'csv' ? readFile(limited, onUnknown) : readLines(limited, maxLineBytes)) {
    waiting.push(row.line.length > maxLineBytes ? refuseLine(row.number, row.line, tooLong(maxLineBytes)) : row)
    characters += row.line.length
    if (waiting.length >= STAGE_ROWS || characters > STAGE_CHARACTERS) await flush()
  }
  await flush()
  return { total, unknownColumns }
}

/** Only after a dry run can a wrong line be corrected; else a beginning shows which one it was. */
const shortenWrong = (row: FileLine): FileLine => (row.details ? { ...row, line: shortenLine(row.line) } : row)

async function stageRows(tables: ImportTables, db: Db, businessId: string, importId: string, rows: FileLine[]) {
  if (rows.length === 0) return
  await sql`
    insert into ${sql.table(tables.rows)} (business_id, import_id, number, line, details)
    select ${businessId}, ${importId}, *
      from unnest(${rows.map(({ number }) => number)}::integer[],
                  ${rows.map(({ line }) => line)}::text[],
                  ${rows.map(({ details }) => (details ? JSON.stringify(details.map(toKeptDetail)) : null))}::jsonb[])`.execute(
    db,
  )
}

/** Commits a complete upload. From here on the import finishes in any case. */
async function sealImport<Counter extends string>(
  store: ImportStore<Counter>,
  tx: Tx,
  { business, isDryRun = false }: Upload,
  id: string,
  { total, unknownColumns }: StagedFile,
): Promise<ImportReport<Counter>> {
  const status = total === 0 ? 'DONE' : isDryRun ? 'DRY_RUN' : 'RUNNING'
  const undo = store.tables.items ? sql`, is_undoable = ${total <= MAX_UNDO_LINES}` : sql``
  const { rows } = await sql<ImportRow<Counter>>`
    update ${sql.table(store.tables.imports)}
       set status = ${status}, total = ${total}, unknown_columns = ${JSON.stringify(unknownColumns)}, updated_at = ${now()},
           finished_at = ${total === 0 ? now() : null} ${undo}
     where business_id = ${business.id} and id = ${id}
    returning *`.execute(tx)
  return presentImport(store, rows[0] as ImportRow<Counter>)
}

/**
 * Deletes an import. Its rows go in slices, because one statement could exceed its timeout. Each slice is a range of
 * the primary key: a list of numbers would be compared with every row, which takes longer than deleting all at once.
 */
export async function dropImport({ tables }: ImportStore, db: Db, businessId: string, id: string): Promise<void> {
  await dropLines(tables.rows, db, businessId, id)
  if (tables.items) await dropLines(tables.items, db, businessId, id)
  for (const table of tables.further ?? []) await dropLines(table, db, businessId, id)
  await sql`delete from ${sql.table(tables.imports)} where business_id = ${businessId} and id = ${id}`.execute(db)
}

export async function dropLines(table: keyof CellTables, db: Db, businessId: string, id: string): Promise<void> {
  const rows = sql.table(table)
  for (let gone = DROP_ROWS; gone === DROP_ROWS; ) {
    const { numAffectedRows } = await sql`
      delete from ${rows}
       where business_id = ${businessId} and import_id = ${id}
         and number <= (select max(number)
                          from (select number from ${rows}
                                 where business_id = ${businessId} and import_id = ${id}
                                 order by number
                                 limit ${DROP_ROWS}) as slice)`.execute(db)
    gone = Number(numAffectedRows)
  }
}
