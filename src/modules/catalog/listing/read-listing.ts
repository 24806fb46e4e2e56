import type { Cell } from '#platform/database/database.ts'
import { fittingSql } from '#platform/database/page-bytes.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import { decodeCursor, encodeCursor, type Filters, type Page, type Position } from '#vocabulary/paging.ts'
import { STOCK } from '../products/stock-sql.ts'
import {
  type Add,
  and,
  baseSql,
  createValues,
  estimateSql,
  foundSql,
  isNamed,
  MAX_LOOKED,
  type Matching,
  matchesSql,
  namedSql,
  pricedSql,
} from './matching.ts'
import type { Sort } from './schemas.ts'

/** As few as these an index finds and a sort orders sooner than a walk would meet a page of them. */
const FEW = 5_000
const FEW_PRICES = 1_000
/** Among this many rows, in their order, a page of what is not few turns up, as a rule. */
const LOOKED_FIRST = 4_000

type Order = { key: string; type: 'text' | 'bigint'; isDescending: boolean }
const ORDERS: Record<Exclude<Sort, '-createdAt'>, Order> = {
  name: { key: 'name_key', type: 'text', isDescending: false },
  price: { key: 'price', type: 'bigint', isDescending: false },
  '-price': { key: 'price', type: 'bigint', isDescending: true },
  '-sold': { key: 'sold', type: 'bigint', isDescending: true },
  relevance: { key: 'rank', type: 'bigint', isDescending: true },
}

type Asked = {
  sort: Sort
  limit: number
  cursor: string | undefined
  words: string | undefined
  column: 'document' | 'public_document'
  present: (document: string, quantities: string | null) => string
}
type Row = [
  found: number,
  key: string | number | null,
  id: string | null,
  isMatch: boolean,
  /** Behind this row nobody has looked. */
  isLast: boolean,
  document: string | null,
  quantities: string | null,
]

/** A page of what matches. One that has looked at 20,000 rows ends there, however short it is. */
export async function readListing(db: Cell, matching: Matching, asked: Asked): Promise<Page<string>> {
  const { cursor, sort } = asked
  const filters = fingerprintOf(matching, asked)
  const order = sort === '-createdAt' ? undefined : ORDERS[sort]
  const shape = order ? ([order.type === 'text' ? 'string' : 'number', 'string'] as const) : (['string'] as const)
  const reading = { ...asked, after: decodeCursor(filters, cursor, shape) }
  const { items, reached } = await readPage(db, matching, reading)
  const positionOf = ([, key, id]: Row): Position =>
    order ? [order.type === 'text' ? String(key) : Number(key), String(id)] : [String(id)]
  return { items, cursor: reached ? encodeCursor(filters, positionOf(reached)) : null }
}

type Reading = Asked & { after: Position | undefined }

/**
 * What is rare is found by an index and sorted; what is common turns up on a short walk along the order. Where it does not,
 * because all that matches comes late, up to 20,000 are sorted, and only where there are more is it a long walk. The planner
 * knows which marks are common: finding those by the index alone takes longer than the walk.
 */
async function readPage(db: Cell, matching: Matching, asked: Reading): Promise<Seen> {
  if (isNamed(matching)) {
    const rows = await read(db, (add) =>
      sortedSql(matching, asked, { found: namedSql(matching, add), most: MAX_LOOKED }, add),
    )
    return see(rows, asked)
  }
  const estimated = await estimate(db, matching)
  const isCommon = estimated !== undefined && estimated > FEW
  const most = estimated === undefined ? FEW_PRICES : FEW
  const few = isCommon ? undefined : await readFound(db, matching, asked, most)
  if (few) return few
  const walked = see(await read(db, (add) => walkedSql(matching, asked, LOOKED_FIRST, add)), asked)
  if (!walked.isShort) return walked
  const found = await readFound(db, matching, asked, MAX_LOOKED)
  return found ?? see(await read(db, (add) => walkedSql(matching, asked, MAX_LOOKED, add)), asked)
}

type Plan = [{ Plan: { 'Plan Rows': number } }]

/** How many rows have the marks that are asked for, as far as the planner knows. Undefined: none are. */
async function estimate(db: Cell, matching: Matching): Promise<number | undefined> {
  const { values, add } = createValues()
  const text = estimateSql(matching, add)
  if (!text) return undefined
  const [row] = await fetchRows<[plan: Plan]>(db, text, values)
  return row?.[0][0].Plan['Plan Rows']
}

/** Undefined: an index finds more than `most`, or there is nothing that it could look for. */
async function readFound(db: Cell, matching: Matching, asked: Reading, most: number): Promise<Seen | undefined> {
  const { values, add } = createValues()
  const found = foundSql(matching, most + 1, add)
  if (!found) return undefined
  const rows = await fetchRows<Row>(db, sortedSql(matching, asked, { found, most }, add), values)
  return (rows[0]?.[0] ?? 0) > most ? undefined : see(rows, asked)
}

function read(db: Cell, make: (add: Add) => string): Promise<Row[]> {
  const { values, add } = createValues()
  return fetchRows<Row>(db, make(add), values)
}

/** `reached` is where the next page begins; `isShort`: nobody has looked further, though the page has room. */
type Seen = { items: string[]; reached: Row | undefined; isShort: boolean }

function see(rows: readonly Row[], { limit, present }: Asked): Seen {
  const items: string[] = []
  let reached: Row | undefined
  for (const row of rows) {
    const [, , id, isMatch, isLast, document, quantities] = row
    if (id === null) continue
    // The next page begins with it: there is no room here, or its text would make this page too large.
    if (isMatch && (items.length === limit || document === null)) return { items, reached, isShort: false }
    if (isMatch) items.push(present(document ?? '', quantities))
    reached = row
    if (isLast) return { items, reached, isShort: true }
  }
  return { items, reached: rows.length <= limit ? undefined : reached, isShort: false }
}

/** What follows after the cursor, in which order, and the same order for a row of the page. */
function orderOf({ sort, after }: Pick<Reading, 'sort' | 'after'>, add: Add) {
  if (sort === '-createdAt') {
    const isAfter = after ? `product_id < ${add(after[0], 'text')}` : 'true'
    return { key: 'null', isAfter, by: 'product_id desc', ofPage: 'page.product_id desc' }
  }
  const { key, type, isDescending } = ORDERS[sort]
  const [sign, way] = isDescending ? ['<', ' desc'] : ['>', '']
  const isAfter = after ? `(${key}, product_id) ${sign} (${add(after[0], type)}, ${add(after[1], 'text')})` : 'true'
  return { key, isAfter, by: `${key}${way}, product_id${way}`, ofPage: `page.key${way}, page.product_id${way}` }
}

type Found = { found: string; most: number }

/** Sorts what was found. More than `most`: says only that. */
function sortedSql(matching: Matching, asked: Reading, { found, most }: Found, add: Add): string {
  const { key, isAfter, by, ofPage } = orderOf(asked, add)
  const isShown = `status = any (${add(matching.statuses, 'text[]')})`
  return `
    with found as materialized (${found}
    ), counted as (
      select count(*)::integer as found from found
    ), page as (
      select ${key} as key, product_id, status
        from found
       where ${and([baseSql(matching, add), isShown, matchesSql(matching, add), isAfter])}
       order by ${by}
       limit ${add(asked.limit + 1, 'integer')}
    )
    select counted.found, page.key, page.product_id, true, false, ${textsSql(asked, ofPage)}
      from counted
      left join page on counted.found <= ${most} ${joinSql(matching, add)}
     order by ${ofPage}`
}

/**
 * Walks along the order until the page is full. The last row that may be looked at comes along, whether it matches or not: from
 * there the next page goes on.
 */
function walkedSql(matching: Matching, asked: Reading, most: number, add: Add): string {
  const { key, isAfter, by, ofPage } = orderOf(asked, add)
  const limit = add(asked.limit + 1, 'integer')
  const matches = matchesSql(matching, add)
  const isByPrice = asked.sort === 'price' || asked.sort === '-price'
  const walked = [
    baseSql(matching, add),
    'listing.status = wanted.status',
    isAfter,
    ...(isByPrice ? pricedSql(matching, add) : []),
  ]
  return `
    select 0, page.key, page.product_id, page.is_match, page.is_last, ${textsSql(asked, ofPage)}
      from (select found.*
              from unnest((select ${add(matching.statuses, 'text[]')})) as wanted (status)
             cross join lateral (
               select ${key} as key, product_id, status, (${matches}) as is_match, at = ${most} as is_last
                 from (select ordered.*, row_number() over () as at
                         from (select *
                                 from catalog.listing
                                where ${and(walked)}
                                order by ${by}
                                limit ${most}) as ordered) as looked
                where (${matches}) or at = ${most}
                limit ${limit}) as found
             order by ${by.replace(key, 'key')}
             limit ${limit}) as page ${joinSql(matching, add)}
     order by ${ofPage}`
}

const textsSql = ({ column }: Asked, order: string) => `
  ${fittingSql(`product.${column}`, order)}, stock.quantities`

const joinSql = ({ businessId }: Matching, add: Add) => `
  left join catalog.products as product
    on product.business_id = ${add(businessId, 'text')} and product.id = page.product_id ${STOCK}`

/** A cursor is good for the same question only. */
const fingerprintOf = (matching: Matching, { sort, words }: Asked): Filters => ({
  list: 'products',
  businessId: matching.businessId,
  sort,
  query: words,
  market: matching.marketId,
  statuses: matching.statuses,
  marks: matching.marks.flatMap(({ facet, said }) => [facet, ...said]),
  isWithoutCategory: matching.isWithoutCategory,
  priceFrom: matching.priceFrom,
  priceTo: matching.priceTo,
  inStock: matching.inStock,
  ...(matching.ids && { id: matching.ids }),
  slug: matching.slug,
  sku: matching.sku,
})
