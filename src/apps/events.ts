import { catalogEvents } from '#modules/catalog/index.ts'
import { contentEvents } from '#modules/content/index.ts'
import { newsletterEvents } from '#modules/newsletter/index.ts'
import { orderEvents } from '#modules/orders/index.ts'
import { paymentEvents } from '#modules/payments/index.ts'
import type { EventDefinition } from '#platform/events/define.ts'

/** Every kind of event. */
export const EVENTS: readonly EventDefinition[] = [
  ...catalogEvents,
  ...orderEvents,
  ...paymentEvents,
  ...contentEvents,
  ...newsletterEvents,
]
