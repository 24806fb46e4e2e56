import { type Static, Type } from 'typebox'
import {
  anyOf,
  Changes,
  Currency,
  Id,
  idOf,
  Money,
  Nullable,
  OneOf,
  PageQuery,
  UnixSeconds,
} from '#vocabulary/schemas.ts'

export const PROMO_TYPES = ['PERCENT', 'FIXED'] as const
export type PromoType = (typeof PROMO_TYPES)[number]

export const MAX_PERCENT_BPS = 10_000
export const MAX_CODE_LENGTH = 64
const MAX_LIMIT = 1_000_000_000

const Code = Type.String({
  minLength: 1,
  maxLength: MAX_CODE_LENGTH,
  description: 'What customers type, in upper case.',
  examples: ['SPRING-25'],
})
// Longer than a code may be, because spaces around it are trimmed.
const TypedCode = Type.String({
  minLength: 1,
  maxLength: 200,
  description: `1 to ${MAX_CODE_LENGTH} letters, digits, \`_\` and \`-\`. Case does not matter, nor do spaces around it.`,
  examples: ['spring-25'],
})
const Kind = OneOf(PROMO_TYPES, { description: 'A part of the subtotal, or an amount.' })
const Value = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: `PERCENT: basis points, at most ${MAX_PERCENT_BPS}. FIXED: minor units of \`currency\`.`,
  examples: [2500],
})
const limitOf = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description, examples: [example] })
const timeOf = (description: string, example: number) =>
  Type.Integer({ ...UnixSeconds, description, examples: [example] })

/** Optional terms; null means absent. */
const terms = {
  currency: Type.Union(
    [
      Type.String({
        ...Currency,
        description: 'ISO 4217. FIXED needs one and works in markets with it only; PERCENT has none.',
        examples: ['USD'],
      }),
      Type.Null(),
    ],
    { examples: [null] }, // the example as a whole shows a PERCENT code
  ),
  minSubtotal: Nullable(
    Type.Integer({
      ...Money,
      description: 'The least subtotal, in minor units of the market’s currency.',
      examples: [5000],
    }),
  ),
  maxRedemptions: Nullable(limitOf('How often it can be used in all.', 100)),
  maxPerCustomer: Nullable(limitOf('How often one customer can use it.', 1)),
  startsAt: Nullable(timeOf('From then on, Unix time in seconds.', 1_789_000_000)),
  endsAt: Nullable(timeOf('Until before then, Unix time in seconds; after `startsAt`.', 1_791_592_000)),
  markets: Nullable(
    Type.Array(Type.String({ ...Id, description: 'A market of the business.', examples: ['us'] }), {
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      description: 'Where it can be used; null: in every market.',
    }),
  ),
}

export const PromoCode = Type.Object(
  {
    id: idOf('promo', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    code: Code,
    type: Kind,
    value: Value,
    ...terms,
    redemptions: Type.Integer({
      minimum: 0,
      description: 'How often it is used now: by orders that were not cancelled.',
      examples: [42],
    }),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'PromoCode' },
)
export type PromoCode = Static<typeof PromoCode>

export const PromoCodeChanges = Changes({ code: TypedCode, type: Kind, value: Value, ...terms })
export type PromoCodeChanges = Static<typeof PromoCodeChanges>
export const NewPromoCode = Type.Object({ ...Changes(terms).properties, code: TypedCode, type: Kind, value: Value })
export type NewPromoCode = Static<typeof NewPromoCode>

/** Each code has one of them at a time; the first that fits counts. */
export const PROMO_STATUSES = ['ENDED', 'USED_UP', 'PLANNED', 'ACTIVE'] as const
export type PromoStatus = (typeof PROMO_STATUSES)[number]

const filters = {
  query: Type.Optional(
    Type.String({ maxLength: 200, description: 'A part of the code, however it is spelled.', examples: ['spring'] }),
  ),
  market: Type.Optional(
    Type.String({ ...Id, description: 'Those that can be used in this market.', examples: ['us'] }),
  ),
}

export const PromoCodeQuery = Type.Object({
  ...PageQuery,
  ...filters,
  status: anyOf(
    OneOf(PROMO_STATUSES),
    'Its time is over; it was used `maxRedemptions` times; its time has not begun; or it can be used now.',
  ),
  code: Type.Optional(Type.String({ maxLength: 200, description: 'The one with this code, however it is spelled.' })),
})
export type PromoCodeQuery = Static<typeof PromoCodeQuery>

export const PromoCountQuery = Type.Object(filters)
export type PromoCountQuery = Static<typeof PromoCountQuery>

export const PromoCounts = Type.Object(
  {
    items: Type.Array(
      Type.Object({ value: OneOf(PROMO_STATUSES), count: Type.Integer({ minimum: 1, examples: [12] }) }),
    ),
  },
  { title: 'PromoCodeCounts' },
)
export type PromoCounts = Static<typeof PromoCounts>
