import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { ORDER_STATUSES } from '../schemas.ts'
import { type Asked, type Condition, EMAIL, lowered, marketTerms, productTerms, within } from './conditions.ts'
import type { Sort } from './schemas.ts'
import { markOf } from './search-row.ts'
import { rangeOf, toTermQuery } from './typed.ts'

/** Where a page is read from. */
export type Source = (Few | Orders | Search) & {
  /** Asked for so often that its plan is kept. */
  isFrequent?: boolean
}
/** Ids of the few orders that can match at all. */
type Few = { kind: 'few'; ids: RawBuilder<unknown> }
/** Orders in the order of their ids, through one index or several. */
type Orders = { kind: 'orders'; walks: readonly Walk[]; bounds: Condition }
/**
 * A way through an index, for each value by itself. `where` is the index's condition on that value; `fits` says which
 * orders are not for another walk.
 */
export type Walk = { values: readonly string[]; where: Condition; fits?: Condition }
/** Search rows, in any order. */
type Search = { kind: 'search'; bounds: Condition }

/** More than these that share a word are never read and sorted: the newest are looked through. */
const FEW_BY_WORD = 20_000
/** As many are, however small the business. */
const FEW_ANYWHERE = 500
/** Up to this many are counted out of an index to find that they are few. */
const FEW_COUNTED = 2_000
const FEW_BEGINNINGS = 1_000
const MAX_ENDINGS = 50

const ONE = ['']
const NO_BOUNDS = sql`true`
/** Clocks of two processes are closer than this. */
const CLOCKS_DIFFER_SECONDS = 3_600

type Choice = { asked: Asked; sort: Sort; limit: number }

/** The source with the fewest rows to look at, as far as that can be known cheaply. */
export async function chooseSource(db: Db, { asked, sort, limit }: Choice): Promise<Source> {
  if (asked.id) return { kind: 'few', ids: sql`select distinct unnest(${asked.id}::text[]) as id` }
  const isById = sort.endsWith('createdAt')
  if (isById && isPlain(asked)) return { ...walk(asked, NO_BOUNDS), isFrequent: true }
  const candidates = countable(asked, isById)
  const { typed, productId, market, tag, createdFrom, createdTo } = asked
  const isToBeAsked = [typed, productId, market, tag, createdFrom, createdTo].some((filter) => filter !== undefined)
  if (candidates.length === 0 && !isToBeAsked)
    return isById ? walk(asked, NO_BOUNDS) : { kind: 'search', bounds: NO_BOUNDS }
  const known = await askHowMany(db, asked, candidates)
  const few = [
    ...candidates.map((ids, index) => ({ ids, count: known.counts[index] as number, max: FEW_COUNTED })),
    ...fewByWord(asked, known, limit),
  ].filter(({ count, max }) => count <= max)
  const [fewest] = few.sort((a, b) => a.count - b.count)
  if (fewest) return { kind: 'few', ids: fewest.ids }
  if (!isById) return { kind: 'search', bounds: totalBounds(asked, sort) }
  const boundsOn = (column: string) => createdBounds(asked, sql.ref(column))
  const isByText = (asked.typed ?? asked.productId) !== undefined
  if (isByText && !isNarrow(asked)) return { kind: 'search', bounds: boundsOn('search.order_id') }
  return walk(asked, boundsOn('orders.id'))
}

/** Only statuses, customers and fulfillments: their indexes are in the order of ids. */
const PLAIN: readonly string[] = ['businessId', 'customerIds', 'status', 'fulfillment'] satisfies (keyof Asked)[]
const isPlain = (asked: Asked) =>
  Object.entries(asked).every(([name, value]) => value === undefined || PLAIN.includes(name))

const isNarrow = ({ fulfillment, ...asked }: Asked) =>
  walksOf({ ...asked, status: undefined, ...(isPartly(fulfillment) && { fulfillment }) }) !== EVERYTHING

const walk = (asked: Asked, bounds: Condition): Source => ({ kind: 'orders', walks: walksOf(asked), bounds })

/** The indexes through which orders are looked at one after another, the narrowest first. */
function walksOf({ customerIds, promoCode, paymentStatus, fulfillment, status }: Asked): readonly Walk[] {
  const of = (values: readonly string[], where: Condition) => [{ values: [...new Set(values)], where }]
  if (customerIds) return of(customerIds, sql`orders.customer_id = source.value`)
  if (promoCode) return of(promoCode, sql`orders.promo_code = source.value`)
  if (paymentStatus?.every(isRarePayment))
    return of(paymentStatus, sql`orders.payment_status = source.value and ${IS_RARE_PAYMENT}`)
  const ways = fulfillment && walksByFulfillment(fulfillment, status)
  if (ways) return ways
  if (status) return of(status, OF_STATUS)
  return EVERYTHING
}

const OF_STATUS = sql`orders.status = source.value`
const EVERYTHING: readonly Walk[] = [{ values: ONE, where: NO_BOUNDS }]

const isPartly = (fulfillment: readonly string[] | undefined) =>
  fulfillment?.every((value) => value === 'PARTIALLY_FULFILLED') ?? false

/**
 * The status tells most: else a page of those that have gone out would read all that wait, which are the newest. Undefined
 * where nearly all orders are asked for.
 */
function walksByFulfillment(
  fulfillment: readonly string[],
  status: readonly string[] | undefined,
): readonly Walk[] | undefined {
  const [isDone, isPart, isOpen] = ['FULFILLED', 'PARTIALLY_FULFILLED', 'UNFULFILLED'].map((value) =>
    fulfillment.includes(value),
  )
  if (isDone && isOpen) return undefined
  const values = (ORDER_STATUSES as readonly string[]).filter(
    (value) =>
      ((isDone && SENT.includes(value)) || (isOpen && !SENT.includes(value))) && (status?.includes(value) ?? true),
  )
  const fits = sql`${IS_PARTLY_FULFILLED} is not true`
  const isRefundedAsked = status?.includes('REFUNDED') ?? true
  return [
    ...(isDone || isOpen ? [{ values, where: OF_STATUS, fits }] : []),
    ...(isPart ? [{ values: ['PARTIALLY_FULFILLED'], where: IS_PARTLY_FULFILLED }] : []),
    ...(isDone ? [{ values: ['FULFILLED'], where: IS_FULFILLED_ANYWAY }] : []),
    // Sent by the status alone, then refunded: their history tells.
    ...(isDone && isRefundedAsked
      ? [{ values: ['REFUNDED'], where: OF_STATUS, fits: sql`orders.fulfillment is null` }]
      : []),
  ]
}

/** Orders without a shipment are fulfilled in these, and in REFUNDED after one of these. */
const SENT: readonly string[] = ['SHIPPED', 'DELIVERED']

// Spelled as in the indexes, which PostgreSQL uses only if it sees that they have all rows that are asked for.
const isRarePayment = (status: string) => ['FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED'].includes(status)
const IS_RARE_PAYMENT = sql`orders.payment_status in ('FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED')`
const IS_PARTLY_FULFILLED = sql`orders.fulfillment = 'PARTIALLY_FULFILLED'`
const IS_FULFILLED_ANYWAY = sql`(orders.fulfillment = 'FULFILLED' and orders.status not in ('SHIPPED', 'DELIVERED'))`

/**
 * Sets of ids whose size an index tells. Sorted by anything but the id, every filter may be worth it. Each is read in the
 * order of its index: for common values PostgreSQL would else read the table from its beginning.
 */
function countable(asked: Asked, isById: boolean): Condition[] {
  const { businessId, customerIds, promoCode, paymentStatus, fulfillment, status, createdFrom, createdTo } = asked
  const orders = (filter: Partial<Asked>) => {
    const parts = walksOf(filter as Asked).map(
      ({ values, where }) => sql`
        select found.id
          from unnest((select ${values}::text[])) as source (value)
         cross join lateral (
           select orders.id
             from orders.orders
            where orders.business_id = ${businessId} and ${where}
            order by orders.id desc
            limit ${FEW_COUNTED + 1}) as found`,
    )
    return sql.join(parts, sql` union all `)
  }
  const searched = (where: Condition, by: string) => sql`
    select found.id
      from (select search.order_id as id
              from orders.search
             where search.business_id = ${businessId} and ${where}
             order by ${sql.ref(by)}
             limit ${FEW_COUNTED + 1}) as found`
  const hasTotal = asked.totalFrom !== undefined || asked.totalTo !== undefined
  const ofTotal = hasTotal ? [searched(totalBounds(asked, 'total'), 'search.total')] : []
  if (isById) return ofTotal
  const created = [
    createdFrom === undefined ? undefined : sql`search.created_at >= to_timestamp(${createdFrom})`,
    createdTo === undefined ? undefined : sql`search.created_at < to_timestamp(${createdTo})`,
  ].filter((condition) => condition !== undefined)
  return [
    ...ofTotal,
    customerIds && orders({ customerIds }),
    promoCode && orders({ promoCode }),
    status && orders({ status }),
    paymentStatus?.every(isRarePayment) && orders({ paymentStatus }),
    isPartly(fulfillment) && orders({ fulfillment }),
    created.length > 0 && searched(sql.join(created, sql` and `), 'search.created_at'),
  ].filter((candidate) => typeof candidate === 'object')
}

type Counted = [word: string, orders: number]
type Known = {
  counts: number[]
  words: Counted[] | null
  endings: Counted[] | null
  numbers: number
  emails: number
}

/** How many orders there are of each, counted up to the point where it no longer matters. */
async function askHowMany(db: Db, asked: Asked, candidates: readonly Condition[]): Promise<Known> {
  const { businessId, typed } = asked
  const counts = candidates.map(
    (ids) => sql`(select count(*) from (${ids} limit ${FEW_COUNTED + 1}) as counted)::integer`,
  )
  const begins = (ids: Condition | undefined) =>
    ids ? sql`(select count(*) from (${ids} limit ${FEW_BEGINNINGS + 1}) as counted)::integer` : sql`0`
  const { rows } = await sql<Known>`
    select array[${counts.length > 0 ? sql.join(counts) : sql``}]::integer[] as counts,
           (select json_agg(json_build_array(word, orders))
              from orders.words
             where business_id = ${businessId} and word = any (${wordsIn(asked)}::text[])) as words,
           ${typed?.unfinished === undefined ? sql`null` : endingsOf(businessId, typed.unfinished)} as endings,
           ${begins(typed && numbersOf(asked))} as numbers,
           ${begins(typed && emailsOf(asked))} as emails`.execute(db)
  return rows[0] as Known
}

/** Whatever has a count among the words; the empty word is all orders. */
const wordsIn = ({ productId = [], market = [], tag = [], typed }: Asked) => [
  '',
  ...productId.map(markOf.product),
  ...market.map(markOf.market),
  ...tag.map(markOf.tag),
  ...(typed ? [...typed.words, typed.unfinished, typed.joined].filter((word) => word !== undefined) : []),
]

function endingsOf(businessId: string, beginning: string) {
  const { from, to } = rangeOf(beginning)
  return sql`
    (select json_agg(json_build_array(word, orders))
       from (select word, orders
               from orders.words
              where business_id = ${businessId} and word >= ${from} and word < ${to}
              order by word
              limit ${MAX_ENDINGS + 1}) as ending)`
}

const numbersOf = ({ businessId, typed }: Asked) =>
  typed?.number && beginning(businessId, sql`orders.number`, within(sql`orders.number`, typed.number))

const emailsOf = ({ businessId, typed }: Asked) =>
  typed?.email &&
  beginning(businessId, EMAIL, sql`orders.contact_email is not null and ${within(EMAIL, lowered(typed.email))}`)

const beginning = (businessId: string, value: Condition, where: Condition) => sql`
  select found.id
    from (select orders.id
            from orders.orders
           where orders.business_id = ${businessId} and ${where}
           order by ${value}
           limit ${FEW_BEGINNINGS + 1}) as found`

/** Sets of ids that a word, a product, a market or a tag gives. */
function fewByWord(asked: Asked, known: Known, limit: number) {
  const { businessId, tag, productId, market, typed } = asked
  const counts = new Map(known.words)
  const countOf = (words: readonly string[]) => words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0)
  const searched = (terms: string) =>
    sql`select search.order_id as id from orders.search where search.business_id = ${businessId} and search.terms @@ ${terms}::tsquery`
  // Of n orders, c have it. Reading these costs c; looking through the newest until the page is full, limit × n / c.
  const even = Math.sqrt((limit + 1) * countOf(['']))
  const max = Math.min(FEW_BY_WORD, Math.max(FEW_ANYWHERE, even))
  const found: { ids: Condition; count: number; max: number }[] = []
  const add = (ids: Condition, count: number) => found.push({ ids, count, max })
  if (tag) {
    const ids = sql`
      select orders.id from orders.orders
       where orders.business_id = ${businessId} and orders.tags <> '{}' and orders.tags && ${tag}::text[]`
    add(ids, countOf(tag.map(markOf.tag)))
  }
  const products = productTerms(asked)
  if (productId && products) add(searched(products), countOf(productId.map(markOf.product)))
  // In a business of this size all orders are looked at anyway, and those of the last seconds are among them.
  const isSmall = countOf(['']) <= FEW_BY_WORD
  const markets = marketTerms(asked)
  if (market && markets && !isSmall) add(searched(markets), countOf(market.map(markOf.market)))
  if (typed) {
    const { numbers, emails, endings } = known
    const isFew = numbers <= FEW_BEGINNINGS && emails <= FEW_BEGINNINGS && (endings ?? []).length <= MAX_ENDINGS
    const terms = toTermQuery(
      typed,
      (endings ?? []).map(([word]) => word),
    )
    const ways = [numbersOf(asked), emailsOf(asked), terms === undefined ? undefined : searched(terms)]
    const rarest = Math.min(
      ...typed.words.map((word) => countOf([word])),
      typed.unfinished === undefined
        ? Number.POSITIVE_INFINITY
        : (endings ?? []).reduce((sum, [, count]) => sum + count, 0),
    )
    const ofTerms = terms === undefined ? 0 : rarest + (typed.joined === undefined ? 0 : countOf([typed.joined]))
    const unions = ways.filter((way) => way !== undefined)
    if (isFew)
      add(
        unions.length > 0 ? sql.join(unions, sql` union `) : sql`select null as id where false`,
        numbers + emails + ofTerms,
      )
  }
  return found
}

/** Between which totals to look. */
function totalBounds({ totalFrom, totalTo }: Asked, sort: Sort): Condition {
  if (!sort.endsWith('total')) return NO_BOUNDS
  return sql`search.total between ${totalFrom ?? 0}::bigint and ${totalTo ?? Number.MAX_SAFE_INTEGER}::bigint`
}

/**
 * Between which ids to look: ids are in the order of creation, but for the difference between two processes' clocks.
 * Orders without a search row yet are newer than all that have one.
 */
function createdBounds({ businessId, createdFrom, createdTo }: Asked, id: Condition): Condition {
  const firstFrom = (seconds: number) => sql`
    (select search.order_id
       from orders.search
      where search.business_id = ${businessId} and search.created_at >= to_timestamp(${seconds})
      order by search.created_at, search.order_id
      limit 1)`
  const newest = sql`
    (select search.order_id from orders.search where search.business_id = ${businessId} order by search.order_id desc limit 1)`
  const bounds = [
    createdFrom === undefined
      ? undefined
      : sql`${id} >= coalesce(${firstFrom(createdFrom - CLOCKS_DIFFER_SECONDS)}, ${newest}, '')`,
    createdTo === undefined ? undefined : sql`${id} < coalesce(${firstFrom(createdTo + CLOCKS_DIFFER_SECONDS)}, '~')`,
  ].filter((bound) => bound !== undefined)
  return bounds.length === 0 ? NO_BOUNDS : sql.join(bounds, sql` and `)
}
