import { nowMs } from '#platform/clock.ts'

/** Failures in a row after which nobody is kept waiting any more. */
const MAX_FAILURES = 5
const OPEN_MS = 10_000
const MAX_KNOWN = 10_000

type State = { failures: number; openUntilMs: number }

/**
 * A circuit breaker for each business and address: a service that fails again and again is left alone for ten seconds, then
 * one request tries it. What it knows is this process's own.
 */
export function createBreaker() {
  const states = new Map<string, State>()
  return {
    /** False for the one that tries again. */
    isOpen(key: string): boolean {
      const state = states.get(key)
      if (!state || state.failures < MAX_FAILURES) return false
      if (nowMs() < state.openUntilMs) return true
      state.openUntilMs = nowMs() + OPEN_MS
      return false
    },
    countOpen: () =>
      states
        .values()
        .filter(({ failures, openUntilMs }) => failures >= MAX_FAILURES && nowMs() < openUntilMs)
        .toArray().length,
    succeeded: (key: string) => void states.delete(key),
    failed(key: string): void {
      const failures = (states.get(key)?.failures ?? 0) + 1
      const [oldest] = states.keys()
      if (states.size >= MAX_KNOWN && oldest !== undefined) states.delete(oldest)
      states.set(key, { failures, openUntilMs: nowMs() + OPEN_MS })
    },
  }
}
