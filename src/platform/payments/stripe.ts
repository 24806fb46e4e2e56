import { Stripe } from 'stripe'
import { withTimeout } from '../with-timeout.ts'
import {
  type Names,
  type NewSession,
  NotTheirs,
  type PaymentProvider,
  ProviderRefusal,
  type SessionLimits,
  type SubscriptionState,
  UnknownSession,
} from './provider.ts'
import { isChargeable, isPayable, toStripeAmount } from './stripe-amounts.ts'
import { hasFailed, metadataOf, refundedIn, toSessionState, toSubscriptionState } from './stripe-states.ts'

// Pinned, so that Stripe's later changes reach us only with a change of this line.
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 8_000
/**
 * For the whole call, its retry included, because a caller waits for it. A late call may still take effect, as after
 * any lost response.
 */
const MAX_MS = 7_000
const EXPANDED = ['payment_intent.latest_charge.refunds']

export const STRIPE_LIMITS: SessionLimits = { lines: 100, nameLength: 250, minMs: 30 * 60_000, maxMs: 24 * 3_600_000 }

export const isStripeAccount = (text: string) => /^acct_[A-Za-z0-9]{1,64}$/.test(text)

const INTERVALS = { MONTHLY: 'month', YEARLY: 'year' } as const

export type StripeConfig = { secretKey: string; webhookSecrets: string[]; apiUrl: string | undefined }

export function createStripe({ secretKey, webhookSecrets, apiUrl }: StripeConfig): PaymentProvider {
  const address = apiUrl ? new URL(apiUrl) : undefined
  const stripe = new Stripe(secretKey, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1, // with the same idempotency key, so it takes effect once
    telemetry: false,
    ...(address && {
      host: address.hostname,
      port: Number(address.port) || (address.protocol === 'https:' ? 443 : 80),
      protocol: address.protocol === 'https:' ? ('https' as const) : ('http' as const),
    }),
  })
  const of = (account: string | null) => (account === null ? {} : { stripeAccount: account })

  const readSession = async (account: string | null, sessionId: string) => {
    const asked = callStripe(stripe.checkout.sessions.retrieve(sessionId, { expand: EXPANDED }, of(account)))
    return toSessionState(
      await asked.catch((error: unknown) => {
        throw isMissing(error) ? new UnknownSession(`There is no session ${sessionId}`, { cause: error }) : error
      }),
    )
  }

  const findSubscription = (account: string | null, subscriptionId: string) =>
    callStripe(stripe.subscriptions.retrieve(subscriptionId, {}, of(account)))

  const readSubscription = async (account: string | null, subscriptionId: string) =>
    toSubscriptionState(await findSubscription(account, subscriptionId))

  return {
    name: 'stripe',
    limits: STRIPE_LIMITS,
    isPayable,
    isChargeable,
    isAccount: isStripeAccount,
    async openSession(asked) {
      const { businessId, subject, key, account, currency, items, discount, email } = asked
      const metadata = { businessId, subject }
      const open = async () =>
        stripe.checkout.sessions.create(
          {
            ...modeOf(asked, metadata),
            allowed_payment_method_types: ['card'],
            client_reference_id: subject,
            line_items: items.map(({ name, quantity, amount }) => ({
              quantity,
              price_data: {
                currency: currency.toLowerCase(),
                unit_amount: toStripeAmount(amount, currency),
                product_data: { name },
                ...(asked.interval && { recurring: { interval: INTERVALS[asked.interval] } }),
              },
            })),
            ...(discount && { discounts: [{ coupon: await makeCoupon(stripe, asked, discount, of(account)) }] }),
            ...(asked.business && { branding_settings: { display_name: asked.business } }),
            metadata,
            success_url: asked.successUrl,
            cancel_url: asked.cancelUrl,
            expires_at: Math.floor(asked.expiresAt.getTime() / 1000),
            ...(email && { customer_email: email }),
          },
          { ...of(account), idempotencyKey: key },
        )
      const session = await callStripe(open())
      if (!session.url) throw new Error(`Stripe opened the session ${session.id} without an address`)
      return { ...toSessionState(session), url: session.url }
    },
    readSession,
    async expireSession(account, sessionId) {
      try {
        return toSessionState(await callStripe(stripe.checkout.sessions.expire(sessionId, {}, of(account))))
      } catch (error) {
        if (!(error instanceof ProviderRefusal)) throw error
        return readSession(account, sessionId) // no longer open: paid or ended meanwhile
      }
    },
    readSubscription,
    async cancelSubscription(account, subscriptionId, businessId) {
      const known = await findSubscription(account, subscriptionId).catch(unlessMissing)
      if (!known) return nothingLeft(subscriptionId)
      // Its id may come from an archive that somebody wrote.
      if (known.metadata.businessId !== businessId)
        throw new NotTheirs(`The subscription ${subscriptionId} is not of ${businessId}`)
      try {
        return toSubscriptionState(await callStripe(stripe.subscriptions.cancel(subscriptionId, {}, of(account))))
      } catch (error) {
        if (!(error instanceof ProviderRefusal)) throw error
        // Stripe reports a subscription that has ended as missing.
        const now = await findSubscription(account, subscriptionId).catch(unlessMissing)
        const state = now ? toSubscriptionState(now) : nothingLeft(subscriptionId)
        if (state.status !== 'ENDED') throw error
        return state
      }
    },
    async refund(account, { intentId, amount, currency, key, businessId, subject }) {
      // Stripe forgets idempotency keys after 24 hours and replays errors until then, so look for our refund first.
      const made = await callStripe(
        stripe.refunds.list({ payment_intent: intentId, limit: 100 }, of(account)),
        DEFINITE,
      )
      const known = made.data.find((refund) => refund.metadata?.key === key)
      if (known) return outcomeOf(known)
      const metadata = { businessId, subject, key }
      const asked = { payment_intent: intentId, amount: toStripeAmount(amount, currency), metadata }
      return outcomeOf(
        await callStripe(stripe.refunds.create(asked, { ...of(account), idempotencyKey: key }), DEFINITE),
      )
    },
    async readNames(account, { intentId, chargeId }) {
      const ask = async (): Promise<Names> => {
        if (intentId !== null) return (await stripe.paymentIntents.retrieve(intentId, {}, of(account))).metadata
        if (chargeId !== null) return (await stripe.charges.retrieve(chargeId, {}, of(account))).metadata
        return {}
      }
      return callStripe(ask(), DEFINITE).catch((error: unknown) => {
        if (isMissing(error)) return {}
        throw error
      })
    },
    readEvent(raw, headers) {
      const signature = headers['stripe-signature']
      if (typeof signature !== 'string') return undefined
      const event = webhookSecrets.map((secret) => verify(stripe, raw, signature, secret)).find(Boolean)
      if (!event) return undefined
      const { businessId, subject } = metadataOf(event)
      const account = event.account ?? null
      return { id: event.id, type: event.type, account, businessId, subject, refunded: refundedIn(event) }
    },
    async checkKey() {
      try {
        await readSession(null, 'cs_doctor')
      } catch (error) {
        if (!(error instanceof ProviderRefusal)) throw error
        const { statusCode } = error.cause as { statusCode?: number }
        if (statusCode === 401 || statusCode === 403)
          return 'Is STRIPE_SECRET_KEY right, and may it read checkout sessions?'
      }
      return undefined // "no such session" proves that the key works
    },
  }
}

/**
 * The payment intent or subscription carries our metadata too: later events are about it, and not about the session.
 */
const modeOf = ({ interval }: NewSession, metadata: Record<string, string>) =>
  interval
    ? { mode: 'subscription' as const, subscription_data: { metadata } }
    : { mode: 'payment' as const, payment_intent_data: { metadata } }

const MAX_COUPON_NAME = 40

/** Stripe discounts a session only by coupon: this one is for this session alone. On a retry it exists already. */
async function makeCoupon(
  stripe: Stripe,
  { key, currency }: NewSession,
  { name, amount }: NonNullable<NewSession['discount']>,
  options: Stripe.RequestOptions,
): Promise<string> {
  const id = key.replaceAll(':', '-')
  const coupon = {
    id,
    name: Array.from(name).slice(0, MAX_COUPON_NAME).join(''),
    amount_off: toStripeAmount(amount, currency),
    currency: currency.toLowerCase(),
    duration: 'once' as const,
    max_redemptions: 1,
  }
  await stripe.coupons.create(coupon, { ...options, idempotencyKey: `${key}:coupon` }).catch((error: unknown) => {
    const isThere = error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_already_exists'
    if (!isThere) throw error
  })
  return id
}

function verify(stripe: Stripe, raw: Buffer, signature: string, secret: string): Stripe.Event | undefined {
  try {
    return stripe.webhooks.constructEvent(raw, signature, secret)
  } catch {
    return undefined
  }
}

const outcomeOf = (refund: Stripe.Refund) => ({ id: refund.id, hasFailed: hasFailed(refund) })

const isMissing = (error: unknown) =>
  error instanceof ProviderRefusal &&
  error.cause instanceof Stripe.errors.StripeInvalidRequestError &&
  error.cause.code === 'resource_missing'

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

const nothingLeft = (id: string): SubscriptionState => ({
  id,
  status: 'ENDED',
  cancelsAtPeriodEnd: false,
  currentPeriodEnd: null,
})

/**
 * Turns Stripe's definite refusals (4xx except rate limits and idempotency conflicts) into `ProviderRefusal`; any other
 * error may still have taken effect.
 */
async function callStripe<Answer>(asked: Promise<Answer>, refusals = REFUSALS): Promise<Answer> {
  try {
    return await withTimeout(MAX_MS, asked, () => new Error(`Stripe did not answer within ${MAX_MS} ms`))
  } catch (error) {
    if (refusals.some((kind) => error instanceof kind)) {
      throw new ProviderRefusal((error as Error).message, { cause: error })
    }
    throw error
  }
}

type Refusals = readonly (abstract new (...args: never[]) => Error)[]
const DEFINITE: Refusals = [Stripe.errors.StripeInvalidRequestError, Stripe.errors.StripeCardError]
// Also an unknown key or account: nobody will pay there. Not for refunds: money that is owed is retried.
const REFUSALS: Refusals = [...DEFINITE, Stripe.errors.StripeAuthenticationError, Stripe.errors.StripePermissionError]
