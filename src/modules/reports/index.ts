import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'

export { isFirstSql } from './first-orders.ts'
export { followReports, hasUnreported } from './follow-feed.ts'
export { type RebuiltReports, rebuildReports } from './rebuild.ts'
export { reportRoutes } from './routes.ts'
export { reportTables } from './tables.ts'
export { REPORT_TOPICS } from './topics.ts'

export const reportRefusals: readonly AnyRefusal[] = Object.values(errors)
