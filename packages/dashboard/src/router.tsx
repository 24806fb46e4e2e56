import { createRouter } from '@tanstack/react-router'
import { bulkEditRoutes } from './bulk-edits/routes.ts'
import { categoriesRoutes } from './categories/routes.ts'
import { contentRoutes } from './content/routes.ts'
import { customersRoutes } from './customers/routes.ts'
import { homeRoutes } from './home/routes.ts'
import { importsRoutes } from './imports/routes.ts'
import { insightsRoutes } from './insights/routes.ts'
import { lettersRoutes } from './letters/routes.ts'
import { mediaRoutes } from './media/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { ordersRoutes } from './orders/routes.ts'
import { productsRoutes } from './products/routes.ts'
import { profileRoutes } from './profile/routes.ts'
import { promosRoutes } from './promos/routes.ts'
import { doorRoutes } from './session/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { NotFound, ScreenProblem } from './shell/problems.tsx'
import { businessRoute, indexRoute, loginRoute, rootRoute, signedInRoute, startRoute } from './shell/root.tsx'
import { parseSearch, stringifySearch } from './shell/search.ts'
import { stockRoutes } from './stock/routes.ts'
import { Bones } from './ui/bones.tsx'

/** The sitemap. Each part lists its own screens in its `routes.ts`. */
const routeTree = rootRoute.addChildren([
  loginRoute,
  ...doorRoutes,
  signedInRoute.addChildren([
    indexRoute,
    startRoute,
    profileRoutes,
    operatorRoutes,
    businessRoute.addChildren([
      ...homeRoutes,
      ...ordersRoutes,
      ...productsRoutes,
      ...categoriesRoutes,
      ...stockRoutes,
      ...mediaRoutes,
      ...promosRoutes,
      ...customersRoutes,
      ...bulkEditRoutes,
      ...importsRoutes,
      ...contentRoutes,
      ...lettersRoutes,
      ...insightsRoutes,
      settingsRoutes,
    ]),
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: '/admin',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // the cache of queries decides what is stale
  scrollRestoration: true,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => <Bones />,
  defaultErrorComponent: ScreenProblem,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
