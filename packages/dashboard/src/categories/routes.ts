import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { readAhead } from '../session/read-ahead.ts'
import { businessRoute } from '../shell/root.tsx'
import { oneOf, type Search, wordOf } from '../shell/search.ts'
import { categoryQuery, treeQuery } from './queries.ts'

/** `at` is the row that one is at; `do` is what is being done with it, or `new` below it. */
export type CategoriesSearch = { at?: string | undefined; do?: 'new' | 'delete' | undefined }

const categoriesRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'categories',
  validateSearch: (search: Search): CategoriesSearch => ({
    at: wordOf(search.at),
    do: oneOf(search.do, ['new', 'delete']),
  }),
  loader: ({ params }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', ({ id }) => {
      const wanted = treeQuery(id)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./categories-page.tsx'), 'CategoriesPage'),
})

const categoryRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'categories/$category',
  validateSearch: (search: Search): { locale?: string | undefined; do?: 'delete' | undefined } => ({
    locale: wordOf(search.locale),
    do: oneOf(search.do, ['delete']),
  }),
  loader: ({ params }) =>
    readAhead(params.business, 'PRODUCTS_WRITE', ({ id }) => {
      const wanted = categoryQuery(id, params.category)
      return { queryKey: wanted.queryKey, start: () => queryClient.prefetchQuery(wanted) }
    }),
  component: lazyRouteComponent(() => import('./category/category-page.tsx'), 'CategoryPage'),
})

export const categoriesRoutes = [categoriesRoute, categoryRoute] as const
