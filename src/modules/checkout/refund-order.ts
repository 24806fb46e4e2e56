import type { FastifyBaseLogger } from 'fastify'
import { lockOrder } from '#modules/orders/index.ts'
import {
  type AskedRefund,
  askRefund,
  closeRefund,
  findPayment,
  findPaymentById,
  lockPayment,
  takeAsked,
} from '#modules/payments/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { ProviderRefusal } from '#platform/payments/provider.ts'
import { someAtATime } from '#platform/some-at-a-time.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { conflict } from '#vocabulary/errors.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { type PageContext, syncPage } from './payment-page.ts'
import type { NewRefund, Refund } from './schemas.ts'
import { orderIdOf, subjectOf } from './subject.ts'

const notPaidHere = () =>
  conflict(
    'id',
    'NOTHING_TO_REFUND',
    'This order was not paid through the payment provider: there is nothing to refund.',
  )

/** Sets the money apart; the worker asks the provider for it until that says yes or no. Stock and order status stay. */
export async function refundOrder(
  tx: Tx,
  businessId: string,
  orderId: string,
  actor: Actor,
  { amount, reason = null }: NewRefund,
): Promise<Refund> {
  await lockOrder(tx, businessId, orderId)
  const payment = await findPayment(tx, businessId, subjectOf(orderId))
  if (!payment) throw notPaidHere()
  const locked = await lockPayment(tx, businessId, payment.id)
  const refund = await askRefund(tx, locked, { amount, reason, actor })
  const data = { refundId: refund.id, amount: refund.amount }
  await record(tx, { businessId, type: 'order.refund-asked', subject: orderId, actor, data })
  await fault('refund.asked')
  return {
    id: refund.id,
    orderId,
    amount: refund.amount,
    reason,
    status: refund.status,
    createdAt: toSeconds(refund.createdAt),
  }
}

const BATCH = 20
const AT_A_TIME = 10

/** Asks the provider for the refunds that wait. One that gets no answer is tried again later, with the same key. */
export async function doRefunds(context: PageContext, db: Db, log: FastifyBaseLogger): Promise<number> {
  const asked = await takeAsked(db, BATCH)
  await someAtATime(AT_A_TIME, asked, async (refund) => {
    try {
      await doRefund({ ...context, log }, db, refund, log)
    } catch (error) {
      log.error({ err: error, businessId: refund.businessId, refundId: refund.id }, 'a refund cannot be made yet')
    }
  })
  return asked.length
}

async function doRefund(context: PageContext, db: Db, refund: AskedRefund, log: FastifyBaseLogger): Promise<void> {
  const { businessId, id, amount } = refund
  const { provider } = context.payments
  const payment = await findPaymentById(db, businessId, refund.paymentId)
  if (!payment?.intentId || !provider) throw new Error('There is no payment to refund from, or no provider')
  const { intentId, subject, account, currency } = payment
  await fault('refund.before-provider')
  const outcome = await provider
    .refund(account, { intentId, amount, currency, key: `refund:${id}`, businessId, subject })
    .then(
      (made) => ({ status: made.hasFailed ? ('FAILED' as const) : ('DONE' as const), providerId: made.id }),
      (error: unknown) => {
        if (!(error instanceof ProviderRefusal)) throw error
        log.error({ err: error, businessId, refundId: id }, 'the payment provider refuses a refund')
        return { status: 'FAILED' as const, providerId: null }
      },
    )
  await fault('refund.after-provider')
  // First what the provider says now, then the money that was set apart is free: in between too little is left, never too much.
  await syncPage(context, db, payment)
  await fault('refund.synced')
  await transaction(db, async (tx) => {
    const locked = await lockPayment(tx, businessId, payment.id)
    if (!(await closeRefund(tx, locked, refund, outcome))) return
    const type = outcome.status === 'DONE' ? 'order.refund-made' : 'order.refund-failed'
    await record(tx, { businessId, type, subject: orderIdOf(subject) ?? subject, data: { refundId: id, amount } })
  })
  await fault('refund.closed')
}
