import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { readOrdersSearch } from './filters.ts'
import { orderQuery } from './order/queries.ts'
import { readOrderSearch } from './order/search.ts'
import { orderPages } from './queries.ts'

const ordersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'orders',
  validateSearch: readOrdersSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    readAhead(params.business, 'ORDERS_READ', (business) => {
      const wanted = orderPages({ businessId: business.id, timeZone: business.timeZone }, deps)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchInfiniteQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./orders-page.tsx'), 'OrdersPage'),
})

const newOrderRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'orders/new',
  component: lazyRouteComponent(() => import('./new-order-page.tsx'), 'NewOrderPage'),
})

const orderRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'orders/$order',
  validateSearch: readOrderSearch,
  loader: ({ params }) =>
    readAhead(params.business, 'ORDERS_READ', ({ id }) => {
      const wanted = orderQuery(id, params.order)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./order-page.tsx'), 'OrderPage'),
})

export const ordersRoutes = [ordersRoute, newOrderRoute, orderRoute] as const
