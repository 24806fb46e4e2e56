import { sql } from 'kysely'
import type { Static, TSchema } from 'typebox'
import type { Detail } from '#vocabulary/errors.ts'
import { now } from '../clock.ts'
import type { Db, Tx } from '../database/database.ts'
import { transaction } from '../database/transaction.ts'
import { deletion, upsert, write } from '../database/write.ts'
import { record } from '../events/record.ts'
import { findUnstorable, isTooDeep } from '../http/json-body.ts'
import type { createChecker } from '../http/validation.ts'
import { toKeptDetail } from './file.ts'
import type { FailedLine, ImportKind, ImportReport, ImportStore, Line, Place, Written } from './kind.ts'
import * as refusal from './refusals.ts'
import { countsOf, type ImportRow, presentImport } from './report.ts'

const BATCH_BYTES = 1_000_000
const CONFLICT_ATTEMPTS = 10

export type Worker<Schema extends TSchema, Counter extends string, Context> = Pick<
  ImportKind<Schema, Counter, Context>,
  'tables' | 'place' | 'counters' | 'batchRows' | 'writeRows' | 'findConflict' | 'finished'
> & { check: ReturnType<typeof createChecker<Schema>> }

export type Turn<Context> = {
  businessId: string
  importId: string
  context: Context
  /** The fencing check, called first in every transaction: fails when another worker has taken over. */
  fence?: (tx: Tx) => Promise<void>
}

/**
 * Imports the next batch in one transaction, with its bookkeeping: a crash never leaves records written whose rows are
 * still staged. A dry run writes its bookkeeping only. Undefined when the import is finished already, or does not
 * exist.
 */
export async function importBatch<Schema extends TSchema, Counter extends string, Context>(
  worker: Worker<Schema, Counter, Context>,
  db: Db,
  turn: Turn<Context>,
): Promise<ImportReport<Counter> | undefined> {
  let refuse: Detail | undefined
  for (let attempt = 1; ; attempt++) {
    // After a conflict, a retry sees who holds the value now; one row at a time, as it may happen again.
    const limit = attempt === 1 ? worker.batchRows : 1
    try {
      return await transaction(db, (tx) => importRows(worker, tx, turn, limit, refuse))
    } catch (error) {
      const conflict = worker.findConflict?.(error)
      if (!conflict || refuse) throw error
      if (attempt === CONFLICT_ATTEMPTS) refuse = conflict
    }
  }
}

/** `refuse`: the row is not tried again; its details say why. */
async function importRows<Schema extends TSchema, Counter extends string, Context>(
  worker: Worker<Schema, Counter, Context>,
  tx: Tx,
  { businessId, importId, context, fence }: Turn<Context>,
  limit: number,
  refuse: Detail | undefined,
): Promise<ImportReport<Counter> | undefined> {
  await fence?.(tx)
  const running = await lockImport(worker, tx, businessId, importId)
  if (!running) return undefined
  const rows = await nextRows(worker, tx, running, limit)
  const read = rows.map((row) => (refuse ? { number: row.number, details: [refuse] } : readRow(row, worker.check)))
  const lines = read.filter((row) => 'sent' in row)
  const invalid = read.filter((row) => 'details' in row)
  const { counts, failed, leftFrom, items = [] } = await writeLines(worker, tx, { lines, invalid }, running, context)
  const taken = read.filter(({ number }) => leftFrom === undefined || number < leftFrom)
  const wrong = [...taken.filter((row) => 'details' in row), ...failed]
  await settleRows(worker, tx, running, taken, wrong)
  await keepItems(worker, tx, running, items, wrong)
  return advance(worker, tx, running, { ...counts, failed: wrong.length }, taken.at(-1)?.number)
}

async function writeLines<Schema extends TSchema, Counter extends string, Context>(
  worker: Worker<Schema, Counter, Context>,
  tx: Tx,
  { lines, invalid }: { lines: Line<Static<Schema>>[]; invalid: FailedLine[] },
  row: ImportRow<Counter>,
  context: Context,
): Promise<Written<Counter>> {
  if (lines.length === 0 && invalid.length === 0) return { counts: nothing(worker), failed: [] }
  return worker.writeRows(tx, lines, {
    businessId: row.businessId,
    importId: row.id,
    actor: row.appliedBy ?? row.actor ?? undefined,
    place: placeOf(worker, row),
    context,
    row,
    invalid,
    isDryRun: row.status === 'DRY_RUN',
    isAgreed: row.dryRun === true,
  })
}

const placeOf = ({ place = [] }: { place?: readonly string[] }, row: object): Place =>
  Object.fromEntries(place.map((column) => [column, String(row[column as keyof typeof row])]))

const nothing = <Counter extends string>({ counters }: ImportStore<Counter>) =>
  Object.fromEntries(Object.keys(counters).map((name) => [name, 0])) as Record<Counter, number>

async function lockImport<Counter extends string>(
  { tables }: ImportStore<Counter>,
  tx: Tx,
  businessId: string,
  id: string,
): Promise<ImportRow<Counter> | undefined> {
  const { rows } = await sql<ImportRow<Counter>>`
    select * from ${sql.table(tables.imports)}
     where business_id = ${businessId} and id = ${id} and status in ('RUNNING', 'DRY_RUN')
       for update`.execute(tx)
  return rows[0]
}

type Row = { number: number; line: string; details: Detail[] | null }

/** As many rows as fit into one statement; the rest stays in the database, because lines can be long. */
async function nextRows(
  { tables }: ImportStore,
  tx: Tx,
  { businessId, id, position }: Pick<ImportRow, 'businessId' | 'id' | 'position'>,
  limit: number,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select number, line, details
      from (select number, line, details, sum(octet_length(line)) over (order by number) - octet_length(line) as before
              from (select number, line, details
                      from ${sql.table(tables.rows)}
                     where business_id = ${businessId} and import_id = ${id} and number > ${position}
                     order by number
                     limit ${limit}) as next) as counted
     where before < ${BATCH_BYTES}
     order by number`.execute(tx)
  return rows
}

/** Parses and validates a line like a request body. */
export function readRow<Schema extends TSchema>(
  { number, line, details }: Row,
  check: ReturnType<typeof createChecker<Schema>>,
): Line<Static<Schema>> | FailedLine {
  const refuse = (detail: Detail): FailedLine => ({ number, details: [detail] })
  if (isTooDeep(line)) return details ? { number, details } : refuse(refusal.lineTooDeep())
  let body: unknown
  try {
    body = JSON.parse(line)
  } catch (error) {
    return details ? { number, details } : refuse(refusal.lineNotJson({ message: (error as Error).message }))
  }
  if (details) return { number, details, parsed: body }
  const unstorable = findUnstorable(body, '')
  if (unstorable !== undefined) return refuse(refusal.lineUnstorable({ place: unstorable || 'The line' }))
  const result = check(body)
  return 'details' in result ? { number, details: result.details, parsed: body } : { number, sent: result.value }
}

/** Deletes the imported rows, those of a dry run excepted, and keeps the failed ones with their errors. */
async function settleRows(
  { tables }: ImportStore,
  tx: Tx,
  { businessId, id, status }: Pick<ImportRow, 'businessId' | 'id' | 'status'>,
  taken: readonly { number: number }[],
  failed: readonly FailedLine[],
): Promise<void> {
  const [first, last] = [taken[0]?.number ?? 0, taken.at(-1)?.number ?? 0]
  const wrong = JSON.stringify(failed.map(({ number, details }) => ({ number, details: details.map(toKeptDetail) })))
  // Both statements are bounded by first and last, so the plan is right even with stale statistics after millions of
  // inserts.
  await sql`
    with done as (
      delete from ${sql.table(tables.rows)}
       where business_id = ${businessId} and import_id = ${id} and number between ${first} and ${last}
         and number <> all (${failed.map(({ number }) => number)}::integer[]) and ${status === 'RUNNING'}
    )
    update ${sql.table(tables.rows)} as waiting
       set details = failed.details
      from json_to_recordset(${wrong}) as failed (number integer, details jsonb)
     where business_id = ${businessId} and import_id = ${id} and waiting.number between ${first} and ${last}
       and waiting.number = failed.number`.execute(tx)
}

/** The report of these lines. Those that failed have their errors instead. */
export async function keepItems(
  { tables }: ImportStore,
  tx: Tx,
  { businessId, id: importId, ...row }: Pick<ImportRow, 'businessId' | 'id' | 'dryRun' | 'isUndoable'>,
  items: NonNullable<Written<string>['items']>,
  failed: readonly FailedLine[],
): Promise<void> {
  if (!tables.items || !(row.dryRun || row.isUndoable)) return
  const rows = items.map((item) => ({ businessId, importId, ...item }))
  await write(
    tx,
    upsert(tables.items, rows, { key: ['businessId', 'importId', 'number'] }),
    deletion(
      tables.items,
      failed.map(({ number }) => ({ businessId, importId, number })),
    ),
  )
}

/**
 * Records the progress. `position`: the last row taken; without one the import is done, and an event is recorded, or a
 * dry run is ready.
 */
async function advance<Schema extends TSchema, Counter extends string, Context>(
  worker: Worker<Schema, Counter, Context>,
  tx: Tx,
  { businessId, id, status }: Pick<ImportRow, 'businessId' | 'id' | 'status'>,
  counts: Record<Counter | 'failed', number>,
  position: number | undefined,
): Promise<ImportReport<Counter>> {
  const sums = Object.entries<number>(counts).map(
    ([name, count]) => sql`${sql.ref(name)} = ${sql.ref(name)} + ${count}`,
  )
  const end = status === 'DRY_RUN' ? sql`status = 'READY'` : sql`status = 'DONE', finished_at = ${now()}`
  const state = position === undefined ? end : sql`position = ${position}`
  const { rows } = await sql<ImportRow<Counter>>`
    update ${sql.table(worker.tables.imports)}
       set ${sql.join(sums)}, updated_at = ${now()}, ${state}
     where business_id = ${businessId} and id = ${id}
    returning *`.execute(tx)
  const row = rows[0] as ImportRow<Counter>
  if (row.status === 'DONE') {
    const data = { ...placeOf(worker, row), ...countsOf(worker.counters, row), failed: row.failed }
    await record(tx, worker.finished({ businessId, subject: id, data }))
  }
  return presentImport(worker, row)
}
