import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { findPayment, noteApplied, takeSilent } from '#modules/payments/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { someAtATime } from '#platform/some-at-a-time.ts'
import { Id } from '#vocabulary/schemas.ts'
import { type PaidContext, subjectOf, syncSubscription } from './paid.ts'

/** An event says that something has happened to a subscription; the provider itself says what. */
export const applySubscriptionEvent = defineJob({
  name: 'newsletter.apply-event',
  on: 'cell',
  payload: Type.Object({
    businessId: Id,
    subject: Type.String({ maxLength: 200 }),
    eventId: Type.String({ maxLength: 255 }),
  }),
  async run({ businessId, subject, eventId }, { db, services }) {
    const payment = await findPayment(db, businessId, subject)
    if (payment) await syncSubscription(services, db, payment)
    await fault('subscription.synced')
    await transaction(db, (tx) => noteApplied(tx, businessId, eventId))
  },
})

const BATCH = 50
const AT_A_TIME = 10
/** An event comes within seconds. After this long without one, the provider is asked. */
const SILENT_MS = 5 * 60_000

/** Asks about pages of which nothing was heard: an event may have been lost. */
export async function askAboutSubscriptions(context: PaidContext, db: Db, log: FastifyBaseLogger): Promise<number> {
  const silent = await takeSilent(db, new Date(nowMs() - SILENT_MS), BATCH, 'newsletter')
  await someAtATime(AT_A_TIME, silent, async (payment) => {
    try {
      await syncSubscription(context, db, payment)
    } catch (error) {
      const { businessId, subject } = payment
      log.error({ err: error, businessId, subject }, 'the payment provider cannot be asked')
    }
  })
  return silent.length
}

const PAGE = 200

/** Once a day every paid subscription is compared with the provider's: renewals that failed, ended, or go on although they left. */
export const reconcileSubscriptions = defineJob({
  name: 'newsletter.reconcile-subscriptions',
  on: 'cell',
  payload: Type.Object({}),
  cron: '17 4 * * *',
  async run(_payload, { db, services, signal, log }) {
    for (let after = { businessId: '', id: '' }; !signal.aborted; ) {
      const rows = await nextPaid(db, after)
      const last = rows.at(-1)
      if (!last) return
      await someAtATime(AT_A_TIME, rows, async ({ businessId, id, checkoutId }) => {
        const payment = checkoutId ? await findPayment(db, businessId, subjectOf(checkoutId)) : undefined
        if (!payment) return
        await syncSubscription(services, db, payment).catch((error: unknown) =>
          log.error({ err: error, businessId, subscriptionId: id }, 'a subscription cannot be compared'),
        )
      })
      after = last
    }
  },
})

const nextPaid = (db: Db, { businessId, id }: { businessId: string; id: string }) =>
  db
    .selectFrom('newsletter.subscriptions')
    .select(['businessId', 'id', 'checkoutId'])
    .where((row) => row(row.refTuple('businessId', 'id'), '>', row.tuple(businessId, id)))
    .where('providerId', 'is not', null)
    .orderBy('businessId')
    .orderBy('id')
    .limit(PAGE)
    .execute()
