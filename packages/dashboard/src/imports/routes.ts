import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { importsQuery } from './queries.ts'
import { readImportSearch } from './search.ts'

const importsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'products/imports',
  loader: ({ params }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', ({ id }) => {
      const wanted = importsQuery(id)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./imports-page.tsx'), 'ImportsPage'),
})

const importRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'products/imports/$import',
  validateSearch: readImportSearch,
  component: lazyRouteComponent(() => import('./import-page.tsx'), 'ImportPage'),
})

export const importsRoutes = [importsRoute, importRoute] as const
