import type { Db } from '#platform/database/database.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { SendQuery } from '../schemas.ts'
import { presentSend, SHOWN, type ShownSend } from './send.ts'

/** Sends of a business, newest first; those of some letters, or of a newsletter. */
export async function findSends(
  db: Db,
  businessId: string,
  { limit = 20, cursor, entryId, collectionId }: SendQuery,
): Promise<Page<ReturnType<typeof presentSend>>> {
  const filters = { list: 'all-sends', businessId, entryId, collectionId }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
  const rows = await db
    .selectFrom('newsletter.sends')
    .select(SHOWN)
    .where('businessId', '=', businessId)
    .where('id', '<', after)
    .$if(entryId !== undefined, (sends) => sends.where('entryId', 'in', entryId ?? []))
    .$if(collectionId !== undefined, (sends) => sends.where('collectionId', '=', collectionId ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows as ShownSend[], limit, filters, ({ id }) => [id], presentSend)
}
