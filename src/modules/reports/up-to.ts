import { sql } from 'kysely'
import { lookedUpTo } from '#platform/events/sequencer.ts'
import { ORDERS, SUBSCRIPTIONS } from './topics.ts'

/** The last event that is in the sums of orders; in the statement that reads them. 0 while older ones are being counted. */
export const ordersUpTo = (businessId: string) => sql<number>`
  case when exists (select from reports.rebuilding where business_id = ${businessId}) or ${isFilling('orders', businessId)}
       then 0 else ${lookedUpTo(ORDERS, businessId)} end`

export const subscriptionsUpTo = (businessId: string) => sql<number>`
  case when ${isFilling('subscriptions', businessId)} then 0 else ${lookedUpTo(SUBSCRIPTIONS, businessId)} end`

const isFilling = (kind: 'orders' | 'subscriptions', businessId: string) => sql`
  exists (select from reports.filling where kind = ${kind} and business_id <= ${businessId})`
