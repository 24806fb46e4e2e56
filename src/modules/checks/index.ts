import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import { mailOperator } from './mail-operator.ts'
import { beginNight } from './night.ts'
import type { Rule } from './rule.ts'

export { brokenSql, findBroken } from './find-broken.ts'
export { listChecked } from './list-checked.ts'
export { openNight } from './night.ts'
export { checkRoutes } from './routes.ts'
export { type Rule, readRules } from './rule.ts'
export { type ChecksState, checkNext, startChecks } from './start-checks.ts'
export { checkTables } from './tables.ts'

export const checkEvents = Object.values(events)
export const checkRefusals: readonly AnyRefusal[] = Object.values(errors)
export const checkJobs = (rules: readonly Rule[]): readonly AnyJob[] => [beginNight, mailOperator(rules)]
