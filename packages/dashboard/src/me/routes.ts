import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../shell/root.tsx'

const meRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'me',
  component: lazyRouteComponent(() => import('./me-page.tsx'), 'MePage'),
})

export const meRoutes = [meRoute] as const
