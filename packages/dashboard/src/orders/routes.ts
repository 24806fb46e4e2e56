import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const ordersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'orders',
  component: lazyRouteComponent(() => import('./orders-page.tsx'), 'OrdersPage'),
})

const orderRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'orders/$order',
  component: lazyRouteComponent(() => import('./order-page.tsx'), 'OrderPage'),
})

export const ordersRoutes = [ordersRoute, orderRoute] as const
