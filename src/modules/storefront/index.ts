import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'

export { storefrontRoutes } from './routes.ts'

export const storefrontRefusals: readonly AnyRefusal[] = Object.values(errors)
