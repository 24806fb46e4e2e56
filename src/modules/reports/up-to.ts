import { sql } from 'kysely'
import { lookedUpTo } from '#platform/events/sequencer.ts'
import { ORDERS, SUBSCRIPTIONS } from './topics.ts'

/** The last event that is in the sums of orders; in the statement that reads them. 0 during a rebuild. */
export const ordersUpTo = (businessId: string) => sql<number>`
  case when exists (select from reports.rebuilding where business_id = ${businessId})
       then 0 else ${lookedUpTo(ORDERS, businessId)} end`

export const subscriptionsUpTo = (businessId: string) => lookedUpTo(SUBSCRIPTIONS, businessId)
