import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { bulkEditFinished } from '../events.ts'
import type { BulkEditRow } from './bulk-edit.ts'
import type { Status } from './schemas.ts'

/** Applying or undoing is over, or was stopped; one event tells it, whatever the number of products. */
export async function finishWork(
  tx: Tx,
  edit: BulkEditRow,
  { isStopped }: { isStopped: boolean },
): Promise<BulkEditRow> {
  const { businessId, id } = edit
  const isUndo = edit.status === 'UNDOING'
  const status: Status = isUndo && !isStopped ? 'UNDONE' : 'DONE'
  await tx
    .updateTable('catalog.bulkEdits')
    .set({ status, updatedAt: now() })
    .where((row) => row.and({ businessId, id }))
    .execute()
  const data = isUndo
    ? { work: 'UNDO' as const, changed: edit.undone, skipped: edit.kept, isStopped }
    : { work: 'APPLY' as const, changed: edit.applied, skipped: edit.skipped, isStopped }
  const actor = (isUndo ? edit.undoneBy : edit.appliedBy) ?? undefined
  await record(tx, bulkEditFinished({ businessId, subject: id, actor, data }))
  return { ...edit, status }
}
