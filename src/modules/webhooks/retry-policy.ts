import { DAY_MS, HOUR_MS } from './limits.ts'

/*
 * When a delivery that failed is tried again, and for how long an endpoint that fails is left alone. Pure: time and chance are
 * given.
 */

const MINUTE_MS = 60_000
/** After the first failure, the second, and so on; the last one goes on. */
const PAUSES_MS = [
  5_000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
]
const RETRY_FOR_MS = 3 * DAY_MS
/** What the receiver says is wrong with the request itself is tried no more often than this. */
const MAX_REFUSALS = 3
const TEMPORARY = [408, 409, 425, 429]
/** A receiver may ask for a pause, but not put us off for days. */
const MAX_RETRY_AFTER_MS = HOUR_MS
/** After so many failures in a row, one request at a time is sent, with growing pauses. */
export const FAILING_AFTER = 5
const MAX_PAUSE_MS = HOUR_MS
const FIRST_PAUSE_MS = 5_000
const WARN_AFTER_MS = DAY_MS
const DISABLE_AFTER_MS = 5 * DAY_MS

export type Failure = {
  /** Undefined: no answer. */
  status: number | undefined
  /** Whether the address was not allowed, or led elsewhere: trying again will not help much. */
  isMisdirected: boolean
  retryAfter: string | undefined
}

const isTemporary = ({ status, isMisdirected }: Failure) =>
  !isMisdirected && (status === undefined || status >= 500 || TEMPORARY.includes(status))

/** 80 to 120 % of it, so that what failed together does not come back together. */
const jittered = (ms: number, chance: number) => Math.round(ms * (0.8 + 0.4 * chance))

/** `attempts`: so far, this one among them; the first was at `begunMs`. Undefined: not any more. */
export function nextAttemptMs(
  failure: Failure,
  { attempts, begunMs, nowMs, chance }: { attempts: number; begunMs: number; nowMs: number; chance: number },
): number | undefined {
  if (!isTemporary(failure) && attempts >= MAX_REFUSALS) return undefined
  const pause = jittered(PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? 0, chance)
  const next = nowMs + Math.max(pause, retryAfterMs(failure, nowMs))
  return next - begunMs > RETRY_FOR_MS ? undefined : next
}

/** For how long nothing at all is sent to an endpoint, after `failures` in a row. */
export function pauseMs(failure: Failure, failures: number, nowMs: number, chance: number): number {
  const asked = retryAfterMs(failure, nowMs)
  if (failures < FAILING_AFTER) return asked
  return Math.max(
    asked,
    jittered(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - FAILING_AFTER, 20), MAX_PAUSE_MS), chance),
  )
}

/** Seconds, or a date. */
export function retryAfterMs({ status, retryAfter }: Failure, nowMs: number): number {
  if (retryAfter === undefined || (status !== 429 && status !== 503)) return 0
  const date = /[A-Z][a-z]{2}/.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : date - nowMs
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS) : 0
}

export const isToBeWarned = (failingSinceMs: number, nowMs: number) => nowMs - failingSinceMs >= WARN_AFTER_MS
export const isToBeDisabled = (failingSinceMs: number, nowMs: number) => nowMs - failingSinceMs >= DISABLE_AFTER_MS
