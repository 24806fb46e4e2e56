import type { FastifyBaseLogger } from 'fastify'
import { claimExpired, lockOrder } from '#modules/orders/index.ts'
import { closeSession, findPayment, type PaymentContext, subjectOf } from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { claimFairly } from '#platform/jobs/claim-fairly.ts'
import { endUnpaid } from './settle-order.ts'

const BATCH = 50
// Concurrency: most of the time is spent waiting for the provider.
const AT_A_TIME = 10

/** Ends orders that were not paid in time, each by itself: one that fails is retried and does not block the others. */
export async function endExpired(services: PaymentContext, db: Db, log: FastifyBaseLogger): Promise<number> {
  const context = { ...services, log }
  const due = await claimFairly(BATCH, (limit, except) => claimExpired(db, limit, except))
  await forEachLimit(AT_A_TIME, due, async ({ businessId, id }) => {
    try {
      await fault('expiry.taken')
      const payment = await findPayment(db, businessId, subjectOf('order', id))
      if (payment) await closeSession(context, db, payment)
      await fault('expiry.page-closed')
      await transaction(db, async (tx) => {
        const order = await lockOrder(tx, businessId, id)
        if (order.expiresAt && order.expiresAt <= now()) await endUnpaid(tx, order)
      })
      await fault('expiry.ended')
    } catch (error) {
      log.error({ err: error, businessId, orderId: id }, 'an order that expired cannot be ended yet')
    }
  })
  return due.length
}
