import { type Static, Type } from 'typebox'
import { Block, NewBlocks } from '#vocabulary/blocks.ts'
import { PAYMENT_METHODS } from '#vocabulary/business.ts'
import {
  BusinessId,
  Changes,
  Currency,
  Email,
  Id,
  MarketId,
  Money,
  moneyOf,
  Nullable,
  OneOf,
  OrderId,
  PageQuery,
  ProductId,
  UnixSeconds,
  UserId,
  VariantId,
} from '#vocabulary/schemas.ts'
import { NewStatusEntryOf, StatusEntryOf } from '#vocabulary/status-history.ts'

export const ORDER_STATUSES = ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]
export const PAYMENT_STATUSES = ['PENDING', 'PAID', 'FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED'] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

export const MAX_LINES = 100
export const MAX_LINE_QUANTITY = 10_000

const LineType = OneOf(['PRODUCT_VARIANT'])
export const Quantity = Type.Integer({ minimum: 1, maximum: MAX_LINE_QUANTITY, examples: [2] })

const OrderLine = Type.Object({
  type: LineType,
  productId: ProductId,
  variantId: VariantId,
  quantity: Quantity,
  unitPrice: Money,
  totalPrice: moneyOf(3_998),
  name: Type.String({ description: 'As it was called when it was ordered.', examples: ['T-shirt, Red, XL'] }),
  sku: Type.String({ examples: ['TS-RED-XL'] }),
})

const amounts = { subtotal: moneyOf(3_998), tax: moneyOf(684), shipping: moneyOf(595), total: moneyOf(4_877) }

export const Order = Type.Object(
  {
    id: OrderId,
    businessId: BusinessId,
    number: Type.String({ description: 'Short, for people.', examples: ['K7Q2-M9X3'] }),
    customerId: UserId,
    market: MarketId,
    currency: Currency,
    lines: Type.Array(OrderLine),
    ...amounts,
    discount: moneyOf(400),
    promoCode: Nullable(Type.String({ examples: ['SUMMER'] })),
    shippingMethodId: Nullable(Type.String({ examples: ['standard'] })),
    paymentMethod: Nullable(OneOf(PAYMENT_METHODS)),
    blocks: Type.Array(Block),
    contactEmail: Nullable(Email),
    statuses: Type.Array(StatusEntryOf(ORDER_STATUSES, 'OrderStatusEntry'), { description: 'The last is current.' }),
    paymentStatus: Type.Array(StatusEntryOf(PAYMENT_STATUSES, 'PaymentStatusEntry'), {
      description: 'The last is current.',
    }),
    expiresAt: Nullable(Type.Integer({ ...UnixSeconds, description: 'When it ends if it is not paid.' })),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Order' },
)
export type Order = Static<typeof Order>

const NewLine = Type.Object({
  type: Type.Optional(LineType),
  productId: ProductId,
  variantId: VariantId,
  quantity: Quantity,
  unitPrice: Money,
  totalPrice: moneyOf(3_998),
})
export type NewLine = Static<typeof NewLine>

const NewLines = Type.Array(NewLine, { minItems: 1, maxItems: MAX_LINES })

export const NewOrder = Type.Object({
  customerId: UserId,
  market: MarketId,
  currency: Type.Optional(Currency),
  lines: NewLines,
  ...amounts,
  discount: Type.Optional(moneyOf(400)),
  blocks: Type.Optional(NewBlocks),
  contactEmail: Type.Optional(Nullable(Email)),
  statuses: Type.Optional(Type.Array(NewStatusEntryOf(ORDER_STATUSES), { maxItems: 100 })),
  paymentStatus: Type.Optional(Type.Array(NewStatusEntryOf(PAYMENT_STATUSES), { maxItems: 100 })),
})
export type NewOrder = Static<typeof NewOrder>

export const OrderChanges = Type.Object({
  id: OrderId,
  ...Changes({
    lines: NewLines,
    ...amounts,
    discount: moneyOf(400),
    blocks: NewBlocks,
    customerId: UserId,
    contactEmail: Nullable(Email),
  }).properties,
})
export type OrderChanges = Static<typeof OrderChanges>

export const StatusChange = NewStatusEntryOf(ORDER_STATUSES)
export const PaymentStatusChange = NewStatusEntryOf(PAYMENT_STATUSES)

export const OrderQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(OneOf(ORDER_STATUSES, { description: 'The current order status.' })),
  customerId: Type.Optional(Id),
})
export type OrderQuery = Static<typeof OrderQuery>
