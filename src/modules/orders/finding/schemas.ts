import { type Static, Type } from 'typebox'
import { FILE_FORMATS } from '#platform/transfer/file.ts'
import {
  anyOf,
  Currency,
  Id,
  MarketId,
  Money,
  OneOf,
  PageQuery,
  ProductId,
  UnixSeconds,
  VariantId,
} from '#vocabulary/schemas.ts'
import { FULFILLMENTS, ORDER_STATUSES, PAYMENT_STATUSES } from '../schemas.ts'

export const SORTS = ['-createdAt', 'createdAt', '-total', 'total', '-updatedAt'] as const
export type Sort = (typeof SORTS)[number]

/** Without ORDERS_READ only these can be asked for: they tell nothing about others' orders. */
const ownFilters = {
  status: anyOf(OneOf(ORDER_STATUSES), 'The current order status.'),
  customerId: anyOf(Id, 'Who ordered.'),
}

const staffFilters = {
  id: anyOf(Id, 'The order itself.', 100),
  paymentStatus: anyOf(OneOf(PAYMENT_STATUSES), 'The current payment status.'),
  fulfillment: anyOf(OneOf(FULFILLMENTS), 'How much has gone out.'),
  market: anyOf(MarketId, 'The market.'),
  currency: anyOf(Currency, 'The currency.'),
  tag: anyOf(Type.String({ minLength: 1, maxLength: 50, examples: ['gift'] }), 'A tag, spelled as it is.'),
  promoCode: anyOf(Type.String({ minLength: 1, maxLength: 100, examples: ['SUMMER'] }), 'The promo code.'),
  productId: anyOf(ProductId, 'A product in one of the lines. New orders are found by it within seconds.'),
  variantId: anyOf(VariantId, 'A variant in one of the lines; with `productId`, of that product.'),
  customer: Type.Optional(
    OneOf(['NEW', 'RETURNING'], {
      description:
        '`NEW`: the first order of its customer that was paid; `RETURNING`: all others. As reports count them, within seconds.',
    }),
  ),
  createdFrom: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'Made at this time or later.' })),
  createdTo: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'Made before this time.' })),
  totalFrom: Type.Optional(Type.Integer({ ...Money, description: 'A total of this or more.' })),
  totalTo: Type.Optional(Type.Integer({ ...Money, description: 'A total of this or less.' })),
  query: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'The beginning of the number (with or without the hyphen) or of the email address; or words of names, companies, cities, products, SKUs, telephone and tracking numbers, the last one perhaps unfinished. Words are found within seconds of a change.',
      examples: ['K7Q2'],
    }),
  ),
}
export const STAFF_FILTERS = Object.keys(staffFilters) as (keyof typeof staffFilters)[]

const filters = { ...ownFilters, ...staffFilters }

const OrderFilters = Type.Object(filters)
export type OrderFilters = Static<typeof OrderFilters>

export const OrderQuery = Type.Object({
  ...PageQuery,
  ...filters,
  sort: Type.Optional(
    OneOf(SORTS, {
      default: '-createdAt',
      description:
        'A `-` in front: the highest first. New and changed orders take their place among totals and updates within seconds.',
    }),
  ),
})
export type OrderQuery = Static<typeof OrderQuery>

export const COUNTED = ['status', 'paymentStatus', 'fulfillment', 'market', 'tag'] as const
export type Counted = (typeof COUNTED)[number]

export const CountQuery = Type.Object({ by: OneOf(COUNTED, { description: 'What to count by.' }), ...filters })
export type CountQuery = Static<typeof CountQuery>

export const OrderCounts = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        value: Type.String({ examples: ['PROCESSING'] }),
        count: Type.Integer({ minimum: 1, examples: [12] }),
      }),
      { description: 'The most frequent first, 50 at most.' },
    ),
    isExact: Type.Boolean({
      description: '`false`: there are more orders than are counted, and the newest were.',
      examples: [true],
    }),
  },
  { title: 'OrderCounts' },
)
export type OrderCounts = Static<typeof OrderCounts>

export const ExportQuery = Type.Object({
  format: Type.Optional(OneOf(FILE_FORMATS, { default: 'csv' })),
  ...filters,
})
export type ExportQuery = Static<typeof ExportQuery>
