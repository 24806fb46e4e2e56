import type { FastifyBaseLogger } from 'fastify'
import { findOrder, lockOrder, takeExpired } from '#modules/orders/index.ts'
import { findPayment, type Payment, takeSilent } from '#modules/payments/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { someAtATime } from '#platform/some-at-a-time.ts'
import { closePage, type PageContext, syncPage } from './payment-page.ts'
import { endUnpaid } from './settle.ts'
import { orderIdOf, subjectOf } from './subject.ts'

const BATCH = 50
/** An event comes within seconds. After this long without one, the provider is asked. */
const SILENT_MS = 5 * 60_000
// Most of the time goes into waiting for the provider.
const AT_A_TIME = 10

/** Ends orders that nobody paid in time. Each by itself: one that fails is tried again, and holds up nobody. */
export async function endExpired(services: PageContext, db: Db, log: FastifyBaseLogger): Promise<number> {
  const context = { ...services, log }
  const due = await takeExpired(db, BATCH)
  await someAtATime(AT_A_TIME, due, async ({ businessId, id }) => {
    try {
      await fault('expiry.taken')
      const payment = await findPayment(db, businessId, subjectOf(id))
      if (payment) await closePage(context, db, payment)
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

/** Asks about pages of orders of which nothing was heard: an event may have been lost. */
export async function askAboutSilent(services: PageContext, db: Db, log: FastifyBaseLogger): Promise<number> {
  const context = { ...services, log }
  const silent = await takeSilent(db, new Date(nowMs() - SILENT_MS), BATCH, 'order')
  await someAtATime(AT_A_TIME, silent, async (payment) => {
    try {
      await resolve(context, db, payment)
    } catch (error) {
      log.error(
        { err: error, businessId: payment.businessId, subject: payment.subject },
        'the payment provider cannot be asked',
      )
    }
  })
  return silent.length
}

/** One that was never opened for all we know, and that nobody can ask for again, is of no use to anybody. */
async function resolve(context: PageContext, db: Db, payment: Payment): Promise<void> {
  if (payment.status === 'OPEN') return syncPage(context, db, payment)
  const order = await findOrder(db, payment.businessId, orderIdOf(payment.subject) ?? '')
  if (order?.requestKey === null) await closePage(context, db, payment)
}
