import { sql } from 'kysely'
import { usageWrites } from '#modules/media/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { insertSpellings } from '#platform/database/search.ts'
import { transaction } from '#platform/database/transaction.ts'
import { deletion, insertMissing, toParts, upsert } from '#platform/database/write.ts'
import { type Collection, toDocument } from '../collections/collection.ts'
import { COLLECTION, ENTRY } from '../queries.ts'
import type { Entry } from './entry.ts'
import { toRow, toSearch, toShowing, toValueRows, type ValueRow } from './write-entry.ts'

const BATCH = 200

type Options = { businessId?: string | undefined; progress?: (done: number) => void }
type Table = 'content.collections' | 'content.entries'
type Rebuild = (tx: Tx, businessId: string, ids: readonly string[]) => Promise<unknown>

/**
 * Rebuilds documents and search indexes from the rows, after a change of how they are made. Reads and writes go on
 * meanwhile. Idempotent, also after a crash. Versions stay the same.
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
      await transaction(db, (tx) =>
        rebuild(
          tx,
          owner,
          batch.map(({ id }) => id),
        ),
      )
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
  const parts = toParts([
    updateMade(businessId, entries),
    deletion('content.entryValues', removed),
    insertMissing('content.entryValues', [...values.values()]),
    upsert(
      'content.search',
      searches.flatMap(({ rows }) => rows),
      { key: ['businessId', 'entryId'], changedOnly: true },
    ),
    ...usageWrites(
      businessId,
      'ENTRY',
      entries.map((entry) => toShowing(entry, undefined)),
      { isRebuild: true },
    ),
  ])
  const newWords = searches.flatMap((search) => search.newWords)
  await sql`with ${sql.join(parts)} ${insertSpellings('content.spellings', businessId, newWords)}`.execute(tx)
}

function updateMade(businessId: string, entries: readonly Entry[]) {
  const made = entries.map(toRow).map(({ id, status, targets, document }) => ({ id, status, targets, document }))
  return sql`
    update content.entries
       set status = made.status, targets = made.targets, document = made.document
      from json_populate_recordset(null::content.entries, ${JSON.stringify(made)}) as made
     where entries.business_id = ${businessId} and entries.id = made.id
       and (entries.status, entries.targets, entries.document) <> (made.status, made.targets, made.document)`
}

/** The values as last written. No index finds them by entry, but its row of `search` lists them. */
async function readStored(tx: Tx, businessId: string, ids: readonly string[]): Promise<ValueRow[]> {
  const rows = await tx
    .selectFrom('content.search')
    .select(['collectionId', 'status', 'entryId', 'held'])
    .where('businessId', '=', businessId)
    .where('entryId', 'in', ids)
    .execute()
  return rows.flatMap(({ collectionId, status, entryId, held }) => {
    const place = { businessId, collectionId, status, entryId }
    return held.map((text) => ({ ...place, ...fromHeld(text) }))
  })
}

function fromHeld(text: string) {
  const space = text.indexOf(' ')
  return { blockId: text.slice(0, space), value: text.slice(space + 1) }
}
