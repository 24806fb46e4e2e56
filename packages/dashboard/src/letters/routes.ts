import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'
import { readLetterSearch, readLettersSearch, readReadersSearch, readSendSearch } from './search.ts'

const screens = () => import('./screens.ts')

const lettersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'letters',
  validateSearch: readLettersSearch,
  component: lazyRouteComponent(screens, 'LettersPage'),
})

const letterRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'letters/$entry',
  validateSearch: readLetterSearch,
  component: lazyRouteComponent(screens, 'LetterPage'),
})

const sendRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'letters/$entry/sends/$send',
  validateSearch: readSendSearch,
  component: lazyRouteComponent(screens, 'SendPage'),
})

const readersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'letters/readers/$newsletter',
  validateSearch: readReadersSearch,
  component: lazyRouteComponent(screens, 'ReadersPage'),
})

const suppressionsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'letters/suppressions',
  component: lazyRouteComponent(screens, 'SuppressionsPage'),
})

export const lettersRoutes = [lettersRoute, letterRoute, sendRoute, readersRoute, suppressionsRoute] as const
