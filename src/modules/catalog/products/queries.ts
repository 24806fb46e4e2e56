import { createBatcher } from '#platform/batch.ts'
import type { Cell } from '#platform/database/database.ts'
import { countFitting, fittingSql } from '#platform/database/page-bytes.ts'
import { fetchPrepared } from '#platform/database/prepared.ts'
import { listMatches, PAGE_ORDER, rankedSearch } from '#platform/database/search.ts'
import { toColumn } from '#platform/database/write.ts'
import { etagForReaders } from '#platform/http/etag.ts'
import { decodeCursor, toPage, toPageText } from '#vocabulary/paging.ts'
import { productNotFound } from '../errors.ts'
import { countListing } from '../listing/count-listing.ts'
import { type AttributeFilter, facetsOf } from '../listing/filters.ts'
import { type Matching, type Ranked, toMatching } from '../listing/matching.ts'
import { readFacets } from '../listing/read-facets.ts'
import { readListing } from '../listing/read-listing.ts'
import type { Facets, ProductCounts } from '../listing/schemas.ts'
import { PRODUCT_STATUSES, type ProductQuery, VARIANT_FILTERS } from '../schemas.ts'
import { toAnswer } from './document.ts'
import { type PublicReader, toPublicAnswer } from './public-document.ts'
import { STOCK } from './stock-sql.ts'

/** Sorts after every id: the start of a keyset pagination from the newest. */
const AFTER_ALL = '~'

// Arrays come from a subquery, which hides their length from the planner: one generic plan serves all lengths.
export const GET_PRODUCTS = `
  select wanted.at, product.document, stock.quantities, product.status, product.version, stock.version
    from unnest((select $1::text[]), (select $2::text[])) with ordinality as wanted (business_id, id, at)
    join catalog.products as product
      on product.business_id = wanted.business_id and product.id = wanted.id and product.status <> 'DELETED' ${STOCK}`

type FoundRow = [
  at: number,
  document: string,
  quantities: string | null,
  status: string,
  version: number,
  stockVersion: number | null,
]
type Wanted = { businessId: string; id: string }
export type FoundProduct = { text: string; etag: string }

export const etagOfProduct = (version: number, stockVersion: number) => `"${version}.${stockVersion}"`

/**
 * Request batching: products that are asked for at the same time are read in one statement. A shop front reads
 * thousands a second, and most of the cost of a read is the round trip.
 */
export function createProductReader() {
  const read = createBatcher<Cell, Wanted, FoundRow | undefined>(
    async (db, wanted) => {
      const values = [wanted.map(({ businessId }) => businessId), wanted.map(({ id }) => id)]
      const rows = await fetchPrepared<FoundRow>(db, GET_PRODUCTS, values)
      const found = new Map(rows.map((row) => [row[0], row]))
      return wanted.map((_, index) => ({ status: 'fulfilled', value: found.get(index + 1) }))
    },
    { maxItems: 50, lanes: 2 },
  )
  /** The product as response text. Callers who may not see drafts get 404 for them. */
  return async function getProduct(db: Cell, businessId: string, id: string, seesAll: boolean): Promise<FoundProduct> {
    const row = await read(db, { businessId, id })
    if (!row || !(seesAll || row[3] === 'ACTIVE')) throw productNotFound()
    const [, document, quantities, , version, stockVersion] = row
    const etag = etagOfProduct(version, stockVersion ?? 0)
    return { text: toAnswer(document, quantities, seesAll), etag: seesAll ? etag : etagForReaders(etag) }
  }
}

export const GET_PUBLIC = `
  select wanted.at, product.public_document, stock.quantities
    from unnest((select $1::text[]), (select $2::text[])) with ordinality as wanted (business_id, id_or_slug, at)
   cross join lateral (
     select coalesce((select product_id from catalog.product_slugs
                       where business_id = wanted.business_id and slug = wanted.id_or_slug), wanted.id_or_slug) as id
   ) as named
    join catalog.products as product
      on product.business_id = wanted.business_id and product.id = named.id and product.status = 'ACTIVE' ${STOCK}`

type WantedPublic = { businessId: string; idOrSlug: string }
type PublicRow = [at: number, document: string, quantities: string | null]

/** The same for strangers, by id or by a slug of any locale. */
export function createPublicReader() {
  const read = createBatcher<Cell, WantedPublic, PublicRow | undefined>(
    async (db, wanted) => {
      const values = [wanted.map(({ businessId }) => businessId), wanted.map(({ idOrSlug }) => idOrSlug)]
      const rows = await fetchPrepared<PublicRow>(db, GET_PUBLIC, values)
      const found = new Map(rows.map((row) => [row[0], row]))
      return wanted.map((_, index) => ({ status: 'fulfilled', value: found.get(index + 1) }))
    },
    { maxItems: 50, lanes: 2 },
  )
  return async function getPublic(db: Cell, wanted: WantedPublic, reader: PublicReader): Promise<string> {
    const row = await read(db, wanted)
    if (!row) throw productNotFound()
    return toPublicAnswer(row[1], row[2], reader)
  }
}

const READ_PRODUCTS = `
  select product.id, ${fittingSql('product.document', 'wanted.at')}, stock.quantities
    from unnest((select $2::text[])) with ordinality as wanted (id, at)
   cross join lateral (
     select business_id, id, document
       from catalog.products
      where products.business_id = $1 and products.id = wanted.id
        and (products.status = 'ACTIVE' or ($3 and products.status <> 'DELETED'))
      limit 1) as product ${STOCK}`

/** Response texts of the products that the caller may see, by id. Stops when the sum gets too large. */
export async function readProducts(
  db: Cell,
  businessId: string,
  ids: readonly string[],
  seesAll: boolean,
): Promise<Map<string, string>> {
  type Row = [id: string, document: string | null, quantities: string | null]
  const rows = await fetchPrepared<Row>(db, READ_PRODUCTS, [businessId, ids, seesAll])
  return new Map(
    rows.flatMap(([id, document, quantities]) =>
      document === null ? [] : [[id, toAnswer(document, quantities, seesAll)] as const],
    ),
  )
}

/** What a list shows: the text for callers who are known, or that for strangers. */
type DocumentColumn = 'document' | 'public_document'

/**
 * Newest first, by keyset pagination. Reads one page per status and merges them: an ordered index scan each, never a
 * sort of all.
 */
const listSql = (where: string, column: DocumentColumn) => `
  select ${fittingSql(`product.${column}`, 'product.id desc')}, stock.quantities, product.id
    from (select found.*
            from unnest((select $2::text[])) as wanted (status)
           cross join lateral (
             select business_id, id, ${column}
               from catalog.products
              where products.business_id = $1 and products.status = wanted.status and products.id < $4 ${where}
              order by id desc
              limit $3
           ) as found
           order by found.id desc
           limit $3) as product ${STOCK}
   order by product.id desc`

/** Ids of products that have a variant with this value. Read first, because the index is on variants. */
const havingVariant = (column: string, value: string) => `array(
  select product_id
    from catalog.variants
   where business_id = $1 and ${toColumn(column)} = ${value} and ${toColumn(column)} <> '' and position is not null)`

type VariantFilter = keyof typeof VARIANT_FILTERS

function byColumn<Made>(make: (column: VariantFilter) => Made): Record<VariantFilter, Made> {
  const columns = Object.keys(VARIANT_FILTERS) as VariantFilter[]
  return Object.fromEntries(columns.map((column) => [column, make(column)])) as Record<VariantFilter, Made>
}

/** The SQL condition of each filter. */
const FILTERS = {
  id: (value: string) => `products.id = any (${value}::text[])`,
  category: (value: string) => `products.category = ${value}`,
  slug: (value: string) => `products.slug = ${value} and products.status <> 'DELETED'`,
  ...byColumn((column) => (value: string) => `products.id = any (${havingVariant(column, value)})`),
}
const FILTER_NAMES = Object.keys(FILTERS) as (keyof typeof FILTERS)[]

export const LIST = listSql('', 'document')
const lists = new Map([['document', LIST]])

/** One statement per combination of filters, so that each combination gets its own plan. */
function listFor(column: DocumentColumn, names: readonly (keyof typeof FILTERS)[]): string {
  const key = [column, ...names].join()
  const conditions = names.map((name, index) => `and ${FILTERS[name](`$${index + 5}`)}`)
  const text = lists.get(key) ?? listSql(conditions.join(' '), column)
  lists.set(key, text)
  return text
}

export const EXPORT = `
  select ${fittingSql('product.document', 'product.id')}, stock.quantities, product.id
    from (select business_id, id, document
            from catalog.products
           where business_id = $1 and id > $2 and status <> 'DELETED'
           order by id
           limit $3) as product ${STOCK}
   order by product.id`

const searchFor = (shown: { join: string; select: string }) =>
  rankedSearch({
    ...shown,
    table: 'catalog.search',
    id: 'product_id',
    spellings: 'catalog.spellings',
    conditions: {
      statuses: (value) => `search.status = any (${value})`,
      id: (value) => `(${value}::text[] is null or search.product_id = any (${value}::text[]))`,
      category: (value) => `(${value}::text is null or search.category = ${value})`,
      slug: (value) => `(${value}::text is null or search.product_id = (
      select id from catalog.products where business_id = $1 and slug = ${value} and status <> 'DELETED'))`,
      ...byColumn(
        (field) => (value) => `(${value}::text is null or search.product_id = any (${havingVariant(field, value)}))`,
      ),
    },
  })
const searchOf = (column: DocumentColumn) =>
  searchFor({
    join: `join catalog.products as product on product.business_id = $1 and product.id = page.id ${STOCK}`,
    select: `${fittingSql(`product.${column}`, PAGE_ORDER)}, stock.quantities`,
  })
const SEARCHES = { document: searchOf('document'), public_document: searchOf('public_document') }
const SEARCH_IDS = searchFor({ join: '', select: 'page.id, page.rank' })
export const MAX_FOUND = 20_000

/** All that a search finds, for lists that filter or sort it otherwise. */
async function findRanked(
  db: Cell,
  businessId: string,
  { query: text = '', id, category, slug, sku }: Pick<ProductQuery, 'query' | 'id' | 'category' | 'slug' | 'sku'>,
  statuses: readonly string[],
): Promise<Ranked | undefined> {
  if (!text.trim()) return undefined
  const asked = { businessId, text, values: { statuses, id, category, slug, sku }, limit: MAX_FOUND, cursor: undefined }
  const { items } = await listMatches(db, SEARCH_IDS, { ...asked, filters: {} }, (id: string, rank: number) => ({
    id,
    rank,
  }))
  return { ids: items.map(({ id }) => id), ranks: items.map(({ rank }) => rank) }
}

/** The best of what a search finds, whatever their status. */
export async function searchProductIds(db: Cell, businessId: string, text: string, limit: number): Promise<string[]> {
  const values = { statuses: PRODUCT_STATUSES, id: undefined, category: undefined, slug: undefined, sku: undefined }
  const asked = { businessId, text, values, limit, cursor: undefined, filters: {} }
  return (await listMatches(db, SEARCH_IDS, asked, (id: string) => id)).items
}

/** The document is null from the point where the page would get too large. */
export type ListRow = [document: string | null, quantities: string | null, id: string]

/**
 * Request batching: callers who wait for the same page share one statement, because a shop's front page is read by many
 * at once.
 */
export function createListReader() {
  type Asked = Parameters<typeof listProducts>
  const read = createBatcher<string, Asked, string>(
    async (_key, asked) => {
      const value = await listProducts(...(asked[0] as Asked))
      return asked.map(() => ({ status: 'fulfilled', value }))
    },
    { maxItems: 1_000, lanes: 2 },
  )
  return (...asked: Asked): Promise<string> => read(JSON.stringify(asked.slice(1)), asked)
}

/** Known callers see drafts or not; strangers see a market, a locale and no more. */
export type Reader = { seesAll: boolean } | PublicReader

const statusesFor = (reader: Reader, status?: string): readonly string[] =>
  status ? [status] : 'seesAll' in reader && reader.seesAll ? PRODUCT_STATUSES : ['ACTIVE']

type ListQuery = ProductQuery & { attributes?: readonly AttributeFilter[] }

/** What only the narrow rows of lists can answer; undefined where the products themselves do. */
function listingOf({ categoryId, tag, attributes = [], inStock, priceFrom, priceTo, sort, query }: ListQuery) {
  const usual = query?.trim() ? 'relevance' : '-createdAt'
  const isFiltered = [categoryId, tag, inStock, priceFrom, priceTo].some((value) => value !== undefined)
  return isFiltered || attributes.length > 0 || (sort ?? usual) !== usual ? (sort ?? usual) : undefined
}

/** What a list, its facets or a bulk edit asks for, with everything looked up that it names. */
export async function matchingOf(
  db: Cell,
  businessId: string,
  query: Omit<ListQuery, 'limit' | 'cursor'>,
  reader: Reader,
): Promise<Matching> {
  const statuses = statusesFor(reader, query.status)
  const ranked = await findRanked(db, businessId, query, statuses)
  return toMatching(db, { businessId, statuses, ranked }, query)
}

/** A page of products as response text. */
async function listProducts(db: Cell, businessId: string, query: ListQuery, reader: Reader): Promise<string> {
  const { limit = 20, cursor, id, category, slug, query: words, status, sku } = query
  const ofVariants = 'sku' in query ? { sku } : {}
  const isKnown = 'seesAll' in reader
  const column = isKnown ? 'document' : 'public_document'
  const statuses = statusesFor(reader, status)
  const present = (document: string, quantities: string | null) =>
    isKnown ? toAnswer(document, quantities, reader.seesAll) : toPublicAnswer(document, quantities, reader)
  const sort = listingOf(query)
  if (sort) {
    const matching = await matchingOf(db, businessId, query, reader)
    return toPageText(await readListing(db, matching, { sort, limit, cursor, words, column, present }))
  }
  const filters = {
    list: 'products',
    businessId,
    category,
    slug,
    query: words,
    statuses,
    ...(id && { id }),
    ...ofVariants,
  }
  if (words?.trim()) {
    const values = { statuses, id, category, slug, ...byColumn((name) => query[name]) }
    const asked = { businessId, text: words, values, limit, cursor, filters }
    return toPageText(await listMatches(db, SEARCHES[column], asked, present))
  }

  const after = decodeCursor(filters, cursor, ['string'])?.[0] ?? AFTER_ALL
  const names = FILTER_NAMES.filter((name) => query[name] !== undefined)
  const values = [businessId, statuses, limit + 1, after, ...names.map((name) => query[name])]
  const rows = await fetchPrepared<ListRow>(db, listFor(column, names), values)
  const shown = countFitting(rows, limit, ([document]) => document)
  return toPageText(
    toPage(
      rows,
      shown,
      filters,
      ([, , id]) => [id],
      ([document, quantities]) => present(document ?? '', quantities),
    ),
  )
}

type CountQuery = Omit<ListQuery, 'limit' | 'cursor' | 'sort'>

export async function countProducts(db: Cell, businessId: string, query: CountQuery): Promise<ProductCounts> {
  const statuses = statusesFor({ seesAll: true }, query.status)
  const ranked = await findRanked(db, businessId, query, statuses)
  return countListing(db, await toMatching(db, { businessId, statuses, ranked }, query))
}

type FacetQuery = CountQuery & { facets: string }

export async function listFacets(db: Cell, businessId: string, query: FacetQuery, reader: Reader): Promise<Facets> {
  const names = facetsOf(query)
  return readFacets(db, await matchingOf(db, businessId, query, reader), names)
}
