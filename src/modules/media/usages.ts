import type { Db } from '#platform/database/database.ts'
import { deletion, insertMissing, type Write } from '#platform/database/write.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { getFile } from './queries.ts'
import type { UsageKind } from './schemas.ts'

/** A record with the files that it shows, before a change and after it. */
export type Showing = { recordId: string; before: readonly string[]; after: readonly string[] }

/**
 * What has changed of the files that records show, as parts of the statement that writes them. Nothing, where no record
 * shows any. `isRebuild`: the index may lack what the record had before.
 */
export function usageWrites(
  businessId: string,
  kind: UsageKind,
  records: readonly Showing[],
  { isRebuild = false } = {},
): Write[] {
  const toRows = (recordId: string, ids: Iterable<string>) =>
    [...ids].map((mediaId) => ({ businessId, kind, recordId, mediaId }))
  const changes = records.map(({ recordId, before, after }) => {
    const [was, is] = [new Set(before), new Set(after)]
    return {
      removed: toRows(recordId, was.difference(is)),
      added: toRows(recordId, isRebuild ? is : is.difference(was)),
    }
  })
  return [
    deletion(
      'media.usages',
      changes.flatMap(({ removed }) => removed),
    ),
    insertMissing(
      'media.usages',
      changes.flatMap(({ added }) => added),
    ),
  ]
}

/** A record that is gone shows nothing. */
export const usagesGone = (businessId: string, kind: UsageKind, recordId: string): Write =>
  deletion('media.usages', [{ businessId, kind, recordId }])

export async function listUsages(
  db: Db,
  { businessId, mediaId }: { businessId: string; mediaId: string },
  { limit = 20, cursor }: PageOnly,
): Promise<Page<{ kind: UsageKind; id: string }>> {
  await getFile(db, businessId, mediaId)
  const filters = { list: 'media-usages', businessId, mediaId }
  const [afterKind = '', afterId = ''] = (decodeCursor(filters, cursor, ['string', 'string']) ?? []) as string[]
  const rows = await readUsages(db, { businessId, mediaId }, { kind: afterKind, recordId: afterId }, limit + 1)
  return toPage(
    rows,
    limit,
    filters,
    ({ kind, recordId }) => [kind, recordId],
    (usage) => ({ kind: usage.kind, id: shownAs(businessId, usage) }),
  )
}

/** What readers call the record: a business's own is the item of its logo. */
export const shownAs = (businessId: string, { kind, recordId }: { kind: string; recordId: string }) =>
  kind === 'BUSINESS' ? businessId : recordId

type UsageRow = { kind: UsageKind; recordId: string }

export async function readUsages(
  db: Db,
  { businessId, mediaId }: { businessId: string; mediaId: string },
  after: { kind: string; recordId: string },
  limit: number,
): Promise<UsageRow[]> {
  const rows = await db
    .selectFrom('media.usages')
    .select(['kind', 'recordId'])
    .where((usage) => usage.and({ businessId, mediaId }))
    .where(({ eb, refTuple, tuple }) => eb(refTuple('kind', 'recordId'), '>', tuple(after.kind, after.recordId)))
    .orderBy('kind')
    .orderBy('recordId')
    .limit(limit)
    .execute()
  return rows as UsageRow[]
}
