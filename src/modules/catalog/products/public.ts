import { type Static, Type } from 'typebox'
import type { Cell } from '#platform/database/database.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { MarketId, OneOf, PageQuery } from '#vocabulary/schemas.ts'
import { localeInvalid } from '../errors.ts'
import type { AttributeFilter } from '../listing/filters.ts'
import { type Facets, facetNames, listingFilters, listingMarket, listingSort } from '../listing/schemas.ts'
import { Product, ProductQuery, Variant } from '../schemas.ts'
import { localesFor } from './public-document.ts'
import { createListReader, createPublicReader, listFacets } from './queries.ts'

// What everybody may see of products, without a credential.

const AVAILABILITIES = ['IN_STOCK', 'LOW_STOCK', 'OUT_OF_STOCK'] as const

// Texts of variants come in the locale that was asked for, and in no other.
const { inventory: stored, translations: _translations, ...variantParts } = Variant.properties
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
  ...listingFilters,
  ...viewed,
  ...listingSort,
})
type PublicProductQuery = Static<typeof PublicProductQuery> & { attributes?: readonly AttributeFilter[] }

export const PublicFacetQuery = Type.Object({
  ...facetNames,
  category: ofCategory,
  query: words,
  slug: ofSlug,
  ...listingFilters,
  ...listingMarket,
})
type PublicFacetQuery = Static<typeof PublicFacetQuery> & { attributes?: readonly AttributeFilter[] }

type ProductView = { market: string | undefined; locale: string | undefined; showQuantity: boolean }
/** A response, and the ids of the products in it. */
type PublicText = { text: string; ids: string[] }

const toReader = ({ market, locale, showQuantity }: ProductView) => {
  if (locale !== undefined && !isLocale(locale)) throw localeInvalid()
  return { market, locales: localesFor(locale), showQuantity }
}

/** Reads of ACTIVE products for callers of whom nothing is known. */
export function createPublicProducts() {
  const getPublic = createPublicReader()
  const listProducts = createListReader()

  async function readPublicProduct(
    db: Cell,
    businessId: string,
    idOrSlug: string,
    view: ProductView,
  ): Promise<PublicText> {
    const text = await getPublic(db, { businessId, idOrSlug }, toReader(view))
    return { text, ids: idsIn(text) }
  }

  /** Newest first; with `query` the best match first. */
  async function listPublicProducts(
    db: Cell,
    businessId: string,
    { locale: _locale, ...query }: PublicProductQuery,
    view: ProductView,
  ): Promise<PublicText> {
    const text = await listProducts(db, businessId, query, toReader(view))
    return { text, ids: idsIn(text) }
  }

  const listPublicFacets = (db: Cell, businessId: string, query: PublicFacetQuery): Promise<Facets> =>
    listFacets(db, businessId, query, { seesAll: false })

  return { readPublicProduct, listPublicProducts, listPublicFacets }
}

// Every public text of a product begins with its id and its business's; quotes inside of texts are escaped.
const idsIn = (text: string) => Array.from(text.matchAll(/\{"id":"([\w-]+)","businessId":/g), ([, id]) => id as string)
