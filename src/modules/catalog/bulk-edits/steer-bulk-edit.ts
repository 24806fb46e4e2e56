import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { type Actor, withoutEmail } from '#vocabulary/actor.ts'
import { type BulkEditRow, hasWritten } from './bulk-edit.ts'
import { throwAway } from './create-bulk-edit.ts'
import { bulkEditNotFound, bulkEditRunning, bulkEditWrongState } from './errors.ts'
import { finishWork } from './finish-work.ts'
import { workOffBulkEdit } from './jobs.ts'
import { lockBulkEdit } from './queries.ts'

type Place = { businessId: string; id: string }

async function getLocked(tx: Tx, { businessId, id }: Place): Promise<BulkEditRow> {
  const edit = await lockBulkEdit(tx, businessId, id)
  if (!edit) throw bulkEditNotFound()
  return edit
}

/** Goes on where it was stopped, too. Asking again changes nothing. */
export async function applyBulkEdit(tx: Tx, place: Place, actor: Actor): Promise<BulkEditRow> {
  const edit = await getLocked(tx, place)
  const { status, changing, applied, skipped, undoneAt } = edit
  const isLeft = changing > applied + skipped && undoneAt === null
  if (status === 'READY' || ((status === 'DONE' || isFailedAfter(edit)) && isLeft))
    return start(tx, edit, { status: 'APPLYING', appliedBy: withoutEmail(actor), appliedAt: now() })
  if (status === 'APPLYING' || status === 'DONE') return edit
  throw bulkEditWrongState({ status, verb: 'applied' })
}

/** Asking again changes nothing. */
export async function undoBulkEdit(tx: Tx, place: Place, actor: Actor): Promise<BulkEditRow> {
  const edit = await getLocked(tx, place)
  const { status, applied, undone, kept } = edit
  if ((status === 'DONE' || isFailedAfter(edit)) && applied > undone + kept)
    return start(tx, edit, { status: 'UNDOING', undoneBy: withoutEmail(actor), undoneAt: now() })
  if (status === 'UNDOING' || status === 'UNDONE') return edit
  throw bulkEditWrongState({ status, verb: 'undone' })
}

/** It failed while it was applied or undone: that can go on. */
const isFailedAfter = ({ status, appliedAt }: BulkEditRow) => status === 'FAILED' && appliedAt !== null

type Start =
  | { status: 'APPLYING'; appliedBy: Actor; appliedAt: Date }
  | { status: 'UNDOING'; undoneBy: Actor; undoneAt: Date }

async function start(tx: Tx, { businessId, id, ...edit }: BulkEditRow, { ...begun }: Start): Promise<BulkEditRow> {
  const change = { ...begun, position: 0, failure: null }
  try {
    await tx
      .updateTable('catalog.bulkEdits')
      .set({ ...change, updatedAt: now() } as never)
      .where((row) => row.and({ businessId, id }))
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'bulk_edits_running' ? bulkEditRunning() : error
  }
  await enqueue(tx, workOffBulkEdit, { businessId, bulkEditId: id })
  return { ...edit, businessId, id, ...change }
}

/** Stops what is under way: what was done stays, and the rest can be done later. A dry run that is stopped is thrown away. */
export async function cancelBulkEdit(tx: Tx, place: Place): Promise<BulkEditRow> {
  const edit = await getLocked(tx, place)
  if (edit.status === 'DRY_RUN') return discard(tx, edit)
  if (edit.status === 'APPLYING' || edit.status === 'UNDOING') return finishWork(tx, edit, { isStopped: true })
  return edit
}

/** One that has changed products stays: it is what they can be put back from. */
export async function discardBulkEdit(tx: Tx, place: Place): Promise<BulkEditRow> {
  const edit = await getLocked(tx, place)
  const { status } = edit
  if (status === 'APPLYING' || status === 'UNDOING' || hasWritten(edit))
    throw bulkEditWrongState({ status, verb: 'discarded' })
  return discard(tx, edit)
}

async function discard(tx: Tx, edit: BulkEditRow): Promise<BulkEditRow> {
  await throwAway(tx, edit.businessId, edit.id)
  return { ...edit, status: 'DISCARDED' }
}
