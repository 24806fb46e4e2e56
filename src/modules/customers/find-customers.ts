import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { wordsOf } from '#vocabulary/search-words.ts'
import type { CustomerRow } from './customer.ts'
import { CUSTOMER, markOf } from './queries.ts'
import type { CustomerFilters, Sort } from './schemas.ts'

/** At most this many rows are looked at for a page. */
const MAX_LOOKED_AT = 4_000
/** Up to so many who have a word are read and sorted; of more, the list is walked through. */
const FEW = 4_000
const MAX_WORDS = 10
/** Sorts after every text with the same beginning. */
const AFTER_ALL = '\u{10FFFF}'

type Condition = RawBuilder<unknown>
/** The last row of a page, or the last that was looked at. */
export type Place = { key: number | string; id: string }
export type Look = {
  businessId: string
  filters: CustomerFilters
  sort: Sort
  currency?: string | undefined
  after: Place | undefined
  limit: number
}
export type FoundRow = CustomerRow & { sortKey: number | string }

/** From this word up to, but not including, `to`; without it, this word alone. */
type Wanted = { from: string; to?: string }

/** A text that may be the beginning of an address, or words of a name. */
type Typed = { email: Wanted | undefined; words: Wanted[] }

function readTyped(text: string): Typed {
  const trimmed = text.trim()
  const words = wordsOf(trimmed).slice(0, MAX_WORDS)
  const isUnfinished = /[\p{L}\p{M}\p{N}]$/u.test(trimmed)
  return {
    email: /\s/.test(trimmed) || trimmed === '' ? undefined : beginning(trimmed.toLowerCase()),
    words: words.map((word, index) => (isUnfinished && index === words.length - 1 ? beginning(word) : { from: word })),
  }
}

const beginning = (text: string): Wanted => ({ from: text, to: `${text}${AFTER_ALL}` })

const CUSTOMERS = sql`customers.customers`
const ORDERS: Record<Sort, { table: Condition; key: Condition; isDescending: boolean }> = {
  '-lastOrderAt': { table: CUSTOMERS, key: sql`last_order_at`, isDescending: true },
  '-orders': { table: CUSTOMERS, key: sql`orders`, isDescending: true },
  '-spent': { table: sql`customers.spent`, key: sql`amount`, isDescending: true },
  name: { table: CUSTOMERS, key: sql`sort_name`, isDescending: false },
}
/** A time is a number in a cursor: milliseconds. */
export const keyKindOf = (sort: Sort) => (sort === 'name' ? 'string' : 'number')

const MAX_TIME_MS = 8_640_000_000_000_000

function toColumn(sort: Sort, key: number | string): Condition {
  if (sort === '-lastOrderAt')
    return sql`to_timestamp(least(greatest(${key}::bigint, 0), ${MAX_TIME_MS}::bigint) / 1000.0)`
  return sort === 'name' ? sql`${key}::text` : sql`${key}::bigint`
}

/**
 * A page of customers, one more than `limit` if there are more, and the place up to which was looked, if that is not
 * the end and the page is not full.
 */
export async function findCustomers(db: Db, look: Look): Promise<{ rows: FoundRow[]; stop: Place | undefined }> {
  const { businessId, filters, sort, currency = '', after, limit } = look
  const { guests, tag } = filters
  const { table, key, isDescending } = ORDERS[sort]
  const [direction, isAfter] = isDescending ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const typed = filters.query?.trim() ? readTyped(filters.query) : undefined
  const few = await findFew(db, businessId, typed, tag)
  const conditions = [
    ...(typed ? [typedCondition(typed)] : []),
    ...(tag ? [sql`customers.tags && ${tag}::text[]`] : []),
    ...(guests === undefined ? [] : [guests ? IS_GUEST : sql`customers.is_guest is not true`]),
  ]
  const most = conditions.length > 0 ? MAX_LOOKED_AT : limit + 1
  const where = [
    sql`business_id = ${businessId}`,
    ...(sort === '-spent' ? [sql`currency = ${currency}`] : []),
    ...(sort === '-lastOrderAt' && guests ? [IS_GUEST] : []),
    ...(few ? [sql`user_id = any (array(${few}))`] : []),
    ...(after ? [sql`(${key}, user_id) ${isAfter} (${toColumn(sort, after.key)}, ${after.id})`] : []),
  ]
  const walk = sql`
    select user_id, ${key} as key
      from ${table}
     where ${sql.join(where, sql` and `)}
     order by ${key} ${direction}, user_id ${direction}`
  type Row = FoundRow & { stopKey: number | string | null; stopId: string | null }
  const { rows } = await sql<Row>`
    with page as materialized (
      select walked.user_id, walked.key
        from (${walk} limit ${most}) as walked
       cross join lateral (
         select
           from customers.customers
          where business_id = ${businessId} and user_id = walked.user_id
            and ${sql.join([sql`true`, ...conditions], sql` and `)}
          limit 1) as fitting
       order by walked.key ${direction}, walked.user_id ${direction}
       limit ${limit + 1}
    ), stop as materialized (
      select user_id, key
        from (${walk} offset ${most - 1} limit 1) as walked
       where ${conditions.length > 0} and (select count(*) from page) <= ${limit}
    )
    select ${CUSTOMER}, ${toPlain(sort, sql`page.key`)} as sort_key, ${toPlain(sort, sql`stop.key`)} as stop_key,
           stop.user_id as stop_id
      from (select) as one
      left join stop on true
      left join (page join customers.customers on customers.business_id = ${businessId} and customers.user_id = page.user_id)
           on true
     order by page.key ${direction}, page.user_id ${direction}`.execute(db)
  const [first] = rows
  const stop = first?.stopId != null && first.stopKey !== null ? { key: first.stopKey, id: first.stopId } : undefined
  return { rows: rows.filter(({ userId }) => userId !== null), stop }
}

const IS_GUEST = sql`is_guest`

/**
 * Who has the rarest of what is asked for, if they are few. Each word is read no further than that: a common one costs
 * no more than a rare one. Read in the order of the index, so that the table itself is never scanned.
 */
async function findFew(
  db: Db,
  businessId: string,
  typed: Typed | undefined,
  tags: readonly string[] | undefined,
): Promise<Condition | undefined> {
  const marks = (tags ?? []).map((tag): Wanted => ({ from: markOf(tag) }))
  const words = [...(typed?.email ? [typed.email] : []), ...(typed?.words ?? [])]
  const wanted = [...marks, ...words]
  if (wanted.length === 0) return typed ? sql`select null where false` : undefined
  const counts = wanted.map(
    (one) =>
      sql`(select count(*)::integer from (${holders(businessId, one)} order by word, user_id limit ${FEW + 1}) as holder)`,
  )
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`.execute(db)
  const countOf = new Map(wanted.map((one, index) => [one, rows[0]?.counts[index] ?? 0]))
  const sumOf = (some: readonly Wanted[]) => some.reduce((sum, one) => sum + (countOf.get(one) ?? 0), 0)
  const rarest = typed?.words.toSorted((a, b) => sumOf([a]) - sumOf([b]))[0]
  const byText = [...(typed?.email ? [typed.email] : []), ...(rarest ? [rarest] : [])]
  const [best] = [marks, byText].filter((some) => some.length > 0).toSorted((a, b) => sumOf(a) - sumOf(b))
  if (!best || sumOf(best) > FEW) return undefined
  return sql.join(
    best.map((one) => holders(businessId, one)),
    sql` union `,
  )
}

const holders = (businessId: string, { from, to }: Wanted) => sql`
  select user_id
    from customers.words
   where business_id = ${businessId} and ${to === undefined ? sql`word = ${from}` : sql`word >= ${from} and word < ${to}`}`

const toPlain = (sort: Sort, key: Condition) =>
  sort === '-lastOrderAt' ? sql`(extract(epoch from ${key}) * 1000)::bigint` : key

/** A text that is neither the beginning of anything nor holds a word finds nobody. */
function typedCondition({ email, words }: Typed): Condition {
  const ways = [
    ...(email ? [hasWord(email)] : []),
    ...(words.length > 0 ? [sql`(${sql.join(words.map(hasWord), sql` and `)})`] : []),
  ]
  return ways.length === 0 ? sql`false` : sql`(${sql.join(ways, sql` or `)})`
}

const hasWord = ({ from, to }: Wanted) =>
  to === undefined
    ? sql`${from} = any (customers.words)`
    : sql`exists (select from unnest(customers.words) as has (word) where has.word >= ${from} and has.word < ${to})`
