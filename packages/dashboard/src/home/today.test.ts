import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayOf } from '../i18n/days.ts'
import { startOfToday, yesterday } from './today.ts'

const at = (text: string) => Date.parse(text)
const seconds = (text: string) => at(text) / 1_000

test('a day begins at midnight of the business, also where the clock was moved', () => {
  const places: [now: string, timeZone: string, day: string, start: string][] = [
    ['2026-11-16T00:30:00Z', 'UTC', '2026-11-16', '2026-11-16T00:00:00Z'],
    ['2026-11-15T23:30:00Z', 'Europe/Berlin', '2026-11-16', '2026-11-15T23:00:00Z'],
    ['2026-11-16T03:00:00Z', 'America/New_York', '2026-11-15', '2026-11-15T05:00:00Z'],
    // Summer time ended at 01:00 UTC of that day.
    ['2026-10-25T12:00:00Z', 'Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z'],
    ['2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z'],
  ]
  for (const [now, timeZone, day, start] of places) {
    assert.equal(dayOf(at(now), timeZone), day, now)
    assert.equal(startOfToday(at(now), timeZone), seconds(start), now)
  }
})

test('yesterday ends at this time of the day', () => {
  assert.deepEqual(yesterday(at('2026-11-16T15:42:00Z'), 'UTC'), {
    from: seconds('2026-11-15T00:00:00Z'),
    to: seconds('2026-11-15T15:42:00Z'),
  })
  assert.equal(yesterday(at('2026-10-26T09:00:00Z'), 'Europe/Berlin').from, seconds('2026-10-24T22:00:00Z'))
})
