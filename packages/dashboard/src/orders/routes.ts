import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'
import { readOrdersSearch } from './filters.ts'
import { readOrderSearch } from './order/search.ts'

const ordersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'orders',
  validateSearch: readOrdersSearch,
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
  component: lazyRouteComponent(() => import('./order-page.tsx'), 'OrderPage'),
})

export const ordersRoutes = [ordersRoute, newOrderRoute, orderRoute] as const
