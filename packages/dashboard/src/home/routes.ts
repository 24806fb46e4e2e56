import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withWords } from '../i18n/i18n.ts'
import { businessRoute } from '../shell/root.tsx'

const homeRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/',
  component: lazyRouteComponent(
    () => withWords(import('./home-page.tsx'), () => import('./locales/de.po')),
    'HomePage',
  ),
})

export const homeRoutes = [homeRoute] as const
