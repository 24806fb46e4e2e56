import { AUDIT_LOG, accessJobs } from '#modules/access/index.ts'
import { accountJobs, cellJobs, exportJobs } from '#modules/accounts/index.ts'
import { eraseViews } from '#modules/backoffice/index.ts'
import { catalogJobs, copyIntoCategories, copyIntoProducts } from '#modules/catalog/index.ts'
import { checkoutJobs } from '#modules/checkout/index.ts'
import { contentJobs, copyIntoEntries, eraseEntriesOf } from '#modules/content/index.ts'
import { beginErasure, erasureJobs, mergeCustomers, returnToGuest } from '#modules/customers/index.ts'
import { mediaJobs } from '#modules/media/index.ts'
import { newsletterJobs } from '#modules/newsletter/index.ts'
import { orderJobs } from '#modules/orders/index.ts'
import { eraseOrderPayers, paymentJobs } from '#modules/payments/index.ts'
import type { AnyJob } from '#platform/jobs/define.ts'
import { maintenanceJobs } from '#platform/maintenance.ts'
import { exportOwn } from './export-own.ts'
import { payables } from './payables.ts'

/** Every job that a worker can run. */
export const jobs: readonly AnyJob[] = [
  ...maintenanceJobs([AUDIT_LOG]),
  ...accessJobs,
  ...accountJobs,
  ...exportJobs(exportOwn),
  ...cellJobs({ merge: mergeCustomers, returnToGuest, erasePerson: beginErasure, eraseMember: eraseViews }),
  ...catalogJobs,
  ...checkoutJobs,
  ...contentJobs,
  ...erasureJobs({ erasePayers: eraseOrderPayers, eraseEntries: eraseEntriesOf }),
  ...mediaJobs({ PRODUCT: copyIntoProducts, CATEGORY: copyIntoCategories, ENTRY: copyIntoEntries }),
  ...newsletterJobs,
  ...orderJobs,
  ...paymentJobs(payables),
]
