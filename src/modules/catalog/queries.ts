import { sql } from 'kysely'
import { createCombiner } from '#platform/combine.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { fetchPrepared } from '#platform/database/hot.ts'
import { countFitting, fittingSql } from '#platform/database/page-bytes.ts'
import { listMatches, PAGE_ORDER, rankedSearch } from '#platform/database/search.ts'
import { etagForReaders } from '#platform/http/etag.ts'
import { notFound } from '#vocabulary/errors.ts'
import { decodeCursor, toPage, toPageText } from '#vocabulary/paging.ts'
import { toAnswer } from './document.ts'
import type { Product, Variant } from './product.ts'
import { PRODUCT_STATUSES, type ProductQuery } from './schemas.ts'

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
    const etag = etagOfProduct(version, stockVersion ?? 0)
    return { text: toAnswer(document, quantities, seesAll), etag: seesAll ? etag : etagForReaders(etag) }
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

/** Those of the products that the caller may see, as they are sent, by id; the first ones, if all would be too large. */
export async function readProducts(
  db: Db,
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

/** Newest first. A page of each status, then the newest of them: one ordered walk over an index for each, never a sort of all. */
const listSql = (where: string) => `
  select ${fittingSql('product.document', 'product.id desc')}, stock.quantities, product.id
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
  select ${fittingSql('product.document', 'product.id')}, stock.quantities, product.id
    from (select business_id, id, document
            from catalog.products
           where business_id = $1 and id > $2 and status <> 'DELETED'
           order by id
           limit $3) as product ${STOCK}
   order by product.id`

const SEARCH = rankedSearch({
  table: 'catalog.search',
  id: 'product_id',
  spellings: 'catalog.spellings',
  conditions: {
    statuses: (value) => `search.status = any (${value})`,
    category: (value) => `(${value}::text is null or search.category = ${value})`,
    slug: (value) => `(${value}::text is null or search.product_id = (
      select id from catalog.products where business_id = $1 and slug = ${value} and status <> 'DELETED'))`,
  },
  join: `join catalog.products as product on product.business_id = $1 and product.id = page.id ${STOCK}`,
  select: `${fittingSql('product.document', PAGE_ORDER)}, stock.quantities`,
})

/** Without a document where the page has become too large. */
export type ListRow = [document: string | null, quantities: string | null, id: string]

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
  if (query.query?.trim()) {
    const values = { statuses, category, slug }
    const asked = { businessId, text: query.query, values, limit, cursor, filters }
    const present = (document: string, quantities: string | null) => toAnswer(document, quantities, seesAll)
    return toPageText(await listMatches(db, SEARCH, asked, present))
  }

  const after = decodeCursor(filters, cursor, ['string'])?.[0] ?? AFTER_ALL
  const [text, ...values] =
    slug !== undefined
      ? [LIST_SLUG, slug, category ?? null]
      : category !== undefined
        ? [LIST_CATEGORY, category]
        : [LIST]
  const rows = await fetchPrepared<ListRow>(db, text, [businessId, statuses, limit + 1, after, ...values])
  const present = ([document, quantities]: ListRow) => toAnswer(document ?? '', quantities, seesAll)
  const shown = countFitting(rows, limit, ([document]) => document)
  return toPageText(toPage(rows, shown, filters, ([, , id]) => [id], present))
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
                     'prices', variant.prices, 'gallery', variant.gallery, 'maxPerOrder', variant.max_per_order)), '[]')
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
