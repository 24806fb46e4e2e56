import { Stripe } from 'stripe'
import { within } from '../within.ts'
import { toProviderAmount } from './amounts.ts'
import {
  type Names,
  type NewPage,
  type PaymentProvider,
  ProviderRefusal,
  type SubscriptionState,
  UnknownPage,
} from './provider.ts'
import { metadataOf, refundedIn, toPageState, toSubscriptionState } from './stripe-states.ts'

// Pinned: what Stripe changes later reaches us with a change of this line, not before.
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 8_000
/** For all of it, a second try included: a caller waits for this. What is late may still happen, as after any lost answer. */
const MAX_MS = 7_000
const EXPANDED = ['payment_intent.latest_charge']

const INTERVALS = { MONTHLY: 'month', YEARLY: 'year' } as const

export type StripeConfig = { secretKey: string; webhookSecrets: string[]; apiUrl: string | undefined }

export function createStripe({ secretKey, webhookSecrets, apiUrl }: StripeConfig): PaymentProvider {
  const address = apiUrl ? new URL(apiUrl) : undefined
  const stripe = new Stripe(secretKey, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1, // with the same key: it cannot happen twice
    telemetry: false,
    ...(address && {
      host: address.hostname,
      port: Number(address.port) || (address.protocol === 'https:' ? 443 : 80),
      protocol: address.protocol === 'https:' ? ('https' as const) : ('http' as const),
    }),
  })
  const of = (account: string | null) => (account === null ? {} : { stripeAccount: account })

  const readPage = async (account: string | null, pageId: string) => {
    const asked = told(stripe.checkout.sessions.retrieve(pageId, { expand: EXPANDED }, of(account)))
    return toPageState(
      await asked.catch((error: unknown) => {
        throw isMissing(error) ? new UnknownPage(`There is no page ${pageId}`, { cause: error }) : error
      }),
    )
  }

  const readSubscription = async (account: string | null, subscriptionId: string) =>
    toSubscriptionState(await told(stripe.subscriptions.retrieve(subscriptionId, {}, of(account))))

  return {
    async openPage(page) {
      const { businessId, subject, key, account, currency, items, discount, email } = page
      const metadata = { businessId, subject }
      const open = async () =>
        stripe.checkout.sessions.create(
          {
            ...modeOf(page, metadata),
            allowed_payment_method_types: ['card'],
            client_reference_id: subject,
            line_items: items.map(({ name, quantity, amount }) => ({
              quantity,
              price_data: {
                currency: currency.toLowerCase(),
                unit_amount: toProviderAmount(amount, currency),
                product_data: { name },
                ...(page.interval && { recurring: { interval: INTERVALS[page.interval] } }),
              },
            })),
            ...(discount && { discounts: [{ coupon: await makeCoupon(stripe, page, discount, of(account)) }] }),
            ...(page.business && { branding_settings: { display_name: page.business } }),
            metadata,
            success_url: page.successUrl,
            cancel_url: page.cancelUrl,
            expires_at: Math.floor(page.expiresAt.getTime() / 1000),
            ...(email && { customer_email: email }),
          },
          { ...of(account), idempotencyKey: key },
        )
      const session = await told(open())
      if (!session.url) throw new Error(`Stripe opened the page ${session.id} without an address`)
      return { ...toPageState(session), url: session.url }
    },
    readPage,
    async expirePage(account, pageId) {
      try {
        return toPageState(await told(stripe.checkout.sessions.expire(pageId, {}, of(account))))
      } catch (error) {
        if (!(error instanceof ProviderRefusal)) throw error
        return readPage(account, pageId) // not open any more: paid or ended meanwhile
      }
    },
    readSubscription,
    async cancelSubscription(account, subscriptionId) {
      try {
        return toSubscriptionState(await told(stripe.subscriptions.cancel(subscriptionId, {}, of(account))))
      } catch (error) {
        if (!(error instanceof ProviderRefusal)) throw error
        // Stripe says of one that has ended that there is none.
        const state = await readSubscription(account, subscriptionId).catch((reason: unknown) => {
          if (isMissing(reason)) return nothingLeft(subscriptionId)
          throw reason
        })
        if (state.status !== 'ENDED') throw error
        return state
      }
    },
    async refund(account, { intentId, amount, currency, key, businessId, subject }) {
      // Its key is remembered for a day, and an error that it got along with it: what was made is looked for by ourselves.
      const made = await told(stripe.refunds.list({ payment_intent: intentId, limit: 100 }, of(account)), DEFINITE)
      const known = made.data.find((refund) => refund.metadata?.key === key)
      if (known) return outcomeOf(known)
      const metadata = { businessId, subject, key }
      const asked = { payment_intent: intentId, amount: toProviderAmount(amount, currency), metadata }
      return outcomeOf(await told(stripe.refunds.create(asked, { ...of(account), idempotencyKey: key }), DEFINITE))
    },
    async readNames(account, { intentId, chargeId }) {
      const ask = async (): Promise<Names> => {
        if (intentId !== null) return (await stripe.paymentIntents.retrieve(intentId, {}, of(account))).metadata
        if (chargeId !== null) return (await stripe.charges.retrieve(chargeId, {}, of(account))).metadata
        return {}
      }
      return told(ask(), DEFINITE).catch((error: unknown) => {
        if (isMissing(error)) return {}
        throw error
      })
    },
    readEvent(raw, signature) {
      if (!signature) return undefined
      const event = webhookSecrets.map((secret) => verify(stripe, raw, signature, secret)).find(Boolean)
      if (!event) return undefined
      const { businessId, subject } = metadataOf(event)
      const account = event.account ?? null
      return { id: event.id, type: event.type, account, businessId, subject, refunded: refundedIn(event) }
    },
  }
}

/** What paying makes carries our names too: later events are about that, and not about the page. */
const modeOf = ({ interval }: NewPage, metadata: Record<string, string>) =>
  interval
    ? { mode: 'subscription' as const, subscription_data: { metadata } }
    : { mode: 'payment' as const, payment_intent_data: { metadata } }

const MAX_COUPON_NAME = 40

/** A page takes nothing off but by a coupon: one for this page only. Asked for again, it is there already. */
async function makeCoupon(
  stripe: Stripe,
  { key, currency }: NewPage,
  { name, amount }: NonNullable<NewPage['discount']>,
  options: Stripe.RequestOptions,
): Promise<string> {
  const id = key.replaceAll(':', '-')
  const coupon = {
    id,
    name: Array.from(name).slice(0, MAX_COUPON_NAME).join(''),
    amount_off: toProviderAmount(amount, currency),
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

const outcomeOf = ({ id, status }: Stripe.Refund) => ({ id, hasFailed: status === 'failed' || status === 'canceled' })

const isMissing = (error: unknown) =>
  error instanceof ProviderRefusal &&
  error.cause instanceof Stripe.errors.StripeInvalidRequestError &&
  error.cause.code === 'resource_missing'

const nothingLeft = (id: string): SubscriptionState => ({
  id,
  status: 'ENDED',
  cancelsAtPeriodEnd: false,
  currentPeriodEnd: null,
})

/** Stripe's refusals (4xx but for limits and its own idempotency) apart from what may still come true. */
async function told<Answer>(asked: Promise<Answer>, refusals = REFUSALS): Promise<Answer> {
  try {
    return await within(MAX_MS, asked, () => new Error(`Stripe did not answer within ${MAX_MS} ms`))
  } catch (error) {
    if (refusals.some((kind) => error instanceof kind)) {
      throw new ProviderRefusal((error as Error).message, { cause: error })
    }
    throw error
  }
}

type Refusals = readonly (abstract new (...args: never[]) => Error)[]
const DEFINITE: Refusals = [Stripe.errors.StripeInvalidRequestError, Stripe.errors.StripeCardError]
// A key or an account that it does not know any more: nobody will pay there. Money that is owed is still asked for.
const REFUSALS: Refusals = [...DEFINITE, Stripe.errors.StripeAuthenticationError, Stripe.errors.StripePermissionError]
