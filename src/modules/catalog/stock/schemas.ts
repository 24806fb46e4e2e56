import { type Static, Type } from 'typebox'
import {
  anyOf,
  idOf,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  ProductId,
  UnixSeconds,
  UserId,
  VariantId,
} from '#vocabulary/schemas.ts'
import { MAX_QUANTITY } from '../schemas.ts'

export const MAX_COUNTED = 500
export const STOCK_SORTS = ['quantity', '-quantity'] as const

const MovementNumber = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: 'The last movement of the ledger; 0: there is none.',
  examples: [412],
})
const COMMITTED = 'Ordered and not shipped: still on the shelf, and not in `quantity`.'
const Committed = Type.Integer({
  minimum: 0,
  maximum: MAX_QUANTITY,
  description: COMMITTED,
  examples: [3],
})
const Reason = Type.String({ maxLength: 500, examples: ['Shelf B4'] })

export const StockQuery = Type.Object({
  ...PageQuery,
  low: Type.Optional(Type.Boolean({ description: 'Only what is at or below its threshold.' })),
  empty: Type.Optional(Type.Boolean({ description: 'Only what cannot be sold, because there is none.' })),
  query: Type.Optional(
    Type.String({ maxLength: 200, description: 'The beginning of an SKU, or words of product and variant.' }),
  ),
  productId: anyOf(ProductId, 'All variants of this product, also those that are not tracked.', 100),
  variantId: anyOf(VariantId, 'One variant of it; with `productId` only.', 100),
  sort: Type.Optional(OneOf(STOCK_SORTS, { description: 'The lowest `quantity` first unless told.' })),
})
export type StockQuery = Static<typeof StockQuery>

export const StockLevel = Type.Object(
  {
    productId: ProductId,
    variantId: VariantId,
    productName: Type.String({ examples: ['Watch Mug'] }),
    variantName: Type.String({ examples: ['Navy 350 ml'] }),
    sku: Type.String({ examples: ['HG001-WM-NAV-M'] }),
    tracked: Type.Boolean({ description: 'False: stock is unlimited.', examples: [true] }),
    quantity: Type.Integer({ minimum: 0, description: 'What can be sold.', examples: [7] }),
    committed: Nullable(
      Type.Integer({ ...Committed, description: `${COMMITTED} Null while too many recent orders are being counted.` }),
    ),
    number: MovementNumber,
    lowStockThreshold: Nullable(Type.Integer({ examples: [5] })),
  },
  { title: 'StockLevel' },
)
export type StockLevel = Static<typeof StockLevel>

export const StockPage = Type.Object({
  ...PageOf(StockLevel).properties,
  asOf: Type.Integer({
    ...UnixSeconds,
    description: 'Sales up to then are in filters and order. The figures of each row are those of now.',
  }),
})
export type StockPage = Static<typeof StockPage>

const ofVariant = { productId: ProductId, variantId: VariantId }
const Counted = Type.Integer({
  minimum: 0,
  maximum: MAX_QUANTITY,
  description: 'All pieces on the shelf, those that are sold and not sent among them.',
  examples: [10],
})

export const NewCount = Type.Union([
  Type.Object({
    ...ofVariant,
    counted: Counted,
    committed: Committed,
    number: Type.Integer({ ...MovementNumber, description: 'As it was, with `committed`, when it was counted.' }),
  }),
  Type.Object({
    ...ofVariant,
    delta: Type.Integer({ minimum: -MAX_QUANTITY, maximum: MAX_QUANTITY, description: 'Not 0.', examples: [-2] }),
  }),
])
export type NewCount = Static<typeof NewCount>

export const NewStocktake = Type.Object({
  items: Type.Array(NewCount, { minItems: 1, maxItems: MAX_COUNTED }),
  reason: Type.Optional(Nullable(Reason)),
})
export type NewStocktake = Static<typeof NewStocktake>

const StocktakeId = idOf('stk', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const stocktake = {
  id: StocktakeId,
  reason: Nullable(Reason),
  userId: UserId,
  variants: Type.Integer({ description: 'How many were counted.', examples: [12] }),
  changed: Type.Integer({ description: 'Of how many the ledger has a new movement.', examples: [2] }),
  delta: Type.Integer({ description: 'The sum of all changes, in pieces.', examples: [-1] }),
  createdAt: UnixSeconds,
}
export const StocktakeSummary = Type.Object(stocktake, { title: 'StocktakeSummary' })
export type StocktakeSummary = Static<typeof StocktakeSummary>

const StocktakeItem = Type.Object(
  {
    ...ofVariant,
    counted: Nullable(Counted),
    delta: Type.Integer({ description: 'What the ledger got; 0: the count was right.', examples: [-2] }),
    quantity: Type.Integer({ description: 'What could be sold afterwards.', examples: [7] }),
    number: MovementNumber,
  },
  { title: 'StocktakeItem' },
)
export type StocktakeItem = Static<typeof StocktakeItem>
export const Stocktake = Type.Object({ ...stocktake, items: Type.Array(StocktakeItem) }, { title: 'Stocktake' })
export type Stocktake = Static<typeof Stocktake>
