import { useClock } from '#platform/clock.ts'

/** The age of the business when it is made; its whole history lies within. */
export const AGE_DAYS = 120

/**
 * Runs `work` with the clock set back, so that rows, histories and events get that time. It affects the whole process
 * meanwhile.
 */
export async function inThePast<Result>(timeMs: number, work: () => Promise<Result>): Promise<Result> {
  useClock(() => timeMs)
  try {
    return await work()
  } finally {
    useClock(undefined)
  }
}
