import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { bulkEditQuery, bulkEditsQuery } from './queries.ts'
import { readEditSearch, readNewSearch } from './search.ts'

const bulkEditsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'bulk-edits',
  loader: ({ params }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', ({ id }) => {
      const wanted = bulkEditsQuery(id)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./bulk-edits-page.tsx'), 'BulkEditsPage'),
})

const newBulkEditRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'bulk-edits/new',
  validateSearch: readNewSearch,
  component: lazyRouteComponent(() => import('./new-bulk-edit-page.tsx'), 'NewBulkEditPage'),
})

const bulkEditRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'bulk-edits/$edit',
  validateSearch: readEditSearch,
  loader: ({ params }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', ({ id }) => {
      const wanted = bulkEditQuery(id, params.edit)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./bulk-edit-page.tsx'), 'BulkEditPage'),
})

export const bulkEditRoutes = [bulkEditsRoute, newBulkEditRoute, bulkEditRoute] as const
