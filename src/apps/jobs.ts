import { AUDIT_LOG, accessJobs, OPERATOR_LOG } from '#modules/access/index.ts'
import { accountJobs, cellJobs, exportJobs } from '#modules/accounts/index.ts'
import { eraseViews } from '#modules/backoffice/index.ts'
import { calloutJobs } from '#modules/callouts/index.ts'
import { catalogJobs, copyIntoCategories, copyIntoProducts } from '#modules/catalog/index.ts'
import { checkoutJobs } from '#modules/checkout/index.ts'
import { checkJobs, listChecked } from '#modules/checks/index.ts'
import { contentJobs, copyIntoEntries, eraseEntriesOf } from '#modules/content/index.ts'
import { beginErasure, erasureJobs, mergeCustomers, returnToGuest } from '#modules/customers/index.ts'
import { listUsedBytes, mediaJobs } from '#modules/media/index.ts'
import { countStoppedByBusiness, newsletterJobs, pauseSends } from '#modules/newsletter/index.ts'
import { operatorJobs } from '#modules/operator/index.ts'
import { orderJobs } from '#modules/orders/index.ts'
import { eraseOrderPayers, paymentJobs } from '#modules/payments/index.ts'
import { webhookJobs } from '#modules/webhooks/index.ts'
import type { AnyJob } from '#platform/jobs/define.ts'
import { maintenanceJobs } from '#platform/maintenance.ts'
import { exportOwn } from './export-own.ts'
import { moveJobs } from './moves/start-move.ts'
import { payables } from './payables.ts'
import { findAdmins } from './people.ts'
import { writeArchive } from './portable/export-business.ts'
import { removalJobs } from './portable/remove-business.ts'
import { RULES } from './rules.ts'

/** Every job that a worker can run. */
export const jobs: readonly AnyJob[] = [
  ...maintenanceJobs([AUDIT_LOG, OPERATOR_LOG]),
  ...accessJobs,
  ...accountJobs,
  ...exportJobs(exportOwn),
  ...cellJobs({ merge: mergeCustomers, returnToGuest, erasePerson: beginErasure, eraseMember: eraseViews }),
  ...calloutJobs,
  ...catalogJobs,
  ...checkJobs(RULES),
  ...checkoutJobs,
  ...contentJobs,
  ...erasureJobs({ erasePayers: eraseOrderPayers, eraseEntries: eraseEntriesOf }),
  ...mediaJobs({ PRODUCT: copyIntoProducts, CATEGORY: copyIntoCategories, ENTRY: copyIntoEntries }),
  ...newsletterJobs,
  ...operatorJobs({
    pauseSends,
    writeArchive,
    countStoppedSends: countStoppedByBusiness,
    listUsedBytes,
    listChecked,
  }),
  ...orderJobs,
  ...paymentJobs(payables),
  ...webhookJobs(findAdmins),
  ...removalJobs,
  ...moveJobs,
]
