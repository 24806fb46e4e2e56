import type { Topic } from '#platform/events/sequencer.ts'

export const ORDERS = 'reports-orders'
export const SUBSCRIPTIONS = 'reports-subscriptions'

/** The events after which the sums are looked at again. */
export const REPORT_TOPICS: readonly Topic[] = [
  { topic: ORDERS, of: 'order' },
  { topic: SUBSCRIPTIONS, of: 'subscription' },
]
