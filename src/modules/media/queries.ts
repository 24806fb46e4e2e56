import type { Db, Tx } from '#platform/database/database.ts'
import { fileNotFound } from './errors.ts'
import type { FileRow } from './file.ts'

export async function getFile(db: Db, businessId: string, id: string): Promise<FileRow> {
  const row = await db
    .selectFrom('media.files')
    .selectAll()
    .where((file) => file.and({ businessId, id }))
    .executeTakeFirst()
  if (!row) throw fileNotFound()
  return row as FileRow
}

/** Waits for records that are being written with this file, see `holdMedia`; a later statement sees what they wrote. */
export async function lockFile(tx: Tx, businessId: string, id: string): Promise<FileRow> {
  const row = await tx
    .selectFrom('media.files')
    .selectAll()
    .where((file) => file.and({ businessId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw fileNotFound()
  return row as FileRow
}

export const findReady = (db: Db, businessId: string, sha256: string): Promise<FileRow | undefined> =>
  db
    .selectFrom('media.files')
    .selectAll()
    .where((file) => file.and({ businessId, sha256, status: 'READY' }))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst() as Promise<FileRow | undefined>
