/** What a payment page is at the provider, when it was last asked. */
export type PageState = {
  pageId: string
  status: 'OPEN' | 'PAID' | 'ENDED'
  intentId: string | null
  amount: number
  currency: string
  /** In all, so far. */
  refunded: number
  /** What the payer typed there. */
  email: string | null
  /** What was begun by paying, if the page was for money again and again. */
  subscriptionId: string | null
}

export type NewPage = {
  businessId: string
  subject: string
  /** The same key opens the same page: a lost answer never means two. */
  key: string
  account: string | null
  currency: string
  items: { name: string; quantity: number; amount: number }[]
  /** Taken off the sum of the items. */
  discount?: { name: string; amount: number }
  /** Under which name the page asks for the money; without one, the account's own. */
  business?: string | undefined
  email: string | null
  successUrl: string
  cancelUrl: string
  expiresAt: Date
  /** Paid now and again each month or year until it is cancelled; without it, once. */
  interval?: 'MONTHLY' | 'YEARLY'
}

/** Money that comes again and again, when the provider was last asked. */
export type SubscriptionState = {
  id: string
  /** PAST_DUE: the money for the current period has not come, and still may. ENDED is for good. */
  status: 'ACTIVE' | 'PAST_DUE' | 'ENDED'
  cancelsAtPeriodEnd: boolean
  /** In seconds since 1970. The period is begun by its invoice, paid or not. */
  currentPeriodEnd: number | null
}

export type NewRefund = {
  intentId: string
  amount: number
  currency: string
  key: string
  businessId: string
  subject: string
}

export type ProviderEvent = {
  id: string
  type: string
  account: string | null
  /** As we set them when we opened the page. */
  businessId: string | undefined
  subject: string | undefined
  /** The payment that a refund gives back: a refund made at the provider itself carries none of our names. */
  refunded: RefundedPayment | undefined
}

export type RefundedPayment = { intentId: string | null; chargeId: string | null }

/** What we told the provider that a payment is for. */
export type Names = { businessId?: string; subject?: string }

/** It understood us and said no: asking again would not help. Anything else that is thrown may have had its effect. */
export class ProviderRefusal extends Error {}

/** It is certain that this account has no such page: nobody can pay it. */
export class UnknownPage extends ProviderRefusal {}

/** The small part of a payment provider that we need. Times out; never called inside a transaction. */
export type PaymentProvider = {
  openPage(page: NewPage): Promise<PageState & { url: string }>
  /** Throws UnknownPage when there is none. */
  readPage(account: string | null, pageId: string): Promise<PageState>
  /** Answers what it is now: ENDED, or PAID if that was faster. */
  expirePage(account: string | null, pageId: string): Promise<PageState>
  readSubscription(account: string | null, subscriptionId: string): Promise<SubscriptionState>
  /** At once, and nothing is given back. One that has ended, or that nobody knows, is ENDED already. */
  cancelSubscription(account: string | null, subscriptionId: string): Promise<SubscriptionState>
  refund(account: string | null, refund: NewRefund): Promise<{ id: string; hasFailed: boolean }>
  /** The names that we gave to a payment; none when it is not ours, or nobody knows it. */
  readNames(account: string | null, payment: RefundedPayment): Promise<Names>
  /** Undefined when the signature is missing, forged or stale. */
  readEvent(raw: Buffer, signature: string | undefined): ProviderEvent | undefined
}

/** The provider, and whether businesses without an account of their own are charged on the platform's. */
export type Payments = { provider: PaymentProvider | undefined; sharedAccount: boolean }
