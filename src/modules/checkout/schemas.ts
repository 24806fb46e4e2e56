import { type Static, Type } from 'typebox'
import { NewMarket } from '#modules/access/index.ts'
import { NewPromoCode, PROMO_REFUSALS } from '#modules/catalog/index.ts'
import { Fallbacks, newContact, Quantity, shares, taxFigures } from '#modules/orders/index.ts'
import { ADDRESS_FIELDS, Country } from '#vocabulary/address.ts'
import { NewBlocks } from '#vocabulary/blocks.ts'
import { PAYMENT_METHODS } from '#vocabulary/business.ts'
import {
  BasisPoints,
  BusinessId,
  Currency,
  Email,
  Id,
  MarketId,
  Money,
  moneyOf,
  Nullable,
  OneOf,
  OrderId,
  ProductId,
  TaxClass,
  VariantId,
} from '#vocabulary/schemas.ts'

const MAX_ITEMS = 100
const PromoCode = Type.Optional(Nullable(Type.String({ maxLength: 200, examples: ['SUMMER'] })))
const ShippingMethodId = Type.Optional(
  Nullable(
    Type.String({
      maxLength: 64,
      description: 'Shipping method of the market. Required if the market has shipping methods.',
      examples: ['standard'],
    }),
  ),
)
const Url = Type.String({ maxLength: 2_000, format: 'uri', examples: ['https://shop.example.com/thanks'] })

const Item = Type.Object({
  type: Type.Optional(OneOf(['PRODUCT_VARIANT'])),
  productId: ProductId,
  variantId: VariantId,
  quantity: Quantity,
})
export type Item = Static<typeof Item>
const Items = Type.Array(Item, { minItems: 1, maxItems: MAX_ITEMS })

const AddressFields = (description: string, examples: string[]) =>
  Type.Array(OneOf(ADDRESS_FIELDS), { description, examples: [examples] })

export const AddressFormatQuery = Type.Object({
  locale: Type.Optional(
    Type.String({ maxLength: 35, description: 'Language of the names. Defaults to English.', examples: ['de'] }),
  ),
})
export const AddressFormat = Type.Object(
  {
    country: Country,
    name: Type.String({ examples: ['Germany'] }),
    fields: AddressFields('In the order in which the country writes them.', ['name', 'street', 'zip', 'city']),
    required: AddressFields('What a form must ask for.', ['name', 'street', 'zip', 'city', 'country']),
  },
  { title: 'AddressFormat' },
)
export type AddressFormat = Static<typeof AddressFormat>
export const AddressFormats = Type.Object({ items: Type.Array(AddressFormat) })

export const CheckoutBody = Type.Object({
  market: MarketId,
  email: Type.Optional(
    Nullable(
      Type.String({
        ...Email,
        pattern: '@.+\\.',
        description:
          'Email address for the order confirmation. The email address of the caller’s account takes precedence.',
        'x-says': { pattern: 'must be an email address, such as ada@example.com' },
      }),
    ),
  ),
  ...newContact,
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
        description: 'URL of the payment page. Redirect the customer to it.',
        examples: ['https://checkout.stripe.com/c/pay/cs_123'],
      }),
    ),
    status: Type.Optional(OneOf(['COMPLETED'], { description: 'Set if the total is 0.' })),
  },
  { title: 'CheckoutResult' },
)
export type CheckoutResult = Static<typeof CheckoutResult>

/** Where the business asks services of its own, their figures may depend on it. */
const { shippingAddress, billingAddress } = newContact
const addresses = { shippingAddress, billingAddress }

export const QuoteBody = Type.Object({
  businessId: BusinessId,
  market: MarketId,
  currency: Type.Optional(Currency),
  paymentMethod: Type.Optional(OneOf(PAYMENT_METHODS)),
  lines: Type.Optional(Items),
  items: Type.Optional(Items),
  shippingMethodId: ShippingMethodId,
  promoCode: PromoCode,
  ...addresses,
  explain: Type.Optional(
    Type.Boolean({ description: 'Whether to return the calculation in `steps`.', examples: [true] }),
  ),
})
export type QuoteBody = Static<typeof QuoteBody>

const QuoteLine = Type.Object({
  type: OneOf(['PRODUCT_VARIANT']),
  productId: ProductId,
  variantId: VariantId,
  quantity: Type.Integer({ examples: [2] }),
  unitPrice: Money,
  totalPrice: moneyOf(3_998),
  ...shares,
  taxBps: BasisPoints,
})

const Steps = Type.Array(
  Type.Object({
    rule: Type.String({ examples: ['tax, basis points'] }),
    base: Type.Integer({ examples: [2000] }),
    rate: Type.Optional(Type.Integer({ examples: [1900] })),
    result: Type.Integer({ examples: [380] }),
  }),
)

export const Quote = Type.Object(
  {
    lines: Type.Array(QuoteLine),
    subtotal: moneyOf(3_998),
    ...taxFigures,
    taxBps: Type.Integer({
      ...BasisPoints,
      description: 'Tax rate in basis points. With several rates, the single rate that results in the same tax.',
    }),
    shipping: moneyOf(595),
    discount: moneyOf(400),
    total: Type.Integer({ ...moneyOf(4_877), description: 'Total: subtotal + tax + shipping − discount.' }),
    currency: Type.String({ examples: ['USD'] }),
    steps: Type.Optional(Steps),
    shippingRates: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String({ examples: ['express'] }),
          name: Type.String({ examples: ['Express, 1–2 days'] }),
          price: moneyOf(595),
        }),
        {
          description:
            'Shipping rates from the shipping callout of the business. They replace the shipping methods of the market; `shippingMethodId` selects one. Without a selection, `shipping` is 0 and a checkout is rejected.',
        },
      ),
    ),
    fallbacks: Type.Optional(Fallbacks),
  },
  { title: 'Quote' },
)
export type Quote = Static<typeof Quote>

const MadeUpLine = Type.Object({
  unitPrice: Money,
  quantity: Quantity,
  taxClass: Type.Optional(TaxClass),
})
export const TryMarketBody = Type.Object({
  market: NewMarket,
  carts: Type.Array(
    Type.Object({
      lines: Type.Array(MadeUpLine, { minItems: 1, maxItems: MAX_ITEMS }),
      shippingMethodId: ShippingMethodId,
    }),
    { minItems: 1, maxItems: 60 },
  ),
})
export type TryMarketBody = Static<typeof TryMarketBody>

const { lines: _lines, ...figures } = Quote.properties
export const TriedMarket = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        ...figures,
        lines: Type.Array(
          Type.Object({ ...MadeUpLine.properties, totalPrice: moneyOf(3_998), ...shares, taxBps: BasisPoints }),
        ),
      }),
      { description: 'One quote per cart, in the order of the carts.' },
    ),
  },
  { title: 'TriedMarket', 'x-response-description': 'The quotes in the changed market.' },
)
export type TriedMarket = Static<typeof TriedMarket>

export const TryPromoBody = Type.Object({
  promo: Type.Object(NewPromoCode.properties, {
    description: 'Promo code as in its creation. It does not have to exist.',
  }),
  market: MarketId,
  lines: Items,
  shippingMethodId: ShippingMethodId,
})
export type TryPromoBody = Static<typeof TryPromoBody>

export const TriedPromo = Type.Object(
  {
    refusals: Type.Array(OneOf(PROMO_REFUSALS), {
      description:
        'Reasons why a checkout would reject the code now. Empty if it would accept the code. Ignores usage limits.',
      examples: [['MINIMUM']],
    }),
    quote: Type.Object(Quote.properties, {
      description:
        'Quote with the discount, even if the code would be rejected. A `FIXED` code gives no discount in another currency.',
    }),
    without: Type.Object(Quote.properties, { description: 'Quote of the same cart without the code.' }),
  },
  { title: 'TriedPromoCode', 'x-response-description': 'The quote with the promo code.' },
)
export type TriedPromo = Static<typeof TriedPromo>

export const Explanation = Type.Object(
  {
    orderId: Id,
    addsUp: Type.Boolean({ description: 'Whether the recalculated amounts match the order.', examples: [true] }),
    isByHand: Type.Boolean({
      description: 'Whether the order is a manual order. Its amounts are added up, not calculated.',
      examples: [false],
    }),
    steps: Steps,
    differences: Type.Array(
      Type.Object({
        field: Type.String({ examples: ['tax'] }),
        order: Type.Integer({ examples: [380] }),
        computed: Type.Integer({ examples: [380] }),
      }),
    ),
  },
  { title: 'Explanation', 'x-response-description': 'The calculation of the order.' },
)
export type Explanation = Static<typeof Explanation>
