import type { Stripe } from 'stripe'
import type { Names, RefundedPayment, SessionState, SubscriptionState } from './provider.ts'
import { fromStripeAmount } from './stripe-amounts.ts'

export function toSessionState(session: Stripe.Checkout.Session): SessionState {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null
  const charge = intent && typeof intent.latest_charge === 'object' ? intent.latest_charge : null
  const isPaid = session.status === 'complete' && session.payment_status !== 'unpaid'
  const currency = (session.currency ?? '').toUpperCase()
  // A delayed payment that failed: the session does not allow a second try.
  const isDeclined = session.status === 'complete' && !isPaid && intent?.status === 'requires_payment_method'
  return {
    sessionId: session.id,
    status: isPaid ? 'PAID' : session.status === 'expired' || isDeclined ? 'ENDED' : 'OPEN',
    intentId: idOf(session.payment_intent),
    amount: fromStripeAmount(session.amount_total ?? 0, currency),
    currency,
    refunded: fromStripeAmount(charge?.amount_refunded ?? 0, currency),
    refunds: (charge?.refunds?.data ?? []).filter((refund) => !hasFailed(refund)).flatMap(withKey),
    email: session.customer_details?.email ?? session.customer_email ?? null,
    subscriptionId: idOf(session.subscription),
    names: session.metadata ?? {},
  }
}

/** A failed refund is not part of the refunded amount. */
export const hasFailed = ({ status }: Stripe.Refund) => status === 'failed' || status === 'canceled'

const withKey = ({ id, metadata }: Stripe.Refund) => (metadata?.key ? [{ id, key: metadata.key }] : [])

const idOf = (thing: string | { id: string } | null | undefined) =>
  typeof thing === 'string' ? thing : (thing?.id ?? null)

export function toSubscriptionState(subscription: Stripe.Subscription): SubscriptionState {
  const { id, status, items, cancel_at: cancelAt, cancel_at_period_end: cancelsAtPeriodEnd } = subscription
  const ends = items.data.map((item) => item.current_period_end)
  const currentPeriodEnd = ends.length > 0 ? Math.min(...ends) : null
  // Stripe has two fields for it, depending on how it was cancelled: the newer way sets only `cancel_at`.
  const isInTime = cancelAt !== null && currentPeriodEnd !== null && cancelAt <= currentPeriodEnd
  return { id, status: standingOf(status), cancelsAtPeriodEnd: cancelsAtPeriodEnd || isInTime, currentPeriodEnd }
}

/** Anything neither paid nor ended may still become either: a first payment under way, a pause, a new status. */
function standingOf(status: Stripe.Subscription.Status): SubscriptionState['status'] {
  if (status === 'active' || status === 'trialing') return 'ACTIVE'
  return status === 'canceled' || status === 'incomplete_expired' ? 'ENDED' : 'PAST_DUE'
}

type Metadata = Record<string, string> | null
type Named = { metadata?: Metadata; parent?: { subscription_details?: { metadata?: Metadata } | null } | null }

/** Our metadata. An invoice has none of its own, but repeats that of its subscription. */
export function metadataOf(event: Stripe.Event): Names {
  const object = event.data?.object as Named | undefined
  return object?.parent?.subscription_details?.metadata ?? object?.metadata ?? {}
}

/** The refunded payment, if the event is about one. A charge repeats the metadata of its intent; a refund has none. */
export function refundedIn(event: Stripe.Event): RefundedPayment | undefined {
  const object = event.data?.object as Partial<Stripe.Refund | Stripe.Charge> | undefined
  if (object?.object === 'refund') return { intentId: idOf(object.payment_intent), chargeId: idOf(object.charge) }
  if (object?.object !== 'charge' || event.type !== 'charge.refunded') return undefined
  return { intentId: idOf(object.payment_intent), chargeId: object.id ?? null }
}
