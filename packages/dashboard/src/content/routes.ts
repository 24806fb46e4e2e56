import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'
import { type Search, wordOf } from '../shell/search.ts'

/** Words that an address may say. Its screen knows which of them make sense: this part is loaded by every page. */
const says =
  <Word extends string>(...words: Word[]) =>
  (search: Search) =>
    Object.fromEntries(words.map((word) => [word, wordOf(search[word])])) as { [Name in Word]?: string | undefined }

const getParentRoute = () => businessRoute
const pages = () => import('./pages.ts')

export const contentRoutes = [
  createRoute({ getParentRoute, path: 'content', component: lazyRouteComponent(pages, 'CollectionsPage') }),
  createRoute({ getParentRoute, path: 'content/new', component: lazyRouteComponent(pages, 'NewCollectionPage') }),
  createRoute({
    getParentRoute,
    path: 'content/$collection',
    validateSearch: says('query', 'locale', 'status'),
    component: lazyRouteComponent(pages, 'CollectionPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'content/$collection/schema',
    validateSearch: says('do'),
    component: lazyRouteComponent(pages, 'SchemaPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'content/$collection/new',
    validateSearch: says('locale'),
    component: lazyRouteComponent(pages, 'NewEntryPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'content/$collection/$entry',
    validateSearch: says('locale', 'do'),
    component: lazyRouteComponent(pages, 'EntryPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'content/$collection/$entry/versions',
    validateSearch: says('from', 'to'),
    component: lazyRouteComponent(pages, 'VersionsPage'),
  }),
] as const
