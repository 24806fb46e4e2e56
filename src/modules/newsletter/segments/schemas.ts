import { type Static, Type } from 'typebox'
import { Id, idOf, MarketId, OneOf, ProductId, UnixSeconds } from '#vocabulary/schemas.ts'

export const MAX_CONDITIONS = 10
const MAX_VALUES = 50
const MAX_PRODUCTS = 100
/** Ten years. */
const MAX_DAYS = 3_650

const PlanId = Type.String({ ...Id, description: 'A plan of the newsletter.', examples: ['monthly'] })
const Tag = Type.String({ minLength: 1, maxLength: 50, pattern: '\\S', examples: ['regular'] })
const CategoryId = idOf('cat', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const EntryId = idOf('ent', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const values = <Value extends typeof Tag>(value: Value) =>
  Type.Array(value, { minItems: 1, maxItems: MAX_VALUES, uniqueItems: true })

const productIds = Type.Array(ProductId, { minItems: 1, maxItems: MAX_PRODUCTS, uniqueItems: true })
const withinDays = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS, examples: [90] }))
const not = Type.Optional(Type.Boolean())
const time = Type.Optional(UnixSeconds)

/** Every condition that there is. One that is sent has to fit the one of its field. */
export const KINDS = [
  Type.Object({ field: OneOf(['plan']), values: values(PlanId), not }),
  Type.Object({ field: OneOf(['market']), values: values(MarketId), not }),
  Type.Object({ field: OneOf(['tag']), values: values(Tag), not }),
  Type.Object({
    field: OneOf(['bought']),
    productIds: Type.Optional(productIds),
    categoryId: Type.Optional(CategoryId),
    withinDays,
    not,
  }),
  Type.Object({ field: OneOf(['clicked']), entryId: Type.Optional(EntryId), withinDays, not }),
  Type.Object({ field: OneOf(['subscribed']), from: time, to: time, not }),
] as const
export type Condition = Static<(typeof KINDS)[number]>

export const FIELDS = ['plan', 'market', 'tag', 'bought', 'clicked', 'subscribed'] as const

/** What may be sent, in one shape for the reference: a union's refusals would speak of the wrong member. */
export const SentCondition = Type.Object(
  {
    field: OneOf(FIELDS, {
      description:
        '`plan`, `market`: that they subscribed to, from. `tag`: that they have as a customer. `bought`: any of `productIds`, ' +
        'or of a category, in an order that is paid. `clicked`: a link that is counted, in a letter of this newsletter. ' +
        '`subscribed`: when they became a reader.',
    }),
    not: Type.Optional(Type.Boolean({ description: 'Those for whom the rest does not hold.', examples: [false] })),
    values: Type.Optional(
      Type.Array(Type.String({ maxLength: 64, examples: ['regular'] }), {
        maxItems: MAX_VALUES,
        description: 'Of `plan`, `market` and `tag`: any of them.',
      }),
    ),
    productIds: Type.Optional(
      Type.Array(ProductId, { maxItems: MAX_PRODUCTS, description: 'Of `bought`, or `categoryId`: any of them.' }),
    ),
    categoryId: Type.Optional(
      Type.String({
        ...CategoryId,
        description: 'Of `bought`: what is in this category now, or in one below it.',
      }),
    ),
    entryId: Type.Optional(
      Type.String({ ...EntryId, description: 'Of `clicked`: in this letter. Without it: in any.' }),
    ),
    withinDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DAYS,
        description: 'Of `bought` and `clicked`: so many days before the send starts, or before now. Without it: ever.',
        examples: [90],
      }),
    ),
    from: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'Of `subscribed`: at this time or later.' })),
    to: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'Of `subscribed`: before this time.' })),
  },
  { title: 'ReaderCondition' },
)

export const conditionsOf = (description: string) =>
  Type.Array(SentCondition, {
    maxItems: MAX_CONDITIONS,
    description,
    examples: [
      [
        { field: 'market', values: ['us'] },
        { field: 'bought', productIds: ['prod_01jcq3v7k8f5t9x2m4n6p8r0sw'], withinDays: 90 },
        { field: 'tag', values: ['regular'], not: true },
      ],
    ],
  })
export type SentConditions = Static<ReturnType<typeof conditionsOf>>

export const Matching = Type.Object({ conditions: conditionsOf('All of them have to hold.') })

export const MatchingCount = Type.Object(
  {
    total: Type.Integer({
      minimum: 0,
      description: 'Readers that a letter goes to: ACTIVE, and not suppressed.',
      examples: [8310],
    }),
    matching: Type.Integer({
      minimum: 0,
      description: 'Of them, those for whom all conditions hold.',
      examples: [1204],
    }),
  },
  { title: 'MatchingReaders', 'x-response-description': 'The number of matching subscribers.' },
)
export type MatchingCount = Static<typeof MatchingCount>
