import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { inTurns } from '#platform/transfer/define-import.ts'
import { type ImportJob, ImportPayload } from '#platform/transfer/kind.ts'
import { countsOf } from '#platform/transfer/report.ts'
import { dropLines } from '#platform/transfer/staging.ts'
import { type Actor, withoutEmail } from '#vocabulary/actor.ts'
import { importCannotMove, importTooLargeToUndo } from '../errors.ts'
import { importFinished } from '../events.ts'
import { productImport } from './import-products.ts'
import { leaveAlone } from './leave-alone.ts'
import { dropWaiting } from './pictures.ts'
import { getImport, lockImport } from './read-imports.ts'
import type { Import } from './schemas.ts'
import { undoImportJob } from './undo-import.ts'

type Found = Awaited<ReturnType<typeof lockImport>>

/** Asking again for what was asked for already is no error: the answer may have been lost. */
const steer = (db: Db, businessId: string, id: string, move: (tx: Tx, found: Found) => Promise<void>) =>
  transaction(db, async (tx): Promise<Import> => {
    await move(tx, await lockImport(tx, businessId, id))
    return getImport(tx, businessId, id)
  })

const is = ({ status }: Found, ...statuses: Found['status'][]) => statuses.includes(status)

/** Imports what a dry run has shown. The counters count once more, now what is done. */
export const applyImport = (db: Db, businessId: string, id: string, actor: Actor) =>
  steer(db, businessId, id, async (tx, found) => {
    if (found.dryRun && is(found, 'RUNNING', 'DONE')) return
    if (!is(found, 'READY')) throw importCannotMove({ status: found.status, verb: 'applied' })
    await sql`
      update catalog.imports
         set status = 'RUNNING', position = 0, created = 0, updated = 0, unchanged = 0, failed = 0,
             applied_by = ${JSON.stringify(withoutEmail(actor))}, updated_at = ${now()}
       where business_id = ${businessId} and id = ${id}`.execute(tx)
    await enqueue(tx, productImport.job, { businessId, importId: id })
  })

/** Throws a dry run away, or stops an import that is under way: what it has done by then stays, and can be undone. */
export const discardImport = (db: Db, businessId: string, id: string) =>
  steer(db, businessId, id, async (tx, found) => {
    if (is(found, 'DISCARDED', 'STOPPED')) return
    const isRunning = is(found, 'RUNNING')
    if (!isRunning && !is(found, 'DRY_RUN', 'READY'))
      throw importCannotMove({ status: found.status, verb: 'discarded' })
    const skipped = isRunning ? found.total - found.created - found.updated - found.unchanged - found.failed : 0
    await sql`
      update catalog.imports
         set status = ${isRunning ? 'STOPPED' : 'DISCARDED'}, skipped = ${skipped}, finished_at = ${now()},
             updated_at = ${now()}
       where business_id = ${businessId} and id = ${id}`.execute(tx)
    if (isRunning) {
      const data = { ...countsOf(productImport.counters, { ...found, skipped }), failed: found.failed }
      await record(tx, importFinished({ businessId, subject: id, data }))
    }
    await enqueue(tx, clearImport, { businessId, importId: id })
  })

export const undoImport = (db: Db, businessId: string, id: string, actor: Actor) =>
  steer(db, businessId, id, async (tx, found) => {
    if (is(found, 'UNDOING', 'UNDONE')) return
    if (!is(found, 'DONE', 'STOPPED')) throw importCannotMove({ status: found.status, verb: 'undone' })
    if (!found.isUndoable) throw importTooLargeToUndo()
    // From the last line to the first: of two lines for one product the later one has to go first.
    await sql`
      update catalog.imports
         set status = 'UNDOING', position = 2147483647, undone_by = ${JSON.stringify(withoutEmail(actor))}, updated_at = ${now()}
       where business_id = ${businessId} and id = ${id}`.execute(tx)
    await dropWaiting(tx, businessId, id)
    await enqueue(tx, undoImportJob, { businessId, importId: id })
  })

/** What is left of an import that was thrown away, or stopped, in slices. */
export const clearImport: ImportJob = defineJob({
  name: 'catalog.clear-import',
  on: 'cell',
  payload: ImportPayload,
  async run({ businessId, importId }, { db, fence, signal }) {
    const { status } = await getImport(db, businessId, importId)
    if (status === 'DISCARDED') {
      await dropLines('catalog.importRows', db, businessId, importId)
      await dropLines('catalog.importItems', db, businessId, importId)
      await dropLines('catalog.importKeys', db, businessId, importId)
      return
    }
    if (status !== 'STOPPED') return
    const step = async () => (await leaveAlone(db, businessId, importId)) > 0
    await inTurns({ db, fence, signal }, step, (tx) => enqueue(tx, clearImport, { businessId, importId }))
  },
})
