import { dayOf, startOfDay } from '../i18n/days.ts'

const DAY_MS = 86_400_000

/** When the day of this moment began there, in Unix seconds. */
export const startOfToday = (ms: number, timeZone: string): number => startOfDay(dayOf(ms, timeZone), timeZone)

/** Yesterday, from its beginning to the same time of the day, in Unix seconds. */
export function yesterday(ms: number, timeZone: string): { from: number; to: number } {
  const today = startOfToday(ms, timeZone)
  const from = startOfToday(today * 1_000 - DAY_MS / 2, timeZone)
  return { from, to: from + Math.trunc(ms / 1_000) - today }
}
