import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayOf, nextDay, startOfDay } from '../../packages/dashboard/src/i18n/days.ts'

const at = (text: string) => Date.parse(text) / 1_000

test('a day begins at midnight where the business is', () => {
  assert.equal(startOfDay('2026-11-13', 'UTC'), at('2026-11-13T00:00:00Z'))
  assert.equal(startOfDay('2026-11-13', 'Europe/Berlin'), at('2026-11-12T23:00:00Z'))
  assert.equal(startOfDay('2026-07-13', 'Europe/Berlin'), at('2026-07-12T22:00:00Z'))
  assert.equal(startOfDay('2026-07-13', 'America/Los_Angeles'), at('2026-07-13T07:00:00Z'))
})

test('the days on which clocks change begin at their midnight, too', () => {
  assert.equal(startOfDay('2026-03-29', 'Europe/Berlin'), at('2026-03-28T23:00:00Z'))
  assert.equal(startOfDay('2026-03-30', 'Europe/Berlin'), at('2026-03-29T22:00:00Z'))
  assert.equal(startOfDay('2026-10-26', 'Europe/Berlin'), at('2026-10-25T23:00:00Z'))
})

test('days follow each other over months and years', () => {
  assert.equal(nextDay('2026-12-31'), '2027-01-01')
  assert.equal(nextDay('2028-02-28'), '2028-02-29')
  assert.equal(dayOf(Date.parse('2026-11-13T23:30:00Z'), 'Europe/Berlin'), '2026-11-14')
})
