import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { businessesQuery, meQuery } from '../session/queries.ts'
import { signedInRoute } from '../shell/root.tsx'

/** One's own account. It belongs to no business; the frame is that of the business one was in. */
const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'profile',
  loader: () => Promise.all([queryClient.ensureQueryData(businessesQuery()), queryClient.ensureQueryData(meQuery())]),
  component: lazyRouteComponent(() => import('./profile-frame.tsx'), 'ProfileFrame'),
})

const meRoute = createRoute({
  getParentRoute: () => profileRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./me-page.tsx'), 'MePage'),
})

const securityRoute = createRoute({
  getParentRoute: () => profileRoute,
  path: 'security',
  component: lazyRouteComponent(() => import('./security/security-page.tsx'), 'SecurityPage'),
})

const appRoute = createRoute({
  getParentRoute: () => profileRoute,
  path: 'security/app',
  component: lazyRouteComponent(() => import('./security/app-page.tsx'), 'AppPage'),
})

const codesRoute = createRoute({
  getParentRoute: () => profileRoute,
  path: 'security/recovery-codes',
  component: lazyRouteComponent(() => import('./security/codes-page.tsx'), 'CodesPage'),
})

const sessionsRoute = createRoute({
  getParentRoute: () => profileRoute,
  path: 'sessions',
  component: lazyRouteComponent(() => import('./sessions/sessions-page.tsx'), 'SessionsPage'),
})

const keysRoute = createRoute({
  getParentRoute: () => profileRoute,
  path: 'keys',
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
})

const newKeyRoute = createRoute({
  getParentRoute: () => profileRoute,
  path: 'keys/new',
  component: lazyRouteComponent(() => import('./keys/new-key-page.tsx'), 'NewKeyPage'),
})

export const profileRoutes = profileRoute.addChildren([
  meRoute,
  securityRoute,
  appRoute,
  codesRoute,
  sessionsRoute,
  keysRoute,
  newKeyRoute,
])
