import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { movementsQuery, stockQuery } from './queries.ts'
import { readStatementSearch, readStockSearch } from './search.ts'

const stockRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'stock',
  validateSearch: readStockSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', (business) => {
      const wanted = stockQuery(business.id, deps)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchInfiniteQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./stock-page.tsx'), 'StockPage'),
})

const statementRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'stock/$product/$variant',
  validateSearch: readStatementSearch,
  loader: ({ params }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', (business) => {
      const wanted = movementsQuery(business.id, params.product, params.variant)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchInfiniteQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./statement/statement-page.tsx'), 'StatementPage'),
})

const countRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'stock/count',
  component: lazyRouteComponent(() => import('./count/count-page.tsx'), 'CountPage'),
})

export const stockRoutes = [stockRoute, statementRoute, countRoute] as const
