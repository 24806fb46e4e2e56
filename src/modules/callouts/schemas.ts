import { type Static, Type } from 'typebox'
import { Address } from '#vocabulary/address.ts'
import { CALLOUT_FAILURES, CALLOUT_POINTS } from '#vocabulary/business.ts'
import {
  BasisPoints,
  BusinessId,
  Changes,
  Currency,
  MarketId,
  Money,
  moneyOf,
  Nullable,
  OneOf,
  ProductId,
  TaxClass,
  UnixSeconds,
  UserId,
  VariantId,
} from '#vocabulary/schemas.ts'

export const Point = OneOf(CALLOUT_POINTS)
export const CalloutParams = Type.Object({ businessId: BusinessId, point: Point })

const settings = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    format: 'uri',
    description: 'An https address that everybody can reach.',
    examples: ['https://tax.harbour.example/kontor'],
  }),
  timeoutMs: Type.Integer({
    minimum: 100,
    maximum: 3_000,
    description:
      'How long an answer may take; 1000 unless told. All callouts of a request together may take 5 seconds.',
    examples: [1_000],
  }),
  onFailure: OneOf(CALLOUT_FAILURES, {
    description:
      '`FAIL`, unless told: quote and checkout answer 503. `FALLBACK`: the rates and shipping methods of the market count, every cart is taken, and the order says so.',
  }),
  isEnabled: Type.Boolean({ description: 'True unless told.', examples: [true] }),
}

export const CalloutChanges = Changes(settings)
export type CalloutChanges = Static<typeof CalloutChanges>

export const Callout = Type.Object(
  {
    point: Point,
    ...settings,
    secret: Type.Union([Type.String(), Type.Null()], {
      description: 'What requests are signed with. Only in the answer to the first `PUT`.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Callout' },
)
export type Callout = Static<typeof Callout>
export const Callouts = Type.Object({ items: Type.Array(Callout) })

const CartLine = Type.Object({
  id: Type.String({ description: 'Its place in this cart. Answers name lines by it.', examples: ['1'] }),
  productId: ProductId,
  variantId: VariantId,
  sku: Type.String({ examples: ['TS-RED-XL'] }),
  quantity: Type.Integer({ examples: [2] }),
  unitPrice: Money,
  totalPrice: moneyOf(3_998),
  discount: Type.Integer({ ...moneyOf(400), description: 'Its share of the discount.' }),
  taxClass: TaxClass,
})

/** What a service is sent. */
export const CalloutRequest = Type.Object(
  {
    point: Point,
    businessId: BusinessId,
    requestId: Type.String({ description: 'Of the request that it was asked for.', examples: ['3f0c9a7be1d2-1k'] }),
    market: MarketId,
    currency: Currency,
    pricesIncludeTax: Type.Boolean({ examples: [false] }),
    customerId: UserId,
    shippingAddress: Nullable(Address),
    billingAddress: Nullable(Address),
    shippingMethodId: Type.Union([Type.String(), Type.Null()], {
      description: 'The one that was chosen. `null` for `shipping.rates`.',
      examples: ['standard'],
    }),
    shipping: Type.Integer({ ...moneyOf(595), description: 'What that costs. 0 for `shipping.rates`.' }),
    discount: moneyOf(400),
    lines: Type.Array(CartLine),
  },
  { title: 'CalloutRequest' },
)
export type CalloutRequest = Static<typeof CalloutRequest>

/** A cart as the checkout knows it. */
export type Cart = Omit<CalloutRequest, 'point' | 'businessId' | 'requestId'>

export const CalloutTest = Type.Object(
  {
    isUsable: Type.Boolean({ description: 'Whether a quote could use what came.', examples: [true] }),
    status: Type.Union([Type.Integer(), Type.Null()], {
      description: '`null`: no answer came.',
      examples: [200],
    }),
    ms: Type.Integer({ description: 'How long it took, in milliseconds.', examples: [84] }),
    sent: CalloutRequest,
    received: Type.Union([Type.String(), Type.Null()], {
      description: 'The first 10,000 characters of what came.',
      examples: ['{"lines":[{"id":"1","taxBps":1900,"tax":684}],"shippingTax":113,"taxes":[]}'],
    }),
    problems: Type.Array(
      Type.Object({
        field: Type.String({ description: 'Empty: the answer as a whole.', examples: ['lines.0.tax'] }),
        message: Type.String({ examples: ['The tax of line 1 is above what is taxed.'] }),
      }),
      { description: 'What is wrong with it; empty if it is usable.', examples: [[]] },
    ),
  },
  { title: 'CalloutTest', 'x-response-description': 'The result of the test call.' },
)
export type CalloutTest = Static<typeof CalloutTest>
export type Problem = CalloutTest['problems'][number]

// What services answer. Strict: a field that is not known is a mistake, perhaps about the currency.

/** No single figure is higher: sums of them stay exact. */
const Figure = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })
/** Shown to people, and stored. */
const Words = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })
const RateId = Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\w.:-]+$' })
const strict = { additionalProperties: false }

export const TaxAnswer = Type.Object(
  {
    lines: Type.Array(Type.Object({ id: Type.String({ maxLength: 64 }), taxBps: BasisPoints, tax: Figure }, strict), {
      maxItems: 100,
    }),
    shippingTax: Figure,
    taxes: Type.Array(
      Type.Object(
        {
          taxBps: BasisPoints,
          taxClasses: Type.Optional(Type.Array(TaxClass, { maxItems: 101 })),
          base: Figure,
          amount: Figure,
          included: Type.Optional(Type.Boolean()),
        },
        strict,
      ),
      { maxItems: 101 },
    ),
  },
  strict,
)
export type TaxAnswer = Static<typeof TaxAnswer>

export const RatesAnswer = Type.Object(
  {
    rates: Type.Array(Type.Object({ id: RateId, name: Words(200), price: Figure }, strict), { maxItems: 50 }),
  },
  strict,
)
export type RatesAnswer = Static<typeof RatesAnswer>

export const ValidityAnswer = Type.Object(
  {
    isValid: Type.Boolean(),
    problems: Type.Array(
      Type.Object({ lineId: Nullable(Type.String({ maxLength: 64 })), code: Words(64), message: Words(500) }, strict),
      { maxItems: 100 },
    ),
  },
  strict,
)
export type ValidityAnswer = Static<typeof ValidityAnswer>

export type Answers = {
  'tax.calculate': TaxAnswer
  'shipping.rates': RatesAnswer
  'cart.validate': ValidityAnswer
}
