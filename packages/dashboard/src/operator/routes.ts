import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../shell/root.tsx'

const operatorRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'operator',
  component: lazyRouteComponent(() => import('./operator-page.tsx'), 'OperatorPage'),
})

export const operatorRoutes = [operatorRoute] as const
