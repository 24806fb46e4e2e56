import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import { checkAllEntries } from './collections/check-entries.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'

export { createCollection } from './collections/change-collection.ts'
export { type Collection, isPaidPlan } from './collections/collection.ts'
export { collectionRoutes } from './collections/routes.ts'
export { blockFiltersOf } from './entries/block-filters.ts'
export { createEntry } from './entries/change-entry.ts'
export { copyIntoEntries } from './entries/copy-media.ts'
export { eraseEntriesOf, exportEntriesOf } from './entries/entries-of-orders.ts'
export { checkComplete, type Entry } from './entries/entry.ts'
export { hasUnpublished, publishDue } from './entries/publish-due.ts'
export { rebuildContent } from './entries/rebuild.ts'
export { entryRoutes } from './entries/routes.ts'
export { createEntrySearch } from './entries/search-entries.ts'
export { generateRoutes } from './generation/routes.ts'
export { createPublicContent } from './public.ts'
export { findCollection, findEntry, findEntryIds, listCollections, listNewsletters, lockCollection } from './queries.ts'
export { contentResolvers } from './resolvers.ts'
export {
  type NewCollection,
  OnePublicEntryQuery,
  type Plan,
  PublicCollection,
  PublicEntry,
  PublicEntryQuery,
} from './schemas.ts'
export { contentTables } from './tables.ts'

export const contentEvents = Object.values(events)
export const contentRefusals: readonly AnyRefusal[] = Object.values(errors)

export const contentJobs: readonly AnyJob[] = [checkAllEntries]
