import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../shell/root.tsx'

const lettersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'letters',
  component: lazyRouteComponent(() => import('./letters-page.tsx'), 'LettersPage'),
})

export const lettersRoutes = [lettersRoute] as const
