import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from './limits.ts'
import { type Failure, isToBeDisabled, isToBeWarned, nextAttemptMs, pauseMs } from './retry-policy.ts'

const failure = (status: number | undefined, more: Partial<Failure> = {}): Failure => ({
  status,
  isMisdirected: false,
  retryAfter: undefined,
  ...more,
})

/** The times of all attempts, the first at 0. */
function attemptsOf(each: Failure, chance = 0.5): number[] {
  const times = [0]
  for (let next: number | undefined = 0; ; ) {
    next = nextAttemptMs(each, { attempts: times.length, begunMs: 0, nowMs: next, chance })
    if (next === undefined) return times
    times.push(next)
  }
}

test('what may go better later is tried for three days, with growing pauses', () => {
  for (const status of [undefined, 500, 503, 599, 408, 409, 425, 429]) {
    const times = attemptsOf(failure(status))
    assert.ok(times.length > 12 && times.length < 25, String(times.length))
    assert.ok((times.at(-1) ?? 0) > 2.5 * DAY_MS && (times.at(-1) ?? 0) <= 3 * DAY_MS)
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    assert.deepEqual(
      pauses,
      pauses.toSorted((a, b) => a - b),
    )
  }
})

test('what is wrong with the request or the address is tried three times', () => {
  for (const status of [400, 401, 403, 404, 410, 422]) assert.equal(attemptsOf(failure(status)).length, 3)
  assert.equal(attemptsOf(failure(302, { isMisdirected: true })).length, 3)
  assert.equal(attemptsOf(failure(undefined, { isMisdirected: true })).length, 3)
})

test('pauses differ by up to a fifth, and Retry-After counts up to an hour', () => {
  const [early, late] = [0, 1].map((chance) => attemptsOf(failure(500), chance)[1])
  assert.deepEqual([early, late], [4_000, 6_000])
  const first = (retryAfter: string) => attemptsOf(failure(429, { retryAfter }))[1]
  assert.deepEqual(['120', '864000', 'Thu, 01 Jan 1970 00:01:40 GMT', 'soon', '-5'].map(first), [
    120_000,
    HOUR_MS,
    100_000,
    5_000,
    5_000,
  ])
})

test('an endpoint that fails again and again is left alone for longer and longer, an hour at most', () => {
  const pause = (failures: number, each = failure(500)) => pauseMs(each, failures, 0, 0.5)
  assert.deepEqual(
    [1, 4, 5, 6, 8, 40].map((failures) => pause(failures)),
    [0, 0, 5_000, 10_000, 40_000, HOUR_MS],
  )
  assert.equal(pause(1, failure(503, { retryAfter: '30' })), 30_000)
})

test('people are warned after a day, and it ends after five', () => {
  assert.deepEqual(
    [0.9, 1, 4.9, 5].map((days) => [isToBeWarned(0, days * DAY_MS), isToBeDisabled(0, days * DAY_MS)]),
    [
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ],
  )
})
