import { query } from '../api/query.ts'

export const NEWEST = 6
/** So many are named one by one; more are a number. */
export const NAMED = 3

/** Today, what needs a person, what sells and what runs low: one question. */
export const homeQuery = (businessId: string) => query(businessId, 'readHomeReport')

export const newestQuery = (businessId: string) => query(businessId, 'listOrders', { query: { limit: NEWEST } })

/** One day by the hour. */
export const hoursQuery = (businessId: string, from: number, to: number) =>
  query(businessId, 'readSalesReport', { query: { from, to, interval: 'hour' } })

export const ordersQuery = (businessId: string, id: string[]) => query(businessId, 'listOrders', { query: { id } })
