import { accessRefusals } from '#modules/access/index.ts'
import { accountRefusals } from '#modules/accounts/index.ts'
import { backofficeRefusals } from '#modules/backoffice/index.ts'
import { calloutRefusals } from '#modules/callouts/index.ts'
import {
  bulkEditRefusals,
  catalogRefusals,
  categoryRefusals,
  listingRefusals,
  promoRefusals,
} from '#modules/catalog/index.ts'
import { checkoutRefusals } from '#modules/checkout/index.ts'
import { checkRefusals } from '#modules/checks/index.ts'
import { contentRefusals } from '#modules/content/index.ts'
import { customerRefusals } from '#modules/customers/index.ts'
import { mediaRefusals } from '#modules/media/index.ts'
import { newsletterRefusals } from '#modules/newsletter/index.ts'
import { operatorRefusals } from '#modules/operator/index.ts'
import { orderRefusals } from '#modules/orders/index.ts'
import { paymentRefusals } from '#modules/payments/index.ts'
import { reportRefusals } from '#modules/reports/index.ts'
import { storefrontRefusals } from '#modules/storefront/index.ts'
import { webhookRefusals } from '#modules/webhooks/index.ts'
import * as http from '#platform/http/refusals.ts'
import * as storage from '#platform/storage/refusals.ts'
import * as transfer from '#platform/transfer/refusals.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as vocabulary from '#vocabulary/refusals.ts'
import * as apps from './errors.ts'

type Chapter = { title: string; lists: Record<string, readonly AnyRefusal[]> }

/** Every refusal that there is, by the file that defines it, in the order of docs/errors.md. */
export const REFUSALS: readonly Chapter[] = [
  {
    title: 'Every route',
    lists: {
      'src/platform/http/refusals.ts': Object.values(http),
      'src/platform/storage/refusals.ts': Object.values(storage),
      'src/platform/transfer/refusals.ts': Object.values(transfer),
    },
  },
  { title: 'Blocks, statuses, pages', lists: { 'src/vocabulary/refusals.ts': Object.values(vocabulary) } },
  { title: 'Businesses, roles, invitations', lists: { 'src/modules/access/errors.ts': accessRefusals } },
  { title: 'Accounts', lists: { 'src/modules/accounts/errors.ts': accountRefusals } },
  {
    title: 'Products, stock, categories, promo codes',
    lists: {
      'src/modules/catalog/errors.ts': catalogRefusals,
      'src/modules/catalog/bulk-edits/errors.ts': bulkEditRefusals,
      'src/modules/catalog/categories/errors.ts': categoryRefusals,
      'src/modules/catalog/listing/errors.ts': listingRefusals,
      'src/modules/catalog/promos/errors.ts': promoRefusals,
    },
  },
  { title: 'Quote and checkout', lists: { 'src/modules/checkout/errors.ts': checkoutRefusals } },
  { title: 'Callouts', lists: { 'src/modules/callouts/errors.ts': calloutRefusals } },
  { title: 'Orders', lists: { 'src/modules/orders/errors.ts': orderRefusals } },
  { title: 'Customers', lists: { 'src/modules/customers/errors.ts': customerRefusals } },
  { title: 'Payments and refunds', lists: { 'src/modules/payments/errors.ts': paymentRefusals } },
  { title: 'Collections and entries', lists: { 'src/modules/content/errors.ts': contentRefusals } },
  { title: 'Media', lists: { 'src/modules/media/errors.ts': mediaRefusals } },
  { title: 'Newsletters', lists: { 'src/modules/newsletter/errors.ts': newsletterRefusals } },
  { title: 'Saved views', lists: { 'src/modules/backoffice/errors.ts': backofficeRefusals } },
  { title: 'Reports', lists: { 'src/modules/reports/errors.ts': reportRefusals } },
  { title: 'Checks', lists: { 'src/modules/checks/errors.ts': checkRefusals } },
  { title: 'Storefront', lists: { 'src/modules/storefront/errors.ts': storefrontRefusals } },
  { title: 'Webhooks', lists: { 'src/modules/webhooks/errors.ts': webhookRefusals } },
  { title: 'Operator', lists: { 'src/modules/operator/errors.ts': operatorRefusals } },
  { title: 'Elsewhere', lists: { 'src/apps/errors.ts': Object.values(apps) } },
]
