import type { EventDefinition } from '#platform/events/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'

export { beginErasure } from './begin-erasure.ts'
export { eraseCustomer } from './erase-customers.ts'
export { erasureJobs } from './erasure-jobs.ts'
export { type AskControl, CUSTOMER_TOPICS, followOrders, type PeopleKnown } from './follow-orders.ts'
export { markCustomers } from './mark-customers.ts'
export { mergeCustomers, returnToGuest } from './merge-customers.ts'
export { customerRoutes } from './routes.ts'
export { searchCustomers } from './search-customers.ts'

export const customerEvents: readonly EventDefinition[] = Object.values(events)
export const customerRefusals: readonly AnyRefusal[] = Object.values(errors)
