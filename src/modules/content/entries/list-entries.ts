import { createBatcher } from '#platform/batch.ts'
import type { Cell } from '#platform/database/database.ts'
import { countFitting, fittingSql } from '#platform/database/page-bytes.ts'
import { fetchPrepared } from '#platform/database/prepared.ts'
import { listMatches, PAGE_ORDER, rankedSearch } from '#platform/database/search.ts'
import { decodeCursor, type Filters, type Page, toPage } from '#vocabulary/paging.ts'
import { CONTENT_STATUSES, type EntryQuery } from '../schemas.ts'
import { toAnswer, type Viewer } from '../viewer.ts'
import { candidatesOf, type EntryValue } from './search-index.ts'
import { localeValue, toIndexedValue } from './write-entry.ts'

/** Sorts after every id: the start of a keyset pagination from the newest. */
const AFTER_ALL = '~'

/** A block and the value that it must have. */
export type BlockFilter = { blockId: string; value: string }
export type Listed = { text: string; targets: string[] }

/** Collections that the caller may read: all of them (null), or the public ones and those that the caller pays for. */
const visibleSql = (opened: string) => `
  select id
    from content.collections
   where business_id = $1
     and (${opened}::text[] is null or (status = 'PUBLISHED' and (not is_paid or id = any (${opened}::text[]))))`

// Each pair of collection and status to scan. Arrays come from subqueries, which hides their length from the planner.
const PLACES = `
  select collection.id as collection_id, wanted.status
    from (${visibleSql('$2')} and ($3::text is null or id = $3)) as collection
   cross join unnest((select $4::text[])) as wanted (status)`

/**
 * Newest first, by ordered index scans, never a sort of all. First comes the newest entry of each collection and
 * status: a page of n entries can only come from n of them, and only of those a page each is read. The documents are
 * fetched last, up to a size limit.
 */
const listSql = (places: string, walk: (limit: string) => string) => `
  select entry.id, ${fittingSql('entry.document', 'entry.id desc')}, entry.targets
    from (select found.id
            from (select place.*
                    from (${places}) as place
                   cross join lateral (${walk('1')}) as newest
                   order by newest.id desc
                   limit $5) as place
           cross join lateral (${walk('$5')}) as found
           order by found.id desc
           limit $5) as page
    join content.entries as entry on entry.business_id = $1 and entry.id = page.id
   order by entry.id desc`

export const LIST = listSql(
  PLACES,
  (limit) => `
  select entries.id
    from content.entries
   where entries.business_id = $1 and entries.collection_id = place.collection_id and entries.status = place.status
     and entries.id < $6
   order by entries.id desc
   limit ${limit}`,
)

/** Above this count it matters little which condition is the most selective. */
const MANY = 2_000

// Any number of conditions. $7 to $9 hold one row for each way in which a value may be stored; $7 is the number of the
// condition. An entry matches at most one of them, because a block has one type. $10 limits the count that finds the
// most selective condition. That condition drives the scan, and the others are checked in the entry's row of `search`:
// with the long key of the values table PostgreSQL used only a part of the index, and read a whole collection for each
// entry.
export const LIST_BY_VALUE = `
  with places as materialized (${PLACES}
  ), asked as materialized (
    select * from unnest((select $7::integer[]), (select $8::text[]), (select $9::text[])) as asked (at, block_id, value)
  ), sized as materialized (
    select at, (select count(*)
                  from (select
                          from (select * from asked where asked.at = condition.at) as candidate
                         cross join places
                         cross join lateral (
                           select
                             from content.entry_values as held
                            where held.business_id = $1 and held.collection_id = places.collection_id
                              and held.block_id = candidate.block_id and held.value = candidate.value and held.status = places.status
                            limit $10) as found
                         limit $10) as known) as entries
      from (select distinct at from asked) as condition
  ), rarest as materialized (
    select at from sized order by entries, at limit 1
  )
  ${listSql(
    'select * from places cross join asked where at = (select at from rarest)',
    (limit) => `
  select held.entry_id as id
    from content.entry_values as held
   where held.business_id = $1 and held.collection_id = place.collection_id and held.block_id = place.block_id
     and held.value = place.value and held.status = place.status and held.entry_id < $6
     and ((select max(at) from asked) = 1 or (select max(at) from asked) = 1 + (
       select count(*)
         from content.search as also
         join asked as other on other.at <> place.at and other.block_id || ' ' || other.value = any (also.held)
        where also.business_id = $1 and also.entry_id = held.entry_id))
   order by held.entry_id desc
   limit ${limit}`,
  )}`

/** Full-text search with this number of conditions, a statement for each number: one index holds words and values. */
export const searchBy = (conditions: number) =>
  rankedSearch<string>({
    table: 'content.search',
    id: 'entry_id',
    spellings: 'content.spellings',
    join: 'join content.entries as entry on entry.business_id = $1 and entry.id = page.id',
    select: `${fittingSql('entry.document', PAGE_ORDER)}, entry.targets`,
    conditions: {
      // `is true` forces a lookup for each match: as a join it would search once for each collection.
      opened: (value) => `(search.collection_id in (${visibleSql(value)})) is true`,
      collectionId: (value) => `(${value}::text is null or search.collection_id = ${value})`,
      statuses: (value) => `search.status = any (${value}::text[])`,
      ...Object.fromEntries(Array.from({ length: conditions }, (_, index) => [conditionName(index), holdsAnySql])),
    },
  })
const conditionName = (index: number) => `condition${index}`
const holdsAnySql = (candidates: string) => `search.held && ${candidates}::text[]`

type Row = [id: string, text: string | null, targets: string[]]
export type EntryList = {
  businessId: string
  query: EntryQuery
  blocks: readonly BlockFilter[]
  seesDrafts: boolean
  seesActors: boolean
  /** Paid collections that the caller may read; null: all of them. */
  opened: readonly string[] | null
}

/** Request batching: callers who wait for the same page share one statement. */
export function createListReader() {
  const read = createBatcher<string, [Cell, EntryList], Page<Listed>>(
    async (_key, asked) => {
      const value = await listEntries(...(asked[0] as [Cell, EntryList]))
      return asked.map(() => ({ status: 'fulfilled', value }))
    },
    { maxItems: 1_000, lanes: 2 },
  )
  return (db: Cell, list: EntryList): Promise<Page<Listed>> => read(JSON.stringify(list), [db, list])
}

async function listEntries(db: Cell, list: EntryList): Promise<Page<Listed>> {
  const { businessId, query, blocks, seesDrafts } = list
  const { limit = 20, cursor, collectionId, locale, status } = query
  const statuses = status ? [status] : seesDrafts ? CONTENT_STATUSES : ['PUBLISHED']
  const filters = {
    list: 'entries',
    businessId,
    collectionId,
    locale,
    statuses,
    query: query.query,
    blocks: blocks.flatMap(({ blockId, value }) => [blockId, value]),
    seesDrafts,
    opened: list.opened,
  }
  if (query.query?.trim()) return searchEntries(db, { list, statuses, limit, filters })

  const after = decodeCursor(filters, cursor, ['string'])?.[0] ?? AFTER_ALL
  const values = [businessId, list.opened, collectionId ?? null, statuses, limit + 1, after]
  const conditions = conditionsOf(list)
  const rows =
    conditions.length === 0
      ? await fetchPrepared<Row>(db, LIST, values)
      : await fetchPrepared<Row>(db, LIST_BY_VALUE, [
          ...values,
          ...toColumns(conditions),
          conditions.length > 1 ? MANY : 1,
        ])
  return toListed(rows, limit, filters, list)
}

/** The values that an entry must have, each in every way in which it may be stored. */
const conditionsOf = ({ query: { locale }, blocks }: EntryList): EntryValue[][] => [
  ...(locale === undefined ? [] : [[localeValue(locale)]]),
  ...blocks.map(({ blockId, value }) => candidatesOf(value).map((value) => ({ blockId, value }))),
]

/** Columns for LIST_BY_VALUE: for each candidate the number of its condition (from 1), its block and its value. */
function toColumns(conditions: readonly (readonly EntryValue[])[]) {
  const rows = conditions.flatMap((candidates, index) => candidates.map((held) => ({ at: index + 1, ...held })))
  return [rows.map(({ at }) => at), rows.map(({ blockId }) => blockId), rows.map(({ value }) => value)]
}

type Search = { list: EntryList; statuses: readonly string[]; limit: number; filters: Filters }

const searchEntries = (db: Cell, { list, statuses, limit, filters }: Search): Promise<Page<Listed>> => {
  const { businessId, query } = list
  const { collectionId = null, cursor, query: text = '' } = query
  const conditions = conditionsOf(list).map((candidates, index) => [
    conditionName(index),
    candidates.map(toIndexedValue),
  ])
  const values = { opened: list.opened, collectionId, statuses, ...Object.fromEntries(conditions) }
  const asked = { businessId, text, values, limit, cursor, filters }
  return listMatches(db, searchBy(conditions.length), asked, (text: string, targets: string[]) => ({
    text: toAnswer(text, list),
    targets,
  }))
}

export const LIST_OWNED = `
  select id, ${fittingSql('document', 'id desc')}, targets
    from (select id, document, targets
            from content.entries
           where business_id = $1 and owner = $2 and collection_id is null and id < $3
             and ($4::text is null or status = $4) and ($5::text is null or locale = $5)
           order by id desc
           limit $6) as page
   order by id desc`

/** Entries of an order or a reservation, newest first. The customer sees them whatever their status. */
export async function listOwned(
  db: Cell,
  viewer: Viewer,
  owner: string,
  { limit = 20, cursor, status, locale }: EntryQuery,
): Promise<Page<Listed>> {
  const { businessId } = viewer
  const filters = { list: 'owned-entries', businessId, owner, status, locale }
  const after = decodeCursor(filters, cursor, ['string'])?.[0] ?? AFTER_ALL
  const values = [businessId, owner, after, status ?? null, locale ?? null, limit + 1]
  return toListed(await fetchPrepared<Row>(db, LIST_OWNED, values), limit, filters, viewer)
}

const toListed = (rows: Row[], limit: number, filters: Filters, viewer: Pick<Viewer, 'seesActors'>): Page<Listed> =>
  toPage(
    rows,
    countFitting(rows, limit, ([, text]) => text),
    filters,
    ([id]) => [id],
    ([, text, targets]) => ({ text: toAnswer(text ?? '', viewer), targets }),
  )
