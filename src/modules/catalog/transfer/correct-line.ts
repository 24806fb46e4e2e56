import { sql } from 'kysely'
import type { ControlDb, Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { toKeptDetail } from '#platform/transfer/file.ts'
import type { FailedLine, Written } from '#platform/transfer/kind.ts'
import { keepItems, readRow } from '#platform/transfer/work-off.ts'
import { importNotReady, lineNotFound } from '../errors.ts'
import { productImport } from './import-products.ts'
import { lockImport } from './read-imports.ts'
import { getLine } from './read-lines.ts'
import { releaseKeys } from './repeated-lines.ts'
import type { CorrectedLine, ImportLineDetails } from './schemas.ts'

type Counter = keyof typeof productImport.counters
type Outcome = Written<Counter>

const COUNTER_OF: Record<string, Counter | 'failed'> = {
  FAILED: 'failed',
  CREATED: 'created',
  CHANGED: 'updated',
  UNCHANGED: 'unchanged',
}

/** Puts another line in the place of one that a dry run has looked at, and looks at that one at once. */
export async function correctLine(
  { control, db, storage }: { control: ControlDb; db: Db; storage: Storage | undefined },
  businessId: string,
  importId: string,
  number: number,
  { product }: CorrectedLine,
): Promise<ImportLineDetails> {
  const context = await productImport.prepare(control, businessId, storage)
  if (!context) throw lineNotFound()
  return transaction(db, async (tx) => {
    const found = await lockImport(tx, businessId, importId)
    if (found.status !== 'READY') throw importNotReady({ status: found.status })
    const { status } = await getLine(tx, businessId, importId, number)
    const line = JSON.stringify(product)
    const read = readRow<typeof productImport.schema>({ number, line, details: null }, productImport.check)
    const about = { businessId, importId, actor: found.actor ?? undefined, place: {}, row: found }
    const running = { ...about, context, invalid: [], isDryRun: true, isAgreed: true }
    await releaseKeys(tx, businessId, importId, number)
    const outcome = 'sent' in read ? await productImport.writeRows(tx, [read], running) : refused(read)
    await setLine(tx, { businessId, importId, number }, line, outcome.failed[0])
    await keepItems(productImport, tx, found, outcome.items ?? [], outcome.failed)
    await count(tx, businessId, importId, status, outcome)
    return getLine(tx, businessId, importId, number)
  })
}

const refused = (line: FailedLine): Outcome => ({
  counts: { created: 0, updated: 0, unchanged: 0, skipped: 0 },
  failed: [line],
})

type LineKey = { businessId: string; importId: string; number: number }

async function setLine(
  tx: Tx,
  { businessId, importId, number }: LineKey,
  line: string,
  failed: FailedLine | undefined,
) {
  const details = failed ? JSON.stringify(failed.details.map(toKeptDetail)) : null
  await sql`
    update catalog.import_rows set line = ${line}, details = ${details}::jsonb
     where business_id = ${businessId} and import_id = ${importId} and number = ${number}`.execute(tx)
}

/** The line leaves the counter of what it was, and is counted as what it is now. */
async function count(tx: Tx, businessId: string, importId: string, was: string, { counts, failed }: Outcome) {
  const left = COUNTER_OF[was]
  const sums = Object.entries({ ...counts, failed: failed.length }).map(
    ([name, is]) => sql`${sql.ref(name)} = ${sql.ref(name)} + ${is - (name === left ? 1 : 0)}`,
  )
  await sql`
    update catalog.imports set ${sql.join(sums)}
     where business_id = ${businessId} and id = ${importId}`.execute(tx)
}
