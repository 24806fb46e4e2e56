import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'
import { oneOf, type Search } from '../shell/search.ts'
import { readCustomerSearch } from './search.ts'

const customersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'customers',
  validateSearch: readCustomerSearch,
  component: lazyRouteComponent(() => import('./customers-page.tsx'), 'CustomersPage'),
})

const customerRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'customers/$customer',
  validateSearch: (search: Search): { do?: 'erase' | undefined } => ({ do: oneOf(search.do, ['erase']) }),
  component: lazyRouteComponent(() => import('./customer/customer-page.tsx'), 'CustomerPage'),
})

export const customersRoutes = [customersRoute, customerRoute] as const
