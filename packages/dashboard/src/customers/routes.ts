import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const customersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'customers',
  component: lazyRouteComponent(() => import('./customers-page.tsx'), 'CustomersPage'),
})

export const customersRoutes = [customersRoute] as const
