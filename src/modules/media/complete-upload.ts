import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { fault } from '#platform/faults.ts'
import type { FileRow } from './file.ts'
import { lockFile } from './queries.ts'

/** Hands an upload to the workers. Whatever else it is, it stays so: calling twice is calling once. */
export async function completeUpload(tx: Tx, businessId: string, id: string): Promise<FileRow> {
  const row = await lockFile(tx, businessId, id)
  if (row.status !== 'PENDING') return row
  const at = now()
  const changes = { status: 'PROCESSING' as const, completedAt: at, updatedAt: at, version: row.version + 1 }
  await tx
    .updateTable('media.files')
    .set(changes)
    .where((file) => file.and({ businessId, id }))
    .execute()
  await fault('media.before-completed')
  return { ...row, ...changes }
}
