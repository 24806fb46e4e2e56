import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { usageWrites } from '#modules/media/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { insertSpellings } from '#platform/database/search.ts'
import { deletion, insertion, toParts, upsert, write } from '#platform/database/write.ts'
import { mediaIdsInBlocks } from '#vocabulary/blocks.ts'
import { statusOf } from '../collections/collection.ts'
import { type Entry, targetsOf, toDocument } from './entry.ts'
import { type EntryValue, termsOf, valuesOf } from './search-index.ts'

/** Versions kept per entry. */
const MAX_VERSIONS = 100

/**
 * Writes an entry with everything derived from it (document, search index, version history) in one statement. Unchanged
 * rows are not written.
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
  const parts = toParts([
    upsert('content.entries', [toRow(entry)], { key: ['businessId', 'id'], keep: ['createdAt'] }),
    insertion('content.entryVersions', versions),
    forgetVersions(entry, MAX_VERSIONS - versions.length),
    deletion('content.entryValues', removed),
    insertion('content.entryValues', added),
    entry.collectionId === null
      ? sql`delete from content.search where business_id = ${businessId} and entry_id = ${id}`
      : undefined,
    upsert('content.search', found.rows, { key: ['businessId', 'entryId'] }),
    ...usageWrites(businessId, 'ENTRY', [toShowing(entry, before)]),
  ])
  await sql`with ${sql.join(parts)} ${insertSpellings('content.spellings', businessId, found.newWords)}`.execute(tx)
}

const forgetVersions = ({ businessId, id }: Entry, kept: number) => sql`
  delete from content.entry_versions
   where business_id = ${businessId} and entry_id = ${id} and number <= (
           select number
             from content.entry_versions
            where business_id = ${businessId} and entry_id = ${id}
            order by number desc
           offset ${kept}
            limit 1)`

export const removeEntry = (tx: Tx, entry: Entry): Promise<void> =>
  write(
    tx,
    deletion('content.entryValues', [...toValueRows(entry).values()]),
    sql`delete from content.entries where business_id = ${entry.businessId} and id = ${entry.id}`,
    ...usageWrites(entry.businessId, 'ENTRY', [toShowing(undefined, entry)]),
  )

/** The files that it shows now, and has shown before. */
export const toShowing = (entry: Entry | undefined, before: Entry | undefined) => ({
  recordId: (entry ?? before)?.id ?? '',
  before: mediaIdsInBlocks(before?.blocks ?? []),
  after: mediaIdsInBlocks(entry?.blocks ?? []),
})

export const toRow = (entry: Entry) => ({
  businessId: entry.businessId,
  id: entry.id,
  owner: entry.owner,
  collectionId: entry.collectionId,
  locale: entry.locale,
  blocks: entry.blocks,
  statuses: entry.statuses,
  status: statusOf(entry),
  schemaVersion: entry.schemaVersion,
  stale: entry.stale,
  publishAt: entry.publishAt,
  targets: targetsOf(entry.blocks),
  version: entry.version,
  document: toDocument(entry),
  createdAt: entry.createdAt,
  updatedAt: entry.updatedAt,
})

const toVersion = (entry: Entry, userId: string | null) => ({
  businessId: entry.businessId,
  entryId: entry.id,
  number: entry.version,
  owner: entry.owner,
  locale: entry.locale,
  status: statusOf(entry),
  blocks: entry.blocks,
  userId,
  createdAt: entry.updatedAt,
})

/** Whether nothing has changed that a version keeps. */
const isSameVersion = (entry: Entry, before: Entry) =>
  entry.owner === before.owner &&
  entry.locale === before.locale &&
  statusOf(entry) === statusOf(before) &&
  isDeepStrictEqual(entry.blocks, before.blocks)

/** The locale is indexed like a value, under a block id that no block can have. */
export const localeValue = (locale: string): EntryValue => ({ blockId: '', value: `l:${locale}` })

/** A value as `content.search.held` stores it. */
export const toIndexedValue = ({ blockId, value }: EntryValue) => `${blockId} ${value}`

const heldBy = ({ locale, blocks }: Entry) => [localeValue(locale), ...valuesOf(blocks)]

export type ValueRow = Record<'businessId' | 'collectionId' | 'blockId' | 'value' | 'status' | 'entryId', string>

export function toValueRows(entry: Entry): Map<string, ValueRow> {
  const { businessId, id, collectionId } = entry
  if (collectionId === null) return new Map()
  const place = { businessId, collectionId, status: statusOf(entry), entryId: id }
  const rows = heldBy(entry).map(({ blockId, value }) => ({ ...place, blockId, value }))
  return new Map(rows.map((row) => [JSON.stringify(row), row]))
}

export function toSearch(entry: Entry, before: Entry | undefined) {
  if (entry.collectionId === null) return { rows: [], newWords: [] }
  const { terms, words } = termsOf(entry.blocks)
  // An entry of an order was not searchable before, so none of its words is indexed yet.
  const was = before?.collectionId ? termsOf(before.blocks) : undefined
  const known = new Set(was?.words)
  const rowOf = (entry: Entry, terms: string) => ({
    businessId: entry.businessId,
    entryId: entry.id,
    collectionId: entry.collectionId,
    status: statusOf(entry),
    held: heldBy(entry).map(toIndexedValue),
    terms,
  })
  const row = rowOf(entry, terms)
  const isUnchanged = before && was && isDeepStrictEqual(row, rowOf(before, was.terms))
  return {
    rows: isUnchanged ? [] : [row],
    newWords: words.filter((word) => !known.has(word)),
  }
}
