import type { AnyJob } from '#platform/jobs/define.ts'
import type { MetricDefinition } from '#platform/observability/define-metric.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import * as metrics from './metrics.ts'
import { mailTest } from './sending/test-mail.ts'
import { mailConfirmation } from './subscriptions/mail-confirmation.ts'
import { reconcileSubscriptions } from './subscriptions/reconcile-subscriptions.ts'
import { subscriberImportJobs } from './transfer/routes.ts'

export { followFeed } from './automations/follow-feed.ts'
export { planDue } from './automations/plan-due.ts'
export { automationRoutes } from './automations/routes.ts'
export { bounceRoutes } from './bounces/routes.ts'
export { suppressionRoutes } from './bounces/suppression-routes.ts'
export { clickPages } from './clicks/page-routes.ts'
export type { MarkCustomers, Wanted } from './segments/matching-readers.ts'
export { segmentRoutes } from './segments/routes.ts'
export { countStoppedSends } from './sending/count-stopped.ts'
export { createDailyLimits } from './sending/daily-limit.ts'
export { createDeliverer, type Deliverer, type DeliveryContext, deliverAll } from './sending/deliver.ts'
export { countSendsOfCell, countStoppedByBusiness, listSendsOfCell } from './sending/list-for-operator.ts'
export { enableOutbound, readOutbound } from './sending/outbound.ts'
export { pauseSends, pauseSendsIn } from './sending/pause-sends.ts'
export { countOpenSends, findSend } from './sending/queries.ts'
export { abandonOrphans, forgetToday, recordHeartbeat } from './sending/recipients.ts'
export { sendRoutes } from './sending/routes.ts'
export { startNewsletters } from './sending/run-sending.ts'
export { presentSend } from './sending/send.ts'
export { startDue } from './sending/start-send.ts'
export { guardCollection } from './subscriptions/collection-guard.ts'
export { eraseReaders } from './subscriptions/erase-readers.ts'
export { exportOwnSubscriptions } from './subscriptions/export-own.ts'
export { confirmationMail as subscriptionMail } from './subscriptions/mail-confirmation.ts'
export { newsletterPages } from './subscriptions/page-routes.ts'
export { newsletterPayable } from './subscriptions/payable.ts'
export { listPaidNewsletters } from './subscriptions/queries.ts'
export {
  listSubscriptionsOf,
  readStates,
  readSubscriberContacts,
  readSubscribers,
  type SubscriberContact,
  type SubscriptionState,
} from './subscriptions/read-for-customers.ts'
export { subscriptionRoutes } from './subscriptions/routes.ts'
export { IMPORTED_TOPIC, subscribeMany } from './subscriptions/subscribe-many.ts'
export { presentSubscription } from './subscriptions/subscription.ts'
export { newsletterTables } from './tables.ts'
export { exportSubscribers } from './transfer/export-subscribers.ts'
export { subscriberImport } from './transfer/import-subscribers.ts'
export { subscriberTransferRoutes } from './transfer/routes.ts'

export const newsletterEvents = Object.values(events)
export const newsletterMetrics: readonly MetricDefinition[] = Object.values(metrics)
export const newsletterRefusals: readonly AnyRefusal[] = Object.values(errors)

export const newsletterJobs: readonly AnyJob[] = [
  mailConfirmation,
  mailTest,
  reconcileSubscriptions,
  ...subscriberImportJobs,
]
