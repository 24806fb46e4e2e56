import { sql } from 'kysely'
import { decodeCursor, type Filters, type Page, toPage } from '#vocabulary/paging.ts'
import { type SearchQuery, toSearchQuery } from '#vocabulary/search-words.ts'
import type { Db } from './database.ts'
import { fetchRows } from './hot.ts'
import { countFitting } from './page-bytes.ts'

/** What can be searched, in SQL. Everywhere in it `$1` is the business. */
type Searchable<Name extends string> = Found & {
  /** The table that `insertSpellings` fills. */
  spellings: string
  /** What else must be true of a row, each given the place of its own value. */
  conditions: Record<Name, (value: string) => string>
}
type Found = {
  /** Has `business_id` and `terms`, apart from the documents: ranking reads many of its rows. Conditions call it `search`. */
  table: string
  /** The column of that table which says what was found. */
  id: string
  /** Finds what a page shows of each `page.id`. */
  join: string
  /** The columns to show, in the order in which `listMatches` hands them to `present`. A page ends where the first one is null. */
  select: string
}

export type RankedSearch<Name extends string> = { names: Name[]; exact: string; forgiving: string }

// $1 to $4 are the same for every search: the business, how many, and after which rank and id.
const FIRST_CONDITION = 5

export function rankedSearch<Name extends string>(searchable: Searchable<Name>): RankedSearch<Name> {
  const names = Object.keys(searchable.conditions) as Name[]
  const conditions = names.map((name, index) => `and ${searchable.conditions[name](`$${FIRST_CONDITION + index}`)}`)
  const query = FIRST_CONDITION + names.length
  return {
    names,
    exact: searchSql(searchable, conditions, `$${query}::tsquery`),
    forgiving: searchSql(searchable, conditions, correctedSql(searchable.spellings, query)),
  }
}

/** Best first, then newest. */
export const PAGE_ORDER = 'page.rank desc, page.id desc'

// However common the words are: this many matches are ranked, the rest is not looked at.
const MAX_RANKED = 20_000
// Of D, C, B and A.
const WEIGHTS = '{0.1, 0.3, 0.6, 1.0}'
// ts_rank divides the sum of the weights of all words found by this and by the number of words asked for.
const RANK_DIVISOR = 1.64493406685

// The rank is ten times the sum of weights, a whole number, and depends on what was found alone: were it divided by the number
// of words, one new word close to a typo would move everybody's place between two pages. All words must be there, but they are
// ranked as if any would do: for `&` ts_rank looks at distances, and stored terms have none.
const searchSql = ({ table, id, select, join }: Found, conditions: string[], query: string) => `
  with asked as materialized (
    select query, replace(query::text, '&', '|')::tsquery as any_word,
           (select count(distinct word[1]) from regexp_matches(query::text, '''([^'']+)''', 'g') as word) as words
      from (select ${query} as query) as typed
  ), found as (
    select search.${id} as id,
           round(ts_rank('${WEIGHTS}', search.terms, asked.any_word) * asked.words * ${RANK_DIVISOR} * 10)::integer as rank
      from asked
      join ${table} as search on search.terms @@ asked.query
     where search.business_id = $1 ${conditions.join(' ')}
     limit ${MAX_RANKED}
  ), page as (
    select * from found where (rank, id) < ($3::bigint, $4::text) order by rank desc, id desc limit $2
  )
  select page.id, page.rank, ${select}
    from page ${join}
   order by ${PAGE_ORDER}`

// Thousands of words may be that close, in the order of their letters the first are taken: PostgreSQL has no stack for a query of
// them all.
const MAX_CORRECTIONS = 50

// Each word, or any stored word that is at most one typo away from it. Takes what `correctionsOf` gives.
const correctedSql = (spellings: string, first: number) => `
  (select string_agg('(' || coalesce(part || ' | ' || words, part) || ')', ' & ')::tsquery
     from unnest($${first}::text[]) with ordinality as asked (part, at)
    cross join lateral (
      select string_agg('''' || word || '''', ' | ') as words
        from (select distinct known.word
                from unnest($${first + 1}::integer[], $${first + 2}::text[]) as typed (at, spelling)
                join ${spellings} as known on known.business_id = $1 and known.spelling = typed.spelling
               where typed.at = asked.at
               order by known.word
               limit ${MAX_CORRECTIONS}) as close) as corrections)`

const correctionsOf = ({ parts, spellings }: SearchQuery) => [
  parts,
  spellings.map(({ at }) => at),
  spellings.map(({ spelling }) => spelling),
]

const EXACT = 0
const FORGIVING = 1
/** No sum of weights comes near. */
const BEFORE_ALL = [2_000_000_000, '']

type Asked<Name extends string> = {
  businessId: string
  text: string
  values: Record<Name, unknown>
  limit: number
  cursor: string | undefined
  filters: Filters
}
/** Only `present` knows what the columns are. */
type Row = [id: string, rank: number, ...columns: never[]]

/** Best first, then newest. Only when nothing is spelled like that, words at most one typo away are looked for. */
export async function listMatches<Name extends string, Item>(
  db: Db,
  search: RankedSearch<Name>,
  { businessId, text, values, limit, cursor, filters }: Asked<Name>,
  present: (...columns: never[]) => Item,
): Promise<Page<Item>> {
  const [mode, ...after] = decodeCursor(filters, cursor, ['number', 'number', 'string']) ?? [undefined, ...BEFORE_ALL]
  const query = toSearchQuery(text)
  if (!query) return { items: [], cursor: null }
  const common = [businessId, limit + 1, ...after, ...search.names.map((name) => values[name])]
  const toMatches = (rows: Row[], foundBy: number) =>
    toPage(
      rows,
      countFitting(rows, limit, ([, , first]) => first),
      filters,
      ([id, rank]) => [foundBy, rank, id],
      ([, , ...columns]) => present(...columns),
    )

  if (mode !== FORGIVING) {
    const rows = await fetchRows<Row>(db, search.exact, [...common, query.exact])
    if (rows.length > 0 || mode === EXACT || query.spellings.length === 0) return toMatches(rows, EXACT)
  }
  return toMatches(await fetchRows<Row>(db, search.forgiving, [...common, ...correctionsOf(query)]), FORGIVING)
}

/**
 * The end of a statement that writes terms: each new word and each way to leave out one of its letters, in one order, so that two
 * writers of the same words wait instead of deadlocking.
 */
export function insertSpellings(table: string, businessId: string, words: Iterable<string>) {
  const spellings = sql.table(table)
  return sql`
    insert into ${spellings} (business_id, spelling, word)
    select ${businessId}, spelling, word
      from unnest(${[...new Set(words)]}::text[]) as new (word)
     cross join lateral (
       select word as spelling
        union
       select overlay(word placing '' from at for 1) from generate_series(1, length(word)) as letter (at)) as shortened
     where not exists (select from ${spellings} as known
                        where known.business_id = ${businessId} and known.spelling = new.word and known.word = new.word)
     order by spelling, word
    on conflict do nothing`
}
