import { query } from '../api/query.ts'

/** Outside of any business. */
export const meQuery = () => query('-', 'getMe')
export const businessesQuery = () => query('-', 'listBusinesses', { query: { limit: 100 } })
