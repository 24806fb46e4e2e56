import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'

export { beginErasure } from './begin-erasure.ts'
export { eraseCustomer } from './erase-customers.ts'
export { erasureJobs } from './erasure-jobs.ts'
export { type AskControl, CUSTOMER_TOPICS, followOrders, hasUnfollowed, type PeopleKnown } from './follow-orders.ts'
export { markCustomers } from './mark-customers.ts'
export { MERGED_TOPIC, mergeCustomers, readAliases, returnToGuest } from './merge-customers.ts'
export { customerRoutes } from './routes.ts'
export { searchCustomers } from './search-customers.ts'
export { customerTables } from './tables.ts'

export const customerEvents = Object.values(events)
export const customerRefusals: readonly AnyRefusal[] = Object.values(errors)
