import { type Static, Type } from 'typebox'
import { Block, NewBlock } from '#vocabulary/blocks.ts'
import { Media, NewMedia } from '#vocabulary/media.ts'
import {
  anyOf,
  BusinessId,
  Changes,
  Currency,
  Id,
  MarketId,
  Money,
  Name,
  Nullable,
  OneOf,
  PageQuery,
  ProductId,
  Slug,
  TaxClass,
  UnixSeconds,
  UserId,
  VariantId,
} from '#vocabulary/schemas.ts'
import { NewStatusEntryOf, StatusEntryOf } from '#vocabulary/status-history.ts'
import { facetNames, listingFilters, listingMarket, listingSort } from './listing/schemas.ts'

export const PRODUCT_STATUSES = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
export type ProductStatus = (typeof PRODUCT_STATUSES)[number]

/** Far above any warehouse, and low enough that the sum of two fits an integer column. */
export const MAX_QUANTITY = 1_000_000_000
export const MAX_VARIANTS = 1_000
export const MAX_TAGS = 50

const ProductName = Type.String({ ...Name, examples: ['T-shirt'] })
const Description = Type.String({ maxLength: 100_000, examples: ['Soft cotton, cut straight.'] })
const Category = Type.String({ maxLength: 200, examples: ['shirts'] })
const Sku = Type.String({ maxLength: 100, examples: ['TS-RED-XL'] })
const VariantName = Type.String({ maxLength: 200, examples: ['Red, XL'] })
const Quantity = Type.Integer({ minimum: 0, maximum: MAX_QUANTITY, examples: [25] })
export const Threshold = Type.Integer({
  minimum: 0,
  maximum: MAX_QUANTITY,
  description: 'Stock at or below this counts as low.',
  examples: [5],
})
const MaxPerOrder = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  description: 'The most that a checkout may order of it at once. Absent: 10,000.',
  examples: [5],
})
const Tracked = Type.Boolean({ description: 'False: stock is unlimited.', examples: [true] })

const Attributes = Type.Array(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100, examples: ['Colour'] }),
    value: Type.String({ maxLength: 500, examples: ['Red'] }),
  }),
  { maxItems: 50 },
)

export const Tag = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['summer'] })
const Tags = Type.Array(Tag, { maxItems: MAX_TAGS, uniqueItems: true })
const Options = Type.Array(
  Type.Object({
    name: Type.String({ examples: ['Colour'] }),
    values: Type.Array(Type.String({ examples: ['Red'] })),
  }),
  { description: 'What can be chosen: the attributes of all variants, in their order.' },
)

const seo = {
  title: Type.String({ maxLength: 200, examples: ['T-shirt, straight cut'] }),
  description: Type.String({ maxLength: 1_000, examples: ['A soft cotton shirt, made in Porto.'] }),
}
const Seo = Type.Object(seo, { title: 'Seo', description: 'What search engines show. Empty: the name and the text.' })

const ofLocale = { description: 'By locale; what is left out stays as in the default locale.' }
const Translations = Type.Record(
  Type.String(),
  Changes({ name: ProductName, slug: Slug, description: Description, seo: Changes(seo) }),
  { ...ofLocale, title: 'ProductTranslations' },
)
const VariantTranslations = Type.Record(Type.String(), Changes({ name: VariantName, attributes: Attributes }), {
  title: 'VariantTranslations',
  description: `${ofLocale.description} The first of \`attributes\` is for the first of the variant, and so on.`,
})

const CompareAtPrice = Type.Integer({ ...Money, description: 'The original price, for sales.', examples: [2499] })
const ValidFrom = Type.Integer({
  ...UnixSeconds,
  description: 'Holds from then on. With it the price is a planned one.',
})
const ValidTo = Type.Integer({ ...UnixSeconds, description: 'Holds until then. With it the price is a planned one.' })
const MarketPrice = Type.Object({
  marketId: MarketId,
  currency: Currency,
  price: Money,
  compareAtPrice: Type.Optional(CompareAtPrice),
  validFrom: Type.Optional(ValidFrom),
  validTo: Type.Optional(ValidTo),
  lowestOf30Days: Type.Optional(
    Type.Integer({
      ...Money,
      description: 'Of a reduced price that holds now: the lowest of the 30 days before it.',
      examples: [2199],
    }),
  ),
})
const newPrice = {
  currency: Type.Optional(Currency),
  price: Money,
  compareAtPrice: Type.Optional(Nullable(CompareAtPrice)),
  validFrom: Type.Optional(Nullable(ValidFrom)),
  validTo: Type.Optional(Nullable(ValidTo)),
}
const NewMarketPrice = Type.Object({ marketId: MarketId, ...newPrice })
export const NewPrice = Type.Object(newPrice)
export type NewPrice = Static<typeof NewPrice>

export const Variant = Type.Object(
  {
    id: VariantId,
    name: VariantName,
    sku: Sku,
    attributes: Attributes,
    translations: VariantTranslations,
    pricing: Type.Object({
      markets: Type.Array(MarketPrice, { description: 'Of each market, the price that holds now comes first.' }),
    }),
    inventory: Type.Object({
      tracked: Tracked,
      quantity: Quantity,
      lowStockThreshold: Type.Optional(Threshold),
      maxPerOrder: Type.Optional(MaxPerOrder),
    }),
    gallery: Type.Array(Media),
  },
  { title: 'Variant' },
)

const NewVariant = Changes({
  id: VariantId,
  name: VariantName,
  sku: Sku,
  attributes: Attributes,
  translations: VariantTranslations,
  pricing: Type.Object({ markets: Type.Array(NewMarketPrice, { maxItems: 200 }) }),
  inventory: Changes({
    tracked: Tracked,
    quantity: Quantity,
    lowStockThreshold: Nullable(Threshold),
    maxPerOrder: Nullable(MaxPerOrder),
  }),
  gallery: Type.Array(NewMedia, { maxItems: 100 }),
})
export type NewVariant = Static<typeof NewVariant>
export const VariantChanges = Type.Omit(NewVariant, ['id'])
export type VariantChanges = Static<typeof VariantChanges>

export const Product = Type.Object(
  {
    id: ProductId,
    businessId: BusinessId,
    name: Name,
    slug: Slug,
    description: Description,
    category: Category,
    taxClass: TaxClass,
    tags: Tags,
    seo: Seo,
    translations: Translations,
    options: Options,
    gallery: Type.Array(Media),
    variants: Type.Array(Variant),
    statuses: Type.Array(StatusEntryOf(PRODUCT_STATUSES, 'ProductStatusEntry'), {
      description: 'The last is current.',
    }),
    blocks: Type.Array(Block),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Product' },
)
export type Product = Static<typeof Product>

export const ProductChanges = Changes({
  name: ProductName,
  slug: Type.String({ ...Slug, examples: ['t-shirt'] }),
  description: Description,
  category: Category,
  taxClass: TaxClass,
  tags: Tags,
  seo: Changes(seo),
  translations: Translations,
  gallery: Type.Array(NewMedia, { maxItems: 100 }),
  variants: Type.Array(NewVariant, { maxItems: MAX_VARIANTS }),
  statuses: Type.Array(NewStatusEntryOf(PRODUCT_STATUSES), { maxItems: 1_000 }),
  blocks: Type.Array(NewBlock, { maxItems: 200 }),
})
export type ProductChanges = Static<typeof ProductChanges>
export const NewProduct = Type.Object({ ...ProductChanges.properties, name: ProductName })
export type NewProduct = Static<typeof NewProduct>

export const VariantParams = Type.Object({ businessId: BusinessId, id: Id, variantId: Id })
export type VariantParams = Static<typeof VariantParams>
export const PriceParams = Type.Object({ ...VariantParams.properties, marketId: Id })
export type PriceParams = Static<typeof PriceParams>

/** Filters on variants: a product matches when one of its variants has exactly this value. */
export const VARIANT_FILTERS = { sku: Sku }

export const ProductQuery = Type.Object({
  ...PageQuery,
  id: anyOf(ProductId, 'The product itself.', 100),
  category: Type.Optional(Type.String({ maxLength: 200 })),
  query: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Words in any order, the last may be a beginning. Case and accents do not matter, one typo is forgiven.',
    }),
  ),
  slug: Type.Optional(Type.String({ maxLength: 100 })),
  status: Type.Optional(OneOf(PRODUCT_STATUSES, { description: 'Other than ACTIVE: with `PRODUCTS_WRITE` only.' })),
  ...Changes(VARIANT_FILTERS).properties,
  ...listingFilters,
  ...listingMarket,
  ...listingSort,
})
export type ProductQuery = Static<typeof ProductQuery>

const { limit: _limit, cursor: _cursor, sort: _sort, ...filters } = ProductQuery.properties
export const ProductFilters = Type.Object(filters)
export const FacetQuery = Type.Object({ ...facetNames, ...filters })
export const CountQuery = Type.Object(filters)

export const STOCK_KINDS = ['ORDER', 'CANCEL', 'RETURN', 'MANUAL', 'IMPORT', 'COUNT'] as const
export type StockKind = (typeof STOCK_KINDS)[number]

export const StockMovement = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Counts the changes of this variant.', examples: [7] }),
    productId: ProductId,
    variantId: VariantId,
    delta: Type.Integer({ examples: [-2] }),
    quantity: Type.Integer({ minimum: 0, description: 'What was there afterwards.', examples: [23] }),
    kind: OneOf(STOCK_KINDS),
    reason: Nullable(Type.String({ examples: ['Damaged in transit'] })),
    reference: Nullable(
      Type.String({ description: 'The order, import or stocktake.', examples: ['ord_01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
    ),
    userId: Nullable(UserId),
    createdAt: UnixSeconds,
  },
  { title: 'StockMovement' },
)
export type StockMovement = Static<typeof StockMovement>

export const NewStockMovement = Type.Object({
  delta: Type.Integer({ minimum: -MAX_QUANTITY, maximum: MAX_QUANTITY, description: 'Not 0.', examples: [-2] }),
  reason: Type.Optional(Nullable(Type.String({ maxLength: 500, examples: ['Damaged in transit'] }))),
})
