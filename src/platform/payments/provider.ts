import type { IncomingHttpHeaders } from 'node:http'

/** The last known state of a payment session (the page where the customer pays) at the provider. */
export type SessionState = {
  sessionId: string
  status: 'OPEN' | 'PAID' | 'ENDED'
  intentId: string | null
  amount: number
  currency: string
  /** In total, so far. */
  refunded: number
  /** The latest refunds in `refunded` that were made with a key of ours. */
  refunds: { id: string; key: string }[]
  /** As the payer typed it there. */
  email: string | null
  /** The subscription that the payment started, if the session was for one. */
  subscriptionId: string | null
  /** What we attached when we opened it: whose it is. */
  names: Names
}

export type NewSession = {
  businessId: string
  subject: string
  /** An idempotency key: the same key opens the same session, so a lost response never means two. */
  key: string
  account: string | null
  currency: string
  items: { name: string; quantity: number; amount: number }[]
  /** Subtracted from the sum of the items. */
  discount?: { name: string; amount: number }
  /** The name shown to the payer; by default, the account's own. */
  business?: string | undefined
  email: string | null
  successUrl: string
  cancelUrl: string
  expiresAt: Date
  /** A recurring payment until it is cancelled; without it, a single one. */
  interval?: 'MONTHLY' | 'YEARLY'
}

/** The last known state of a subscription at the provider. */
export type SubscriptionState = {
  id: string
  /** PAST_DUE: the current period is not paid yet, and still may be. ENDED is final. */
  status: 'ACTIVE' | 'PAST_DUE' | 'ENDED'
  cancelsAtPeriodEnd: boolean
  /** Unix seconds. The period begins with its invoice, paid or not. */
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
  /** Unique among the events of all providers. */
  id: string
  type: string
  account: string | null
  /** From the metadata that we set when we opened the session. */
  businessId: string | undefined
  subject: string | undefined
  /** The refunded payment: a refund made at the provider itself carries none of our metadata. */
  refunded: RefundedPayment | undefined
}

export type RefundedPayment = { intentId: string | null; chargeId: string | null }

/** The metadata that we attach to a payment. */
export type Names = { businessId?: string; subject?: string }

/** A definite refusal: retrying would not help. Any other error may have had its effect. */
export class ProviderRefusal extends Error {}

/** This account certainly has no such session: nobody can pay it. */
export class UnknownSession extends ProviderRefusal {}

/** It is there, and is another business's. */
export class NotTheirs extends ProviderRefusal {}

/** The provider's limits for a session. */
export type SessionLimits = {
  lines: number
  nameLength: number
  /** How long a session may stay open. */
  minMs: number
  maxMs: number
}

/** The small part of a payment provider that we need. Times out; never called inside a transaction. */
export type PaymentProvider = {
  /** Lower case: stored with each payment, and part of the webhook's path. */
  name: string
  limits: SessionLimits
  /** Whether it can charge this amount: within its limits, and in units that it supports. */
  isPayable(amount: number, currency: string): boolean
  /** The same for a part of the amount, which may be zero. */
  isChargeable(amount: number, currency: string): boolean
  /** Whether this looks like an account id of this provider. */
  isAccount(text: string): boolean
  openSession(session: NewSession): Promise<SessionState & { url: string }>
  /** Throws UnknownSession when there is none. */
  readSession(account: string | null, sessionId: string): Promise<SessionState>
  /** Returns the new state: ENDED, or PAID if the payment was faster. */
  expireSession(account: string | null, sessionId: string): Promise<SessionState>
  readSubscription(account: string | null, subscriptionId: string): Promise<SubscriptionState>
  /**
   * Takes effect at once, without a refund. A subscription that has ended, or is unknown, is ENDED already. Throws NotTheirs when
   * it is not of this business.
   */
  cancelSubscription(account: string | null, subscriptionId: string, businessId: string): Promise<SubscriptionState>
  refund(account: string | null, refund: NewRefund): Promise<{ id: string; hasFailed: boolean }>
  /** The metadata of a payment; empty when it is not ours, or unknown. */
  readNames(account: string | null, payment: RefundedPayment): Promise<Names>
  /** Undefined when the signature is missing, forged or stale. */
  readEvent(raw: Buffer, headers: IncomingHttpHeaders): ProviderEvent | undefined
  /** A hint for the operator if the provider refuses our key. Changes nothing there. */
  checkKey(): Promise<string | undefined>
}

export type Payments = {
  /** The first opens new payments; the others finish the payments that were begun with them. */
  providers: readonly PaymentProvider[]
  /** Whether businesses without an account of their own are charged on the operator's. */
  sharedAccount: boolean
}

export const providerNamed = ({ providers }: Payments, name: string): PaymentProvider | undefined =>
  providers.find((provider) => provider.name === name)
