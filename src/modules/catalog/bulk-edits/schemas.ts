import { type Static, Type } from 'typebox'
import {
  idOf,
  MarketId,
  Money,
  Nullable,
  OneOf,
  PageQuery,
  ProductId,
  UnixSeconds,
  UserId,
  VariantId,
} from '#vocabulary/schemas.ts'
import * as shape from '../schemas.ts'

export const MAX_PRODUCTS = 100_000
const MAX_CHANGES = 20

export const BulkEditId = idOf('bulk', '01jcq3v7k8f5t9x2m4n6p8r0sw')

export const STATUSES = ['DRY_RUN', 'READY', 'APPLYING', 'DONE', 'UNDOING', 'UNDONE', 'FAILED', 'DISCARDED'] as const
export type Status = (typeof STATUSES)[number]
export const ITEM_STATUSES = ['PENDING', 'UNCHANGED', 'REFUSED', 'APPLIED', 'SKIPPED', 'UNDONE', 'KEPT'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]
export const WARNINGS = ['PRICE_DROP', 'PRICE_ZERO', 'NOT_SOLD'] as const
export type Warning = (typeof WARNINGS)[number]
export const FAILURES = ['TOO_MANY', 'INTERNAL'] as const
export type Failure = (typeof FAILURES)[number]

const { name, category, tags, taxClass } = shape.Product.properties
const set = { op: OneOf(['set']) }
const marketPrice = { field: OneOf(['price']), marketId: MarketId }
/** How far a price may rise at once: to eleven times what it was. */
const MAX_BPS = 100_000

/** Every change that there is. A change that is sent has to fit the one of its field and operation. */
export const KINDS = [
  Type.Object({ field: OneOf(['name']), ...set, value: name }),
  Type.Object({ field: OneOf(['category']), ...set, value: category }),
  Type.Object({ field: OneOf(['taxClass']), ...set, value: taxClass }),
  Type.Object({ field: OneOf(['status']), ...set, value: OneOf(shape.PRODUCT_STATUSES) }),
  Type.Object({ field: OneOf(['tags']), ...set, value: tags }),
  Type.Object({ field: OneOf(['tags']), op: OneOf(['add', 'remove']), value: shape.Tag }),
  Type.Object({ field: OneOf(['lowStockThreshold']), ...set, value: Nullable(shape.Threshold) }),
  Type.Object({ ...marketPrice, ...set, value: Money }),
  Type.Object({
    ...marketPrice,
    op: OneOf(['percent']),
    bps: Type.Integer({ minimum: -10_000, maximum: MAX_BPS, description: 'Of the price.', examples: [500] }),
  }),
  Type.Object({
    ...marketPrice,
    op: OneOf(['round']),
    to: Type.Integer({ minimum: 1, maximum: 100_000_000, description: 'Minor units.', examples: [100] }),
    ending: Type.Integer({ minimum: 0, maximum: 99_999_999, description: 'Less than `to`.', examples: [90] }),
  }),
] as const
export type Change = Static<(typeof KINDS)[number]>
export type Field = Change['field']

export const FIELDS = ['name', 'category', 'taxClass', 'status', 'tags', 'lowStockThreshold', 'price'] as const
export const OPS = ['set', 'add', 'remove', 'percent', 'round'] as const

const Value = Type.Union(
  [
    Type.Integer(),
    Type.String({ maxLength: 200 }),
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: shape.MAX_TAGS }),
    Type.Null(),
  ],
  { examples: [1999] },
)

/** What may be sent, in one shape for the reference: a union's refusals would speak of the wrong member. */
const SentChange = Type.Object(
  {
    field: OneOf(FIELDS),
    op: OneOf(OPS, {
      description:
        '`set` takes `value`, for every field. Tags: `add`, `remove` one. Prices also: `percent` by `bps`, halves up; ' +
        '`round` to the nearest n × `to` + `ending`, of two the higher, at least 0.',
    }),
    marketId: Type.Optional(Type.String({ ...MarketId, description: 'Of `price`: whose plain price.' })),
    value: Type.Optional(Value),
    bps: Type.Optional(Type.Integer({ description: 'Of `percent`: 500 is 5 %.', examples: [500] })),
    to: Type.Optional(Type.Integer({ description: 'Of `round`, in minor units.', examples: [100] })),
    ending: Type.Optional(Type.Integer({ description: 'Of `round`, in minor units, less than `to`.', examples: [90] })),
  },
  { title: 'BulkChange' },
)

const FilterValue = Type.String({ maxLength: 500, examples: ['summer'] })
const Filters = Type.Record(
  Type.String({ minLength: 1, maxLength: 200 }),
  Type.Union([FilterValue, Type.Array(FilterValue, { maxItems: 100 })]),
  {
    maxProperties: 50,
    description: 'Query parameters of the list of products, each a text or several; none: all products.',
    examples: [{ tag: 'summer' }],
  },
)
export type Filters = Static<typeof Filters>

export const NewBulkEdit = Type.Object({
  list: OneOf(['products']),
  select: Type.Object(
    {
      ids: Type.Optional(Type.Array(ProductId, { minItems: 1, maxItems: MAX_PRODUCTS })),
      filters: Type.Optional(Filters),
    },
    { description: 'Either `ids` or `filters`. An id that is unknown is left out.' },
  ),
  changes: Type.Array(SentChange, {
    minItems: 1,
    maxItems: MAX_CHANGES,
    description: 'Applied in this order.',
    examples: [
      [
        { field: 'price', marketId: 'us', op: 'percent', bps: 500 },
        { field: 'price', marketId: 'us', op: 'round', to: 100, ending: 90 },
      ],
    ],
  }),
})
export type NewBulkEdit = Static<typeof NewBulkEdit>

const Count = (description: string, example = 0) => Type.Integer({ minimum: 0, description, examples: [example] })

export const BulkEdit = Type.Object(
  {
    id: BulkEditId,
    list: OneOf(['products']),
    status: OneOf(STATUSES, {
      description:
        '`DRY_RUN`, `APPLYING` and `UNDOING` are under way. `DISCARDED` only in the answer to who threw it away.',
    }),
    filters: Type.Union([Filters, Type.Null()], { description: '`null`: products were named by id.' }),
    changes: Type.Array(SentChange),
    total: Count('Products.', 500),
    done: Count('Products that the work under way, or the last one, is done with.', 500),
    changing: Count('Products that change.', 471),
    unchanged: Count('Products that have these values already.', 18),
    refused: Count('Products that cannot be changed so; each item says why.', 11),
    applied: Count('Products that were changed.', 470),
    skipped: Count('Products that somebody else changed after the dry run, and that were left alone.', 1),
    undone: Count('Products that are as they were before.'),
    kept: Count('Products that somebody else changed after they were applied, and that undoing left alone.'),
    changedValues: Count('Single values that change: a price of a variant, a name.', 940),
    warned: Count('Products with any warning.', 3),
    warnings: Type.Array(
      Type.Object({ code: OneOf(WARNINGS), count: Count('Products.', 3) }, { title: 'BulkEditWarning' }),
      {
        description:
          '`PRICE_DROP`: a price falls by more than 30 %. `PRICE_ZERO`: it becomes 0. `NOT_SOLD`: an ACTIVE product no longer is.',
      },
    ),
    failure: Type.Union([OneOf(FAILURES), Type.Null()], {
      description: `Of FAILED. \`TOO_MANY\`: the filters find more than ${MAX_PRODUCTS} products. \`INTERNAL\`: our fault; apply or undo goes on.`,
    }),
    createdBy: UserId,
    appliedBy: Nullable(UserId),
    undoneBy: Nullable(UserId),
    createdAt: UnixSeconds,
    appliedAt: Nullable(UnixSeconds),
    undoneAt: Nullable(UnixSeconds),
    expiresAt: Type.Integer({
      ...UnixSeconds,
      description: 'Until then it can be undone, if five later ones do not push it out.',
    }),
  },
  { title: 'BulkEdit' },
)
export type BulkEdit = Static<typeof BulkEdit>

export const BulkEditItem = Type.Object(
  {
    productId: ProductId,
    name: Nullable(Type.String({ description: 'The product’s, now. `null`: it was deleted.', examples: ['T-shirt'] })),
    changes: Type.Array(
      Type.Object(
        {
          field: OneOf(FIELDS),
          marketId: Nullable(MarketId),
          variantId: Nullable(VariantId),
          variantName: Nullable(Type.String({ examples: ['Red, XL'] })),
          sku: Nullable(Type.String({ examples: ['TS-RED-XL'] })),
          before: Value,
          after: Value,
        },
        { title: 'FieldChange' },
      ),
    ),
    status: OneOf(ITEM_STATUSES, {
      description:
        '`SKIPPED`: changed by somebody else before it was applied. `KEPT`: the same before it was undone. `REFUSED`: see `details`.',
    }),
    warnings: Type.Array(OneOf(WARNINGS)),
    details: Type.Array(
      Type.Object({
        field: Type.String({ examples: ['tags'] }),
        error: Type.String({ examples: ['TOO_MANY'] }),
        message: Type.String({ examples: ['A product has at most 50 tags.'] }),
      }),
    ),
  },
  { title: 'BulkEditItem' },
)
export type BulkEditItem = Static<typeof BulkEditItem>

export const ItemQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(OneOf(ITEM_STATUSES)),
  warning: Type.Optional(OneOf(WARNINGS)),
  warned: Type.Optional(OneOf(['true', 'false'], { description: 'Whether it has any warning.' })),
})
export type ItemQuery = Static<typeof ItemQuery>
