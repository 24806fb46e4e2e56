import { createRootRoute, createRoute, lazyRouteComponent, notFound, Outlet, redirect } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { queryClient } from '../api/client.ts'
import { proofStore } from '../api/proof.ts'
import { businessesQuery, meQuery } from '../session/queries.ts'
import { resume } from '../session/session.ts'
import { addressOf, findBusiness } from '../session/use-business.ts'
import { Toasts } from '../ui/toast.tsx'
import { Frame } from './frame.tsx'
import { lastOf, writeLast } from './last-business.ts'
import { wordOf } from './search.ts'

/** Only for whoever is asked once more who they are. */
const ProofDialog = lazy(() =>
  import('../session/proof-dialog.tsx').then(({ ProofDialog }) => ({ default: ProofDialog })),
)

export const rootRoute = createRootRoute({ component: Root })

function Root() {
  const isAsked = useSyncExternalStore(proofStore.subscribe, proofStore.get)
  return (
    <>
      <Outlet />
      {isAsked && (
        <Suspense>
          <ProofDialog />
        </Suspense>
      )}
      <Toasts />
    </>
  )
}

type LoginSearch = {
  to?: string | undefined
  invitation?: string | undefined
  forgotten?: boolean | undefined
  /** Whose provider is to be used, for its staff. */
  business?: string | undefined
  code?: string | undefined
  state?: string | undefined
  error?: string | undefined
}

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'login',
  validateSearch: (search): LoginSearch => ({
    to: wordOf(search.to),
    invitation: wordOf(search.invitation),
    forgotten: search.forgotten === 'true' || search.forgotten === true || undefined,
    business: wordOf(search.business),
    code: wordOf(search.code),
    state: wordOf(search.state),
    error: wordOf(search.error),
  }),
  component: lazyRouteComponent(() => import('../session/login-page.tsx'), 'LoginPage'),
})

/** Everything behind the door. Whoever is not signed in comes back to this address afterwards. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    if (!(await resume())) throw redirect({ to: '/login', search: { to: `/admin${location.href}` } })
  },
  component: Outlet,
})

export const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'start',
  loader: () => Promise.all([queryClient.ensureQueryData(businessesQuery()), queryClient.ensureQueryData(meQuery())]),
  component: lazyRouteComponent(() => import('../session/start-page.tsx'), 'StartPage'),
})

/** To the business of last time, or the only one. */
export const indexRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: async () => {
    const { items } = await queryClient.ensureQueryData(businessesQuery())
    const last = lastOf(items)
    if (!last) throw redirect({ to: '/start' })
    throw redirect({ to: '/$business', params: { business: addressOf(last) } })
  },
})

export const businessRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '$business',
  loader: async ({ params }) => {
    const [{ items }] = await Promise.all([
      queryClient.ensureQueryData(businessesQuery()),
      queryClient.ensureQueryData(meQuery()),
    ])
    const business = findBusiness(items, params.business)
    if (!business) throw notFound()
    const address = addressOf(business)
    // One address for each thing: an id leads to the slug.
    if (params.business !== address)
      throw redirect({ to: '.', params: { business: address }, search: true, replace: true })
    writeLast(business.id)
  },
  component: Frame,
})
