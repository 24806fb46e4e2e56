import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withWords } from '../i18n/i18n.ts'
import { businessRoute } from '../shell/root.tsx'
import { readInsightsSearch } from './search.ts'

const insightsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'insights',
  validateSearch: readInsightsSearch,
  component: lazyRouteComponent(
    () => withWords(import('./insights-page.tsx'), () => import('./locales/de.po')),
    'InsightsPage',
  ),
})

export const insightsRoutes = [insightsRoute] as const
