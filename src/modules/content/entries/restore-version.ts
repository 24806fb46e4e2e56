import type { Db, Tx } from '#platform/database/database.ts'
import type { Expected } from '#platform/http/etag.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { entryNotFound, versionNotFound } from '../errors.ts'
import { findPlace } from '../queries.ts'
import type { ContentStatus } from '../schemas.ts'
import { updateEntry, type Writer } from './change-entry.ts'
import type { Entry } from './entry.ts'

type VersionRow = { number: number; locale: string; status: string; userId: string | null; createdAt: Date }

const present = ({ number, locale, status, userId, createdAt }: VersionRow) => ({
  number,
  locale,
  status: status as ContentStatus,
  userId,
  createdAt: toSeconds(createdAt),
})
export type EntryVersion = ReturnType<typeof present>

// The maximum of the column. A forged cursor may hold more.
const MAX_NUMBER = 2_147_483_647
const COLUMNS = ['number', 'locale', 'status', 'userId', 'createdAt'] as const

type Reader = { businessId: string; seesOrders: boolean }

async function checkVisible(db: Db, { businessId, seesOrders }: Reader, entryId: string): Promise<void> {
  const place = await findPlace(db, businessId, entryId)
  if (place.collectionId === null && !seesOrders) throw entryNotFound()
}

/** Versions from before the entry joined a collection are only for those who may see orders. */
const ofCollections = <Query extends { where(column: 'owner', operator: 'like', value: string): Query }>(
  query: Query,
) => query.where('owner', 'like', 'collection:%')

/** Newest first, without the blocks. */
export async function listVersions(
  db: Db,
  reader: Reader,
  entryId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<EntryVersion>> {
  await checkVisible(db, reader, entryId)
  const { businessId } = reader
  const filters = { list: 'entry-versions', businessId, entryId }
  const [number = MAX_NUMBER] = (decodeCursor(filters, cursor, ['number']) ?? []) as number[]
  const after = Math.min(Math.max(number, 1), MAX_NUMBER)
  const rows = await db
    .selectFrom('content.entryVersions')
    .select(COLUMNS)
    .where((version) => version.and({ businessId, entryId }))
    .where('number', '<', after)
    .$if(!reader.seesOrders, ofCollections)
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, filters, ({ number }) => [number], present)
}

export async function getVersion(db: Db, reader: Reader, entryId: string, number: number) {
  await checkVisible(db, reader, entryId)
  const row = await db
    .selectFrom('content.entryVersions')
    .select([...COLUMNS, 'blocks'])
    .where((version) => version.and({ businessId: reader.businessId, entryId, number }))
    .$if(!reader.seesOrders, ofCollections)
    .executeTakeFirst()
  if (!row) throw versionNotFound()
  return { ...present(row), blocks: row.blocks as Block[] }
}

/** Restores blocks and locale of that version as an ordinary change: the current schema applies. */
export async function restoreVersion(
  tx: Tx,
  writer: Writer,
  entryId: string,
  number: number,
  expected: Expected,
): Promise<Entry> {
  const reader = { businessId: writer.business.id, seesOrders: writer.seesOrders }
  const { blocks, locale } = await getVersion(tx, reader, entryId, number)
  return updateEntry(tx, writer, entryId, expected, { blocks, locale })
}
