import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob } from '#platform/jobs/define.ts'
import type { Block } from '#vocabulary/blocks.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import { Id, type PageOnly } from '#vocabulary/schemas.ts'
import { collectionNotFound } from '../errors.ts'
import { findCollection, lockCollection } from '../queries.ts'
import type { ContentStatus } from '../schemas.ts'
import type { Collection } from './collection.ts'
import { findMistakes, type Schema, toSchema } from './schema-cache.ts'

export const BATCH = 200
// Validating a megabyte of markup takes tenths of a second. The last entry of a batch may exceed the limit.
const MAX_BYTES = 1_000_000

type Position = { status: string; id: string }
export type CheckedEntry = { id: string; blocks: Block[]; status: ContentStatus; publishAt: Date | null }

/** Whether a row is in the next batch: bounded by rows and by bytes, but at least one row. Reads no document. */
export const isTaken = (order: RawBuilder<unknown>, limit: number) => sql`
  row_number() over (order by ${order}) <= ${limit}
    and coalesce(sum(octet_length(document)) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)
        < ${MAX_BYTES}`

/**
 * Validates the next batch of entries against the current schema. Returns where to continue, or undefined at the end.
 * Waits for transactions that hold an entry but not the collection: a delete, or a move elsewhere, may still roll back.
 */
export async function checkSomeEntries(
  tx: Tx,
  collection: Collection,
  after: Position | undefined,
): Promise<Position | undefined> {
  const { businessId, id: collectionId, schemaVersion } = collection
  const { rows } = await sql<CheckedEntry & { isTaken: boolean; isFound: boolean; position: Position }>`
    with next as (
      select status, id, ${isTaken(sql`status, id`, BATCH)} as is_taken
        from (select status, id, document
                from content.entries
               where business_id = ${businessId} and collection_id = ${collectionId}
                 and (status, id) > (${after?.status ?? ''}, ${after?.id ?? ''}) and schema_version <> ${schemaVersion}
               order by status, id
               limit ${BATCH + 1}) as entry
    ), entry as (
      select id, blocks, status, publish_at
        from content.entries
       where business_id = ${businessId} and id = any (array(select id from next where is_taken))
         and collection_id = ${collectionId} and schema_version <> ${schemaVersion}
       order by status, id
         for no key update
    )
    select id, blocks, entry.status, publish_at, is_taken, entry.status is not null as is_found,
           json_build_object('status', next.status, 'id', id) as position
      from next left join entry using (id)
     order by next.status, id`.execute(tx)
  // Entries that were moved or deleted just now are gone, but the batch continues after them.
  const found = rows.filter(({ isFound }) => isFound)
  if (rows.length === 0) return undefined
  const mistakes = await findAllMistakes(toSchema(collection), found)
  const isStale = mistakes.map(({ length }) => length > 0)
  await sql`
    update content.entries
       set stale = checked.stale, schema_version = case when checked.stale then schema_version else ${schemaVersion} end
      from unnest(${found.map(({ id }) => id)}::text[], ${isStale}::boolean[]) as checked (id, stale)
     where business_id = ${businessId} and entries.id = checked.id`.execute(tx)
  return rows.at(-1)?.isTaken ? undefined : rows.findLast(({ isTaken }) => isTaken)?.position
}

/** One at a time, yielding to the event loop in between: each entry may be a megabyte. */
export async function findAllMistakes(schema: Schema, rows: readonly CheckedEntry[]): Promise<Detail[][]> {
  const found: Detail[][] = []
  for (const row of rows) {
    found.push(findMistakes(schema, row))
    await setImmediate()
  }
  return found
}

/** Checks the rest of a large collection after a change of its schema. Idempotent. */
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

/**
 * Entries that no longer match the schema, newest first, each with its current mistakes. Large entries make a page
 * shorter.
 */
export async function listStale(
  db: Db,
  businessId: string,
  collectionId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<StaleEntry>> {
  const collection = await findCollection(db, businessId, collectionId)
  if (!collection) throw collectionNotFound()
  const filters = { list: 'stale-entries', businessId, collectionId }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
  const { rows } = await sql<CheckedEntry & { schemaVersion: number | null; isTaken: boolean }>`
    with next as (
      select id, ${isTaken(sql`id desc`, limit)} as is_taken
        from (select id, document
                from content.entries
               where business_id = ${businessId} and collection_id = ${collectionId} and stale and id < ${after}
               order by id desc
               limit ${limit + 1}) as entry
    )
    select next.id, blocks, status, publish_at, schema_version, is_taken
      from next left join content.entries as entry on is_taken and entry.business_id = ${businessId} and entry.id = next.id
     order by next.id desc`.execute(db)
  const shown = rows.filter(({ isTaken }) => isTaken)
  const mistakes = await findAllMistakes(toSchema(collection), shown)
  return toPage(
    rows.map(({ id, schemaVersion }, index) => ({ entryId: id, schemaVersion, details: mistakes[index] ?? [] })),
    shown.length,
    filters,
    ({ entryId }) => [entryId],
    (stale) => stale,
  )
}
