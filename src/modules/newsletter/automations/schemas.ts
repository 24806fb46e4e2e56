import { type Static, Type } from 'typebox'
import {
  BusinessId,
  Changes,
  Email,
  Id,
  idOf,
  Nullable,
  OneOf,
  ProductId,
  UnixSeconds,
  VariantId,
} from '#vocabulary/schemas.ts'

export const TRIGGERS = ['WELCOME', 'CHECKOUT_UNFINISHED', 'BACK_IN_STOCK'] as const
export type Trigger = (typeof TRIGGERS)[number]

/** Thirty days. */
const MAX_DELAY = 43_200

const EntryId = Type.String({
  ...idOf('ent', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
  description: 'A letter of the newsletter. It goes out while it is PUBLISHED, and belongs to one automation only.',
})
const Delay = Type.Integer({
  minimum: 0,
  maximum: MAX_DELAY,
  description: 'How many minutes after it happened the letter is due: up to 30 days.',
  examples: [120],
})
const Limit = Type.Object(
  {
    times: Type.Integer({ minimum: 1, maximum: 10, examples: [1] }),
    days: Type.Integer({ minimum: 1, maximum: 365, examples: [30] }),
  },
  { description: 'A person gets it at most `times` in `days`, and once in an hour.' },
)
const IsEnabled = Type.Boolean({ description: 'Whether it goes out. What happens meanwhile is passed over.' })
const TriggerName = OneOf(TRIGGERS, {
  description:
    'WELCOME: a subscription becomes ACTIVE. CHECKOUT_UNFINISHED: a reader’s order expires unpaid. ' +
    'BACK_IN_STOCK: a variant that a reader waits for can be bought again. A newsletter has one of each.',
})

export const NewAutomation = Type.Object({
  trigger: TriggerName,
  entryId: EntryId,
  delayMinutes: Type.Optional(Type.Integer({ ...Delay, default: 0 })),
  limit: Type.Optional(Type.Object(Limit.properties, { description: 'Absent: once in 30 days.' })),
  isEnabled: Type.Optional(Type.Boolean({ ...IsEnabled, default: true })),
})
export type NewAutomation = Static<typeof NewAutomation>

export const AutomationChanges = Changes({
  entryId: EntryId,
  delayMinutes: Delay,
  limit: Limit,
  isEnabled: IsEnabled,
})
export type AutomationChanges = Static<typeof AutomationChanges>

export const Automation = Type.Object(
  {
    id: idOf('aut', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    collectionId: idOf('col', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    trigger: TriggerName,
    entryId: EntryId,
    delayMinutes: Delay,
    limit: Limit,
    isEnabled: IsEnabled,
    problem: Nullable(Type.String({ description: 'Why nothing is sent.', examples: ['The letter is not published.'] })),
    sentLately: Type.Integer({ minimum: 0, description: 'Letters that went out in the last 30 days.', examples: [12] }),
    latestSendId: Nullable(
      Type.String({
        description: 'The newest send of it: its recipients are those who got it.',
        examples: ['snd_01jcq3v7k8f5t9x2m4n6p8r0sw'],
      }),
    ),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Automation' },
)
export type Automation = Static<typeof Automation>

export const AutomationList = Type.Object({ items: Type.Array(Automation) }, { title: 'AutomationList' })

export const AutomationParams = Type.Object({ businessId: BusinessId, collectionId: Id, id: Id })

export const Wish = Type.Object({ email: Email, productId: ProductId, variantId: VariantId })
export type Wish = Static<typeof Wish>
