import type { FastifyBaseLogger } from 'fastify'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { claimFairly } from '#platform/jobs/claim-fairly.ts'
import { closeSession } from './close-session.ts'
import { type PaymentContext, payableOf } from './payable.ts'
import type { Payment } from './payment.ts'
import { claimStale, hasStale } from './queries.ts'
import { readSubject } from './subject.ts'
import { syncPayment } from './sync-payment.ts'

const BATCH = 50
/** An event arrives within seconds. After this long without one, the provider is asked. */
const STALE_MS = 5 * 60_000
// Concurrency: most of the time is spent waiting for the provider.
const AT_A_TIME = 10

/** Whether the provider is to be asked. */
export const hasUnreconciled = ({ payables }: Pick<PaymentContext, 'payables'>) =>
  hasStale(new Date(nowMs() - STALE_MS), kindsOf(payables))

const kindsOf = (payables: PaymentContext['payables']) => payables.map(({ kind }) => kind)

/** Reconciles open payments without news with the provider, in case an event was lost. */
export async function reconcileStale(services: PaymentContext, db: Db, log: FastifyBaseLogger): Promise<number> {
  const context = { ...services, log }
  const since = new Date(nowMs() - STALE_MS)
  const stale = await claimFairly(BATCH, (limit, except) =>
    claimStale(db, since, limit, kindsOf(context.payables), except),
  )
  await forEachLimit(AT_A_TIME, stale, async (payment) => {
    try {
      await reconcile(context, db, payment)
    } catch (error) {
      const { businessId, subject } = payment
      log.error({ err: error, businessId, subject }, 'the payment provider cannot be asked')
    }
  })
  return stale.length
}

/** A payment whose session was probably never opened, and that nobody can ask for again, is closed. */
async function reconcile(context: PaymentContext, db: Db, payment: Payment): Promise<void> {
  if (payment.status === 'OPEN') return syncPayment(context, db, payment)
  const payable = payableOf(context.payables, payment.subject)
  const subject = await payable.find(db, payment.businessId, readSubject(payment.subject).id)
  if (subject && !payable.isResumable(subject)) return closeSession(context, db, payment)
  await syncPayment(context, db, payment)
}
