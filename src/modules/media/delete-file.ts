import type { Tx } from '#platform/database/database.ts'
import { deletion, write } from '#platform/database/write.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { conflictingFields } from '#vocabulary/errors.ts'
import type { Editor } from './change-file.ts'
import { fileInUse } from './errors.ts'
import { mediaDeleted } from './events.ts'
import type { FileRow } from './file.ts'
import { wordRows } from './file.ts'
import { leaveAll } from './leftovers.ts'
import { lockFile } from './queries.ts'
import { freeRoom } from './quota.ts'
import { shownAs } from './usages.ts'

const MAX_NAMED = 20

export async function deleteFile(
  tx: Tx,
  { businessId, actor }: Editor,
  id: string,
  { expected, force }: { expected: Expected; force: boolean },
): Promise<void> {
  const row = await lockFile(tx, businessId, id)
  checkExpected(expected, etagOf(row.version))
  if (!force) await checkUnused(tx, businessId, id)
  await removeFile(tx, row)
  await record(tx, mediaDeleted({ businessId, subject: id, actor }))
  if (row.status !== 'REJECTED') await freeRoom(tx, businessId, row.size)
}

/** Under the file's lock, and in a statement of its own: its snapshot must be younger than the lock. */
async function checkUnused(tx: Tx, businessId: string, mediaId: string): Promise<void> {
  const usages = await tx
    .selectFrom('media.usages')
    .select(['kind', 'recordId'])
    .where((usage) => usage.and({ businessId, mediaId }))
    .orderBy('kind')
    .orderBy('recordId')
    .limit(MAX_NAMED)
    .execute()
  if (usages.length === 0) return
  throw conflictingFields(
    usages.map((usage) => fileInUse.asDetail({ kind: usage.kind.toLowerCase(), recordId: shownAs(businessId, usage) })),
  )
}

/** Its row and all that the store has of it; what records say of it stays. */
export const removeFile = (tx: Tx, row: FileRow): Promise<void> =>
  write(
    tx,
    deletion('media.files', [{ businessId: row.businessId, id: row.id }]),
    deletion('media.words', wordRows(row)),
    deletion('media.sources', [{ businessId: row.businessId, mediaId: row.id }]),
    leaveAll(row),
  )
