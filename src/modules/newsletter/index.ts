import type { AnyJob } from '#platform/jobs/define.ts'
import { applySubscriptionEvent, reconcileSubscriptions } from './apply-event.ts'
import { forgetSecrets } from './forget-secrets.ts'
import { cancelRenewal, mailConfirmation } from './jobs.ts'
import { importSubscribers, tidySubscriberImports } from './subscriber-import-job.ts'
import { mailTest } from './test-mail.ts'

export { applySubscriptionEvent, askAboutSubscriptions } from './apply-event.ts'
export { bounceRoutes } from './bounce-routes.ts'
export { guardCollection } from './collection-guard.ts'
export { createDeliverer, type Deliverer, type DeliveryContext, deliverAll } from './deliver.ts'
export { exportSubscribers } from './export-subscribers.ts'
export { importBatch as importSubscriberBatch } from './import-subscribers.ts'
export { enableOutbound, readOutbound } from './outbound.ts'
export { newsletterPages } from './page-routes.ts'
export { pauseSends } from './pause-sends.ts'
export { listPaidFor } from './queries.ts'
export { findOrphans, sign } from './recipients.ts'
export { presentSend } from './send.ts'
export { sendRoutes } from './send-routes.ts'
export { countOpen, findSend } from './sends.ts'
export { startDue } from './start-send.ts'
export { subscribeMany } from './subscribe-many.ts'
export { FILE_FORMATS as SUBSCRIBER_FORMATS, stageFile as stageSubscribers } from './subscriber-file.ts'
export {
  beginImport as beginSubscriberImport,
  dropImport as dropSubscriberImport,
  getImport as getSubscriberImport,
  listImportErrors as listSubscriberImportErrors,
  type SubscriberImport,
  sealImport as sealSubscriberImport,
} from './subscriber-imports.ts'
export { subscriberTransferRoutes } from './subscriber-transfer-routes.ts'
export { subscriptionRoutes } from './subscription-routes.ts'
export { suppressionRoutes } from './suppression-routes.ts'

export const newsletterJobs: readonly AnyJob[] = [
  applySubscriptionEvent,
  cancelRenewal,
  forgetSecrets,
  importSubscribers,
  mailConfirmation,
  mailTest,
  reconcileSubscriptions,
  tidySubscriberImports,
]
