import { cancelSubscription, subjectOf } from '#modules/payments/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue } from '#platform/jobs/define.ts'

/** Cancels at the provider the recurring charge that this checkout's payment started. */
export const cancelRenewal = (tx: Tx, businessId: string, checkoutId: string, subscriptionId: string) =>
  enqueue(tx, cancelSubscription, { businessId, subject: subjectOf('newsletter', checkoutId), subscriptionId })
