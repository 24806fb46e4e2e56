import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import { dropArchives, makeArchive, type WriteArchive } from './export-business.ts'
import { estimateSizes, type Measured, measureUse } from './measure.ts'
import { type PauseSends, pauseLetters } from './suspend-business.ts'

export { archivesOf, type WriteArchive } from './export-business.ts'
export { operatorRoutes } from './routes.ts'

export const operatorRefusals: readonly AnyRefusal[] = Object.values(errors)
type Done = Measured & { pauseSends: PauseSends; writeArchive: WriteArchive }
export const operatorJobs = ({ pauseSends, writeArchive, ...measured }: Done): readonly AnyJob[] => [
  estimateSizes(measured),
  measureUse(measured),
  pauseLetters(pauseSends),
  makeArchive(writeArchive),
  dropArchives,
]
