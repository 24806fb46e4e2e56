import { accessEvents } from '#modules/access/index.ts'
import { catalogEvents } from '#modules/catalog/index.ts'
import { checkEvents } from '#modules/checks/index.ts'
import { contentEvents } from '#modules/content/index.ts'
import { customerEvents } from '#modules/customers/index.ts'
import { mediaEvents } from '#modules/media/index.ts'
import { newsletterEvents } from '#modules/newsletter/index.ts'
import { orderEvents } from '#modules/orders/index.ts'
import { paymentEvents } from '#modules/payments/index.ts'
import { webhookEvents } from '#modules/webhooks/index.ts'
import type { EventDefinition } from '#platform/events/define.ts'
import type { Readers } from '#platform/events/readers.ts'

/** Every kind of event. */
export const EVENTS = [
  ...accessEvents,
  ...catalogEvents,
  ...orderEvents,
  ...customerEvents,
  ...paymentEvents,
  ...contentEvents,
  ...mediaEvents,
  ...newsletterEvents,
  ...webhookEvents,
  ...checkEvents,
] as const satisfies readonly EventDefinition[]

/** Who may read them, in the feed and in the stream. What is not named here is for ADMIN. */
export const EVENT_READERS: Readers = {
  order: ['ORDERS_READ'],
  customer: ['ORDERS_READ'],
  payment: ['ORDERS_READ'],
  product: ['PRODUCTS_WRITE'],
  stock: ['PRODUCTS_WRITE'],
  import: ['PRODUCTS_WRITE'],
  bulk_edit: ['PRODUCTS_WRITE'],
  category: ['PRODUCTS_WRITE'],
  media: ['PRODUCTS_WRITE', 'CONTENT_READ_DRAFTS'],
  promo: ['PROMOS_WRITE'],
  collection: ['CONTENT_READ_DRAFTS'],
  entry: ['CONTENT_READ_DRAFTS'],
  newsletter: ['SUBSCRIBERS_READ'],
  subscription: ['SUBSCRIBERS_READ'],
  subscriber_import: ['SUBSCRIBERS_READ'],
}
