import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import { estimateSizes, type Measured, measureUse } from './measure.ts'
import { type PauseSends, pauseLetters } from './suspend-business.ts'

export { operatorRoutes } from './routes.ts'

export const operatorRefusals: readonly AnyRefusal[] = Object.values(errors)
export const operatorJobs = ({ pauseSends, ...measured }: Measured & { pauseSends: PauseSends }): readonly AnyJob[] => [
  estimateSizes(measured),
  measureUse(measured),
  pauseLetters(pauseSends),
]
