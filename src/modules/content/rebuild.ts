import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { insertSpellings } from '#platform/database/search.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type Collection, toDocument } from './collection.ts'
import type { Entry } from './entry.ts'
import { COLLECTION, ENTRY } from './queries.ts'
import { toRow, toSearch, toValueRows, type ValueRow } from './write-entry.ts'

const BATCH = 200

type Options = { businessId?: string | undefined; progress?: (done: number) => void }
type Table = 'content.collections' | 'content.entries'
type Rebuild = (tx: Tx, businessId: string, ids: readonly string[]) => Promise<unknown>

/**
 * Makes documents, and what entries are found by, anew from the rows, for when the way they are made has changed. Entries can be
 * read and written meanwhile; running it twice, or again after a crash, is harmless. No version becomes newer.
 */
export async function rebuildContent(db: Db, options: Options = {}) {
  const collections = await rebuildAll(db, 'content.collections', rebuildCollections, {
    businessId: options.businessId,
  })
  return { collections, entries: await rebuildAll(db, 'content.entries', rebuildEntries, options) }
}

async function rebuildAll(db: Db, table: Table, rebuild: Rebuild, { businessId, progress }: Options): Promise<number> {
  let done = 0
  for (let last = { businessId: businessId ?? '', id: '' }; ; ) {
    const rows = await findNext(db, table, last, businessId)
    for (const [owner, batch] of Map.groupBy(rows, (row) => row.businessId)) {
      await transaction(db, (tx) => rebuild(tx, owner, batch.map(({ id }) => id))) // biome-ignore format: one line
    }
    const end = rows.at(-1)
    if (!end) return done
    last = end
    done += rows.length
    progress?.(done)
  }
}

async function findNext(db: Db, table: Table, last: { businessId: string; id: string }, only: string | undefined) {
  const { rows } = await sql<{ businessId: string; id: string }>`
    select business_id, id
      from ${sql.table(table)}
     where (business_id, id) > (${last.businessId}, ${last.id})
           ${only === undefined ? sql`` : sql`and business_id = ${only}`}
     order by business_id, id
     limit ${BATCH}`.execute(db)
  return rows
}

async function rebuildCollections(tx: Tx, businessId: string, ids: readonly string[]): Promise<void> {
  const found = await tx
    .selectFrom('content.collections')
    .select(COLLECTION)
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const collections = found as Collection[]
  await sql`
    update content.collections
       set document = made.document
      from unnest(${collections.map(({ id }) => id)}::text[], ${collections.map(toDocument)}::text[]) as made (id, document)
     where business_id = ${businessId} and collections.id = made.id and collections.document <> made.document`.execute(
    tx,
  )
}

async function rebuildEntries(tx: Tx, businessId: string, ids: readonly string[]): Promise<void> {
  const found = await tx
    .selectFrom('content.entries')
    .select(ENTRY)
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const entries = found as Entry[]
  const searches = entries.map((entry) => toSearch(entry, undefined))
  const values = new Map(entries.flatMap((entry) => [...toValueRows(entry)]))
  const stored = await readStored(tx, businessId, ids)
  const removed = stored.filter((row) => !values.has(JSON.stringify(row)))
  await sql`
    with entry as (
      update content.entries
         set status = made.status, targets = made.targets, document = made.document
        from json_populate_recordset(null::content.entries, ${JSON.stringify(entries.map(toRow))}) as made
       where entries.business_id = ${businessId} and entries.id = made.id
         and (entries.status, entries.targets, entries.document) <> (made.status, made.targets, made.document)
    ), removed as (
      delete from content.entry_values as value
       using json_populate_recordset(null::content.entry_values, ${JSON.stringify(removed)}) as old
       where value.business_id = old.business_id and value.collection_id = old.collection_id
         and value.block_id = old.block_id and value.value = old.value and value.status = old.status
         and value.entry_id = old.entry_id
    ), added as (
      insert into content.entry_values
      select * from json_populate_recordset(null::content.entry_values, ${JSON.stringify([...values.values()])})
      on conflict do nothing
    ), search as (
      insert into content.search as known
      select * from json_populate_recordset(null::content.search, ${JSON.stringify(searches.flatMap(({ rows }) => rows))})
      on conflict (business_id, entry_id) do update
         set collection_id = excluded.collection_id, status = excluded.status, held = excluded.held, terms = excluded.terms
       where known <> excluded
    )
    ${insertSpellings('content.spellings', businessId, searches.flatMap(({ newWords }) => newWords))}`.execute(tx) // biome-ignore format: one line
}

/** The values that were written last: no index finds them by their entry, but its row of `search` names them all. */
async function readStored(tx: Tx, businessId: string, ids: readonly string[]): Promise<ValueRow[]> {
  const rows = await tx
    .selectFrom('content.search')
    .select(['collectionId', 'status', 'entryId', 'held'])
    .where('businessId', '=', businessId)
    .where('entryId', 'in', ids)
    .execute()
  return rows.flatMap(({ collectionId, status, entryId, held }) => {
    const place = { business_id: businessId, collection_id: collectionId, status, entry_id: entryId }
    return held.map((text) => ({ ...place, ...fromHeld(text) }))
  })
}

const fromHeld = (text: string) => ({ block_id: text.slice(0, text.indexOf(' ')), value: text.slice(text.indexOf(' ') + 1) }) // biome-ignore format: one line
