import { pages, query } from '../api/query.ts'
import { filtersOf, type OrderSearch } from './filters.ts'
import { toListedPage } from './listed.ts'

const PAGE = 50

type Place = { businessId: string; timeZone: string }

export const orderPages = ({ businessId, timeZone }: Place, search: OrderSearch) =>
  pages(
    businessId,
    'listOrders',
    { query: { ...filtersOf(search, timeZone), limit: PAGE, ...(search.sort && { sort: search.sort }) } },
    toListedPage,
  )

/** How many fit these filters, by status. */
export const orderCounts = ({ businessId, timeZone }: Place, search: OrderSearch) =>
  query(businessId, 'countOrders', { query: { ...filtersOf(search, timeZone), by: 'status' } })
