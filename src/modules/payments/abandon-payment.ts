import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type PaymentContext, payableOf } from './payable.ts'
import type { Payment } from './payment.ts'
import { endPayment } from './queries.ts'
import { readSubject } from './subject.ts'

export type Closing = {
  /** False when a person cancels: the subject's history must name that person. */
  endsSubject?: boolean
}

/** Ends a payment that has no session and will never have one. */
export async function abandonPayment(
  { payables }: Pick<PaymentContext, 'payables'>,
  db: Db,
  payment: Payment,
  { endsSubject = true }: Closing = {},
): Promise<void> {
  const payable = payableOf(payables, payment.subject)
  await transaction(db, async (tx) => {
    const subject = await payable.lock(tx, payment.businessId, readSubject(payment.subject).id)
    await endPayment(tx, payment)
    if (subject && endsSubject) await payable.abandon(tx, subject)
    await fault('give-up.before-commit')
  })
  await fault('give-up.after-commit')
}
