import { toSeconds } from '#vocabulary/time.ts'
import { rangeBackwards, rangeTooLong } from './errors.ts'

/** Who asks, and when. */
export type Asker = { businessId: string; timeZone: string; at: Date }

const DEFAULT_SECONDS = 30 * 86_400
const MAX_YEARS = 20
const MAX_SECONDS = MAX_YEARS * 366 * 86_400

export function timeOf(at: Date, { from, to }: { from?: number; to?: number }): { from: number; to: number } {
  const end = to ?? Math.max(toSeconds(at) + 1, (from ?? 0) + 1)
  const start = from ?? Math.max(end - DEFAULT_SECONDS, 0)
  if (end <= start) throw rangeBackwards()
  if (end - start > MAX_SECONDS) throw rangeTooLong({ years: MAX_YEARS })
  return { from: start, to: end }
}
