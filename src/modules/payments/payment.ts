import type { Selectable } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { PaymentsPayments } from '#platform/database/cell-tables.ts'
import { type PaymentProvider, type SessionState, UnknownSession } from '#platform/payments/provider.ts'
import { isEmail } from '#vocabulary/email.ts'

export type PaymentStatus = 'OPENING' | 'OPEN' | 'PAID' | 'ENDED' | 'WRONG'

/** The column `page_id` holds the id of the session at the provider. */
export type Payment = Omit<Selectable<PaymentsPayments>, 'status'> & { status: PaymentStatus }

const GRACE_MS = 60_000

/** Whether it can still be paid. */
export const isOpen = ({ status }: Payment) => status === 'OPENING' || status === 'OPEN'

/** Whether the session must have expired by now, even if the provider cannot be asked. */
export const isOver = ({ expiresAt }: Payment) => nowMs() > expiresAt.getTime() + GRACE_MS

/** Whether something was paid, but not what was asked for. */
export const isMismatch = ({ amount, currency }: Payment, state: SessionState) =>
  state.status === 'PAID' && (state.amount !== amount || state.currency !== currency)

/**
 * The session as the provider has it. One that came with an archive counts as unknown unless it was opened for this payment of this
 * business: its state is nobody else's to see, and nothing of it to change.
 */
export async function readSession(provider: PaymentProvider, payment: Payment, id: string): Promise<SessionState> {
  const { account, businessId, subject, isUnconfirmed } = payment
  const state = await provider.readSession(account, id)
  if (isUnconfirmed && (state.names.businessId !== businessId || state.names.subject !== subject))
    throw new UnknownSession(`The session ${id} was not opened for ${subject} of ${businessId}`)
  return state
}

/** The payment with the provider's state applied. Amounts only grow. Once paid, it owes nothing to an archive any more. */
export function withState(payment: Payment, state: SessionState): Payment {
  const isPaid = state.status === 'PAID'
  const paid = isPaid ? state.amount : payment.paid
  const refunded = Math.min(paid, Math.max(payment.refunded, state.refunded))
  return {
    ...payment,
    status: laterOf(payment.status, state.status),
    pageId: state.sessionId,
    intentId: state.intentId ?? (payment.isUnconfirmed ? null : payment.intentId),
    isUnconfirmed: payment.isUnconfirmed && !isPaid,
    email: payment.erasedAt ? null : isEmail(state.email ?? '') ? state.email : payment.email,
    paid,
    refunded,
    refunding: Math.min(payment.refunding, paid - refunded),
    checkedAt: now(),
    updatedAt: now(),
  }
}

/** An answer may be older than what is known already: a closed session never opens again. */
function laterOf(known: PaymentStatus, said: SessionState['status']): PaymentStatus {
  if (known === 'WRONG') return 'WRONG'
  if (known === 'PAID' || said === 'PAID') return 'PAID'
  return known === 'ENDED' || said === 'ENDED' ? 'ENDED' : 'OPEN'
}
