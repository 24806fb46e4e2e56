import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import type { SessionState } from '#platform/payments/provider.ts'
import type { Closing } from './abandon-payment.ts'
import { paymentMismatch } from './events.ts'
import type { Payable, Settlement } from './payable.ts'
import { isMismatch, type Payment, withState } from './payment.ts'
import { lockPayment, savePayment } from './queries.ts'
import { closeRefunds, idOfRefund } from './refunds.ts'
import { readSubject } from './subject.ts'

/**
 * Applies the provider's state of a session to its subject. Safe to call from anywhere (an event, the reconciliation, a
 * person who cancels) and repeatedly: amounts only grow, and every effect happens once, because subject and payment are
 * locked and record what was done. False: a concurrent call may have applied a newer answer.
 */
export async function settle(
  db: Db,
  payable: Payable,
  payment: Payment,
  { state, recurring }: Pick<Settlement, 'state' | 'recurring'>,
  { endsSubject = true }: Closing = {},
): Promise<boolean> {
  const paidFor = { businessId: payment.businessId, id: readSubject(payment.subject).id }
  const isSettled = await transaction(db, async (tx) => {
    const subject = await payable.lock(tx, paidFor.businessId, paidFor.id)
    const before = await lockPayment(tx, payment.businessId, payment.id)
    // Unlike amounts, the state of a recurring charge goes back and forth, so only the newest answer counts.
    if (recurring && before.updatedAt.getTime() !== payment.updatedAt.getTime()) return false
    if (isMismatch(before, state)) {
      await recordMismatch(tx, before, state)
      return true
    }
    // A refund that the provider counts in `refunded` no longer counts as reserved.
    const made = state.refunds.map(({ id, key }) => ({
      id: idOfRefund(key),
      providerId: id,
      status: 'SUCCEEDED' as const,
    }))
    const { payment: after, closed } = await closeRefunds(tx, withState(before, state), made)
    await savePayment(tx, after)
    if (subject && after.status !== 'ENDED') await payable.settle(tx, subject, { before, after, state, recurring })
    if (subject && after.status === 'ENDED' && endsSubject) await payable.abandon(tx, subject)
    for (const refund of closed) await payable.onRefund?.(tx, paidFor, refund)
    await fault('settle.before-commit')
    return true
  })
  await fault('settle.after-commit')
  return isSettled
}

/** The paid amount differs from the asked one: recorded once, and left to a person. */
async function recordMismatch(tx: Tx, payment: Payment, { amount, currency, sessionId }: SessionState): Promise<void> {
  if (payment.status === 'WRONG') return
  await savePayment(tx, { ...payment, status: 'WRONG', checkedAt: now(), updatedAt: now() })
  const { businessId, subject } = payment
  const data = { paid: amount, currency, expected: payment.amount, pageId: sessionId }
  await record(tx, paymentMismatch({ businessId, subject: readSubject(subject).id, data }))
}
