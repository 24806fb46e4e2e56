import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'
import { readOrderSearch } from './filters.ts'

const ordersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'orders',
  validateSearch: readOrderSearch,
  component: lazyRouteComponent(() => import('./orders-page.tsx'), 'OrdersPage'),
})

const orderRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'orders/$order',
  component: lazyRouteComponent(() => import('./order-page.tsx'), 'OrderPage'),
})

export const ordersRoutes = [ordersRoute, orderRoute] as const
