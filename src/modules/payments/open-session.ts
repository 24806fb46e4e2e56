import type { Db } from '#platform/database/database.ts'
import { fault } from '#platform/faults.ts'
import { ProviderRefusal } from '#platform/payments/provider.ts'
import { withTimeout } from '#platform/with-timeout.ts'
import { abandonPayment } from './abandon-payment.ts'
import { closeSession } from './close-session.ts'
import { noAnswer, paymentFailed } from './errors.ts'
import type { Payable, PaymentContext } from './payable.ts'
import { findPayment, saveSession } from './queries.ts'
import { requestSession } from './request-session.ts'
import { subjectOf } from './subject.ts'

/** Short, because a caller is waiting, and has been for some time. */
const MAX_CLOSING_MS = 1_000

/**
 * The URL of the subject's payment session, which is opened if there is none. When the provider refuses, the subject is
 * abandoned for good (502). When no answer comes, the session may or may not exist: if it can be asked for again, the
 * caller gets 503, and the same session next time; otherwise it is of no use, and is closed.
 */
export async function openSession<Subject extends { businessId: string; id: string }>(
  context: PaymentContext,
  db: Db,
  payable: Payable<Subject>,
  subject: Subject,
): Promise<string> {
  const { businessId, id } = subject
  const payment = await findPayment(db, businessId, subjectOf(payable.kind, id))
  if (!payment) throw new Error(`The ${payable.kind} ${id} is to be paid, but has no payment`)
  if (payment.url) return payment.url
  payable.checkOpen?.(subject)
  // The provider refused it and remembers the idempotency key: a session that it opened nevertheless would be unknown
  // to us.
  if (payment.status === 'ENDED' || payment.isUnconfirmed) throw paymentFailed()
  await fault('checkout.before-page')
  try {
    const session = await requestSession(context, payment, payable.describe(subject, context.publicUrl))
    await fault('checkout.after-page')
    await saveSession(db, payment, session)
    await fault('checkout.page-noted')
    return session.url
  } catch (error) {
    if (error instanceof ProviderRefusal) {
      await abandonPayment(context, db, payment)
      throw paymentFailed()
    }
    const late = noAnswer()
    // Continues in the background; whatever it cannot do is left to the reconciliation.
    if (!payable.isResumable(subject))
      await withTimeout(MAX_CLOSING_MS, closeSession(context, db, payment), () => late).catch(() => {})
    throw late
  }
}
