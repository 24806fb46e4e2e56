import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { wordsOf } from '#vocabulary/search-words.ts'
import type { FileRow } from './file.ts'
import type { FileQuery, Sort } from './schemas.ts'

/** At most this many rows are looked at for a page. */
const MAX_LOOKED_AT = 20_000
/** Up to so many files that have a word are read and sorted; of more, the list is walked through. */
const FEW = 4_000
const MAX_WORDS = 10
/** Sorts after every text with the same beginning. */
const AFTER_ALL = '\u{10FFFF}'

type Condition = RawBuilder<unknown>
/** The last row of a page, or the last that was looked at. */
export type Place = { key: number | string; id: string }
export type FileFilters = Pick<FileQuery, 'query' | 'type' | 'status' | 'unused'>
export type Look = {
  businessId: string
  filters: FileFilters
  sort: Sort
  after: Place | undefined
  limit: number
}
export type FoundRow = FileRow & { sortKey: number | string }

/** From this word up to, but not including, `to`; without it, this word alone. */
type Wanted = { from: string; to?: string }

function readTyped(text: string): Wanted[] {
  const trimmed = text.trim()
  const words = [...new Set(wordsOf(trimmed))].slice(0, MAX_WORDS)
  const isUnfinished = /[\p{L}\p{M}\p{N}]$/u.test(trimmed)
  return words.map((word, index) =>
    isUnfinished && index === words.length - 1 ? { from: word, to: `${word}${AFTER_ALL}` } : { from: word },
  )
}

// Ids sort by creation.
const ORDERS: Record<Sort, { key: Condition; isDescending: boolean }> = {
  '-createdAt': { key: sql`id`, isDescending: true },
  createdAt: { key: sql`id`, isDescending: false },
  fileName: { key: sql`sort_name`, isDescending: false },
  '-size': { key: sql`size`, isDescending: true },
}
export const keyKindOf = (sort: Sort) => (sort === '-size' ? 'number' : 'string')

function afterSql(sort: Sort, { key, id }: Place): Condition {
  const { isDescending } = ORDERS[sort]
  const isAfter = isDescending ? sql`<` : sql`>`
  if (sort === '-size') return sql`(size, id) ${isAfter} (${key}::bigint, ${id})`
  return sort === 'fileName' ? sql`(sort_name, id) ${isAfter} (${key}::text, ${id})` : sql`id ${isAfter} ${id}`
}

/**
 * A page of files, one more than `limit` if there are more, and the place up to which was looked, if that is not the end
 * and the page is not full.
 */
export async function findFiles(db: Db, look: Look): Promise<{ rows: FoundRow[]; stop: Place | undefined }> {
  const { businessId, filters, sort, after, limit } = look
  const { query, type, status, unused } = filters
  const { key, isDescending } = ORDERS[sort]
  const direction = isDescending ? sql`desc` : sql`asc`
  const typed = query?.trim() ? readTyped(query) : undefined
  if (typed?.length === 0) return { rows: [], stop: undefined }
  const few = typed && (await findFew(db, businessId, typed))
  const conditions = [
    ...(typed ? [sql`(${sql.join(typed.map(hasWord), sql` and `)})`] : []),
    ...(type ? [typeCondition(type)] : []),
    ...(status ? [sql`files.status = any (${status}::text[])`] : []),
    ...(unused ? [IS_UNUSED] : []),
    ...(unused === false ? [sql`not ${IS_UNUSED}`] : []),
  ]
  const most = conditions.length > 0 ? MAX_LOOKED_AT : limit + 1
  const kinds = [...new Set((type ?? []).map((range) => range.toLowerCase().split('/')[0] ?? ''))]
  const where = [
    sql`business_id = ${businessId}`,
    ...walkedBy(few, status, kinds),
    ...(after ? [afterSql(sort, after)] : []),
  ]
  const walk = sql`
    select id, ${key} as key
      from media.files
     where ${sql.join(where, sql` and `)}
     order by ${key} ${direction}, id ${direction}`
  type Row = FoundRow & { stopKey: number | string | null; stopId: string | null }
  const { rows } = await sql<Row>`
    with page as materialized (
      select walked.id, walked.key
        from (${walk} limit ${most}) as walked
       cross join lateral (
         select
           from media.files
          where business_id = ${businessId} and id = walked.id and ${sql.join([sql`true`, ...conditions], sql` and `)}
          limit 1) as fitting
       order by walked.key ${direction}, walked.id ${direction}
       limit ${limit + 1}
    ), stop as materialized (
      select id, key
        from (${walk} offset ${most - 1} limit 1) as walked
       where ${conditions.length > 0} and (select count(*) from page) <= ${limit}
    )
    select files.*, page.key as sort_key, stop.key as stop_key, stop.id as stop_id
      from (select) as one
      left join stop on true
      left join (page join media.files on files.business_id = ${businessId} and files.id = page.id) on true
     order by page.key ${direction}, page.id ${direction}`.execute(db)
  const [first] = rows
  const stop = first?.stopId != null && first.stopKey !== null ? { key: first.stopKey, id: first.stopId } : undefined
  return { rows: rows.filter(({ id }) => id !== null), stop }
}

/**
 * What an index is walked by, in any order: the few that have a word, those in a state other than READY, or those of one
 * kind. Never by two of them: of what fits the one, all might have to be read to find what fits the other.
 */
function walkedBy(few: Condition | undefined, status: FileFilters['status'], kinds: readonly string[]): Condition[] {
  if (few) return [sql`id = any (array(${few}))`]
  if (status?.length === 1 && status[0] !== 'READY') return [sql`status = ${status[0]} and status <> 'READY'`]
  return kinds.length === 1 ? [sql`kind = ${kinds[0]}`] : []
}

const IS_UNUSED = sql`
  not exists (select from media.usages where usages.business_id = files.business_id and usages.media_id = files.id)`

/** Media types are case-insensitive; `image/*` means all that begin so. */
function typeCondition(types: readonly string[]): Condition {
  const ranges = types.map((type) => type.toLowerCase())
  const kinds = ranges.filter((range) => range.endsWith('/*')).map((range) => range.slice(0, -2))
  return sql`(files.kind = any (${kinds}::text[]) or files.mime_type = any (${ranges}::text[]))`
}

/** The files that have the rarest of the words, if they are few. Each word is read no further than that. */
async function findFew(db: Db, businessId: string, typed: readonly Wanted[]): Promise<Condition | undefined> {
  const counts = typed.map(
    (word) =>
      sql`(select count(*)::integer from (${holders(businessId, word)} order by word, file_id limit ${FEW + 1}) as holder)`,
  )
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`.execute(db)
  const [rarest] = typed
    .map((word, index) => ({ word, count: rows[0]?.counts[index] ?? 0 }))
    .toSorted((a, b) => a.count - b.count)
  return rarest && rarest.count <= FEW ? holders(businessId, rarest.word) : undefined
}

const holders = (businessId: string, { from, to }: Wanted) => sql`
  select file_id
    from media.words
   where business_id = ${businessId} and ${to === undefined ? sql`word = ${from}` : sql`word >= ${from} and word < ${to}`}`

const hasWord = ({ from, to }: Wanted) =>
  to === undefined
    ? sql`${from} = any (files.words)`
    : sql`exists (select from unnest(files.words) as has (word) where has.word >= ${from} and has.word < ${to})`
