// Why it works like this: docs/decisions/0065-fair-shares.md.
import { LONG, toFlag } from './graphile-internals.ts'

/** For so long after jobs of two businesses met, they share. */
const MEETING_MS = 10_000
/** The last place is for businesses none of whose jobs began in this time. */
const LATELY_MS = 1_000

export type Shares = ReturnType<typeof createShares>

/**
 * How many jobs of one business run at once in a queue of this worker: half of the places; all but one while there are no jobs of
 * others. The last free place is for businesses that had none lately, so that several with many jobs do not keep out one with few. Long
 * jobs have half of the places together, so that those of several businesses do not keep out everything else for hours.
 */
export function createShares(
  places: number,
  mostOf: (businessId: string) => number | undefined = () => undefined,
  now: () => number = () => performance.now(),
) {
  const running = new Map<string, number>()
  const beganAt = new Map<string, number>() // in the order of time
  let total = 0
  let long = 0
  let last: string | undefined
  let metAt = Number.NEGATIVE_INFINITY

  const most = (businessId: string, time: number): number => {
    const set = mostOf(businessId)
    if (set !== undefined) return set
    return Math.max(1, time - metAt < MEETING_MS ? places >> 1 : places - 1)
  }

  return {
    began(businessId: string | undefined, isLong = false): void {
      total++
      if (isLong) long++
      if (businessId === undefined) return
      const time = now()
      if (last !== undefined && last !== businessId) metAt = time
      last = businessId
      running.set(businessId, (running.get(businessId) ?? 0) + 1)
      beganAt.delete(businessId)
      beganAt.set(businessId, time)
    },
    ended(businessId: string | undefined, isLong = false): void {
      total--
      if (isLong) long--
      if (businessId === undefined) return
      const left = (running.get(businessId) ?? 1) - 1
      if (left > 0) running.set(businessId, left)
      else running.delete(businessId)
    },
    /** The flags of jobs that may not begin now. */
    passedOver(): string[] {
      const time = now()
      for (const [businessId, at] of beganAt) {
        if (time - at < LATELY_MS) break
        beganAt.delete(businessId)
      }
      const businesses =
        places > 1 && total >= places - 1
          ? [...new Set([...running.keys(), ...beganAt.keys()])]
          : [...running].filter(([businessId, count]) => count >= most(businessId, time)).map(([each]) => each)
      const flags = businesses.map(toFlag)
      return long >= Math.max(1, places >> 1) ? [...flags, LONG] : flags
    },
  }
}
