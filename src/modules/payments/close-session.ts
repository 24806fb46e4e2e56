import type { Db } from '#platform/database/database.ts'
import { fault } from '#platform/faults.ts'
import { type PaymentProvider, ProviderRefusal, UnknownSession } from '#platform/payments/provider.ts'
import { abandonPayment, type Closing } from './abandon-payment.ts'
import { paymentFailed } from './errors.ts'
import { type PaymentContext, payableOf, providerOf } from './payable.ts'
import { isOpen, isOver, type Payment, readSession } from './payment.ts'
import { findPayment, saveSession } from './queries.ts'
import { requestSession } from './request-session.ts'
import { readSubject } from './subject.ts'
import { applyState, warnUnknown } from './sync-payment.ts'

/**
 * Makes sure that the payment can no longer be paid: expires the session at the provider first, then applies the
 * provider's state.
 */
export async function closeSession(
  context: PaymentContext,
  db: Db,
  payment: Payment,
  closing: Closing = {},
): Promise<void> {
  const provider = providerOf(context, payment)
  if (!isOpen(payment)) return
  if (!provider && isOver(payment)) return abandonPayment(context, db, payment, closing)
  if (!provider) throw paymentFailed()
  const sessionId = payment.pageId ?? (await reopen(context, db, payment))
  if (sessionId === undefined) return abandonPayment(context, db, payment, closing)
  await fault('close-page.before-provider')
  const state = await expire(provider, payment, sessionId).catch((error: unknown) => {
    if (error instanceof UnknownSession) return warnUnknown(context, payment)
    if (error instanceof ProviderRefusal && isOver(payment)) return undefined
    throw error
  })
  if (!state) return abandonPayment(context, db, payment, closing)
  await fault('close-page.expired')
  await applyState(context, db, payment, state, closing)
}

async function expire(provider: PaymentProvider, payment: Payment, sessionId: string) {
  if (payment.isUnconfirmed) await readSession(provider, payment, sessionId)
  return provider.expireSession(payment.account, sessionId)
}

/**
 * It is unknown whether the session exists: requesting it with the same idempotency key finds out. Undefined: it does
 * not exist, and cannot.
 */
async function reopen(context: PaymentContext, db: Db, payment: Payment): Promise<string | undefined> {
  const payable = payableOf(context.payables, payment.subject)
  const subject = await payable.find(db, payment.businessId, readSubject(payment.subject).id)
  if (!subject) return undefined
  try {
    const session = await requestSession(context, payment, payable.describe(subject, context.publicUrl))
    await saveSession(db, payment, session)
    return session.sessionId
  } catch (error) {
    // The URL of an unknown session was never given to anybody.
    if (error instanceof ProviderRefusal || isOver(payment)) return undefined
    throw error
  }
}

/**
 * Called before a person ends the subject, so that it can no longer be paid. Returns the state of a payment that was
 * open.
 */
export async function closeSessionOf(
  context: PaymentContext,
  db: Db,
  businessId: string,
  subject: string,
): Promise<Payment | undefined> {
  const payment = await findPayment(db, businessId, subject)
  if (!payment || !isOpen(payment)) return undefined
  await closeSession(context, db, payment, { endsSubject: false }).catch(() => {
    throw paymentFailed()
  })
  return findPayment(db, businessId, subject)
}
