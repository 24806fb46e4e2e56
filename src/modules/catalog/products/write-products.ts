import { sql } from 'kysely'
import { usageWrites } from '#modules/media/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { insertSpellings } from '#platform/database/search.ts'
import { deletion, insertion, insertMissing, toParts, upsert } from '#platform/database/write.ts'
import { listingWrites } from '../listing/write-listing.ts'
import { toDocument } from './document.ts'
import type { StockTarget } from './merge-product.ts'
import { lowestBefore, type PastPrice, type Reduction, settlePrices } from './prices.ts'
import { type Product, splitVariant, statusOf, type Variant } from './product.ts'
import { shownMediaIds } from './product-media.ts'
import { toPublicDocument } from './public-document.ts'
import { termsOf } from './search-terms.ts'

/** A product to write, with its state before. `targets`: what its stock is set to right after. */
export type WrittenProduct = { product: Product; before: Product | undefined; targets?: readonly StockTarget[] }

/**
 * Writes any number of products with everything derived from them (variants, stock rows, slugs, search terms, documents,
 * past prices, rows of lists) in one statement, and returns them as written. New variants start at zero: only `changeStock` sets
 * quantities. `isRebuild`: what is derived may be there already. Unchanged rows are not written, above all not stock rows, whose locks checkouts wait for.
 */
export async function writeProducts(
  tx: Tx,
  businessId: string,
  products: readonly WrittenProduct[],
  { at = now(), isRebuild = false } = {},
): Promise<Product[]> {
  const { written, past } = await settle(tx, businessId, products, { at, isRebuild })
  const changed = written.flatMap(({ product, before }) => changedVariants(product, before))
  const found = written.map(({ product, before }) => toSearch(product, before))
  const newWords = found.flatMap((row) => row.newWords)
  const parts = toParts([
    upsert(
      'catalog.products',
      written.map(({ product }) => toProductRow(product, at)),
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
    ...slugWrites(businessId, written, isRebuild),
    ...listingWrites(businessId, written, { at, isRebuild }),
    ...usageWrites(businessId, 'PRODUCT', written.map(toShowing), { isRebuild }),
    insertMissing(
      'catalog.priceHistory',
      past.map((row) => ({ businessId, ...row })),
    ),
  ])
  await sql`with ${sql.join(parts)} ${insertSpellings('catalog.spellings', businessId, newWords)}`.execute(tx)
  return written.map(({ product }) => product)
}

const toShowing = ({ product, before }: WrittenProduct) => ({
  recordId: product.id,
  before: shownMediaIds(before),
  after: shownMediaIds(product),
})

// Writers that compete for a slug lock in the order of slugs, so they queue instead of deadlocking.
const PRODUCTS = { key: ['businessId', 'id'], keep: ['createdAt'], order: ['slug'] } as const

function toProductRow(product: Product, at: Date) {
  const { variants: _variants, ...row } = product
  const publicDocument = toPublicDocument(product, at)
  return { ...row, status: statusOf(product), document: toDocument(product, at), publicDocument }
}

/** Puts prices in order, and looks up the lowest price of the last 30 days where a reduction is new. */
async function settle(
  tx: Tx,
  businessId: string,
  products: readonly WrittenProduct[],
  { at, isRebuild }: { at: Date; isRebuild: boolean },
) {
  // What a rebuild writes was there before, so that a planned price may have begun or ended since.
  const settled = products.map(({ product, ...rest }) => ({
    ...settlePrices(product, isRebuild ? product : rest.before, at),
    ...rest,
  }))
  const past = settled.flatMap((one) => one.past)
  const reductions = settled.flatMap((one) => one.reductions)
  if (reductions.length === 0) return { written: settled, past }

  const known = [...past, ...(await readPast(tx, businessId, reductions))]
  const lowest = new Map(reductions.map((reduction) => [keyOf(reduction), lowestBefore(reduction, known)] as const))
  const withLowest = (product: Product): Product => ({
    ...product,
    variants: product.variants.map((variant) => ({
      ...variant,
      prices: variant.prices.map((price, index) => {
        const key = keyOf({ productId: product.id, variantId: variant.id, marketId: price.marketId })
        const isFirst = variant.prices.findIndex(({ marketId }) => marketId === price.marketId) === index
        const lowestOf30Days = isFirst ? lowest.get(key) : undefined
        return lowestOf30Days === undefined ? price : { ...price, lowestOf30Days }
      }),
    })),
  })
  return { written: settled.map(({ product, ...rest }) => ({ ...rest, product: withLowest(product) })), past }
}

const keyOf = ({ productId, variantId, marketId }: Omit<PastPrice, 'until' | 'price'>) =>
  `${productId} ${variantId} ${marketId}`

async function readPast(tx: Tx, businessId: string, reductions: readonly Reduction[]): Promise<PastPrice[]> {
  const wanted = reductions.map(({ productId, variantId, marketId, from }) => ({
    product_id: productId,
    variant_id: variantId,
    market_id: marketId,
    until: from,
  }))
  const { rows } = await sql<PastPrice>`
    select past.product_id, past.variant_id, past.market_id, past.until, past.price
      from json_to_recordset(${JSON.stringify(wanted)}::json)
        as wanted (product_id text, variant_id text, market_id text, until timestamptz)
     cross join lateral (
       select * from catalog.price_history
        where business_id = ${businessId} and product_id = wanted.product_id and variant_id = wanted.variant_id
          and market_id = wanted.market_id and until > wanted.until - interval '30 days' and until <= wanted.until
        limit 1000) as past`.execute(tx)
  return rows
}

/** The slugs of all locales. One that another product has is refused by the key. */
export const slugsOf = ({ slug, translations }: Product) => [
  ...new Set([slug, ...Object.values(translations).flatMap((texts) => texts.slug ?? [])]),
]

/** The slugs that it did not have before. */
export const newSlugs = ({ product, before }: WrittenProduct): string[] => {
  const known = new Set(before ? slugsOf(before) : [])
  return slugsOf(product).filter((slug) => !known.has(slug))
}

function slugWrites(businessId: string, written: readonly WrittenProduct[], isRebuild: boolean) {
  const rows = written.map(({ product, before }) => {
    const productId = product.id
    const [now, was] = [new Set(slugsOf(product)), new Set(before ? slugsOf(before) : [])]
    const toRows = (slugs: Iterable<string>) => [...slugs].map((slug) => ({ businessId, slug, productId }))
    return { added: toRows(now.difference(was)), removed: toRows(was.difference(now)) }
  })
  return [
    deletion(
      'catalog.productSlugs',
      rows.flatMap(({ removed }) => removed),
    ),
    // In the order of slugs, for the same reason as above.
    (isRebuild ? insertMissing : insertion)(
      'catalog.productSlugs',
      rows.flatMap(({ added }) => added).toSorted((a, b) => (a.slug < b.slug ? -1 : 1)),
    ),
  ]
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
