import { sql } from 'kysely'
import { decodeCursor, type Filters, type Page, toPage } from '#vocabulary/paging.ts'
import { PREFIX_WORDS, type SearchQuery, toSearchQuery } from '#vocabulary/search-words.ts'
import type { Cell } from './database.ts'
import { countFitting } from './page-bytes.ts'
import { fetchRows } from './prepared.ts'

/** A searchable table, in SQL. `$1` is the business everywhere. */
type Searchable<Name extends string> = Found & {
  /** The table that `insertSpellings` fills. */
  spellings: string
  /** Filters, each given the placeholder of its value. */
  conditions: Record<Name, (value: string) => string>
}
type Found = {
  /**
   * Has `business_id` and `terms`, apart from the documents: ranking reads many of its rows. Filters call it `search`.
   */
  table: string
  /** The column that holds the id of the record found. */
  id: string
  /** Joins the columns to show for each `page.id`. */
  join: string
  /**
   * The columns to show, in the order in which `listMatches` hands them to `present`. A page ends where the first one
   * is null.
   */
  select: string
}

export type RankedSearch<Name extends string> = { names: Name[]; exact: string; prefix: string; fuzzy: string }

// $1 to $4 are the same for every search: the business, how many, and after which rank and id.
const FIRST_CONDITION = 5

/** A word spelled as typed ranks above ten corrected words, even if all of those are in the name. */
const AS_TYPED = 1_000

export function rankedSearch<Name extends string>(searchable: Searchable<Name>): RankedSearch<Name> {
  const names = Object.keys(searchable.conditions) as Name[]
  const conditions = names.map((name, index) => `and ${searchable.conditions[name](`$${FIRST_CONDITION + index}`)}`)
  const query = FIRST_CONDITION + names.length
  return {
    names,
    exact: searchSql(searchable, conditions, `$${query}::tsquery`),
    prefix: searchSql(searchable, conditions, prefixSql(searchable.spellings, query)),
    fuzzy: searchSql(searchable, conditions, fuzzySql(searchable.spellings, query), typedSql(query)),
  }
}

/** Best first, then newest. */
export const PAGE_ORDER = 'page.rank desc, page.id desc'

// At most this many matches are ranked, however common the words are.
const MAX_RANKED = 20_000
// Of D, C, B and A.
const WEIGHTS = '{0.1, 0.3, 0.6, 1.0}'
// ts_rank divides the sum of the weights of all words found by this and by the number of words asked for.
const RANK_DIVISOR = 1.64493406685

// The rank is ten times the sum of weights, a whole number, and depends on the match alone. If it were divided by the
// number of words, one new word close to a typo would shift everybody's rank between two pages. All words must match,
// but `|` ranks them: for `&` ts_rank looks at distances, and stored terms have no positions. A word as typed counts
// for more than any correction.
const searchSql = ({ table, id, select, join }: Found, conditions: string[], query: string, typed = 'null') => `
  with asked as materialized (
    select query, replace(query::text, '&', '|')::tsquery as any_word, ${countSql('query')} as words,
           typed, ${countSql('typed')} as typed_words
      from (select ${query} as query, ${typed}::tsquery as typed) as given
  ), found as (
    select search.${id} as id,
           round(ts_rank('${WEIGHTS}', search.terms, asked.any_word) * asked.words * ${RANK_DIVISOR} * 10)::integer
             + ${AS_TYPED} * coalesce(round(ts_rank('{1, 1, 1, 1}', search.terms, asked.typed) * asked.typed_words * ${RANK_DIVISOR})::integer, 0)
             as rank
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

// Thousands of words may be that close: the first in alphabetical order are taken, because a tsquery of all of them
// exceeds PostgreSQL's stack.
const MAX_CORRECTIONS = 50

const countSql = (query: string) =>
  `(select count(distinct word[1]) from regexp_matches(${query}::text, '''([^'']+)''', 'g') as word)`

/** Sorts after every text with the same prefix. */
const AFTER_PREFIX = "U&'\\+10FFFF'"
const startsWith = (beginning: string) =>
  `known.spelling >= ${beginning} and known.spelling < ${beginning} || ${AFTER_PREFIX}`

// Prefix search in the words of this business alone, so that its cost does not grow with the number of businesses.
const prefixSql = (spellings: string, first: number) => `
  (select replace($${first}::text, '${PREFIX_WORDS}', coalesce(string_agg(' | ''' || word || '''', ''), ''))::tsquery
     from (select word
             from ${spellings} as known
            where known.business_id = $1 and ${startsWith(`$${first + 1}::text`)} and known.word = known.spelling
            order by known.spelling
            limit ${MAX_CORRECTIONS}) as prefix)`

const typedSql = (first: number) => `(select string_agg(part, ' | ') from unnest($${first}::text[]) as typed (part))`

// Fuzzy search (SymSpell): each word, or any stored word at most one typo away from it; for an unfinished last word,
// any stored word that begins with such a word. Its parameters are those of `correctionsOf`.
const fuzzySql = (spellings: string, first: number) => `
  (select string_agg('(' || concat_ws(' | ', part, nullif(swapped, ''), words) || ')', ' & ')::tsquery
     from unnest($${first}::text[], $${first + 3}::text[]) with ordinality as asked (part, swapped, at)
    cross join lateral (
      select string_agg('''' || word || '''', ' | ') as words
        from (select word
                from (select known.word, 0 as letters_left
                        from unnest($${first + 1}::integer[], $${first + 2}::text[]) as typed (at, spelling)
                        join ${spellings} as known on known.business_id = $1 and known.spelling = typed.spelling
                       where typed.at = asked.at
                       union all
                      select prefix.word, 1
                        from unnest($${first + 1}::integer[], $${first + 2}::text[]) as typed (at, spelling)
                       cross join lateral (
                         select known.word
                           from ${spellings} as known
                          where known.business_id = $1 and ${startsWith('typed.spelling')}
                          order by known.spelling
                          limit ${MAX_CORRECTIONS}) as prefix
                       where typed.at = asked.at and asked.at = $${first + 4}::integer) as found
               group by word
               order by min(letters_left), word
               limit ${MAX_CORRECTIONS}) as close) as corrections)`

const correctionsOf = ({ parts, swapped, spellings, unfinished }: SearchQuery) => [
  parts,
  spellings.map(({ at }) => at),
  spellings.map(({ spelling }) => spelling),
  swapped,
  unfinished,
]

const EXACT = 0
const FUZZY = 1
/** Above any rank. */
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

/** Best first, then newest. Words at most one typo away are searched only if nothing matches as typed. */
export async function listMatches<Name extends string, Item>(
  db: Cell,
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

  if (mode !== FUZZY) {
    const rows =
      query.prefix === undefined
        ? await fetchRows<Row>(db, search.exact, [...common, query.exact])
        : await fetchRows<Row>(db, search.prefix, [...common, query.exact, query.prefix])
    const mayBeTypo = query.spellings.length > 0 || query.swapped.some(Boolean)
    if (rows.length > 0 || mode === EXACT || !mayBeTypo) return toMatches(rows, EXACT)
  }
  return toMatches(await fetchRows<Row>(db, search.fuzzy, [...common, ...correctionsOf(query)]), FUZZY)
}

/**
 * The end of a statement that writes terms: inserts each new word with all its spellings that lack one letter
 * (SymSpell), sorted, so that two writers of the same words wait for each other instead of deadlocking.
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
