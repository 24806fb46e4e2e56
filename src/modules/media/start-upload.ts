import { nowMs } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { insertion, write } from '#platform/database/write.ts'
import type { Storage, Upload } from '#platform/storage/storage.ts'
import { newId } from '#vocabulary/ids.ts'
import { fileTooLarge, typeNotTaken } from './errors.ts'
import { checkAlt, type FileRow, newRow, wordRows } from './file.ts'
import { isTaken } from './file-types.ts'
import { uploadKeyOf } from './keys.ts'
import { findReady } from './queries.ts'
import { takeRoom } from './quota.ts'
import { MAX_BYTES, type NewFile } from './schemas.ts'

const ADDRESS_MS = 10 * 60_000

/** Before the transaction: the address is signed for an id that the file gets if it turns out to be new. */
export async function signUpload(storage: Storage, businessId: string, sent: NewFile) {
  const { mimeType, size, sha256, alt = {} } = sent
  if (!isTaken(mimeType)) throw typeNotTaken({ mimeType })
  if (size > MAX_BYTES) throw fileTooLarge()
  checkAlt(alt)
  const id = newId('med')
  const expiresAt = new Date(nowMs() + ADDRESS_MS)
  return {
    id,
    upload: await storage.presignPut(uploadKeyOf({ businessId, id }), { mimeType, size, sha256 }, expiresAt),
  }
}

type Place = { businessId: string; quota: number }
type Signed = { id: string; upload: Upload }

/** A READY file with the same bytes is the one; otherwise a new one waits for its upload. */
export async function startUpload(
  tx: Tx,
  { businessId, quota }: Place,
  { id, upload }: Signed,
  { fileName, mimeType, size, sha256, alt = {}, focalPoint = null }: NewFile,
): Promise<{ row: FileRow; upload: Upload | undefined }> {
  const known = await findReady(tx, businessId, sha256)
  if (known) return { row: known, upload: undefined }

  const sent = { businessId, id, fileName, mimeType, size, sha256, alt, focalPoint }
  const row = newRow(sent, { status: 'PENDING', uploadExpiresAt: upload.expiresAt, completedAt: null })
  await write(tx, insertion('media.files', [row]), insertion('media.words', wordRows(row)))
  await takeRoom(tx, businessId, size, quota)
  return { row, upload }
}
