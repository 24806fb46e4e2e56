import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { insertMissing, type Write } from '#platform/database/write.ts'
import { fault } from '#platform/faults.ts'
import { isHere } from '#platform/moves/fence.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { FileRow } from './file.ts'
import { originalKeyOf, publicPrefixOf, uploadKeyOf } from './keys.ts'

/** Longer than anybody works on a file that was taken away meanwhile, and than an address for uploads is good. */
const LATER_MS = 60 * 60_000
const BATCH = 100
const AT_ONCE = 4

const twice = (businessId: string, prefixes: readonly string[]) => {
  const [soon, later] = [now(), new Date(nowMs() + LATER_MS)]
  return insertMissing(
    'media.leftovers',
    prefixes.flatMap((prefix) => [soon, later].map((dueAt) => ({ businessId, prefix, dueAt }))),
  )
}

/** The upload was read, or nobody will read it. */
export const leaveUpload = (row: Pick<FileRow, 'businessId' | 'id'>): Write => twice(row.businessId, [uploadKeyOf(row)])

/** All that the store has of a file, also what a worker may be writing at this moment. */
export const leaveAll = (row: Pick<FileRow, 'businessId' | 'id' | 'sha256'>): Write =>
  twice(row.businessId, [uploadKeyOf(row), originalKeyOf(row), publicPrefixOf(row)])

type Leftover = { businessId: string; prefix: string; dueAt: Date }

/** Deletes what is due. Doing it twice is fine, so each is forgotten only after its objects are gone. */
export async function deleteLeftovers(db: Db, storage: Storage, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { rows } = await sql<Leftover>`
      select business_id, prefix, due_at from media.leftovers where due_at <= ${now()} and ${isHere('business_id')} order by due_at limit ${BATCH}`.execute(
      db,
    )
    const queue = rows.values()
    const work = async () => {
      for (const row of queue) if (!isOver()) await deleteOne(db, storage, row)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    if (rows.length < BATCH) return
  }
}

async function deleteOne(db: Db, storage: Storage, { businessId, prefix, dueAt }: Leftover): Promise<void> {
  const keys = []
  // A row may have come in an archive: whatever it names, only files of its own business go.
  if (prefix.split('/')[1] === businessId) for await (const { key } of storage.list(prefix)) keys.push(key)
  if (keys.length > 0) await storage.delete(keys)
  await fault('media.leftover-deleted')
  await db
    .deleteFrom('media.leftovers')
    .where((one) => one.and({ businessId, prefix, dueAt }))
    .execute()
}
