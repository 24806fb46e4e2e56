import { type RawBuilder, sql } from 'kysely'
import type { Cell } from '#platform/database/database.ts'
import { decodeCursor, encodeCursor } from '#vocabulary/paging.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { productIdMissing } from '../errors.ts'
import type { VariantKey } from './change-stock.ts'
import { findVariants } from './find-variants.ts'
import type { StockLevel, StockPage, StockQuery } from './schemas.ts'

/** Answers `product_id`, `variant_id` and `pieces` of what `wanted` names; handed in, because orders know it. */
export type CommittedSql = (businessId: string, wanted: RawBuilder<unknown>) => RawBuilder<unknown>

type Row = Omit<StockLevel, 'productName'> & { productName: string | null; key: number; asOf: Date }

/**
 * A page of stock. Found and sorted by the copy that the worker keeps, shown as it is now: quantity, number and committed pieces
 * are read in one statement, so that a count can be compared with them.
 */
export async function listStock(
  db: Cell,
  businessId: string,
  asked: StockQuery,
  committedSql: CommittedSql,
): Promise<StockPage> {
  const { limit = 20, cursor, low, empty, query, productId, variantId, sort = 'quantity' } = asked
  if (variantId && !productId) throw productIdMissing()
  const named = { ...(productId && { productId }), ...(variantId && { variantId }) }
  const filters = { list: 'stock', businessId, low, empty, query, sort, ...named }
  const after = decodeCursor(filters, cursor, ['number', 'string', 'string'])
  const text = query?.trim()
  const found = text ? await findVariants(db, businessId, text) : undefined
  const [way, sign] = sort === 'quantity' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const where = [
    ...(low ? [sql`is_low`] : []),
    ...(empty ? [sql`tracked and quantity = 0`] : []),
    ...(variantId ? [sql`variant_id = any (${variantId}::text[])`] : []),
    ...(after
      ? [sql`(quantity, product_id, variant_id) ${sign} (${after[0]}::bigint, ${after[1]}::text, ${after[2]}::text)`]
      : []),
  ]
  const order = (of: RawBuilder<unknown>) => sql`${of}quantity ${way}, ${of}product_id ${way}, ${of}variant_id ${way}`
  const { rows } = await sql<Row>`
    with page as materialized (
      select product_id, variant_id, quantity
        from ${sourceSql(businessId, productId, found)} as listed
       where ${sql.join([sql`true`, ...where], sql` and `)}
       order by ${order(sql``)}
       limit ${limit + 1}
    ), committed as materialized (${committedSql(businessId, sql`page`)})
    select page.product_id, page.variant_id, page.quantity as key, product.name as product_name, variant.name as variant_name,
           variant.sku, stock.tracked, stock.quantity, committed.pieces as committed, stock.version as number,
           stock.low_stock_threshold, (select seen_until from catalog.listing_stock) as as_of
      from (select null) as one
      left join page on true
      left join committed using (product_id, variant_id)
      left join lateral (
        select tracked, quantity, version, low_stock_threshold
          from catalog.stock
         where business_id = ${businessId} and product_id = page.product_id and variant_id = page.variant_id
           and position is not null
         limit 1) as stock on true
      left join lateral (
        select name from catalog.products
         where business_id = ${businessId} and id = page.product_id and status <> 'DELETED' and stock.tracked is not null
         limit 1) as product on true
      left join lateral (
        select name, sku from catalog.variants
         where business_id = ${businessId} and product_id = page.product_id and id = page.variant_id
         limit 1) as variant on true
     order by ${order(sql`page.`)}`.execute(db)
  const listed = rows.filter((row) => row.productId !== null)
  const last = listed.length > limit ? listed[limit - 1] : undefined
  return {
    items: listed.slice(0, limit).flatMap(present),
    cursor: last ? encodeCursor(filters, [last.key, last.productId, last.variantId]) : null,
    asOf: toSeconds((rows[0] as Row).asOf),
  }
}

/** What was deleted since the copy is left out. */
const present = ({ key: _key, asOf: _asOf, productName, ...level }: Row): StockLevel[] =>
  productName === null ? [] : [{ ...level, productName }]

/** Where rows are found: the copy; that of a few variants; or, of single products, the stock itself. */
function sourceSql(
  businessId: string,
  productIds: readonly string[] | undefined,
  found: readonly VariantKey[] | undefined,
) {
  if (productIds)
    return sql`
      (select product_id, variant_id, quantity, tracked, coalesce(tracked and quantity <= low_stock_threshold, false) as is_low
         from catalog.stock
        where business_id = ${businessId} and product_id = any (${productIds}::text[]) and position is not null
          ${found ? sql`and (product_id, variant_id) in (select * from ${keysSql(found)})` : sql``})`
  if (found)
    return sql`
      (select listed.product_id, listed.variant_id, listed.quantity, listed.is_low, true as tracked
         from ${keysSql(found)}
         join catalog.stock_list as listed on listed.business_id = ${businessId}
              and listed.product_id = wanted.product_id and listed.variant_id = wanted.variant_id)`
  return sql`
    (select product_id, variant_id, quantity, is_low, true as tracked
       from catalog.stock_list
      where business_id = ${businessId})`
}

const keysSql = (keys: readonly VariantKey[]) => sql`
  unnest(${keys.map(({ productId }) => productId)}::text[], ${keys.map(({ variantId }) => variantId)}::text[])
    as wanted (product_id, variant_id)`
