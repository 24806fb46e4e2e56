import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { claimFairly } from '#platform/jobs/claim-fairly.ts'
import { type NewRefund, type PaymentProvider, ProviderRefusal, UnknownSession } from '#platform/payments/provider.ts'
import { type PaymentContext, payableOf, providerOf } from './payable.ts'
import type { Payment } from './payment.ts'
import { findPaymentById, lockPayment, savePayment } from './queries.ts'
import { claimPendingRefunds, closeRefunds, keyOfRefund, type PendingRefund } from './refunds.ts'
import { readSubject } from './subject.ts'
import { syncPayment } from './sync-payment.ts'

const BATCH = 20
const AT_A_TIME = 10

/** Sends pending refunds to the provider. One without an answer is retried later, with the same idempotency key. */
export async function carryOutRefunds(services: PaymentContext, db: Db, log: FastifyBaseLogger): Promise<number> {
  const context = { ...services, log }
  const pending = await claimFairly(BATCH, (limit, except) => claimPendingRefunds(db, limit, except))
  await forEachLimit(AT_A_TIME, pending, async (refund) => {
    try {
      await carryOut(context, db, refund)
    } catch (error) {
      log.error({ err: error, businessId: refund.businessId, refundId: refund.id }, 'a refund cannot be made yet')
    }
  })
  return pending.length
}

type Context = PaymentContext & { log: FastifyBaseLogger }

async function carryOut(context: Context, db: Db, refund: PendingRefund): Promise<void> {
  const { businessId, id, amount } = refund
  const payment = await findConfirmed(context, db, refund)
  const provider = payment && providerOf(context, payment)
  if (!payment || !provider) throw new Error('There is no payment to refund from, or no provider')
  const { subject, currency } = payment
  await fault('refund.before-provider')
  const outcome = await ask(provider, payment, { amount, currency, key: keyOfRefund(id), businessId, subject }).then(
    (made) => ({ id, status: made.hasFailed ? ('FAILED' as const) : ('SUCCEEDED' as const), providerId: made.id }),
    (error: unknown) => {
      if (!(error instanceof ProviderRefusal)) throw error
      context.log.error({ err: error, businessId, refundId: id }, 'the payment provider refuses a refund')
      return { id, status: 'FAILED' as const, providerId: null }
    },
  )
  await fault('refund.after-provider')
  // Closes the refund if the provider lists it. What is left is closed after the payment is synced: in between too little
  // seems refundable, never too much.
  await syncPayment(context, db, payment)
  await fault('refund.synced')
  const payable = payableOf(context.payables, subject)
  const paidFor = { businessId, id: readSubject(subject).id }
  await transaction(db, async (tx) => {
    await payable.lock(tx, businessId, paidFor.id)
    const locked = await lockPayment(tx, businessId, payment.id)
    const { closed, payment: freed } = await closeRefunds(tx, locked, [outcome])
    if (closed.length > 0) await savePayment(tx, freed)
    for (const each of closed) await payable.onRefund?.(tx, paidFor, each)
  })
  await fault('refund.closed')
}

/** One that came with an archive is confirmed by its session, once, before anything is given back. */
async function findConfirmed(
  context: Context,
  db: Db,
  { businessId, paymentId }: PendingRefund,
): Promise<Payment | undefined> {
  const payment = await findPaymentById(db, businessId, paymentId)
  if (!payment?.isUnconfirmed) return payment
  await syncPayment(context, db, payment)
  return findPaymentById(db, businessId, paymentId)
}

async function ask(
  provider: PaymentProvider,
  { account, intentId, isUnconfirmed }: Payment,
  refund: Omit<NewRefund, 'intentId'>,
) {
  if (isUnconfirmed) throw new UnknownSession('It came with an archive, and no paid session of it confirms that')
  if (!intentId) throw new Error('There is no payment to refund from')
  return provider.refund(account, { ...refund, intentId })
}
