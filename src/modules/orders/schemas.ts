import { type Static, Type } from 'typebox'
import { Address, NewAddress } from '#vocabulary/address.ts'
import { Block, NewBlocks } from '#vocabulary/blocks.ts'
import { CALLOUT_POINTS, PAYMENT_METHODS } from '#vocabulary/business.ts'
import {
  BasisPoints,
  BusinessId,
  Changes,
  Currency,
  Email,
  Id,
  MarketId,
  Money,
  moneyOf,
  Nullable,
  NullableText,
  OneOf,
  OrderId,
  ProductId,
  TaxClass,
  UnixSeconds,
  UserId,
  VariantId,
} from '#vocabulary/schemas.ts'
import { NewStatusEntryOf, StatusEntryOf } from '#vocabulary/status-history.ts'

export const ORDER_STATUSES = ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]
export const PAYMENT_STATUSES = ['PENDING', 'PAID', 'FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED'] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

export const FULFILLMENTS = ['UNFULFILLED', 'PARTIALLY_FULFILLED', 'FULFILLED'] as const
export type Fulfillment = (typeof FULFILLMENTS)[number]

export const OrderNumber = Type.String({ description: 'Short, for people.', examples: ['K7Q2-M9X3'] })

export const MAX_LINES = 100
export const MAX_LINE_QUANTITY = 10_000

const LineType = OneOf(['PRODUCT_VARIANT'])
export const Quantity = Type.Integer({ minimum: 1, maximum: MAX_LINE_QUANTITY, examples: [2] })

export const LineId = Type.String({
  ...Id,
  description: 'Unique within its order.',
  examples: ['line_01jcq3v7k8f5t9x2m4n6p8r0sw'],
})
/** The shares of a line: rounding never loses or adds a cent. */
export const shares = {
  discount: Type.Integer({ ...moneyOf(400), description: 'Its share of the discount.' }),
  taxClass: TaxClass,
  tax: Type.Integer({ ...moneyOf(684), description: 'Its share of the tax, on top of its price or inside.' }),
}

export const TaxGroup = Type.Object(
  {
    taxBps: BasisPoints,
    taxClasses: Type.Array(TaxClass, { maxItems: 101 }),
    base: Type.Integer({ ...moneyOf(3_598), description: 'Without the tax.' }),
    amount: moneyOf(684),
    included: Type.Boolean({ description: 'Inside the prices.', examples: [false] }),
  },
  { title: 'TaxGroup' },
)
export type TaxGroup = Static<typeof TaxGroup>

/** The tax of a quote or an order. */
export const taxFigures = {
  tax: Type.Integer({ ...moneyOf(684), description: 'On top of the prices; 0 where they include it.' }),
  taxIncluded: Type.Integer({ ...moneyOf(0), description: 'Inside the prices, where they include it.' }),
  shippingTax: Type.Integer({ ...moneyOf(0), description: 'Shipping’s share of the tax.' }),
  taxes: Type.Array(TaxGroup, { maxItems: 101, description: 'One for each rate, the highest first.' }),
}

const OrderLine = Type.Object({
  id: LineId,
  type: LineType,
  productId: ProductId,
  variantId: VariantId,
  quantity: Quantity,
  unitPrice: Money,
  totalPrice: moneyOf(3_998),
  ...shares,
  taxBps: Type.Union([BasisPoints, Type.Null()], { description: '`null` where a person sent the sums only.' }),
  name: Type.String({ description: 'As it was called when it was ordered.', examples: ['T-shirt, Red, XL'] }),
  sku: Type.String({ examples: ['TS-RED-XL'] }),
})

/** What its customer says with it. */
const said = {
  phone: NullableText({ maxLength: 50, examples: ['+49 40 123456'] }),
  customerNote: NullableText({ maxLength: 2_000, examples: ['Please leave it with the neighbours.'] }),
}
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 50, pattern: '\\S', examples: ['gift'] }), {
  maxItems: 50,
  uniqueItems: true,
})
const contact = { shippingAddress: Nullable(Address), billingAddress: Nullable(Address), ...said }
export const newContact = Changes({ shippingAddress: NewAddress, billingAddress: NewAddress, ...said }).properties

const amounts = { subtotal: moneyOf(3_998), tax: moneyOf(684), shipping: moneyOf(595), total: moneyOf(4_877) }

export const Fallbacks = Type.Array(OneOf(CALLOUT_POINTS), {
  description:
    'Services of the business that failed, so that the market’s own settings counted. Only where there are any; of an order, only with `ORDERS_READ`.',
})

export const Order = Type.Object(
  {
    id: OrderId,
    businessId: BusinessId,
    number: OrderNumber,
    customerId: UserId,
    market: MarketId,
    currency: Currency,
    lines: Type.Array(OrderLine),
    ...amounts,
    ...taxFigures,
    discount: moneyOf(400),
    promoCode: Nullable(Type.String({ examples: ['SUMMER'] })),
    shippingMethodId: Nullable(Type.String({ examples: ['standard'] })),
    paymentMethod: Nullable(OneOf(PAYMENT_METHODS)),
    blocks: Type.Array(Block),
    contactEmail: Nullable(Email),
    ...contact,
    tags: Type.Optional(Type.Array(Type.String({ examples: ['gift'] }), { description: 'Only with `ORDERS_READ`.' })),
    fallbacks: Type.Optional(Fallbacks),
    fulfillment: OneOf(FULFILLMENTS, { description: 'How much of it has been shipped.' }),
    refundedAmount: moneyOf(0),
    statuses: Type.Array(StatusEntryOf(ORDER_STATUSES, 'OrderStatusEntry'), { description: 'The last is current.' }),
    paymentStatus: Type.Array(StatusEntryOf(PAYMENT_STATUSES, 'PaymentStatusEntry'), {
      description: 'The last is current.',
    }),
    expiresAt: Nullable(Type.Integer({ ...UnixSeconds, description: 'When it ends if it is not paid.' })),
    expiredAt: Nullable(Type.Integer({ ...UnixSeconds, description: 'When it ended because nobody paid.' })),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Order' },
)
export type Order = Static<typeof Order>

const NewLine = Type.Object({
  id: Type.Optional(Type.String({ ...LineId, description: 'Of a line that the order has: it stays the same line.' })),
  type: Type.Optional(LineType),
  productId: ProductId,
  variantId: VariantId,
  quantity: Quantity,
  unitPrice: Money,
  totalPrice: moneyOf(3_998),
  ...Changes(shares).properties,
  taxBps: Type.Optional(BasisPoints),
})
export type NewLine = Static<typeof NewLine>

const NewLines = Type.Array(NewLine, { minItems: 1, maxItems: MAX_LINES })

const { tax: _tax, ...sentTaxes } = Changes(taxFigures).properties

const NewCustomer = Type.Object(
  { email: Email, name: Type.Optional(Type.String({ maxLength: 200, examples: ['Ada Lovelace'] })) },
  { description: 'Instead of `customerId`: a new guest of this business, whether or not an account has that address.' },
)

export const NewOrder = Type.Object({
  customerId: Type.Optional(UserId),
  customer: Type.Optional(NewCustomer),
  market: MarketId,
  currency: Type.Optional(Currency),
  lines: NewLines,
  ...amounts,
  ...sentTaxes,
  discount: Type.Optional(moneyOf(400)),
  blocks: Type.Optional(NewBlocks),
  contactEmail: Type.Optional(Nullable(Email)),
  ...newContact,
  tags: Type.Optional(Tags),
  statuses: Type.Optional(Type.Array(NewStatusEntryOf(ORDER_STATUSES), { maxItems: 100 })),
  paymentStatus: Type.Optional(Type.Array(NewStatusEntryOf(PAYMENT_STATUSES), { maxItems: 100 })),
})
export type NewOrder = Static<typeof NewOrder>

export const OrderChanges = Type.Object({
  id: OrderId,
  ...Changes({
    lines: NewLines,
    ...amounts,
    ...sentTaxes,
    discount: moneyOf(400),
    blocks: NewBlocks,
    customerId: UserId,
    contactEmail: Nullable(Email),
    tags: Tags,
  }).properties,
  ...newContact,
})
export type OrderChanges = Static<typeof OrderChanges>

export const StatusChange = NewStatusEntryOf(ORDER_STATUSES)
export const PaymentStatusChange = NewStatusEntryOf(PAYMENT_STATUSES)
