import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { oneOf, type Search } from '../shell/search.ts'
import { fileQuery, mediaPages } from './queries.ts'
import { readMediaSearch } from './search.ts'

const NEEDS = ['CONTENT_WRITE', 'PRODUCTS_WRITE'] as const

const mediaRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'media',
  validateSearch: readMediaSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    readAhead(params.business, NEEDS, ({ id }) => {
      const wanted = mediaPages(id, deps)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchInfiniteQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./media-page.tsx'), 'MediaPage'),
})

const fileRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'media/$file',
  validateSearch: (search: Search): { do?: 'delete' | undefined } => ({ do: oneOf(search.do, ['delete']) }),
  loader: ({ params }) =>
    readAhead(params.business, NEEDS, ({ id }) => {
      const wanted = fileQuery(id, params.file)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./file/file-page.tsx'), 'FilePage'),
})

export const mediaRoutes = [mediaRoute, fileRoute] as const
