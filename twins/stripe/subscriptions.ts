import type { Stripe } from 'stripe'
import { missing, notPossible } from './errors.ts'
import type { Reader } from './form.ts'
import { fail, succeed } from './intents.ts'
import { makeId, newIntent, newInvoice, newSubscription, type Recurring } from './objects.ts'
import type { World } from './world.ts'

/** Creates the subscription of a paid session, with its first invoice and payment. */
export function startSubscription(world: World, session: Stripe.Checkout.Session, email: string): void {
  const account = world.accountOf(session.id)
  const draft = world.drafts.get(session.id)
  const lines = (draft?.lines ?? []).filter(({ price }) => price?.recurring)
  const customer = makeId('cus', 14)
  const subscription = newSubscription(world, {
    currency: session.currency ?? '',
    customer,
    description: draft?.subscription.description ?? null,
    metadata: { ...draft?.subscription.metadata },
    lines,
    periodEnd: addPeriod(world.now(), lines[0]?.price?.recurring as Recurring),
  })
  world.add(subscription, account)
  world.emit('customer.subscription.created', subscription)
  session.customer = customer
  session.subscription = subscription.id
  const invoice = bill(world, subscription, { reason: 'subscription_create', email, total: session.amount_total ?? 0 })
  session.invoice = invoice.id
  settle(world, subscription, invoice, true)
  world.remind(periodOf(subscription).end)
}

/** Starts the next period, paid or failed. Ends the subscription if it was to end with the period. */
export function renew(world: World, subscription: Stripe.Subscription, { fails = false } = {}): Stripe.Subscription {
  if (subscription.status === 'canceled') throw notPossible(`The subscription ${subscription.id} is canceled.`)
  if (subscription.cancel_at_period_end) return endSubscription(world, subscription, 'cancellation_requested')
  const { end } = periodOf(subscription)
  for (const item of subscription.items.data) {
    item.current_period_start = end
    item.current_period_end = addPeriod(end, item.price.recurring as Recurring)
  }
  const total = subscription.items.data.reduce(
    (sum, item) => sum + (item.price.unit_amount ?? 0) * (item.quantity ?? 1),
    0,
  )
  const email = world.find('invoice', subscription.latest_invoice)?.customer_email ?? null
  const invoice = bill(world, subscription, { reason: 'subscription_cycle', email, total })
  settle(world, subscription, invoice, !fails)
  world.remind(periodOf(subscription).end)
  return subscription
}

/** Retries a failed payment: automatically after some days, or with a new card. */
export function retry(world: World, subscription: Stripe.Subscription, { fails = false } = {}): Stripe.Subscription {
  const invoice = world.find('invoice', subscription.latest_invoice)
  if (subscription.status === 'canceled' || invoice?.status !== 'open') {
    throw notPossible(`Nothing is owed for the subscription ${subscription.id}.`)
  }
  invoice.attempt_count++
  settle(world, subscription, invoice, !fails)
  world.remind(periodOf(subscription).end)
  return subscription
}

/** POST /v1/subscriptions/:id */
export function updateSubscription(world: World, subscription: Stripe.Subscription, params: Reader) {
  params.only('cancel_at_period_end', 'metadata', 'expand')
  const isEnding = params.flag('cancel_at_period_end')
  if (subscription.status === 'canceled') {
    throw notPossible('A canceled subscription can only update its cancellation_details and metadata.')
  }
  const before = { cancel_at_period_end: subscription.cancel_at_period_end, cancel_at: subscription.cancel_at }
  const metadata = { ...subscription.metadata, ...params.metadata({ keepsEmpty: true }) }
  subscription.metadata = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== ''))
  if (isEnding !== undefined) {
    subscription.cancel_at_period_end = isEnding
    subscription.cancel_at = isEnding ? periodOf(subscription).end : null
    subscription.canceled_at = isEnding ? world.now() : null
  }
  world.emit('customer.subscription.updated', subscription, before)
  return subscription
}

/** DELETE /v1/subscriptions/:id */
export function cancelSubscription(world: World, subscription: Stripe.Subscription, params: Reader) {
  params.only('invoice_now', 'prorate', 'expand')
  if (subscription.status === 'canceled') throw missing('subscription', subscription.id)
  return endSubscription(world, subscription, 'cancellation_requested')
}

export function endSubscription(
  world: World,
  subscription: Stripe.Subscription,
  reason: 'cancellation_requested' | 'payment_failed',
) {
  if (subscription.status === 'canceled') throw notPossible(`The subscription ${subscription.id} is canceled.`)
  subscription.status = 'canceled'
  subscription.canceled_at ??= world.now()
  subscription.ended_at = world.now()
  subscription.cancellation_details = { comment: null, feedback: null, feedback_option: null, reason }
  world.emit('customer.subscription.deleted', subscription)
  return subscription
}

type Bill = { reason: Stripe.Invoice.BillingReason; email: string | null; total: number }

function bill(world: World, subscription: Stripe.Subscription, { reason, email, total }: Bill): Stripe.Invoice {
  const { start, end } = periodOf(subscription)
  const fields = { subscription, reason, total, customer_email: email, period_start: start, period_end: end }
  const invoice = world.add(newInvoice(world, fields), world.accountOf(subscription.id))
  subscription.latest_invoice = invoice.id
  return invoice
}

function settle(world: World, subscription: Stripe.Subscription, invoice: Stripe.Invoice, isPaid: boolean): void {
  const intent = newIntent(world, {
    amount: invoice.total,
    currency: invoice.currency,
    customer: subscription.customer,
    description: invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
    metadata: {},
  })
  world.add(intent, world.accountOf(subscription.id))
  if (isPaid) {
    succeed(world, intent, invoice.customer_email)
    Object.assign(invoice, { status: 'paid', amount_paid: invoice.total, amount_remaining: 0 })
    invoice.status_transitions.paid_at = world.now()
  } else fail(world, intent)
  const before = { status: subscription.status }
  subscription.status = isPaid ? 'active' : 'past_due'
  world.emit('customer.subscription.updated', subscription, before)
  world.emit(isPaid ? 'invoice.paid' : 'invoice.payment_failed', invoice)
}

export function periodOf(subscription: Stripe.Subscription): { start: number; end: number } {
  const [item] = subscription.items.data
  return { start: item?.current_period_start ?? 0, end: item?.current_period_end ?? 0 }
}

const DAYS = { day: 1, week: 7 }

function addPeriod(from: number, { interval, interval_count: count }: Recurring): number {
  if (interval === 'day' || interval === 'week') return from + DAYS[interval] * count * 86_400
  const date = new Date(from * 1_000)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + count * (interval === 'year' ? 12 : 1))
  if (date.getUTCDate() !== day) date.setUTCDate(0) // 31 January plus a month is the end of February
  return Math.floor(date.getTime() / 1_000)
}
