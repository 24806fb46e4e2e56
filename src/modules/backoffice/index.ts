import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'

export { mailRoutes } from './mails/routes.ts'
export { eraseViews } from './saved-views/change-view.ts'
export { savedViewRoutes } from './saved-views/routes.ts'
export { searchRoutes } from './search/routes.ts'
export { backofficeTables } from './tables.ts'

export const backofficeRefusals: readonly AnyRefusal[] = Object.values(errors)
