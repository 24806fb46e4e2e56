import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root.tsx'
import { resume } from './session.ts'

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
/** Tokens may look like figures. */
const tokenOf = ({ token }: Record<string, unknown>) => ({
  token: typeof token === 'number' ? String(token) : textOf(token),
})

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'invitation',
  validateSearch: tokenOf,
  beforeLoad: async () => void (await resume()),
  component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
})

const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'register',
  validateSearch: (search) => ({ to: textOf(search.to) || undefined }),
  component: lazyRouteComponent(() => import('./register-page.tsx'), 'RegisterPage'),
})

const confirmRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'confirm',
  validateSearch: tokenOf,
  component: lazyRouteComponent(() => import('./confirm-page.tsx'), 'ConfirmPage'),
})

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'reset-password',
  validateSearch: tokenOf,
  component: lazyRouteComponent(() => import('./reset-page.tsx'), 'ResetPage'),
})

/** Where mails lead to. Opening one of these changes nothing, because mail scanners follow links; the button does. */
export const doorRoutes = [invitationRoute, registerRoute, confirmRoute, resetRoute] as const
