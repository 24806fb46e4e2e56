import { useClock } from '#platform/clock.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The business is this old when it is made; all that has happened to it lies in between. */
export const AGE_DAYS = 120

/** Does something as of then: rows, histories and events say so. The whole process lives in the past meanwhile. */
export async function inThePast<Result>(timeMs: number, work: () => Promise<Result>): Promise<Result> {
  useClock(() => timeMs)
  try {
    return await work()
  } finally {
    useClock(undefined)
  }
}
