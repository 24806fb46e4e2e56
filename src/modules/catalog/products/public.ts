import { type Static, Type } from 'typebox'
import type { Cell } from '#platform/database/database.ts'
import type { Page } from '#vocabulary/paging.ts'
import { isPublicBlock } from '#vocabulary/public-blocks.ts'
import { MarketId, OneOf, PageQuery } from '#vocabulary/schemas.ts'
import { productNotFound } from '../errors.ts'
import { Product, ProductQuery, Variant } from '../schemas.ts'
import { createListReader, createProductReader } from './queries.ts'

// What everybody may see of products, without a credential. All of it is here, so that a stored text can take its place.

const AVAILABILITIES = ['IN_STOCK', 'LOW_STOCK', 'OUT_OF_STOCK'] as const

const { inventory: stored, ...variantParts } = Variant.properties
const PublicVariant = Type.Object(
  {
    ...variantParts,
    inventory: Type.Object({
      tracked: stored.properties.tracked,
      quantity: Type.Optional(
        Type.Integer({
          ...stored.properties.quantity,
          description: 'Only where the business shows it (`storefront.showQuantity`).',
        }),
      ),
      maxPerOrder: stored.properties.maxPerOrder,
    }),
    availability: OneOf(AVAILABILITIES),
  },
  { title: 'PublicVariant', description: 'Only the prices of the market that was asked for.' },
)

const { statuses: _statuses, variants: _variants, ...productParts } = Product.properties
export const PublicProduct = Type.Object(
  { ...productParts, variants: Type.Array(PublicVariant) },
  { title: 'PublicProduct' },
)
type PublicProduct = Static<typeof PublicProduct>

const { category: ofCategory, query: words, slug: ofSlug } = ProductQuery.properties
const viewed = {
  market: Type.Optional(Type.String({ ...MarketId, description: 'Whose prices are shown. Absent: none.' })),
  locale: Type.Optional(Type.String({ minLength: 2, maxLength: 35, examples: ['en'] })),
}
export const PublicProductView = Type.Object(viewed)
export const PublicProductQuery = Type.Object({
  ...PageQuery,
  category: ofCategory,
  query: words,
  slug: ofSlug,
  ...viewed,
})
type PublicProductQuery = Static<typeof PublicProductQuery>

type ProductView = { market: string | undefined; locale: string | undefined; showQuantity: boolean }
/** A response, and the ids of the products in it. */
type PublicText = { text: string; ids: string[] }

/** Reads of ACTIVE products for callers of whom nothing is known. */
export function createPublicProducts() {
  const getProduct = createProductReader()
  const listProducts = createListReader()

  async function readPublicProduct(
    db: Cell,
    businessId: string,
    idOrSlug: string,
    view: ProductView,
  ): Promise<PublicText> {
    // No slug holds a `_`, and every id does.
    const found = idOrSlug.includes('_')
      ? (JSON.parse((await getProduct(db, businessId, idOrSlug, false)).text) as Product)
      : (JSON.parse(await listProducts(db, businessId, { slug: idOrSlug, limit: 1 }, false)) as Page<Product>).items[0]
    if (!found) throw productNotFound()
    return { text: JSON.stringify(toPublic(found, view)), ids: [found.id] }
  }

  /** Newest first; with `query` the best match first. */
  async function listPublicProducts(
    db: Cell,
    businessId: string,
    { market: _market, locale: _locale, ...query }: PublicProductQuery,
    view: ProductView,
  ): Promise<PublicText> {
    const { items, cursor } = JSON.parse(await listProducts(db, businessId, query, false)) as Page<Product>
    const text = JSON.stringify({ items: items.map((product) => toPublic(product, view)), cursor })
    return { text, ids: items.map(({ id }) => id) }
  }

  return { readPublicProduct, listPublicProducts }
}

/** Field by field, so that nothing new leaves unnoticed. */
const toPublic = (product: Product, view: ProductView): PublicProduct => ({
  id: product.id,
  businessId: product.businessId,
  name: product.name,
  slug: product.slug,
  description: product.description,
  category: product.category,
  taxClass: product.taxClass,
  gallery: product.gallery,
  blocks: product.blocks.filter(isPublicBlock),
  createdAt: product.createdAt,
  updatedAt: product.updatedAt,
  variants: product.variants.map((variant) => toPublicVariant(variant, view)),
})

const toPublicVariant = (
  { id, name, sku, attributes, pricing, inventory, gallery }: Product['variants'][number],
  { market, showQuantity }: ProductView,
): PublicProduct['variants'][number] => ({
  id,
  name,
  sku,
  attributes,
  pricing: { markets: pricing.markets.filter(({ marketId }) => marketId === market) },
  gallery,
  inventory: {
    tracked: inventory.tracked,
    ...(showQuantity && { quantity: inventory.quantity }),
    ...(inventory.maxPerOrder !== undefined && { maxPerOrder: inventory.maxPerOrder }),
  },
  availability: availabilityOf(inventory),
})

type Inventory = Product['variants'][number]['inventory']

function availabilityOf({ tracked, quantity, lowStockThreshold }: Inventory): (typeof AVAILABILITIES)[number] {
  if (!tracked) return 'IN_STOCK'
  if (quantity === 0) return 'OUT_OF_STOCK'
  return lowStockThreshold !== undefined && quantity <= lowStockThreshold ? 'LOW_STOCK' : 'IN_STOCK'
}
