import { type Static, Type } from 'typebox'
import {
  anyOf,
  BusinessId,
  Currency,
  Email,
  Id,
  idOf,
  MarketId,
  Nullable,
  OneOf,
  PageQuery,
  UnixSeconds,
} from '#vocabulary/schemas.ts'
import { conditionsOf } from './segments/schemas.ts'

export const SUBSCRIPTION_STATUSES = ['PENDING', 'ACTIVE', 'PAST_DUE', 'CANCELLED'] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]
export const SEND_STATUSES = ['SCHEDULED', 'RUNNING', 'PAUSED', 'DONE', 'CANCELLED'] as const
export type SendStatus = (typeof SEND_STATUSES)[number]

const PlanId = Type.String({ ...Id, description: 'A plan of the collection.', examples: ['monthly'] })
const SubscriberName = Type.String({ maxLength: 200, examples: ['Ada'] })
const Url = (description: string) =>
  Type.String({ maxLength: 2_048, format: 'uri', description, examples: ['https://shop.example.com/thanks'] })

export const Subscription = Type.Object(
  {
    id: idOf('sub', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    entity: Type.String({
      description: '`collection:<id>`.',
      examples: ['collection:col_01jcq3v7k8f5t9x2m4n6p8r0sw'],
    }),
    email: Email,
    name: Type.Optional(SubscriberName),
    planId: Type.Optional(PlanId),
    status: OneOf(SUBSCRIPTION_STATUSES, {
      description: 'PENDING: the address is not confirmed yet. PAST_DUE: a payment failed.',
    }),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Subscription' },
)
export type Subscription = Static<typeof Subscription>

export const NewSubscription = Type.Object({
  email: Email,
  name: Type.Optional(SubscriberName),
  market: Type.Optional(MarketId),
  planId: Type.Optional(PlanId),
  plan_id: Type.Optional(PlanId),
  returnUrl: Type.Optional(Url('Where the payment page leads to after payment.')),
  cancelUrl: Type.Optional(Url('Where it leads to without payment.')),
})
export type NewSubscription = Static<typeof NewSubscription>

export const SubscriptionCheckout = Type.Object(
  { checkoutUrl: Type.String({ description: 'Where the plan is paid.', examples: ['https://pay.example.com/c/1'] }) },
  { title: 'SubscriptionCheckout' },
)

/** Where to pay; for callers who pay for that plan already, their subscription. */
export const SubscribeResult = Type.Union([SubscriptionCheckout, Subscription], {
  'x-response-description': 'The existing subscription, or the payment page of a paid plan.',
})

export const SubscriberQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(OneOf(SUBSCRIPTION_STATUSES)),
  email: Type.Optional(Type.String({ maxLength: 254, description: 'Only this address.' })),
})
export type SubscriberQuery = Static<typeof SubscriberQuery>

export const SubscriberCounts = Type.Object(
  {
    items: Type.Array(
      Type.Object({ value: OneOf(SUBSCRIPTION_STATUSES), count: Type.Integer({ minimum: 1, examples: [120] }) }),
    ),
    suppressed: Type.Integer({
      minimum: 0,
      description: 'Of the ACTIVE ones: their address is suppressed, so a letter does not go there.',
      examples: [2],
    }),
  },
  { title: 'SubscriberCounts' },
)
export type SubscriberCounts = Static<typeof SubscriberCounts>

export const CollectionParams = Type.Object({ businessId: BusinessId, collectionId: Id })
export const EntryParams = Type.Object({ businessId: BusinessId, entryId: Id })
export const SendParams = Type.Object({ businessId: BusinessId, entryId: Id, id: Id })

export const Unsubscribe = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 500, description: 'From a newsletter mail.', examples: ['biz_…'] }),
  everything: Type.Optional(
    Type.Boolean({ description: 'Every newsletter of the business, not only this one.', examples: [false] }),
  ),
})

const Count = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] })
export const Send = Type.Object(
  {
    id: idOf('snd', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    entryId: idOf('ent', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    status: OneOf(SEND_STATUSES),
    scheduledAt: UnixSeconds,
    startedAt: Nullable(UnixSeconds),
    finishedAt: Nullable(UnixSeconds),
    total: Count('Recipients: those who were subscribed when it started, and for whom its conditions held.'),
    planned: Count('Not sent yet.'),
    sent: Count('Taken by the mail server.'),
    failed: Count('Refused by the mail server, for good.'),
    suppressed: Count('Left out: unsubscribed or bounced meanwhile.'),
    uncertain: Count('Handed over, but whether it was taken is not known.'),
    perSecond: Nullable(Type.Number({ description: 'Mails a second so far.', examples: [42.5] })),
    estimatedEndAt: Nullable(UnixSeconds),
    onUncertain: OneOf(['SKIP', 'RESEND'], { description: 'What is done where it is not known.' }),
    problem: Nullable(Type.String({ description: 'Why it could not start.', examples: ['title is required.'] })),
    remainderOf: Type.Optional(
      Type.String({ description: 'The send whose rest it goes to.', examples: ['snd_01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
    ),
    conditions: Type.Optional(conditionsOf('It goes only to readers for whom all of them held when it started.')),
    automationId: Type.Optional(
      Type.String({
        description: 'The automation whose letter it is. It takes in readers for an hour, and is RUNNING until then.',
        examples: ['aut_01jcq3v7k8f5t9x2m4n6p8r0sw'],
      }),
    ),
    createdAt: UnixSeconds,
  },
  { title: 'Send' },
)

export const SendQuery = Type.Object({
  ...PageQuery,
  entryId: anyOf(Id, 'The letter.', 100),
  collectionId: Type.Optional(Type.String({ ...Id, description: 'The newsletter.' })),
})
export type SendQuery = Static<typeof SendQuery>

export const NewSend = Type.Object({
  scheduledAt: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'When. Absent, or in the past: now.' })),
  resend: Type.Optional(Type.Boolean({ description: 'Once more, although it was sent.', examples: [false] })),
  onUncertain: Type.Optional(
    OneOf(['SKIP', 'RESEND'], { description: 'SKIP (default): nobody gets it twice. RESEND: nobody misses it.' }),
  ),
  conditions: Type.Optional(
    conditionsOf('Only to readers for whom all of them hold when it starts. Without any: to all.'),
  ),
})
export type NewSend = Static<typeof NewSend>

export const RECIPIENT_STATUSES = ['PLANNED', 'SENDING', 'SENT', 'FAILED', 'SUPPRESSED', 'UNCERTAIN'] as const

export const RecipientQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(OneOf(RECIPIENT_STATUSES, { description: 'PLANNED and SENDING together are `planned`.' })),
  email: Type.Optional(Type.String({ maxLength: 254, description: 'Only this address.' })),
})
export type RecipientQuery = Static<typeof RecipientQuery>

export const Recipient = Type.Object(
  {
    subscriptionId: idOf('sub', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    email: Nullable(Type.String({ description: 'Null: the subscription was deleted.', examples: ['ada@example.com'] })),
    name: Type.String({ examples: ['Ada'] }),
    status: OneOf(RECIPIENT_STATUSES),
    attempts: Type.Integer({ minimum: 0, description: 'How often it was handed to the mail server.', examples: [1] }),
    response: Nullable(Type.String({ description: 'What the mail server said last.', examples: ['250 Accepted'] })),
    updatedAt: UnixSeconds,
  },
  { title: 'Recipient' },
)
export type Recipient = Static<typeof Recipient>

export const Clicks = Type.Object(
  {
    isCounted: Type.Boolean({
      description: 'Whether the newsletter counted clicks when it was sent.',
      examples: [true],
    }),
    readers: Count('Readers who opened any of its links.'),
    links: Type.Array(
      Type.Object({
        url: Type.String({ examples: ['https://shop.example.com/boats'] }),
        clicks: Count('How often it was opened.'),
        readers: Count('By how many readers.'),
      }),
    ),
  },
  { title: 'Clicks', 'x-response-description': 'The clicks per link.' },
)
export type Clicks = Static<typeof Clicks>

export const SendResults = Type.Object(
  {
    reached: Count('Readers whose mail was taken by the mail server.'),
    clicks: Type.Object({ ...Clicks.properties, total: Count('How often its links were opened in all.') }),
    opens: Type.Object(
      {
        isCounted: Type.Boolean({
          description: 'Whether the newsletter counted it when it was sent.',
          examples: [false],
        }),
        readers: Count('Readers whose mail program asked for the picture in the letter.'),
      },
      {
        description:
          'Unreliable: some mail programs open letters by themselves, and some do not tell when people open them.',
      },
    ),
    unsubscribed: Count('Readers who left by the link of this letter.'),
    orders: Type.Object(
      {
        count: Count('Each once, however it followed.'),
        byClick: Count('Of a reader, within seven days of a click.'),
        byPromoCode: Count('With a promo code that the letter names, within seven days of the send.'),
        promoCodes: Type.Array(Type.String({ examples: ['SPRING-25'] }), {
          description: 'The codes of these orders that the letter names.',
        }),
        sums: Type.Array(
          Type.Object({
            currency: Currency,
            orders: Count('How many.'),
            amount: Type.Integer({ description: 'Their totals, less what went back.', examples: [12_900] }),
          }),
        ),
        newest: Type.Array(idOf('ord', '01jcq3v7k8f5t9x2m4n6p8r0sw'), {
          description: 'The ids of the newest 100 of them.',
        }),
      },
      { description: 'Orders that were paid, whatever was refunded since.' },
    ),
  },
  { title: 'SendResults' },
)
export type SendResults = Static<typeof SendResults>

export const RemainingSend = Type.Object({
  statuses: Type.Array(OneOf(['FAILED', 'UNCERTAIN', 'PLANNED']), {
    minItems: 1,
    maxItems: 3,
    uniqueItems: true,
    description:
      'Whom of the first send. UNCERTAIN: some may get it twice. PLANNED: it was cancelled before their turn.',
  }),
})
export type RemainingSend = Static<typeof RemainingSend>

export const Preview = Type.Object(
  {
    subject: Type.String({ examples: ['News from the workshop'] }),
    html: Type.String({ examples: ['<p>Hello Ada</p>'] }),
    text: Type.String({ examples: ['Hello Ada'] }),
  },
  { title: 'Preview', 'x-response-description': 'The rendered email.' },
)

export const Variables = Type.Object(
  {
    variables: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['subscriber.name'] }),
        description: Type.String({ examples: ['The reader’s name, if known.'] }),
        example: Type.String({ examples: ['Ada'] }),
      }),
    ),
  },
  { title: 'TemplateVariables' },
)

export const Suppression = Type.Object(
  { email: Email, reason: OneOf(['BOUNCE', 'COMPLAINT', 'UNSUBSCRIBED']), createdAt: UnixSeconds },
  { title: 'Suppression' },
)
