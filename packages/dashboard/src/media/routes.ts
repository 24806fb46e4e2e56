import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const mediaRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'media',
  component: lazyRouteComponent(() => import('./media-page.tsx'), 'MediaPage'),
})

export const mediaRoutes = [mediaRoute] as const
