import { now } from '#platform/clock.ts'
import type { Cell, Tx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { insertion } from '#platform/database/write.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { type Actor, withoutEmail } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { newId } from '#vocabulary/ids.ts'
import { type BulkEditRow, hasWritten, isRunning } from './bulk-edit.ts'
import { bulkEditRunning, selectEitherOr } from './errors.ts'
import { dropBulkEdit, workOffBulkEdit } from './jobs.ts'
import { bulkEdits, getBulkEdit } from './queries.ts'
import { readChanges } from './read-changes.ts'
import type { Change, NewBulkEdit } from './schemas.ts'
import { addItems, checkFilters } from './select-products.ts'

type Editor = { business: Business; actor: Actor }

/** So many of a business are kept. */
const KEEP = 5

/** Refuses what can be refused before anything is written. */
export async function checkBulkEdit(
  db: Cell,
  { business }: Editor,
  { select, changes }: NewBulkEdit,
): Promise<Change[]> {
  if ((select.ids === undefined) === (select.filters === undefined)) throw selectEitherOr()
  if (select.filters) await checkFilters(db, business, select.filters)
  return readChanges(changes, business)
}

/** A worker makes the dry run. */
export async function createBulkEdit(
  tx: Tx,
  { business, actor }: Editor,
  { ids, filters }: NewBulkEdit['select'],
  changes: Change[],
): Promise<BulkEditRow> {
  const [businessId, id] = [business.id, newId('bulk')]
  const at = { createdAt: now(), updatedAt: now() }
  const place = { businessId, id, status: 'DRY_RUN', filters: filters ?? null, selectedUpTo: filters ? '' : null }
  // Before the row, which others wait for: who applies one holds it, and waits for the index next.
  await makeRoom(tx, businessId, actor)
  try {
    await insertion('catalog.bulkEdits', [{ ...place, changes, actor: withoutEmail(actor), ...at }])?.execute(tx)
  } catch (error) {
    throw violatedConstraint(error) === 'bulk_edits_running' ? bulkEditRunning() : error
  }
  if (ids) {
    const total = await addItems(tx, { businessId, id, total: 0 }, ids)
    await tx
      .updateTable('catalog.bulkEdits')
      .set({ total })
      .where((edit) => edit.and({ businessId, id }))
      .execute()
  }
  await enqueue(tx, workOffBulkEdit, { businessId, bulkEditId: id })
  return getBulkEdit(tx, businessId, id)
}

/**
 * Who prepares another one gives up what they had prepared before. Of the rest five are kept; those that have changed nothing
 * go first, so that trying things out takes nobody's undo away.
 */
async function makeRoom(tx: Tx, businessId: string, { userId }: Actor): Promise<void> {
  const found = await bulkEdits(tx, businessId).orderBy('id').forUpdate().execute()
  const idle = found.filter(({ status }) => !isRunning(status))
  const isGivenUp = (edit: BulkEditRow) => !hasWritten(edit) && edit.actor.userId === userId
  const rest = idle.filter((edit) => !isGivenUp(edit))
  const leastWorth = [...rest.filter((edit) => !hasWritten(edit)), ...rest.filter(hasWritten)]
  const tooMany = leastWorth.slice(0, Math.max(0, rest.length + 1 - KEEP))
  for (const { id } of [...idle.filter(isGivenUp), ...tooMany]) await throwAway(tx, businessId, id)
}

/** Nobody sees it any more; a worker takes its rows away. */
export async function throwAway(tx: Tx, businessId: string, id: string): Promise<void> {
  await tx
    .updateTable('catalog.bulkEdits')
    .set({ status: 'DISCARDED', updatedAt: now() })
    .where((edit) => edit.and({ businessId, id }))
    .execute()
  await enqueue(tx, dropBulkEdit, { businessId, bulkEditId: id })
}
