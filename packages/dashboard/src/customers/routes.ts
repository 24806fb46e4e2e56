import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { oneOf, type Search } from '../shell/search.ts'
import { customersQuery } from './queries.ts'
import { readCustomerSearch } from './search.ts'

const customersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'customers',
  validateSearch: readCustomerSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    readAhead(params.business, 'ORDERS_READ', (business) => {
      const wanted = customersQuery(business, deps)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchInfiniteQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./customers-page.tsx'), 'CustomersPage'),
})

const customerRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'customers/$customer',
  validateSearch: (search: Search): { do?: 'erase' | undefined } => ({ do: oneOf(search.do, ['erase']) }),
  component: lazyRouteComponent(() => import('./customer/customer-page.tsx'), 'CustomerPage'),
})

export const customersRoutes = [customersRoute, customerRoute] as const
