import type { AnyJob } from '#platform/jobs/define.ts'
import { checkAllEntries } from './check-entries.ts'

export { collectionRoutes } from './collection-routes.ts'
export { entryRoutes } from './entry-routes.ts'
export { generateRoutes } from './generate-routes.ts'
export { publishDue } from './publish.ts'
export { rebuildContent } from './rebuild.ts'
export { contentResolvers } from './resolvers.ts'

export const contentJobs: readonly AnyJob[] = [checkAllEntries]
