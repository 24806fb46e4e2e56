import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import { insertSpellings } from '#platform/database/search.ts'
import { statusOf, toDocument } from './document.ts'
import type { Product, Variant } from './product.ts'
import { termsOf } from './search-terms.ts'

/** A product as it is to be, and as it was. */
export type Written = { product: Product; before: Product | undefined }

/**
 * Writes products with all that is made from them (variants, stock rows, search terms, the document), whatever their number, in
 * one statement. New variants start with no stock: how much there is, is for `changeStock` alone to say. Rows that stay what
 * they were are not touched, least of all those of stock, for which checkouts are waiting.
 */
export async function writeProducts(tx: Tx, businessId: string, written: readonly Written[]): Promise<void> {
  const products = written.map(({ product }) => toProductRow(product))
  const changed = written.flatMap(({ product, before }) => changedVariants(product, before))
  const found = written.map(({ product, before }) => toSearch(product, before))
  const newWords = found.flatMap((row) => row.newWords)
  await sql`
    with product as (
      insert into catalog.products
      select * from json_populate_recordset(null::catalog.products, ${JSON.stringify(products)})
       order by slug
      on conflict (business_id, id) do update
         set name = excluded.name, slug = excluded.slug, description = excluded.description, category = excluded.category,
             gallery = excluded.gallery, blocks = excluded.blocks, statuses = excluded.statuses, status = excluded.status,
             version = excluded.version, document = excluded.document, updated_at = excluded.updated_at
    ), variant as (
      insert into catalog.variants
      select * from json_populate_recordset(null::catalog.variants, ${JSON.stringify(changed.map(({ row }) => row))})
       order by product_id, id
      on conflict (business_id, product_id, id) do update
         set position = excluded.position, name = excluded.name, sku = excluded.sku, attributes = excluded.attributes,
             prices = excluded.prices, gallery = excluded.gallery, max_per_order = excluded.max_per_order
    ), stock as (
      insert into catalog.stock (business_id, product_id, variant_id, position, tracked, low_stock_threshold)
      select business_id, product_id, variant_id, position, tracked, low_stock_threshold
        from json_populate_recordset(null::catalog.stock, ${JSON.stringify(changed.flatMap(({ stock }) => stock ?? []))})
       order by product_id, variant_id
      on conflict (business_id, product_id, variant_id) do update
         set position = excluded.position, tracked = excluded.tracked, low_stock_threshold = excluded.low_stock_threshold
    ), search as (
      insert into catalog.search
      select * from json_populate_recordset(null::catalog.search, ${JSON.stringify(found.flatMap(({ row }) => row ?? []))})
      on conflict (business_id, product_id) do update
         set status = excluded.status, category = excluded.category, terms = excluded.terms
    )
    ${insertSpellings('catalog.spellings', businessId, newWords)}`.execute(tx)
}

const toProductRow = (product: Product) => ({
  business_id: product.businessId,
  id: product.id,
  name: product.name,
  slug: product.slug,
  description: product.description,
  category: product.category,
  gallery: product.gallery,
  blocks: product.blocks,
  statuses: product.statuses,
  status: statusOf(product),
  version: product.version,
  document: toDocument(product),
  created_at: product.createdAt,
  updated_at: product.updatedAt,
})

function changedVariants(product: Product, before: Product | undefined) {
  const known = new Map(before?.variants.map((variant, position) => [variant.id, { variant, position }]))
  const kept = new Set(product.variants.map(({ id }) => id))
  const key = { business_id: product.businessId, product_id: product.id }
  const rows = product.variants.map((variant, position) => {
    const was = known.get(variant.id)
    const row = { ...key, ...toVariantRow(variant), position }
    const stock = { ...key, variant_id: variant.id, ...toStockRow(variant), position }
    return {
      row,
      stock:
        was && isSame({ ...toStockRow(was.variant), position: was.position }, { ...toStockRow(variant), position })
          ? undefined
          : stock,
      isSame: was?.position === position && isSame(toVariantRow(was.variant), toVariantRow(variant)),
    }
  })
  const removed = [...known.values()]
    .filter(({ variant }) => !kept.has(variant.id))
    .map(({ variant }) => ({
      row: { ...key, ...toVariantRow(variant), position: null },
      stock: { ...key, variant_id: variant.id, ...toStockRow(variant), position: null },
      isSame: false,
    }))
  return [...rows, ...removed].filter((row) => !row.isSame || row.stock)
}

const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)

const toVariantRow = ({ id, name, sku, attributes, prices, gallery, maxPerOrder }: Variant) => ({
  id,
  name,
  sku,
  attributes,
  prices,
  gallery,
  max_per_order: maxPerOrder,
})
const toStockRow = ({ tracked, lowStockThreshold }: Variant) => ({ tracked, low_stock_threshold: lowStockThreshold })

function toSearch(product: Product, before: Product | undefined) {
  const { terms, words } = termsOf(product)
  const was = before && termsOf(before)
  const place = { status: statusOf(product), category: product.category }
  const isUnchanged =
    was?.terms === terms && isSame(place, { status: statusOf(before as Product), category: before?.category })
  const known = new Set(was?.words)
  return {
    row: isUnchanged ? undefined : { business_id: product.businessId, product_id: product.id, ...place, terms },
    newWords: words.filter((word) => !known.has(word)),
  }
}
