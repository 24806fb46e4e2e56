import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { isDay } from '../i18n/days.ts'
import { withWords } from '../i18n/i18n.ts'
import { businessRoute } from '../shell/root.tsx'
import { oneOf, type Search, wordOf } from '../shell/search.ts'

const screens = () => import('./screens.ts')
const connections = () => import('./connections.ts')

const settingsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: 'settings',
  component: lazyRouteComponent(screens, 'SettingsFrame'),
})

const indexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  component: lazyRouteComponent(screens, 'SettingsIndexPage'),
})

const generalRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'business',
  component: lazyRouteComponent(screens, 'BusinessPage'),
})

const shopRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'shop',
  component: lazyRouteComponent(screens, 'ShopPage'),
})

const marketsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'markets',
  validateSearch: (search: Search): { query?: string | undefined } => ({ query: wordOf(search.query) }),
  component: lazyRouteComponent(screens, 'MarketsPage'),
})

const newMarketRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'markets/new',
  component: lazyRouteComponent(screens, 'NewMarketPage'),
})

const marketRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'markets/$market',
  validateSearch: (search: Search): { do?: 'delete' | undefined } => ({ do: oneOf(search.do, ['delete']) }),
  component: lazyRouteComponent(screens, 'MarketPage'),
})

const paymentsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'payments',
  component: lazyRouteComponent(screens, 'PaymentsPage'),
})

const mailsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'mails',
  validateSearch: (search: Search): { mail?: string | undefined; as?: 'dark' | 'text' | undefined } => ({
    mail: wordOf(search.mail),
    as: oneOf(search.as, ['dark', 'text']),
  }),
  component: lazyRouteComponent(screens, 'MailsPage'),
})

const lettersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'letters',
  component: lazyRouteComponent(() => import('../letters/screens.ts'), 'LettersSettingsPage'),
})

export type TeamSearch = {
  show?: 'invitations' | undefined
  query?: string | undefined
  role?: string | undefined
  member?: string | undefined
  do?: 'invite' | undefined
}

const teamRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'team',
  validateSearch: (search: Search): TeamSearch => ({
    show: oneOf(search.show, ['invitations']),
    query: wordOf(search.query),
    role: wordOf(search.role),
    member: wordOf(search.member),
    do: oneOf(search.do, ['invite']),
  }),
  component: lazyRouteComponent(screens, 'TeamPage'),
})

const rolesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'roles',
  component: lazyRouteComponent(screens, 'RolesPage'),
})

const newRoleRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'roles/new',
  component: lazyRouteComponent(screens, 'NewRolePage'),
})

const roleRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'roles/$role',
  validateSearch: (search: Search): { do?: 'delete' | undefined } => ({ do: oneOf(search.do, ['delete']) }),
  component: lazyRouteComponent(screens, 'RolePage'),
})

const securityRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'security',
  component: lazyRouteComponent(screens, 'SecurityPage'),
})

const signInRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'sign-in',
  validateSearch: (search: Search): { do?: 'delete' | undefined } => ({ do: oneOf(search.do, ['delete']) }),
  component: lazyRouteComponent(screens, 'SignInPage'),
})

const webhooksRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'webhooks',
  component: lazyRouteComponent(connections, 'WebhooksPage'),
})

const newEndpointRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'webhooks/new',
  component: lazyRouteComponent(connections, 'NewEndpointPage'),
})

export type EndpointSearch = {
  tab?: 'settings' | undefined
  status?: 'FAILED' | 'PENDING' | 'DELIVERED' | undefined
  /** The number of the delivery whose attempts are shown. */
  open?: string | undefined
  do?: 'delete' | 'replay' | undefined
}

const endpointRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'webhooks/$endpoint',
  validateSearch: (search: Search): EndpointSearch => ({
    tab: oneOf(search.tab, ['settings']),
    status: oneOf(search.status, ['FAILED', 'PENDING', 'DELIVERED']),
    open: wordOf(search.open),
    do: oneOf(search.do, ['delete', 'replay']),
  }),
  component: lazyRouteComponent(connections, 'EndpointPage'),
})

const secretRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'webhooks/$endpoint/secret',
  component: lazyRouteComponent(connections, 'SecretPage'),
})

const calloutsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'callouts',
  component: lazyRouteComponent(connections, 'CalloutsPage'),
})

const calloutRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'callouts/$point',
  validateSearch: (search: Search): { do?: 'delete' | undefined } => ({ do: oneOf(search.do, ['delete']) }),
  component: lazyRouteComponent(connections, 'CalloutPage'),
})

export type AuditSearch = {
  person?: string | undefined
  kind?: string | undefined
  from?: string | undefined
  to?: string | undefined
}
const dayOf = (value: unknown) => {
  const word = wordOf(value)
  return word !== undefined && isDay(word) ? word : undefined
}

const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'audit',
  validateSearch: (search: Search): AuditSearch => ({
    person: wordOf(search.person),
    kind: wordOf(search.kind),
    from: dayOf(search.from),
    to: dayOf(search.to),
  }),
  component: lazyRouteComponent(screens, 'AuditPage'),
})

const checksRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'checks',
  component: lazyRouteComponent(
    () => withWords(import('../checks/checks-page.tsx'), () => import('../checks/locales/de.po')),
    'ChecksPage',
  ),
})

export const settingsRoutes = settingsRoute.addChildren([
  indexRoute,
  generalRoute,
  shopRoute,
  marketsRoute,
  newMarketRoute,
  marketRoute,
  paymentsRoute,
  mailsRoute,
  lettersRoute,
  teamRoute,
  rolesRoute,
  newRoleRoute,
  roleRoute,
  securityRoute,
  signInRoute,
  webhooksRoute,
  newEndpointRoute,
  endpointRoute,
  secretRoute,
  calloutsRoute,
  calloutRoute,
  auditRoute,
  checksRoute,
])
