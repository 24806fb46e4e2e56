import type { AnyJob } from '#platform/jobs/define.ts'
import { checkAllEntries } from './check-entries.ts'

export { type Collection, isPaidPlan } from './collection.ts'
export { collectionRoutes } from './collection-routes.ts'
export { checkComplete, type Entry } from './entry.ts'
export { entryRoutes } from './entry-routes.ts'
export { generateRoutes } from './generate-routes.ts'
export { publishDue } from './publish.ts'
export { findCollection, findEntry, lockCollection } from './queries.ts'
export { rebuildContent } from './rebuild.ts'
export { contentResolvers } from './resolvers.ts'
export type { Plan } from './schemas.ts'

export const contentJobs: readonly AnyJob[] = [checkAllEntries]
