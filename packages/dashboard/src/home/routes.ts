import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const homeRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
})

export const homeRoutes = [homeRoute] as const
