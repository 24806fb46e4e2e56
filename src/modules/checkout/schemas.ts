import { type Static, Type } from 'typebox'
import { NewBlocks } from '#vocabulary/blocks.ts'
import { PAYMENT_METHODS } from '#vocabulary/business.ts'
import {
  BasisPoints,
  BusinessId,
  Currency,
  Id,
  idOf,
  MarketId,
  Money,
  moneyOf,
  Nullable,
  OneOf,
  OrderId,
  ProductId,
  UnixSeconds,
  VariantId,
} from '#vocabulary/schemas.ts'

const MAX_ITEMS = 100
const PromoCode = Type.Optional(Nullable(Type.String({ maxLength: 200, examples: ['SUMMER'] })))
const ShippingMethodId = Type.Optional(
  Nullable(
    Type.String({
      maxLength: 64,
      description: 'Needed where the market has shipping methods.',
      examples: ['standard'],
    }),
  ),
)
const Url = Type.String({ maxLength: 2_000, format: 'uri', examples: ['https://shop.example.com/thanks'] })

const Item = Type.Object({
  type: Type.Optional(OneOf(['PRODUCT_VARIANT'])),
  productId: ProductId,
  variantId: VariantId,
  quantity: Type.Integer({ minimum: 1, maximum: 10_000, examples: [2] }),
})
export type Item = Static<typeof Item>
const Items = Type.Array(Item, { minItems: 1, maxItems: MAX_ITEMS })

export const CheckoutBody = Type.Object({
  market: MarketId,
  paymentMethod: Type.Optional(OneOf(PAYMENT_METHODS)),
  shippingMethodId: ShippingMethodId,
  items: Items,
  blocks: Type.Optional(NewBlocks),
  promoCode: PromoCode,
  returnUrl: Type.Optional(Url),
  cancelUrl: Type.Optional(Url),
})
export type CheckoutBody = Static<typeof CheckoutBody>

export const CheckoutResult = Type.Object(
  {
    orderId: OrderId,
    checkoutUrl: Type.Optional(
      Type.String({
        description: 'Where to pay. Send the shopper there.',
        examples: ['https://checkout.stripe.com/c/pay/cs_123'],
      }),
    ),
    status: Type.Optional(OneOf(['COMPLETED'], { description: 'There was nothing to pay.' })),
  },
  { title: 'CheckoutResult' },
)
export type CheckoutResult = Static<typeof CheckoutResult>

export const QuoteBody = Type.Object({
  businessId: BusinessId,
  market: MarketId,
  currency: Type.Optional(Currency),
  paymentMethod: Type.Optional(OneOf(PAYMENT_METHODS)),
  lines: Type.Optional(Items),
  items: Type.Optional(Items),
  shippingMethodId: ShippingMethodId,
  promoCode: PromoCode,
})
export type QuoteBody = Static<typeof QuoteBody>

const QuoteLine = Type.Object({
  type: OneOf(['PRODUCT_VARIANT']),
  productId: ProductId,
  variantId: VariantId,
  quantity: Type.Integer({ examples: [2] }),
  unitPrice: Money,
  totalPrice: moneyOf(3_998),
})

export const Quote = Type.Object(
  {
    lines: Type.Array(QuoteLine),
    subtotal: moneyOf(3_998),
    tax: moneyOf(684),
    taxBps: BasisPoints,
    shipping: moneyOf(595),
    discount: moneyOf(400),
    total: Type.Integer({ ...moneyOf(4_877), description: 'subtotal + tax + shipping − discount' }),
    currency: Type.String({ examples: ['USD'] }),
  },
  { title: 'Quote' },
)
export type Quote = Static<typeof Quote>

export const Explanation = Type.Object(
  {
    orderId: Id,
    addsUp: Type.Boolean({ description: 'Computed again, the figures are those of the order.', examples: [true] }),
    steps: Type.Array(
      Type.Object({
        rule: Type.String({ examples: ['tax, basis points'] }),
        base: Type.Integer({ examples: [2000] }),
        rate: Type.Optional(Type.Integer({ examples: [1900] })),
        result: Type.Integer({ examples: [380] }),
      }),
    ),
    differences: Type.Array(
      Type.Object({
        field: Type.String({ examples: ['tax'] }),
        order: Type.Integer({ examples: [380] }),
        computed: Type.Integer({ examples: [380] }),
      }),
    ),
  },
  { title: 'Explanation' },
)
export type Explanation = Static<typeof Explanation>

export const NewRefund = Type.Object({
  amount: Type.Optional(Type.Integer({ ...Money, minimum: 1, description: 'Without it: all that is left.' })),
  reason: Type.Optional(Nullable(Type.String({ maxLength: 500, examples: ['Came broken'] }))),
})
export type NewRefund = Static<typeof NewRefund>

export const Refund = Type.Object(
  {
    id: idOf('ref', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    orderId: Id,
    amount: Money,
    reason: Nullable(Type.String({ examples: ['Came broken'] })),
    status: OneOf(['ASKED', 'DONE', 'FAILED']),
    createdAt: UnixSeconds,
  },
  { title: 'Refund' },
)
export type Refund = Static<typeof Refund>
