import { type Static, Type } from 'typebox'
import { BusinessId, Changes, Id, idOf, Nullable, OneOf, PageQuery, UnixSeconds } from '#vocabulary/schemas.ts'

export const MAX_URL = 2_000
const MAX_TYPES = 100

/** Why an endpoint is not told anything any more. */
export const REASONS = ['PERSON', 'GONE', 'FAILING'] as const
/** What became of an attempt that delivered nothing. */
export const PROBLEMS = ['REFUSED', 'REDIRECTED', 'TIMED_OUT', 'UNREACHABLE', 'ADDRESS_NOT_ALLOWED'] as const
export type Problem = (typeof PROBLEMS)[number]
export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

const EndpointId = idOf('whe', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const Url = Type.String({
  minLength: 1,
  maxLength: MAX_URL,
  description: 'An `https` address on a public host, at port 443.',
  examples: ['https://erp.example.com/kontor'],
})
const Types = Type.Array(
  Type.String({
    maxLength: 100,
    pattern: '^(\\*|[a-z0-9_]+\\.\\*|[a-z0-9_]+(\\.[a-z0-9_]+)+)$',
    'x-says': { pattern: 'must be a type of event such as order.paid, a topic such as order.*, or *' },
    examples: ['order.*'],
  }),
  {
    minItems: 1,
    maxItems: MAX_TYPES,
    uniqueItems: true,
    description:
      'Types of events, topics such as `order.*`, or `*` for all. Only what the caller may read in `GET …/events`.',
    examples: [['order.*', 'stock.low']],
  },
)
const Description = Type.String({ maxLength: 500, examples: ['Tells the ERP of orders'] })
const IsEnabled = Type.Boolean({
  description:
    'Whether it is told. Enabled again, it is told what happens from then on; `replay` brings what it missed.',
  examples: [true],
})

export const NewWebhookEndpoint = Type.Object({
  url: Url,
  types: Types,
  description: Type.Optional(Description),
  isEnabled: Type.Optional(IsEnabled),
})
export type NewWebhookEndpoint = Static<typeof NewWebhookEndpoint>

export const WebhookEndpointChanges = Changes({
  url: Url,
  types: Types,
  description: Description,
  isEnabled: IsEnabled,
})
export type WebhookEndpointChanges = Static<typeof WebhookEndpointChanges>

const EventNumber = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [42] })

const endpointFields = {
  id: EndpointId,
  url: Url,
  types: Types,
  description: Description,
  isEnabled: IsEnabled,
  status: OneOf(['ACTIVE', 'FAILING', 'DISABLED'], {
    description: 'FAILING: nothing has been delivered since `failingSince`.',
  }),
  disabledReason: Nullable(
    OneOf(REASONS, {
      description: 'PERSON: somebody did. GONE: it answered 410. FAILING: five days of nothing but failure.',
    }),
  ),
  disabledAt: Nullable(UnixSeconds),
  failingSince: Nullable(UnixSeconds),
  nextAttemptAt: Nullable(
    Type.Integer({ ...UnixSeconds, description: 'While it keeps failing: when it is tried again.' }),
  ),
  lastNumber: Type.Integer({
    ...EventNumber,
    description: 'It was told of every event up to this one; those that failed are in its deliveries.',
  }),
  behind: Type.Integer({
    minimum: 0,
    description: 'How many events of the feed come after `lastNumber`.',
    examples: [0],
  }),
  oldSecretUntil: Nullable(
    Type.Integer({ ...UnixSeconds, description: 'Until then requests are signed with the secret before, too.' }),
  ),
  replay: Nullable(
    Type.Object(
      {
        after: EventNumber,
        before: EventNumber,
        lastNumber: Type.Integer({ ...EventNumber, description: 'How far it is.' }),
        startedAt: UnixSeconds,
      },
      { title: 'WebhookReplay' },
    ),
  ),
  createdAt: UnixSeconds,
  updatedAt: UnixSeconds,
}

export const WebhookEndpoint = Type.Object(endpointFields, { title: 'WebhookEndpoint' })
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

export const WebhookEndpointWithSecret = Type.Object(
  {
    ...endpointFields,
    secret: Nullable(
      Type.String({
        description: 'Checks signatures. It is in this answer only: `null` in one that is repeated.',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ),
  },
  { title: 'WebhookEndpointWithSecret' },
)
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>

export const RotateBody = Type.Object({
  keepOldHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 24,
      default: 24,
      description: 'For how many hours requests are signed with both.',
      examples: [24],
    }),
  ),
})
export type RotateBody = Static<typeof RotateBody>

export const ReplayBody = Type.Object({
  after: Type.Optional(
    Type.Integer({ ...EventNumber, description: 'Every event with a higher number that it was told of.' }),
  ),
  before: Type.Optional(Type.Integer({ ...EventNumber, description: 'And a lower one than this. Default: all.' })),
  failed: Type.Optional(Type.Boolean({ description: 'Instead: every delivery that is FAILED.', examples: [true] })),
})
export type ReplayBody = Static<typeof ReplayBody>

const Attempt = Type.Object(
  {
    at: UnixSeconds,
    status: Nullable(Type.Integer({ description: 'Of the answer; `null`: there was none.', examples: [500] })),
    problem: Nullable(OneOf(PROBLEMS, { description: '`null`: it was delivered.' })),
    milliseconds: Type.Integer({ minimum: 0, examples: [184] }),
    answer: Type.String({ description: 'The first 1,000 bytes.', examples: ['Internal Server Error'] }),
  },
  { title: 'WebhookAttempt' },
)

export const WebhookAttempt = Attempt
export type WebhookAttempt = Static<typeof WebhookAttempt>

export const WebhookDelivery = Type.Object(
  {
    eventId: idOf('evt', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    number: EventNumber,
    type: Type.String({ examples: ['order.paid'] }),
    status: OneOf(DELIVERY_STATUSES, {
      description: 'PENDING: tried again at `nextAttemptAt`. FAILED: not any more, unless it is replayed.',
    }),
    nextAttemptAt: Nullable(
      Type.Integer({
        ...UnixSeconds,
        description: '`null` while PENDING: replayed, as soon as nothing newer is to be sent.',
      }),
    ),
    attempts: Type.Array(Attempt, { description: 'The newest 25, newest first.' }),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'WebhookDelivery' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const EndpointParams = Type.Object({ businessId: BusinessId, id: Id })
export const DeliveryQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(OneOf(DELIVERY_STATUSES, { description: 'Only these.' })),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>
