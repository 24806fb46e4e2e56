import { createBatcher } from '#platform/batch.ts'
import type { Cell, Db, Tx } from '#platform/database/database.ts'
import { countFitting, fittingSql } from '#platform/database/page-bytes.ts'
import { fetchPrepared } from '#platform/database/prepared.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { Collection } from './collections/collection.ts'
import type { Entry } from './entries/entry.ts'
import { collectionNotFound, entryNotFound } from './errors.ts'
import { CONTENT_STATUSES, type CollectionQuery, type ContentStatus } from './schemas.ts'
import { toAnswer, type Viewer } from './viewer.ts'

export const COLLECTION = [
  'businessId',
  'id',
  'name',
  'slug',
  'description',
  'type',
  'blocks',
  'statuses',
  'plans',
  'doubleOptIn',
  'countClicks',
  'countOpens',
  'schemaVersion',
  'version',
  'createdAt',
  'updatedAt',
] as const

export async function findCollection(db: Db, businessId: string, id: string): Promise<Collection | undefined> {
  const row = await db
    .selectFrom('content.collections')
    .select(COLLECTION)
    .where((collection) => collection.and({ businessId, id }))
    .executeTakeFirst()
  return row as Collection | undefined
}

/** Oldest first. */
export const listNewsletters = (db: Db, businessId: string) =>
  db
    .selectFrom('content.collections')
    .select(['id', 'slug'])
    .where((collection) => collection.and({ businessId, type: 'NEWSLETTER' }))
    .orderBy('id')
    .limit(100)
    .execute()

/** Locks a collection to change it, or with `share` to rely on its schema until the transaction ends. */
export async function lockCollection(
  tx: Tx,
  businessId: string,
  id: string,
  mode: 'update' | 'share' = 'update',
): Promise<Collection | undefined> {
  const found = tx
    .selectFrom('content.collections')
    .select(COLLECTION)
    .where((collection) => collection.and({ businessId, id }))
  const row = await (mode === 'share' ? found.forShare() : found.forUpdate()).executeTakeFirst()
  return row as Collection | undefined
}

export const ENTRY = [
  'businessId',
  'id',
  'owner',
  'collectionId',
  'locale',
  'blocks',
  'statuses',
  'schemaVersion',
  'stale',
  'publishAt',
  'version',
  'createdAt',
  'updatedAt',
] as const

/** The owner of an entry, without locking it. */
export async function findPlace(db: Db, businessId: string, id: string) {
  const row = await db
    .selectFrom('content.entries')
    .select(['owner', 'collectionId'])
    .where((entry) => entry.and({ businessId, id }))
    .executeTakeFirst()
  if (!row) throw entryNotFound()
  return row
}

export async function findEntry(db: Db, businessId: string, id: string): Promise<Entry | undefined> {
  const row = await db
    .selectFrom('content.entries')
    .select(ENTRY)
    .where((entry) => entry.and({ businessId, id }))
    .executeTakeFirst()
  return row as Entry | undefined
}

/** The ids among these that are entries of a collection. */
export async function findEntryIds(
  db: Db,
  businessId: string,
  collectionId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('content.entries')
    .select('id')
    .where((entry) => entry.and({ businessId, collectionId }))
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function lockEntry(tx: Tx, businessId: string, id: string): Promise<Entry> {
  const row = await tx
    .selectFrom('content.entries')
    .select(ENTRY)
    .where((entry) => entry.and({ businessId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw entryNotFound()
  return row as Entry
}

export const GET_COLLECTION = `
  select document, status, version from content.collections where business_id = $1 and id = $2`

type CollectionRow = [document: string, status: ContentStatus, version: number]

export async function getCollection(db: Cell, viewer: Viewer, id: string) {
  const { businessId, seesDrafts } = viewer
  const [row] = await fetchPrepared<CollectionRow>(db, GET_COLLECTION, [businessId, id])
  if (!row || !(seesDrafts || row[1] === 'PUBLISHED')) throw collectionNotFound()
  return { text: toAnswer(row[0], viewer), version: row[2] }
}

// Arrays come from a subquery, which hides their length from the planner: one generic plan serves all lengths.
export const GET_ENTRIES = `
  select wanted.at, entry.document, entry.version, entry.owner, entry.targets,
         collection.id is not null and entry.status = 'PUBLISHED' and collection.status = 'PUBLISHED', collection.is_paid
    from unnest((select $1::text[]), (select $2::text[])) with ordinality as wanted (business_id, id, at)
    join content.entries as entry on entry.business_id = wanted.business_id and entry.id = wanted.id
    left join content.collections as collection
      on collection.business_id = entry.business_id and collection.id = entry.collection_id`

type FoundRow = [
  at: number,
  document: string,
  version: number,
  owner: string,
  targets: string[],
  isPublished: boolean,
  isPaid: boolean | null,
]
export type FoundEntry = {
  text: string
  version: number
  owner: string
  targets: string[]
  isPublic: boolean
  /** Published in a newsletter that has a paid plan. */
  isForPayers: boolean
}

const toFound = ([, text, version, owner, targets, isPublished, isPaid]: FoundRow): FoundEntry => ({
  text,
  version,
  owner,
  targets,
  isPublic: isPublished && !isPaid,
  isForPayers: isPublished && isPaid === true,
})

/**
 * Request batching: entries that are asked for at the same time are read in one statement, because most of the cost is
 * the round trip.
 */
export function createEntryReader() {
  return createBatcher<Cell, { businessId: string; id: string }, FoundEntry | undefined>(
    async (db, wanted) => {
      const values = [wanted.map(({ businessId }) => businessId), wanted.map(({ id }) => id)]
      const rows = await fetchPrepared<FoundRow>(db, GET_ENTRIES, values)
      const found = new Map(rows.map((row) => [row[0], toFound(row)]))
      return wanted.map((_, index) => ({ status: 'fulfilled', value: found.get(index + 1) }))
    },
    { maxItems: 50, lanes: 2 },
  )
}

const LIST_COLLECTIONS = `
  select id, ${fittingSql('document', 'id desc')}
    from (select id, document
            from content.collections
           where business_id = $1 and status = any ($2) and id < $3 and ($4::text is null or slug = $4)
           order by id desc
           limit $5) as page
   order by id desc`

/** Newest first. A business has few enough of them to scan. */
export async function listCollections(
  db: Cell,
  viewer: Pick<Viewer, 'businessId' | 'seesDrafts' | 'seesActors'>,
  { limit = 20, cursor, slug, status }: CollectionQuery,
): Promise<Page<string>> {
  const { businessId, seesDrafts } = viewer
  const statuses = status ? [status] : seesDrafts ? CONTENT_STATUSES : ['PUBLISHED']
  const filters = { list: 'collections', businessId, slug, statuses }
  const after = decodeCursor(filters, cursor, ['string'])?.[0] ?? '~'
  const rows = await fetchPrepared<[id: string, text: string | null]>(db, LIST_COLLECTIONS, [
    businessId,
    statuses,
    after,
    slug ?? null,
    limit + 1,
  ])
  return toPage(
    rows,
    countFitting(rows, limit, ([, text]) => text),
    filters,
    ([id]) => [id],
    ([, text]) => toAnswer(text ?? '', viewer),
  )
}
