import type { Db } from '#platform/database/database.ts'
import { fault } from '#platform/faults.ts'
import { type SessionState, UnknownSession } from '#platform/payments/provider.ts'
import { abandonPayment, type Closing } from './abandon-payment.ts'
import { type PaymentContext, payableOf, providerOf } from './payable.ts'
import { isOpen, isOver, type Payment, readSession } from './payment.ts'
import { findPaymentById } from './queries.ts'
import { settle } from './settle-payment.ts'

/**
 * Reads the provider's state and applies it. A session that the provider does not know is ended only when its time is
 * up: with the API key of another account, every open session looks unknown. The same goes for a session that was never
 * confirmed to us: nobody has its URL.
 */
export async function syncPayment(context: PaymentContext, db: Db, payment: Payment): Promise<void> {
  const provider = providerOf(context, payment)
  if (!provider) return
  const { pageId } = payment
  const state =
    pageId === null
      ? undefined
      : await readSession(provider, payment, pageId).catch((error: unknown) => {
          if (error instanceof UnknownSession) return warnUnknown(context, payment)
          throw error
        })
  await fault('sync-page.read')
  if (state) return applyState(context, db, payment, state)
  if (isOpen(payment) && isOver(payment)) await abandonPayment(context, db, payment)
}

export function warnUnknown({ log }: PaymentContext, { businessId, subject, pageId, account }: Payment): undefined {
  log?.warn({ businessId, subject, pageId, account }, 'the payment provider does not know this page')
}

/** Applies the state that the provider has just returned, of a session and its recurring charge. */
export async function applyState(
  context: PaymentContext,
  db: Db,
  payment: Payment,
  state: SessionState,
  closing: Closing = {},
): Promise<void> {
  const { businessId, id, account, subject } = payment
  const recurring =
    state.subscriptionId === null
      ? undefined
      : await providerOf(context, payment)?.readSubscription(account, state.subscriptionId)
  const isSettled = await settle(db, payableOf(context.payables, subject), payment, { state, recurring }, closing)
  if (isSettled) return
  const newer = await findPaymentById(db, businessId, id)
  if (newer) await syncPayment(context, db, newer)
}
