import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import { forgetOldAnswers } from './jobs.ts'

export { type Asker, type AskServices, createAskServices } from './ask-services.ts'
export { resealCallouts } from './reseal-callouts.ts'
export { calloutRoutes } from './routes.ts'
export type { Answers, Cart as CalloutCart } from './schemas.ts'
export { calloutTables } from './tables.ts'

export const calloutJobs: readonly AnyJob[] = [forgetOldAnswers]
export const calloutRefusals: readonly AnyRefusal[] = Object.values(errors)
