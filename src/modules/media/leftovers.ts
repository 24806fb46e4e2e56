import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { insertMissing, type Write } from '#platform/database/write.ts'
import { fault } from '#platform/faults.ts'
import { isHere } from '#platform/moves/fence.ts'
import { isPrefixOf } from '#platform/storage/keys.ts'
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

/** `position`: the time to the microsecond, which a Date does not have. */
type Leftover = { businessId: string; prefix: string; position: string }

type Log = Pick<FastifyBaseLogger, 'warn'>

/**
 * Deletes what is due. Doing it twice is fine, so each is forgotten only after its objects are gone. One that fails stays for
 * the next sweep, and does not stop the others. When a whole batch fails, the store is away.
 */
export async function deleteLeftovers(db: Db, storage: Storage, log: Log, isOver: () => boolean): Promise<void> {
  for (let after: Leftover | undefined; !isOver(); ) {
    const rows = await listDue(db, after)
    const failures: unknown[] = []
    const queue = rows.values()
    const work = async () => {
      for (const row of queue) {
        if (isOver()) return
        await deleteOne(db, storage, log, row).catch((error: unknown) => {
          failures.push(error)
          log.warn(
            { err: error, businessId: row.businessId, prefix: row.prefix },
            'leftover files not deleted, retrying',
          )
        })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    if (failures.length > 0 && failures.length === rows.length) throw failures[0]
    if (rows.length < BATCH) return
    after = rows.at(-1)
  }
}

const listDue = async (db: Db, after: Leftover | undefined): Promise<Leftover[]> => {
  const { rows } = await sql<Leftover>`
    select business_id, prefix, due_at, due_at::text as position
      from media.leftovers
     where due_at <= ${now()} and ${isHere('business_id')}
       and (due_at, business_id, prefix) > (${after?.position ?? '-infinity'}::timestamptz, ${after?.businessId ?? ''}, ${after?.prefix ?? ''})
     order by due_at, business_id, prefix
     limit ${BATCH}`.execute(db)
  return rows
}

async function deleteOne(db: Db, storage: Storage, log: Log, row: Leftover): Promise<void> {
  const { businessId, prefix, position } = row
  const keys = []
  // A row may have come in an archive: whatever it names, only files of its own business go.
  if (isPrefixOf(businessId, prefix)) for await (const { key } of storage.list(prefix)) keys.push(key)
  else log.warn({ businessId, prefix }, 'leftover prefix is not of its business, discarded')
  if (keys.length > 0) await storage.delete(keys)
  await fault('media.leftover-deleted')
  await sql`
    delete from media.leftovers
     where business_id = ${businessId} and prefix = ${prefix} and due_at = ${position}::timestamptz`.execute(db)
}
