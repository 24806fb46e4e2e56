import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const insightsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'insights',
  component: lazyRouteComponent(() => import('./insights-page.tsx'), 'InsightsPage'),
})

export const insightsRoutes = [insightsRoute] as const
