import { Type } from 'typebox'
import { Count, defineEvent, FieldNames, Nothing } from '#platform/events/define.ts'
import { idOf, Nullable, OneOf, ProductId, UnixSeconds, VariantId } from '#vocabulary/schemas.ts'
import { TRIGGERS } from './automations/schemas.ts'
import { SUBSCRIPTION_STATUSES } from './schemas.ts'

const CollectionId = idOf('col', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const PlanId = Type.String({ examples: ['monthly'] })
const SendId = idOf('snd', '01jcq3v7k8f5t9x2m4n6p8r0sw')

const about = { collectionId: CollectionId, planId: Nullable(PlanId), status: OneOf(SUBSCRIPTION_STATUSES) }
const Subscribed = Type.Object(about)

export const subscriptionCreated = defineEvent('subscription.created', {
  subject: 'subscription',
  note: 'To a free plan; also by a subscriber who had left.',
  data: Subscribed,
})
export const subscriptionChanged = defineEvent('subscription.changed', {
  subject: 'subscription',
  note: 'Another free plan, or another status.',
  data: Subscribed,
})
export const subscriptionConfirmed = defineEvent('subscription.confirmed', {
  subject: 'subscription',
  note: 'The mailed link was followed.',
  data: Subscribed,
})
export const subscriptionPaid = defineEvent('subscription.paid', {
  subject: 'subscription',
  note: 'When it begins or comes back, not for each renewal.',
  data: Subscribed,
})
export const subscriptionPastDue = defineEvent('subscription.past_due', { subject: 'subscription', data: Subscribed })
export const subscriptionCancelled = defineEvent('subscription.cancelled', {
  subject: 'subscription',
  note: 'The reader left, or the plan ended at Stripe.',
  data: Subscribed,
})
export const subscriptionBounced = defineEvent('subscription.bounced', {
  subject: 'subscription',
  note: '`sendId` if it is known.',
  data: Type.Object({ ...about, bounce: OneOf(['HARD', 'SOFT']), sendId: Type.Optional(SendId) }),
})
export const subscriptionComplained = defineEvent('subscription.complained', {
  subject: 'subscription',
  note: '`sendId` if it is known.',
  data: Type.Object({ ...about, sendId: Type.Optional(SendId) }),
})
export const subscriptionUnsuppressed = defineEvent('subscription.unsuppressed', {
  subject: 'subscription',
  data: Subscribed,
})

export const paymentUnexpected = defineEvent('payment.unexpected', {
  subject: '`chk_…` of a plan',
  note: 'A plan was paid twice, or went meanwhile: a person has to give the money back.',
  data: Type.Object({
    collectionId: CollectionId,
    planId: PlanId,
    providerId: Type.String({ description: 'The subscription at the provider.', examples: ['sub_1QabcDEF'] }),
  }),
})

export const subscriberImportFinished = defineEvent('subscriber_import.finished', {
  subject: 'import',
  note: 'There are none for each subscriber.',
  data: Type.Object({ collectionId: CollectionId, created: Count, updated: Count, skipped: Count, failed: Count }),
})

const Sent = Type.Object({ entryId: idOf('ent', '01jcq3v7k8f5t9x2m4n6p8r0sw') })

export const sendPlanned = defineEvent('newsletter.send_planned', {
  subject: 'send',
  data: Type.Object({ ...Sent.properties, scheduledAt: UnixSeconds }),
})
export const sendStarted = defineEvent('newsletter.send_started', { subject: 'send', data: Sent })
export const sendPaused = defineEvent('newsletter.send_paused', { subject: 'send', data: Sent })
export const sendResumed = defineEvent('newsletter.send_resumed', { subject: 'send', data: Sent })
export const sendCancelled = defineEvent('newsletter.send_cancelled', { subject: 'send', data: Sent })
export const sendFailed = defineEvent('newsletter.send_failed', {
  subject: 'send',
  note: 'It could not start or go on: `problem` of the send says why. Needs a person.',
  data: Sent,
})
export const sendDone = defineEvent('newsletter.send_done', { subject: 'send', data: Nothing })

const Automated = { collectionId: CollectionId, trigger: OneOf(TRIGGERS) }

export const automationCreated = defineEvent('newsletter.automation_created', {
  subject: 'automation',
  data: Type.Object(Automated),
})
export const automationUpdated = defineEvent('newsletter.automation_updated', {
  subject: 'automation',
  note: 'With the fields that were sent.',
  data: Type.Object({ ...Automated, fields: FieldNames }),
})
export const automationDeleted = defineEvent('newsletter.automation_deleted', {
  subject: 'automation',
  data: Type.Object(Automated),
})
export const automationFailed = defineEvent('newsletter.automation_failed', {
  subject: 'automation',
  note: 'Somebody was due, and the letter could not be sent: `problem` of the automation says why. Needs a person.',
  data: Type.Object(Automated),
})
export const wishMade = defineEvent('newsletter.wish_made', {
  subject: 'subscription',
  note: 'A reader waits for a variant that is sold out; again, if it was sold out before the letter was due.',
  data: Type.Object({ collectionId: CollectionId, productId: ProductId, variantId: VariantId }),
})
