import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { queryClient } from '../api/client.ts'
import { withWords } from '../i18n/i18n.ts'
import { businessesQuery, meQuery } from '../session/queries.ts'
import { signedInRoute } from '../shell/root.tsx'
import { oneOf, type Search, wordOf } from '../shell/search.ts'

/** Few people ever open it: its screens and their words come together, and only then. */
const screens = () => withWords(import('./screens.ts'), () => import('./locales/de.po'))

/** The whole service, over all businesses. */
const operatorRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'operator',
  loader: () => Promise.all([queryClient.ensureQueryData(businessesQuery()), queryClient.ensureQueryData(meQuery())]),
  component: lazyRouteComponent(screens, 'OperatorFrame'),
})

export const SHOWN = ['all', 'suspended', 'deleting'] as const
export const SORTS = ['-requests', '-mails', '-jobs', '-rows', '-mediaBytes', 'createdAt'] as const
export type BusinessesSearch = {
  query?: string | undefined
  cell?: string | undefined
  /** Without it: those that need somebody. */
  show?: (typeof SHOWN)[number] | undefined
  sort?: (typeof SORTS)[number] | undefined
}

const businessesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/',
  validateSearch: (search: Search): BusinessesSearch => ({
    query: wordOf(search.query),
    cell: wordOf(search.cell),
    show: oneOf(search.show, SHOWN),
    sort: oneOf(search.sort, SORTS),
  }),
  component: lazyRouteComponent(screens, 'BusinessesPage'),
})

const businessRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'businesses/$id',
  validateSearch: (search: Search): { do?: 'suspend' | 'delete' | undefined } => ({
    do: oneOf(search.do, ['suspend', 'delete']),
  }),
  component: lazyRouteComponent(screens, 'OneBusinessPage'),
})

export type JobsSearch = { name?: string | undefined; cell?: string | undefined; business?: string | undefined }

const jobsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'jobs',
  validateSearch: (search: Search): JobsSearch => ({
    name: wordOf(search.name),
    cell: wordOf(search.cell),
    business: wordOf(search.business),
  }),
  component: lazyRouteComponent(screens, 'JobsPage'),
})

export const SEND_STATES = ['RUNNING', 'PAUSED', 'FAILED', 'SCHEDULED'] as const
export type SendsSearch = { state?: (typeof SEND_STATES)[number] | undefined; business?: string | undefined }

const sendsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'sends',
  validateSearch: (search: Search): SendsSearch => ({
    state: oneOf(search.state, SEND_STATES),
    business: wordOf(search.business),
  }),
  component: lazyRouteComponent(screens, 'SendsPage'),
})

const cellsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'cells',
  validateSearch: (search: Search): { change?: string | undefined } => ({ change: wordOf(search.change) }),
  component: lazyRouteComponent(screens, 'CellsPage'),
})

const auditRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'audit',
  component: lazyRouteComponent(screens, 'OperatorAuditPage'),
})

export const operatorRoutes = operatorRoute.addChildren([
  businessesRoute,
  businessRoute,
  jobsRoute,
  sendsRoute,
  cellsRoute,
  auditRoute,
])
