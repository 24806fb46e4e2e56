import { nowMs } from '#platform/clock.ts'

/** Longer than any picture takes that is meant to be shown. */
const SLOW_MS = 15_000
const SLOW_FOR_MS = 10 * 60_000

/**
 * Who is worked for at this moment. Whose files take long gets one place at a time, for a while: two such files, over and over,
 * would leave none to everybody else.
 */
export function createShares() {
  const running = new Map<string, number>()
  const slowUntil = new Map<string, number>()
  return {
    /** Those who have their share. */
    busy(): string[] {
      for (const [businessId, until] of slowUntil) if (until < nowMs()) slowUntil.delete(businessId)
      return [...slowUntil.keys()].filter((businessId) => running.has(businessId))
    },
    begin(businessId: string): void {
      running.set(businessId, (running.get(businessId) ?? 0) + 1)
    },
    end(businessId: string, tookMs: number): void {
      if (tookMs > SLOW_MS) slowUntil.set(businessId, nowMs() + SLOW_FOR_MS)
      const left = (running.get(businessId) ?? 1) - 1
      if (left === 0) running.delete(businessId)
      else running.set(businessId, left)
    },
  }
}
