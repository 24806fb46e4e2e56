import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import { insertSpellings } from '#platform/database/search.ts'
import { statusOf } from './collection.ts'
import { type Entry, targetsOf, toDocument } from './entry.ts'
import { type EntryValue, termsOf, valuesOf } from './found-by.ts'

/** So many are kept of each entry. */
const MAX_VERSIONS = 100

// Named wherever rows are written: a column that a later migration adds gets its default from the code that is still running.
const ENTRY = sql`
  business_id, id, owner, collection_id, locale, blocks, statuses, status, schema_version, stale, publish_at, targets, version,
  document, created_at, updated_at`
const VERSION = sql`business_id, entry_id, number, owner, locale, status, blocks, user_id, created_at`
const VALUE = sql`business_id, collection_id, block_id, value, status, entry_id`
const SEARCH = sql`business_id, entry_id, collection_id, status, held, terms`

/**
 * Writes an entry with all that is made from it (the document, what it is found by, the version to go back to) in one statement,
 * whatever it holds. Rows that stay what they were are not touched.
 */
export async function writeEntry(
  tx: Tx,
  { entry, before, userId }: { entry: Entry; before: Entry | undefined; userId: string | null },
): Promise<void> {
  const { businessId, id } = entry
  const values = toValueRows(entry)
  const were = before ? toValueRows(before) : new Map<string, ValueRow>()
  const added = [...values].filter(([key]) => !were.has(key)).map(([, row]) => row)
  const removed = [...were].filter(([key]) => !values.has(key)).map(([, row]) => row)
  const versions = before && isSameVersion(entry, before) ? [] : [toVersion(entry, userId)]
  const found = toSearch(entry, before)
  await sql`
    with entry as (
      insert into content.entries (${ENTRY})
      select ${ENTRY} from json_populate_record(null::content.entries, ${JSON.stringify(toRow(entry))})
      on conflict (business_id, id) do update
         set owner = excluded.owner, collection_id = excluded.collection_id, locale = excluded.locale, blocks = excluded.blocks,
             statuses = excluded.statuses, status = excluded.status, schema_version = excluded.schema_version,
             stale = excluded.stale, publish_at = excluded.publish_at, targets = excluded.targets, version = excluded.version,
             document = excluded.document, updated_at = excluded.updated_at
    ), version as (
      insert into content.entry_versions (${VERSION})
      select ${VERSION} from json_populate_recordset(null::content.entry_versions, ${JSON.stringify(versions)})
    ), forgotten as (
      delete from content.entry_versions
       where business_id = ${businessId} and entry_id = ${id} and number <= (
               select number
                 from content.entry_versions
                where business_id = ${businessId} and entry_id = ${id}
                order by number desc
               offset ${MAX_VERSIONS - versions.length}
                limit 1)
    ), removed as (
      delete from content.entry_values as value
       using json_populate_recordset(null::content.entry_values, ${JSON.stringify(removed)}) as old
       where value.business_id = old.business_id and value.collection_id = old.collection_id
         and value.block_id = old.block_id and value.value = old.value and value.status = old.status
         and value.entry_id = old.entry_id
    ), added as (
      insert into content.entry_values (${VALUE})
      select ${VALUE} from json_populate_recordset(null::content.entry_values, ${JSON.stringify(added)})
    ), unfound as (
      delete from content.search where business_id = ${businessId} and entry_id = ${id} and ${entry.collectionId === null}
    ), search as (
      insert into content.search (${SEARCH})
      select ${SEARCH} from json_populate_recordset(null::content.search, ${JSON.stringify(found.rows)})
      on conflict (business_id, entry_id) do update
         set collection_id = excluded.collection_id, status = excluded.status, held = excluded.held,
             terms = excluded.terms
    )
    ${insertSpellings('content.spellings', businessId, found.newWords)}`.execute(tx)
}

export async function removeEntry(tx: Tx, entry: Entry): Promise<void> {
  const removed = [...toValueRows(entry).values()]
  await sql`
    with removed as (
      delete from content.entry_values as value
       using json_populate_recordset(null::content.entry_values, ${JSON.stringify(removed)}) as old
       where value.business_id = old.business_id and value.collection_id = old.collection_id
         and value.block_id = old.block_id and value.value = old.value and value.status = old.status
         and value.entry_id = old.entry_id
    )
    delete from content.entries where business_id = ${entry.businessId} and id = ${entry.id}`.execute(tx)
}

export const toRow = (entry: Entry) => ({
  business_id: entry.businessId,
  id: entry.id,
  owner: entry.owner,
  collection_id: entry.collectionId,
  locale: entry.locale,
  blocks: entry.blocks,
  statuses: entry.statuses,
  status: statusOf(entry),
  schema_version: entry.schemaVersion,
  stale: entry.stale,
  publish_at: entry.publishAt,
  targets: targetsOf(entry.blocks),
  version: entry.version,
  document: toDocument(entry),
  created_at: entry.createdAt,
  updated_at: entry.updatedAt,
})

const toVersion = (entry: Entry, userId: string | null) => ({
  business_id: entry.businessId,
  entry_id: entry.id,
  number: entry.version,
  owner: entry.owner,
  locale: entry.locale,
  status: statusOf(entry),
  blocks: entry.blocks,
  user_id: userId,
  created_at: entry.updatedAt,
})

/** Nothing that a version keeps has changed. */
const isSameVersion = (entry: Entry, before: Entry) =>
  entry.owner === before.owner &&
  entry.locale === before.locale &&
  statusOf(entry) === statusOf(before) &&
  isDeepStrictEqual(entry.blocks, before.blocks)

/** The locale is found like a value, of a block whose id no block has. */
export const localeValue = (locale: string): EntryValue => ({ blockId: '', value: `l:${locale}` })

/** A value as `content.search.held` has it. */
export const toHeld = ({ blockId, value }: EntryValue) => `${blockId} ${value}`

const heldBy = ({ locale, blocks }: Entry) => [localeValue(locale), ...valuesOf(blocks)]

export type ValueRow = Record<'business_id' | 'collection_id' | 'block_id' | 'value' | 'status' | 'entry_id', string>

export function toValueRows(entry: Entry): Map<string, ValueRow> {
  const { businessId, id, collectionId } = entry
  if (collectionId === null) return new Map()
  const place = { business_id: businessId, collection_id: collectionId, status: statusOf(entry), entry_id: id }
  const rows = heldBy(entry).map(({ blockId, value }) => ({ ...place, block_id: blockId, value }))
  return new Map(rows.map((row) => [JSON.stringify(row), row]))
}

export function toSearch(entry: Entry, before: Entry | undefined) {
  if (entry.collectionId === null) return { rows: [], newWords: [] }
  const { terms, words } = termsOf(entry.blocks)
  // What belonged to an order could not be searched: none of its words is known yet.
  const was = before?.collectionId ? termsOf(before.blocks) : undefined
  const known = new Set(was?.words)
  const rowOf = (entry: Entry, terms: string) => ({
    business_id: entry.businessId,
    entry_id: entry.id,
    collection_id: entry.collectionId,
    status: statusOf(entry),
    held: heldBy(entry).map(toHeld),
    terms,
  })
  const row = rowOf(entry, terms)
  const isUnchanged = before && was && isDeepStrictEqual(row, rowOf(before, was.terms))
  return {
    rows: isUnchanged ? [] : [row],
    newWords: words.filter((word) => !known.has(word)),
  }
}
