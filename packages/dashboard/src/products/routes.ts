import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { readProductsSearch } from './filters.ts'
import { readProductSearch } from './product/search.ts'
import { productPages, productQuery } from './queries.ts'

const productsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'products',
  validateSearch: readProductsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', (business) => {
      const wanted = productPages(business, deps)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchInfiniteQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./products-page.tsx'), 'ProductsPage'),
})

const newProductRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'products/new',
  component: lazyRouteComponent(() => import('./new-product-page.tsx'), 'NewProductPage'),
})

const productRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'products/$product',
  validateSearch: readProductSearch,
  loader: ({ params }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', ({ id }) => {
      const wanted = productQuery(id, params.product)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./product-page.tsx'), 'ProductPage'),
})

export const productsRoutes = [productsRoute, newProductRoute, productRoute] as const
