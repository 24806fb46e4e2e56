import { sql } from 'kysely'
import { createCombiner } from '#platform/combine.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { fetchPrepared, fetchRows } from '#platform/database/hot.ts'
import { notFound } from '#vocabulary/errors.ts'
import { decodeCursor, encodeCursor, type Filters } from '#vocabulary/paging.ts'
import { fillStock } from './document.ts'
import type { Product, Variant } from './product.ts'
import { PRODUCT_STATUSES, type ProductQuery } from './schemas.ts'
import { type SearchQuery, toSearchQuery } from './search-terms.ts'

/** Comes after every id that there is. */
const AFTER_ALL = '~'

/** What is there of each variant, in the order of the document's gaps. */
const STOCK = `
  left join lateral (
    select string_agg(quantity::text, ',' order by position) as quantities, sum(version) as version
      from catalog.stock
     where stock.business_id = product.business_id and stock.product_id = product.id and stock.position is not null
  ) as stock on true`

// The arrays come from a subquery: their length then plays no part in the plan, and PostgreSQL keeps the one that it has made.
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
 * Reads one product for each caller, those who come at the same time together: a shop front reads thousands a second, and most
 * of what one read costs is the round trip.
 */
export function createProductReader() {
  const read = createCombiner<Db, Wanted, FoundRow | undefined>(
    async (db, wanted) => {
      const values = [wanted.map(({ businessId }) => businessId), wanted.map(({ id }) => id)]
      const rows = await fetchPrepared<FoundRow>(db, GET_PRODUCTS, values)
      const found = new Map(rows.map((row) => [row[0], row]))
      return wanted.map((_, index) => ({ status: 'fulfilled', value: found.get(index + 1) }))
    },
    { maxItems: 50, lanes: 2 },
  )
  /** The product as it is sent. Who may not see drafts does not find them. */
  return async function getProduct(db: Db, businessId: string, id: string, seesAll: boolean): Promise<FoundProduct> {
    const row = await read(db, { businessId, id })
    if (!row || !(seesAll || row[3] === 'ACTIVE')) throw notFound('product')
    const [, document, quantities, , version, stockVersion] = row
    return { text: fillStock(document, quantities), etag: etagOfProduct(version, stockVersion ?? 0) }
  }
}

/** Newest first. A page of each status, then the newest of them: one ordered walk over an index for each, never a sort of all. */
const listSql = (where: string) => `
  select product.document, stock.quantities, product.id
    from (select found.*
            from unnest((select $2::text[])) as wanted (status)
           cross join lateral (
             select business_id, id, document
               from catalog.products
              where products.business_id = $1 and products.status = wanted.status and products.id < $4 ${where}
              order by id desc
              limit $3
           ) as found
           order by found.id desc
           limit $3) as product ${STOCK}
   order by product.id desc`
export const LIST = listSql('')
const LIST_CATEGORY = listSql('and products.category = $5')
const LIST_SLUG = listSql(
  "and products.slug = $5 and products.status <> 'DELETED' and ($6::text is null or products.category = $6)",
)

export const EXPORT = `
  select product.document, stock.quantities, product.id
    from (select business_id, id, document
            from catalog.products
           where business_id = $1 and id > $2 and status <> 'DELETED'
           order by id
           limit $3) as product ${STOCK}
   order by product.id`

// However common the words are: this many matches are ranked, the rest is not looked at.
const MAX_RANKED = 20_000
// D, C, B, A: a word of the description, of a variant, of category or SKU, of the name.
const WEIGHTS = '{0.1, 0.3, 0.6, 1.0}'
// ts_rank divides the sum of the weights of all words found by this and by the number of words asked for.
const RANK_DIVISOR = 1.64493406685

// The rank is ten times the sum of weights, a whole number, and depends on the product alone: were it divided by the number of
// words, one new word close to a typo would move everybody's place between two pages. All words must be there, but they are
// ranked as if any would do: for `&` ts_rank looks at distances, and stored terms have none.
const searchSql = (query: string, where: string) => `
  with asked as materialized (
    select query, replace(query::text, '&', '|')::tsquery as any_word,
           (select count(distinct word[1]) from regexp_matches(query::text, '''([^'']+)''', 'g') as word) as words
      from (select ${query} as query) as typed
  ), found as (
    select search.product_id as id,
           round(ts_rank('${WEIGHTS}', search.terms, asked.any_word) * asked.words * ${RANK_DIVISOR} * 10)::integer as rank
      from asked
      join catalog.search on search.terms @@ asked.query
     where search.business_id = $1 and search.status = any ($2) ${where}
     limit ${MAX_RANKED}
  ), page as (
    select * from found where (rank, id) < ($4::bigint, $5::text) order by rank desc, id desc limit $3
  )
  select product.document, stock.quantities, product.id, page.rank
    from page
    join catalog.products as product on product.business_id = $1 and product.id = page.id ${STOCK}
   order by page.rank desc, product.id desc`
// Each word, or any stored word that is at most one typo away from it.
const CORRECTED = `
  (select string_agg('(' || coalesce(part || ' | ' || words, part) || ')', ' & ')::tsquery
     from unnest($8::text[]) with ordinality as asked (part, at)
     left join (select typed.at, string_agg(distinct '''' || spellings.word || '''', ' | ') as words
                  from unnest($9::integer[], $10::text[]) as typed (at, spelling)
                  join catalog.spellings on spellings.business_id = $1 and spellings.spelling = typed.spelling
                 group by typed.at) as corrections using (at))`
const FILTERS = `
       and ($6::text is null or search.category = $6)
       and ($7::text is null or search.product_id = (select id from catalog.products
                                                      where business_id = $1 and slug = $7 and status <> 'DELETED'))`
const SEARCH = searchSql('$8::tsquery', FILTERS)
const SEARCH_CORRECTED = searchSql(CORRECTED, FILTERS)

type ListRow = [document: string, quantities: string | null, id: string]
type SearchRow = [...ListRow, rank: number]

/** The front page of a shop is read by many at once: those who wait for the same page get it from one statement. */
export function createListReader() {
  type Asked = Parameters<typeof listProducts>
  const read = createCombiner<string, Asked, string>(
    async (_key, asked) => {
      const value = await listProducts(...(asked[0] as Asked))
      return asked.map(() => ({ status: 'fulfilled', value }))
    },
    { maxItems: 1_000, lanes: 2 },
  )
  return (...asked: Asked): Promise<string> => read(JSON.stringify(asked.slice(1)), asked)
}

/** A page of products as it is sent. */
async function listProducts(db: Db, businessId: string, query: ProductQuery, seesAll: boolean): Promise<string> {
  const { limit = 20, cursor, category, slug, status } = query
  const statuses = status ? [status] : seesAll ? PRODUCT_STATUSES : ['ACTIVE']
  const filters = { list: 'products', businessId, category, slug, query: query.query, statuses }
  if (query.query?.trim())
    return searchProducts(db, { ...query, businessId, text: query.query, limit, statuses, filters })

  const after = decodeCursor(filters, cursor, ['string'])?.[0] ?? AFTER_ALL
  const [text, ...values] =
    slug !== undefined
      ? [LIST_SLUG, slug, category ?? null]
      : category !== undefined
        ? [LIST_CATEGORY, category]
        : [LIST]
  const rows = await fetchPrepared<ListRow>(db, text, [businessId, statuses, limit + 1, after, ...values])
  return toPageText(rows, limit, (row) => encodeCursor(filters, [row[2]]))
}

type Search = { businessId: string; text: string; limit: number; statuses: readonly string[]; filters: Filters }
const [EXACT, FORGIVING] = [0, 1]

/** Best first, then newest. Only when nothing is spelled like that, words at most one typo away are looked for. */
async function searchProducts(
  db: Db,
  search: Search & { cursor?: string; category?: string; slug?: string },
): Promise<string> {
  const { businessId, text, limit, statuses, filters, cursor, category = null, slug = null } = search
  const [mode, rank, id] = decodeCursor(filters, cursor, ['number', 'number', 'string']) ?? []
  const query = toSearchQuery(text)
  if (!query) return toPageText([], limit, () => '')
  const values = [businessId, statuses, limit + 1, rank ?? 2_000_000_000, id ?? AFTER_ALL, category, slug]
  const page = (rows: SearchRow[], foundBy: number) =>
    toPageText(rows, limit, (row) => encodeCursor(filters, [foundBy, row[3], row[2]]))

  if (mode !== FORGIVING) {
    const rows = await fetchRows<SearchRow>(db, SEARCH, [...values, query.exact])
    if (rows.length > 0 || mode === EXACT || query.spellings.length === 0) return page(rows, EXACT ?? 0)
  }
  return page(await fetchRows<SearchRow>(db, SEARCH_CORRECTED, [...values, ...correctionsOf(query)]), FORGIVING ?? 1)
}

const correctionsOf = ({ parts, spellings }: SearchQuery) => [
  parts,
  spellings.map(({ at }) => at),
  spellings.map(({ spelling }) => spelling),
]

/** Stored documents are joined as they are: parsing and writing them again would cost more than everything else together. */
function toPageText<Row extends ListRow | SearchRow>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): string {
  const shown = rows.length > limit ? rows.slice(0, limit) : rows
  const last = rows.length > limit ? shown.at(-1) : undefined
  const items = shown.map(([document, quantities]) => fillStock(document, quantities)).join(',')
  return `{"items":[${items}],"cursor":${last ? `"${cursorOf(last)}"` : 'null'}}`
}

export type StockRow = { variantId: string; position: number | null; quantity: number; version: number }
export type LockedProduct = { product: Product; removed: Variant[]; stock: StockRow[] }

/** Product rows are locked in the order of their ids, so that two writers of the same ones wait instead of deadlocking. */
export const lockProducts = (tx: Tx, businessId: string, ids: readonly string[]) =>
  tx
    .selectFrom('catalog.products')
    .select(['id', 'version'])
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .where('status', '<>', 'DELETED')
    .orderBy('id')
    .forUpdate()
    .execute()

/**
 * Locked products with their variants and stock; `lockStock` keeps the stock from moving until the transaction ends. A statement
 * of its own, after the lock: its snapshot must be younger.
 */
export async function readLocked(
  tx: Tx,
  businessId: string,
  ids: readonly string[],
  { lockStock }: { lockStock: boolean },
): Promise<LockedProduct[]> {
  const { rows } = await sql<ProductRow>`
    with stock as materialized (
      select * from catalog.stock
       where business_id = ${businessId} and product_id = any (${ids})
       order by product_id, variant_id ${lockStock ? sql`for update` : sql``}
    )
    select id, name, slug, description, category, gallery, blocks, statuses, version, created_at, updated_at,
           (select coalesce(json_agg(json_build_object(
                     'id', variant.id, 'name', variant.name, 'sku', variant.sku, 'attributes', variant.attributes,
                     'prices', variant.prices, 'gallery', variant.gallery)), '[]')
              from catalog.variants as variant
             where variant.business_id = ${businessId} and variant.product_id = product.id) as variants,
           (select coalesce(json_agg(json_build_object(
                     'variantId', stock.variant_id, 'position', stock.position, 'tracked', stock.tracked,
                     'lowStockThreshold', stock.low_stock_threshold, 'quantity', stock.quantity, 'version', stock.version)
                     order by stock.position, stock.variant_id), '[]')
              from stock
             where stock.product_id = product.id) as stock
      from catalog.products as product
     where business_id = ${businessId} and id = any (${ids}) and status <> 'DELETED'
     order by id`.execute(tx)
  return rows.map((row) => toLocked(businessId, row))
}

type Content = Omit<Variant, 'tracked' | 'lowStockThreshold'>
type Inventory = StockRow & Pick<Variant, 'tracked' | 'lowStockThreshold'>
type ProductRow = Omit<Product, 'businessId' | 'variants'> & { variants: Content[]; stock: Inventory[] }

// Put together here: PostgreSQL expects few variants, and would compare each of 500 with each of 500.
function toLocked(businessId: string, { variants: contents, stock, ...row }: ProductRow): LockedProduct {
  const contentOf = new Map(contents.map((content) => [content.id, content]))
  const toVariant = ({ variantId, tracked, lowStockThreshold }: Inventory): Variant[] => {
    const content = contentOf.get(variantId)
    return content ? [{ ...content, tracked, lowStockThreshold }] : []
  }
  return {
    product: { ...row, businessId, variants: stock.filter(({ position }) => position !== null).flatMap(toVariant) },
    removed: stock.filter(({ position }) => position === null).flatMap(toVariant),
    stock: stock.map(({ variantId, position, quantity, version }) => ({ variantId, position, quantity, version })),
  }
}
