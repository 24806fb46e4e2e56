import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import { type KnownMedia, type Media, storedMedia } from '#vocabulary/media.ts'
import { type FileRow, type PublicUrl, toUploadedMedia } from './file.ts'

/** Reads files that a record is to show. Without a store (`undefined`) there are none. */
export type HoldMedia = (tx: Tx, businessId: string, ids: readonly string[]) => Promise<KnownMedia>

const NONE: KnownMedia = new Map()

/**
 * Reads files for records that name them, and keeps them as they are until the transaction ends: whoever deletes or
 * changes one waits, and then finds the records. Asks nothing where no file is named.
 */
export const createHoldMedia =
  (publicUrl: PublicUrl | undefined): HoldMedia =>
  async (tx, businessId, ids) => {
    if (ids.length === 0 || !publicUrl) return NONE
    const { rows } = await sql<FileRow>`
      select *
        from media.files
       where business_id = ${businessId} and id = any (${[...new Set(ids)]})
       order by id
         for share`.execute(tx)
    return new Map(rows.map((row) => [row.id, row.status === 'READY' ? toUploadedMedia(row, publicUrl) : 'NOT_READY']))
  }

/**
 * The files that a change of a record may name: those that the record shows already, as it has them, and others that are
 * READY. Asks nothing where no other is named.
 */
export async function knownMedia(
  tx: Tx,
  businessId: string,
  hold: HoldMedia | undefined,
  { sent, stored }: { sent: readonly string[]; stored: readonly Media[] },
): Promise<KnownMedia> {
  const shown = storedMedia(stored)
  const others = sent.filter((id) => !shown.has(id))
  if (others.length === 0 || !hold) return shown
  return new Map([...(await hold(tx, businessId, others)), ...shown])
}
