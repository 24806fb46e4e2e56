import { sql } from 'kysely'
import { Type } from 'typebox'
import { findPayment, subjectOf, syncPayment } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { isHere } from '#platform/moves/fence.ts'
import { newsletterPayable } from './payable.ts'

const AT_A_TIME = 10
const PAGE = 200

/**
 * Reconciles every paid subscription with the provider once a day: renewals that failed, ended, or continue although
 * the subscriber has left.
 */
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
      await forEachLimit(AT_A_TIME, rows, async ({ businessId, id, checkoutId }) => {
        const payment = checkoutId ? await findPayment(db, businessId, subjectOf('newsletter', checkoutId)) : undefined
        if (!payment) return
        const context = { ...services, payables: [newsletterPayable], log }
        await syncPayment(context, db, payment).catch((error: unknown) =>
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
    .where(sql<boolean>`${isHere('business_id')}`)
    .orderBy('businessId')
    .orderBy('id')
    .limit(PAGE)
    .execute()
