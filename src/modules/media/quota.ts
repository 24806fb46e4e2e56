import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { quotaExceeded } from './errors.ts'

/**
 * Takes room for a file, or refuses. To be called last in a transaction: uploads of one business wait for each other from
 * here to the commit.
 */
export async function takeRoom(tx: Tx, businessId: string, size: number, quota: number): Promise<void> {
  const { rows } = await sql<{ bytes: number }>`
    insert into media.used (business_id, bytes)
    select ${businessId}, ${size}::bigint where ${size}::bigint <= ${quota}::bigint
        on conflict (business_id) do update set bytes = used.bytes + excluded.bytes
     where used.bytes + excluded.bytes <= ${quota}::bigint
    returning bytes`.execute(tx)
  if (rows.length > 0) return
  const found = await tx
    .selectFrom('media.used')
    .select('bytes')
    .where('businessId', '=', businessId)
    .executeTakeFirst()
  throw quotaExceeded({ size, used: found?.bytes ?? 0, quota })
}

export const freeRoom = (tx: Tx, businessId: string, size: number) =>
  sql`update media.used set bytes = bytes - ${size}::bigint where business_id = ${businessId}`.execute(tx)

/** What every business of a cell has stored. */
export const listUsedBytes = (db: Db) => db.selectFrom('media.used').select(['businessId', 'bytes']).execute()
