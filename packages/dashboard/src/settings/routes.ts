import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const settingsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'settings',
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
})

export const settingsRoutes = [settingsRoute] as const
