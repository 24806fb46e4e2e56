import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import { insertSpellings } from '#platform/database/search.ts'
import { toParts, upsert } from '#platform/database/write.ts'
import { toDocument } from './document.ts'
import { type Product, splitVariant, statusOf, type Variant } from './product.ts'
import { termsOf } from './search-terms.ts'

/** A product to write, with its state before. */
export type WrittenProduct = { product: Product; before: Product | undefined }

/**
 * Writes any number of products with everything derived from them (variants, stock rows, search terms, document) in one
 * statement. New variants start at zero: only `changeStock` sets quantities. Unchanged rows are not written, above all
 * not stock rows, whose locks checkouts wait for.
 */
export async function writeProducts(tx: Tx, businessId: string, written: readonly WrittenProduct[]): Promise<void> {
  const changed = written.flatMap(({ product, before }) => changedVariants(product, before))
  const found = written.map(({ product, before }) => toSearch(product, before))
  const newWords = found.flatMap((row) => row.newWords)
  const parts = toParts([
    upsert(
      'catalog.products',
      written.map(({ product }) => toProductRow(product)),
      PRODUCTS,
    ),
    upsert(
      'catalog.variants',
      changed.map(({ row }) => row),
      { key: ['businessId', 'productId', 'id'] },
    ),
    upsert(
      'catalog.stock',
      changed.flatMap(({ stock }) => stock ?? []),
      { key: ['businessId', 'productId', 'variantId'] },
    ),
    upsert(
      'catalog.search',
      found.flatMap(({ row }) => row ?? []),
      { key: ['businessId', 'productId'] },
    ),
  ])
  await sql`with ${sql.join(parts)} ${insertSpellings('catalog.spellings', businessId, newWords)}`.execute(tx)
}

// Writers that compete for a slug lock in the order of slugs, so they queue instead of deadlocking.
const PRODUCTS = { key: ['businessId', 'id'], keep: ['createdAt'], order: ['slug'] } as const

function toProductRow(product: Product) {
  const { variants: _variants, ...row } = product
  return { ...row, status: statusOf(product), document: toDocument(product) }
}

function changedVariants(product: Product, before: Product | undefined) {
  const known = new Map(before?.variants.map((variant, position) => [variant.id, { variant, position }]))
  const kept = new Set(product.variants.map(({ id }) => id))
  const key = { businessId: product.businessId, productId: product.id }
  const rowsOf = (variant: Variant, position: number | null) => {
    const { content, inventory } = splitVariant(variant)
    return {
      row: { ...key, ...content, position },
      stock: { ...key, variantId: variant.id, ...inventory, position },
    }
  }
  const rows = product.variants.map((variant, position) => {
    const { row, stock } = rowsOf(variant, position)
    const was = known.get(variant.id)
    const before = was && rowsOf(was.variant, was.position)
    const isSameStock = before !== undefined && isSame(before.stock, stock)
    return { row, stock: isSameStock ? undefined : stock, isSame: before !== undefined && isSame(before.row, row) }
  })
  const removed = [...known.values()]
    .filter(({ variant }) => !kept.has(variant.id))
    .map(({ variant }) => ({ ...rowsOf(variant, null), isSame: false }))
  return [...rows, ...removed].filter((row) => !row.isSame || row.stock)
}

const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)

function toSearch(product: Product, before: Product | undefined) {
  const { terms, words } = termsOf(product)
  const was = before && termsOf(before)
  const place = { status: statusOf(product), category: product.category }
  const isUnchanged =
    was?.terms === terms && isSame(place, { status: statusOf(before as Product), category: before?.category })
  const known = new Set(was?.words)
  return {
    row: isUnchanged ? undefined : { businessId: product.businessId, productId: product.id, ...place, terms },
    newWords: words.filter((word) => !known.has(word)),
  }
}
