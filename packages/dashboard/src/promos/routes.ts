import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { oneOf, type Search } from '../shell/search.ts'
import { promosQuery } from './queries.ts'
import { readPromoSearch } from './search.ts'

const promosRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'promo-codes',
  validateSearch: readPromoSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    readAhead(params.business, 'PROMOS_WRITE', ({ id }) => {
      const wanted = promosQuery(id, deps)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchInfiniteQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./promos-page.tsx'), 'PromosPage'),
})

const newPromoRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'promo-codes/new',
  component: lazyRouteComponent(() => import('./promo/new-promo-page.tsx'), 'NewPromoPage'),
})

const promoRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'promo-codes/$promo',
  validateSearch: (search: Search): { do?: 'delete' | undefined } => ({ do: oneOf(search.do, ['delete']) }),
  component: lazyRouteComponent(() => import('./promo/promo-page.tsx'), 'PromoPage'),
})

export const promosRoutes = [promosRoute, newPromoRoute, promoRoute] as const
