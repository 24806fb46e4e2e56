import type { FastifyBaseLogger } from 'fastify'
import type { Db, Tx } from '#platform/database/database.ts'
import {
  type NewSession,
  type Payments,
  providerNamed,
  type SessionState,
  type SubscriptionState,
} from '#platform/payments/provider.ts'
import type { Payment } from './payment.ts'
import type { Refund } from './refunds.ts'
import type { SessionLines } from './session-lines.ts'
import { type PaymentKind, readSubject } from './subject.ts'

/** What a session shows, and where it returns to. */
export type SessionDetails = SessionLines &
  Pick<NewSession, 'business' | 'email' | 'successUrl' | 'cancelUrl' | 'interval'>

/**
 * The payment before and after the provider's answer, both under its lock. `recurring` is the recurring charge that the
 * payment started, if any.
 */
export type Settlement = {
  before: Payment
  after: Payment
  state: SessionState
  recurring: SubscriptionState | undefined
}

type Identity = { businessId: string; id: string }
export type ClosedRefund = Pick<Refund, 'id' | 'amount'> & { status: 'SUCCEEDED' | 'FAILED' }

/**
 * A kind of subject that can be paid for. The owning module implements it; the app passes it in. The subject's id is
 * part of the payment's subject.
 */
export type Payable<Subject extends Identity = Identity> = {
  kind: PaymentKind
  find(db: Db, businessId: string, id: string): Promise<Subject | undefined>
  /** Called before the payment is locked, so that the two locks are always taken in the same order. */
  lock(tx: Tx, businessId: string, id: string): Promise<Subject | undefined>
  /** Throws the reason when the subject can no longer be paid. */
  checkOpen?(subject: Subject): void
  /** Depends on the subject alone: a session that is requested again must be identical. */
  describe(subject: Subject, publicUrl: string): SessionDetails
  /** Whether the caller can ask for the same session again. Otherwise it is closed when no answer comes. */
  isResumable(subject: Subject): boolean
  /** Called with the provider's state while the payment has not ended: often, late or twice. Must be idempotent. */
  settle(tx: Tx, subject: Subject, settlement: Settlement): Promise<void>
  /** Called when nobody has paid and nobody can any more. */
  abandon(tx: Tx, subject: Subject): Promise<void>
  /** Called when a refund is closed, with the subject locked. */
  onRefund?(tx: Tx, subject: Identity, refund: ClosedRefund): Promise<void>
}

export type PaymentContext = {
  payments: Payments
  payables: readonly Payable[]
  publicUrl: string
  log?: Pick<FastifyBaseLogger, 'warn'>
}

export function payableOf(payables: readonly Payable[], subject: string): Payable {
  const { kind } = readSubject(subject)
  const found = payables.find((payable) => payable.kind === kind)
  if (!found) throw new Error(`Nobody looks after payments for ${subject}`)
  return found
}

/** The provider that this payment was started with. */
export const providerOf = ({ payments }: Pick<PaymentContext, 'payments'>, { provider }: Payment) =>
  providerNamed(payments, provider)
