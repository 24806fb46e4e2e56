import { AUDIT_LOG, accessJobs } from '#modules/access/index.ts'
import { accountJobs, cellJobs } from '#modules/accounts/index.ts'
import { eraseViews } from '#modules/backoffice/index.ts'
import { catalogJobs, copyIntoCategories, copyIntoProducts } from '#modules/catalog/index.ts'
import { checkoutJobs } from '#modules/checkout/index.ts'
import { contentJobs, copyIntoEntries } from '#modules/content/index.ts'
import { eraseCustomer, mergeCustomers, returnToGuest } from '#modules/customers/index.ts'
import { mediaJobs } from '#modules/media/index.ts'
import { newsletterJobs } from '#modules/newsletter/index.ts'
import { orderJobs } from '#modules/orders/index.ts'
import { paymentJobs } from '#modules/payments/index.ts'
import type { AnyJob } from '#platform/jobs/define.ts'
import { maintenanceJobs } from '#platform/maintenance.ts'
import { payables } from './payables.ts'

/** Every job that a worker can run. */
export const jobs: readonly AnyJob[] = [
  ...maintenanceJobs([AUDIT_LOG]),
  ...accessJobs,
  ...accountJobs,
  ...cellJobs({ merge: mergeCustomers, returnToGuest, eraseCustomer, eraseMember: eraseViews }),
  ...catalogJobs,
  ...checkoutJobs,
  ...contentJobs,
  ...mediaJobs({ PRODUCT: copyIntoProducts, CATEGORY: copyIntoCategories, ENTRY: copyIntoEntries }),
  ...newsletterJobs,
  ...orderJobs,
  ...paymentJobs(payables),
]
