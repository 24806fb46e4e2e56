import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const contentRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'content',
  component: lazyRouteComponent(() => import('./content-page.tsx'), 'ContentPage'),
})

export const contentRoutes = [contentRoute] as const
