import type { Business, Query } from '@kontor/sdk'
import { pages, query } from '../api/query.ts'
import { type CustomerSearch, filtersOf, orderOf } from './search.ts'

/** Each once, in the order of the markets. */
export const currenciesOf = ({ markets }: Pick<Business, 'markets'>): string[] => [
  ...new Set(markets.map(({ currency }) => currency)),
]

export function customersQuery(business: Business, search: CustomerSearch) {
  const asked: Query<'listCustomers'> = {
    limit: 100,
    ...filtersOf(search),
    ...orderOf(search, currenciesOf(business)),
  }
  return pages(business.id, 'listCustomers', { query: asked })
}

export const customerQuery = (businessId: string, userId: string) =>
  query(businessId, 'getCustomer', { path: { userId } })

export const ordersQuery = (businessId: string, customerId: string) =>
  pages(businessId, 'listOrders', { query: { customerId: [customerId], limit: 20 } })

export const commentsQuery = (businessId: string, userId: string) =>
  pages(businessId, 'listCustomerComments', { path: { userId }, query: { limit: 20 } })
