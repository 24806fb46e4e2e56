import type { AnyJob } from '#platform/jobs/define.ts'
import { checkAllEntries } from './check-entries.ts'

export { type Collection, isPaidPlan } from './collection.ts'
export { collectionRoutes } from './collection-routes.ts'
export { createCollection } from './collections.ts'
export { createEntry } from './entries.ts'
export { checkComplete, type Entry } from './entry.ts'
export { entryRoutes } from './entry-routes.ts'
export { generateRoutes } from './generate-routes.ts'
export { publishDue } from './publish.ts'
export { findCollection, findEntry, listCollections, listNewsletters, lockCollection } from './queries.ts'
export { rebuildContent } from './rebuild.ts'
export { contentResolvers } from './resolvers.ts'
export type { NewCollection, Plan } from './schemas.ts'

export const contentJobs: readonly AnyJob[] = [checkAllEntries]
