import type { Stripe } from 'stripe'
import { missing, notPossible } from './errors.ts'
import { fail, succeed } from './intents.ts'
import { newIntent } from './objects.ts'
import { startSubscription } from './subscriptions.ts'
import type { World } from './world.ts'

export type Payer = { email?: string }

/** The customer presses Pay and the card is accepted. With `later`, `conclude` settles or fails the payment. */
export function pay(world: World, id: string, payer: Payer, { later = false } = {}): Stripe.Checkout.Session {
  const session = openSession(world, id)
  const email = payer.email ?? session.customer_email ?? 'customer@example.com'
  complete(session, email)
  if (session.mode === 'subscription') {
    startSubscription(world, session, email)
    session.payment_status = 'paid'
  } else if (later) {
    intentOf(world, session).status = 'processing'
  } else {
    succeed(world, intentOf(world, session), email)
    session.payment_status = 'paid'
  }
  world.emit('checkout.session.completed', session)
  return session
}

/** Settles a delayed payment. */
export function conclude(world: World, id: string, isPaid: boolean): Stripe.Checkout.Session {
  const session = sessionOf(world, id)
  const intent = intentOf(world, session)
  if (intent.status !== 'processing')
    throw notPossible(`The payment of ${id} is not under way: it is ${intent.status}.`)
  if (isPaid) {
    session.payment_status = 'paid'
    succeed(world, intent, session.customer_details?.email ?? null)
    world.emit('checkout.session.async_payment_succeeded', session)
  } else {
    fail(world, intent)
    world.emit('checkout.session.async_payment_failed', session)
  }
  return session
}

/** The customer presses Pay and the card is declined. The session stays open for another try. */
export function decline(world: World, id: string): Stripe.Checkout.Session {
  const session = openSession(world, id)
  fail(world, intentOf(world, session))
  return session
}

export function expireSession(world: World, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  if (session.status !== 'open') {
    const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`
    throw notPossible(message)
  }
  session.status = 'expired'
  session.url = null
  const intent = world.find('payment_intent', session.payment_intent)
  if (intent) {
    intent.status = 'canceled'
    intent.canceled_at = world.now()
    intent.cancellation_reason = 'automatic'
    world.emit('payment_intent.canceled', intent)
  }
  world.emit('checkout.session.expired', session)
  return session
}

export function sessionOf(world: World, id: string): Stripe.Checkout.Session {
  const session = world.find('checkout.session', id)
  if (!session) throw missing('checkout.session', id)
  return session
}

function openSession(world: World, id: string): Stripe.Checkout.Session {
  const session = sessionOf(world, id)
  if (session.status === 'open') return session
  throw notPossible(`The session ${id} is ${session.status}.`)
}

function complete(session: Stripe.Checkout.Session, email: string): void {
  session.status = 'complete'
  session.url = null
  session.customer_details = {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  }
}

function intentOf(world: World, session: Stripe.Checkout.Session): Stripe.PaymentIntent {
  const there = world.find('payment_intent', session.payment_intent)
  if (there) return there
  const draft = world.drafts.get(session.id)
  const intent = newIntent(world, {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? '',
    customer: null,
    description: draft?.intent.description ?? null,
    metadata: { ...draft?.intent.metadata },
  })
  // A subscription's sessions show its invoice, never the intent behind it.
  if (session.mode === 'payment') session.payment_intent = intent.id
  return world.add(intent, world.accountOf(session.id))
}
