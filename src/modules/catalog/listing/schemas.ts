import { type Static, Type } from 'typebox'
import { Id, MarketId, Money, Nullable, OneOf } from '#vocabulary/schemas.ts'

export const ATTRIBUTE_PREFIX = 'attribute.'
export const MAX_ATTRIBUTES = 5
export const MAX_VALUES = 20
export const MAX_FACETS = 5
export const MAX_FACET_VALUES = 50

export const BY_ATTRIBUTE =
  `\`${ATTRIBUTE_PREFIX}<Name>=value\` (up to ${MAX_ATTRIBUTES} names, all must fit) keeps those with a variant that has it; ` +
  `sent several times (up to ${MAX_VALUES}), one of the values is enough.`

const SORTS = ['-createdAt', 'name', 'price', '-price', '-sold', 'relevance'] as const
export type Sort = (typeof SORTS)[number]

/** Filters that every list of products has, beside `attribute.<Name>`. */
export const listingFilters = {
  categoryId: Type.Optional(
    Type.String({
      ...Id,
      description: 'In this category or in one below it.',
      examples: ['cat_01jcq3v7k8f5t9x2m4n6p8r0sw'],
    }),
  ),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['summer'] })),
  priceFrom: Type.Optional(
    Type.Integer({ ...Money, description: 'The lowest price in `market` is this or more.', examples: [1000] }),
  ),
  priceTo: Type.Optional(
    Type.Integer({ ...Money, description: 'The lowest price in `market` is this or less.', examples: [5000] }),
  ),
  inStock: Type.Optional(
    OneOf(['true', 'false'], {
      description: '`true`: a variant is in stock, or is not tracked; `false`: none is. May be a minute old.',
    }),
  ),
}
export const listingSort = {
  sort: Type.Optional(
    OneOf(SORTS, {
      description:
        '`-createdAt`, or with `query` `relevance`, is the default. `price` and `-price` (with `market`): by the lowest price ' +
        'that holds there now; what has none is left out. `-sold`: by the pieces that have left the stock for orders, as of ' +
        'last night.',
    }),
  ),
}
export const listingMarket = {
  market: Type.Optional(Type.String({ ...MarketId, description: 'Whose prices are filtered and sorted by.' })),
}

const filtersOnly = Type.Object({ ...listingFilters, ...listingSort, ...listingMarket })
export type ListingQuery = Static<typeof filtersOnly>

export const facetNames = {
  facets: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: `Up to ${MAX_FACETS}, with commas between: \`attribute.<Name>\`, \`price\` (with \`market\`), \`category\`, \`tag\`.`,
    examples: ['attribute.Colour,price'],
  }),
}

const Count = Type.Integer({ minimum: 0, examples: [12] })
const isExact = Type.Boolean({ description: 'False: counting stopped at 20,000 products.', examples: [true] })
const Facet = Type.Object(
  {
    name: Type.String({ examples: ['attribute.Colour'] }),
    values: Type.Optional(
      Type.Array(Type.Object({ value: Type.String({ examples: ['Red'] }), count: Count }), {
        description: `The ${MAX_FACET_VALUES} most frequent. Not of \`price\`.`,
      }),
    ),
    min: Type.Optional(Nullable(Type.Integer({ ...Money, description: 'Of `price` only. Null: nothing was found.' }))),
    max: Type.Optional(Nullable(Type.Integer({ ...Money, description: 'Of `price` only. Null: nothing was found.' }))),
    isExact,
  },
  { title: 'Facet' },
)
export const ProductCounts = Type.Object(
  {
    items: Type.Array(Type.Object({ value: Type.String({ examples: ['ACTIVE'] }), count: Count })),
    isExact,
  },
  { title: 'ProductCounts' },
)
export type ProductCounts = Static<typeof ProductCounts>
export const Facets = Type.Object({ items: Type.Array(Facet) }, { title: 'Facets' })
export type Facets = Static<typeof Facets>
