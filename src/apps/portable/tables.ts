import { accessTables } from '#modules/access/index.ts'
import { accountTables } from '#modules/accounts/index.ts'
import { backofficeTables } from '#modules/backoffice/index.ts'
import { calloutTables } from '#modules/callouts/index.ts'
import { catalogTables } from '#modules/catalog/index.ts'
import { checkTables } from '#modules/checks/index.ts'
import { contentTables } from '#modules/content/index.ts'
import { customerTables } from '#modules/customers/index.ts'
import { mediaTables } from '#modules/media/index.ts'
import { newsletterTables } from '#modules/newsletter/index.ts'
import { orderTables } from '#modules/orders/index.ts'
import { paymentTables } from '#modules/payments/index.ts'
import { reportTables } from '#modules/reports/index.ts'
import { webhookTables } from '#modules/webhooks/index.ts'
import { platformTables } from '#platform/portable/platform-tables.ts'
import type { BusinessTable } from '#platform/portable/tables.ts'

/** Every table with rows of businesses, those that others refer to first. */
export const businessTables: readonly BusinessTable[] = [
  ...accessTables,
  ...accountTables,
  ...catalogTables,
  ...contentTables,
  ...orderTables,
  ...paymentTables,
  ...newsletterTables,
  ...customerTables,
  ...mediaTables,
  ...backofficeTables,
  ...calloutTables,
  ...webhookTables,
  ...reportTables,
  ...checkTables,
  ...platformTables,
]

export const controlTables = businessTables.filter((table) => table.in === 'control')
export const cellTables = businessTables.filter((table) => table.in === 'cell')
