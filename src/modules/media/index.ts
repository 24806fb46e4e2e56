import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import { type Copiers, copyAgain } from './copy-again.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import { settleLogo } from './logo.ts'
import { sweepIncoming, sweepMedia } from './sweep.ts'

export type { CopyInto } from './copy-again.ts'
export { createHoldMedia, type HoldMedia, knownMedia } from './hold-media.ts'
export { deleteObjects, hasFiles, listObjects } from './list-objects.ts'
export { createLogos, readLogo } from './logo.ts'
export { listUsedBytes } from './quota.ts'
export { mediaRoutes } from './routes.ts'
export { mediaTables } from './tables.ts'
export {
  createHoldLoaded,
  findOutcomes,
  type HoldLoaded,
  hashOf,
  type Intake,
  NotTaken,
  type TakeInProblem,
  takeIn,
} from './take-in.ts'
export { usagesGone, usageWrites } from './usages.ts'
export { startMedia } from './work-off.ts'

export const mediaEvents = Object.values(events)
export const mediaRefusals: readonly AnyRefusal[] = Object.values(errors)

export const mediaJobs = (copiers: Copiers): readonly AnyJob[] => [
  copyAgain(copiers),
  settleLogo,
  sweepMedia,
  sweepIncoming,
]
