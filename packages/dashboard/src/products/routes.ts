import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const productsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'products',
  component: lazyRouteComponent(() => import('./products-page.tsx'), 'ProductsPage'),
})

const productRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'products/$product',
  component: lazyRouteComponent(() => import('./product-page.tsx'), 'ProductPage'),
})

export const productsRoutes = [productsRoute, productRoute] as const
