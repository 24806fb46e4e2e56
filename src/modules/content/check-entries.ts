import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob } from '#platform/jobs/define.ts'
import type { Block } from '#vocabulary/blocks.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { notFound } from '#vocabulary/errors.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import { Id, type PageOnly } from '#vocabulary/schemas.ts'
import type { Collection } from './collection.ts'
import { findCollection, lockCollection } from './queries.ts'
import { findMistakes, toSchema } from './schema-cache.ts'
import type { ContentStatus } from './schemas.ts'

const BATCH = 200

type Position = { status: string; id: string }
type CheckedEntry = { id: string; blocks: Block[]; status: ContentStatus; publishAt: Date | null }

/**
 * Finds out which of the next entries fit the schema as it is now. Answers where to go on, or undefined at the end. Waits for
 * whoever holds an entry without the collection: a delete, or a move to elsewhere, may yet come to nothing.
 */
export async function checkSomeEntries(
  tx: Tx,
  collection: Collection,
  after: Position | undefined,
): Promise<Position | undefined> {
  const { businessId, id: collectionId, schemaVersion } = collection
  const { rows } = await sql<CheckedEntry>`
    select id, blocks, status, publish_at
      from content.entries
     where business_id = ${businessId} and collection_id = ${collectionId}
       and (status, id) > (${after?.status ?? ''}, ${after?.id ?? ''}) and schema_version <> ${schemaVersion}
     order by status, id
     limit ${BATCH}
       for no key update`.execute(tx)
  if (rows.length === 0) return undefined
  const schema = toSchema(collection)
  const isStale = rows.map((row) => findMistakes(schema, row).length > 0)
  await sql`
    update content.entries
       set stale = checked.stale, schema_version = case when checked.stale then schema_version else ${schemaVersion} end
      from unnest(${rows.map(({ id }) => id)}::text[], ${isStale}::boolean[]) as checked (id, stale)
     where business_id = ${businessId} and entries.id = checked.id`.execute(tx)
  return rows.length < BATCH ? undefined : rows.at(-1)
}

/** The rest of a large collection whose schema has changed. Run twice, it finds nothing left to do. */
export const checkAllEntries = defineJob({
  name: 'content.check-entries',
  on: 'cell',
  payload: Type.Object({ businessId: Id, collectionId: Id }),
  async run({ businessId, collectionId }, { db, signal }) {
    for (let after: Position | undefined; ; ) {
      signal.throwIfAborted()
      after = await transaction(db, async (tx) => {
        const collection = await lockCollection(tx, businessId, collectionId, 'share')
        return collection && checkSomeEntries(tx, collection, after)
      })
      if (!after) return
    }
  },
})

export async function countStale(db: Db, businessId: string, collectionId: string): Promise<number> {
  const { count } = await db
    .selectFrom('content.entries')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where((entry) => entry.and({ businessId, collectionId, stale: true }))
    .executeTakeFirstOrThrow()
  return count
}

type StaleEntry = { entryId: string; schemaVersion: number | null; details: Detail[] }

/** Entries that no longer fit, newest first, each with what is wrong with it today. */
export async function listStale(
  db: Db,
  businessId: string,
  collectionId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<StaleEntry>> {
  const collection = await findCollection(db, businessId, collectionId)
  if (!collection) throw notFound('collection')
  const filters = { list: 'stale-entries', businessId, collectionId }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
  const { rows } = await sql<CheckedEntry & { schemaVersion: number | null }>`
    select id, blocks, status, publish_at, schema_version
      from content.entries
     where business_id = ${businessId} and collection_id = ${collectionId} and stale and id < ${after}
     order by id desc
     limit ${limit + 1}`.execute(db)
  const schema = toSchema(collection)
  return toPage(
    rows,
    limit,
    filters,
    ({ id }) => [id],
    (row) => ({ entryId: row.id, schemaVersion: row.schemaVersion, details: findMistakes(schema, row) }),
  )
}
