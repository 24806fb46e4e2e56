import type { Cell } from '#platform/database/database.ts'
import { fittingSql } from '#platform/database/page-bytes.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import { decodeCursor, encodeCursor, type Filters, type Page, type Position } from '#vocabulary/paging.ts'
import { STOCK } from '../products/stock-sql.ts'
import { type Add, and, conditionsOf, createValues, MAX_LOOKED, type Matching, sourceOf } from './matching.ts'
import type { Sort } from './schemas.ts'

/** This many rows are sorted rather than walked past. */
const MAX_SORTED = 2_000

type Order = { key: string; type: 'text' | 'bigint'; isDescending: boolean }
const ORDERS: Record<Exclude<Sort, '-createdAt'>, Order> = {
  name: { key: 'name_key', type: 'text', isDescending: false },
  price: { key: 'price', type: 'bigint', isDescending: false },
  '-price': { key: 'price', type: 'bigint', isDescending: true },
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
  isThere: boolean,
  document: string | null,
  quantities: string | null,
]

/** A page of what matches. One that has looked at 20,000 rows ends there, however short it is. */
export async function readListing(db: Cell, matching: Matching, asked: Asked): Promise<Page<string>> {
  const { cursor, sort, limit } = asked
  const filters = fingerprintOf(matching, asked)
  const order = sort === '-createdAt' ? undefined : ORDERS[sort]
  const shape = order ? ([order.type === 'text' ? 'string' : 'number', 'string'] as const) : (['string'] as const)
  const after = decodeCursor(filters, cursor, shape)
  const rows = await readRows(db, matching, { ...asked, after })

  const positionOf = ([, key, id]: Row): Position =>
    order ? [order.type === 'text' ? String(key) : Number(key), String(id)] : [String(id)]
  const items: string[] = []
  let reached: Row | undefined
  const toEnd = (isOver: boolean) => (isOver || !reached ? null : encodeCursor(filters, positionOf(reached)))
  for (const row of rows) {
    const [, , , isMatch, isLast, isThere, document, quantities] = row
    const isShown = isMatch && isThere
    // The next page begins with it: there is no room here, or its text would make this page too large.
    if (isShown && (items.length === limit || document === null)) return { items, cursor: toEnd(false) }
    if (isShown) items.push(asked.present(document ?? '', quantities))
    reached = row
    if (isLast) return { items, cursor: toEnd(false) }
  }
  return { items, cursor: toEnd(rows.length <= limit) }
}

type Reading = Asked & { after: Position | undefined }

async function readRows(db: Cell, matching: Matching, asked: Reading): Promise<Row[]> {
  const { marks, priceFrom, priceTo, ids, slug, sku, ranked } = matching
  const isNamed = ids !== undefined || slug !== undefined || sku !== undefined || ranked !== undefined
  const isMarked = marks.some((mark) => 'oneOf' in mark)
  if (isNamed || isMarked || priceFrom !== undefined || priceTo !== undefined) {
    const most = isNamed ? MAX_LOOKED : MAX_SORTED
    const rows = await read(db, (add) => sortedSql(matching, asked, most, add))
    if ((rows[0]?.[0] ?? 0) <= most) return rows.filter(([, , id]) => id !== null)
  }
  return read(db, (add) => walkedSql(matching, asked, add))
}

function read(db: Cell, make: (add: Add) => string): Promise<Row[]> {
  const { values, add } = createValues()
  return fetchRows<Row>(db, make(add), values)
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

/** Where an index finds few: collects and sorts them. More than `most`: says only that. */
function sortedSql(matching: Matching, asked: Reading, most: number, add: Add): string {
  const { business, base, range, marked, named, rest } = conditionsOf(matching, add)
  const { key, isAfter, by, ofPage } = orderOf(asked, add)
  return `
    with found as materialized (
      select *
        from ${sourceOf(matching, add)}
       where ${and([base, ...range, ...marked, ...named])}
       order by product_id -- so that no plan begins at the start of the table
       limit ${most + 1}
    ), counted as (
      select count(*)::integer as found from found
    ), page as (
      select ${key} as key, product_id, status
        from found
       where ${and([`status = any (${add(matching.statuses, 'text[]')})`, ...rest, isAfter])}
       order by ${by}
       limit ${add(asked.limit + 1, 'integer')}
    )
    select counted.found, page.key, page.product_id, true, false, ${textsSql(asked, ofPage)}
      from counted
      left join page on counted.found <= ${most} ${joinSql(asked, business)}
     order by ${ofPage}`
}

/**
 * Where many match: walks along the order until the page is full. The last row that may be looked at comes along, whether it
 * matches or not: from there the next page goes on.
 */
function walkedSql(matching: Matching, asked: Reading, add: Add): string {
  const { business, base, range, marked, named, rest } = conditionsOf(matching, add)
  const { key, isAfter, by, ofPage } = orderOf(asked, add)
  const limit = add(asked.limit + 1, 'integer')
  const matches = and([...range, ...rest, ...named, ...marked]) // what costs most comes last
  const isByPrice = asked.sort === 'price' || asked.sort === '-price'
  return `
    select 0, page.key, page.product_id, page.is_match, page.is_last, ${textsSql(asked, ofPage)}
      from (select found.*
              from unnest((select ${add(matching.statuses, 'text[]')})) as wanted (status)
             cross join lateral (
               select ${key} as key, product_id, status, (${matches}) as is_match, at = ${MAX_LOOKED} as is_last
                 from (select ordered.*, row_number() over () as at
                         from (select *
                                 from catalog.listing
                                where ${and([base, 'listing.status = wanted.status', isAfter, ...(isByPrice ? ['price is not null', ...range] : [])])}
                                order by ${by}
                                limit ${MAX_LOOKED}) as ordered) as looked
                where (${matches}) or at = ${MAX_LOOKED}
                limit ${limit}) as found
             order by ${by.replace(key, 'key')}
             limit ${limit}) as page ${joinSql(asked, business)}
     order by ${ofPage}`
}

const textsSql = ({ column }: Asked, order: string) => `
  product.id is not null, ${fittingSql(`product.${column}`, order)}, stock.quantities`

/** A text that is not there yet, or a product that an older version of this service deleted, is passed over. */
const joinSql = ({ column }: Asked, business: string) => `
  left join catalog.products as product
    on product.business_id = ${business} and product.id = page.product_id and product.status = page.status
       and product.${column} is not null ${STOCK}`

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
