import type { Db } from '#platform/database/database.ts'
import type { Storage, Stored } from '#platform/storage/storage.ts'
import { attachmentKeyOf, type FileRow, pictureOf } from './file.ts'
import { originalKeyOf, publicPrefixOf, uploadKeyOf } from './keys.ts'
import { avifRungs, plainRung, webpRungs } from './ladder.ts'

export type StoredObject = { key: string; about: Stored }

/** What the store has of the next files of a business, and how it is served. Follows from their rows: nothing is listed. */
export async function listObjects(
  db: Db,
  businessId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ objects: StoredObject[]; last: string | undefined }> {
  const rows = (await db
    .selectFrom('media.files')
    .selectAll()
    .where('businessId', '=', businessId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()) as FileRow[]
  return { objects: rows.flatMap(objectsOf), last: rows.at(-1)?.id }
}

function objectsOf(row: FileRow): StoredObject[] {
  if (row.status !== 'READY') return [{ key: uploadKeyOf(row), about: { mimeType: row.mimeType } }]
  const picture = pictureOf(row)
  const kept = { isAttachment: true, isImmutable: true }
  if (!picture) return [{ key: attachmentKeyOf(row), about: { mimeType: row.mimeType, ...kept } }]
  const prefix = publicPrefixOf(row)
  const isMade = row.avif === 'DONE'
  return [
    { key: originalKeyOf(row), about: { mimeType: row.mimeType, isAttachment: true } },
    ...[...webpRungs(picture), plainRung(picture)].map(({ name, mimeType }) => ({
      key: prefix + name,
      about: { mimeType, isImmutable: true },
    })),
    // Until it is made, the WebP stands in for it: nobody may keep it.
    ...avifRungs(picture).map(({ name, mimeType }) => ({
      key: prefix + name,
      about: isMade ? { mimeType, isImmutable: true } : { mimeType: 'image/webp' },
    })),
  ]
}

const AREAS = ['incoming', 'private', 'public']
const BATCH = 100

/** Deletes all that the store has below the keys of a business, also what no row leads to. Returns how many objects. */
export async function deleteObjects(
  storage: Pick<Storage, 'list' | 'delete'>,
  businessId: string,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0
  for (const area of AREAS) {
    let keys: string[] = []
    const flush = async () => {
      if (keys.length > 0) await storage.delete(keys)
      deleted += keys.length
      keys = []
    }
    for await (const { key } of storage.list(`${area}/${businessId}/`)) {
      signal?.throwIfAborted()
      keys.push(key)
      if (keys.length === BATCH) await flush()
    }
    await flush()
  }
  return deleted
}

export const hasFiles = async (db: Db, businessId: string): Promise<boolean> =>
  (await db.selectFrom('media.files').select('id').where('businessId', '=', businessId).limit(1).executeTakeFirst()) !==
  undefined
