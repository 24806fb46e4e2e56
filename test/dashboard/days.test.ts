import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intervalsOf, toSeconds } from '#modules/reports/periods.ts'
import { dayOf, nextDay, secondsAt, startOfDay } from '../../packages/dashboard/src/i18n/days.ts'

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

test('a day whose midnight is skipped begins after the leap, not in the day before', () => {
  assert.equal(startOfDay('2026-09-06', 'America/Santiago'), at('2026-09-06T04:00:00Z'))
  assert.equal(startOfDay('2026-03-29', 'Atlantic/Azores'), at('2026-03-29T01:00:00Z'))
  assert.equal(startOfDay('2026-03-08', 'America/Havana'), at('2026-03-08T05:00:00Z'))
  assert.equal(startOfDay('2026-04-24', 'Africa/Cairo'), at('2026-04-23T22:00:00Z'))
  assert.equal(secondsAt('2026-09-06T00:30', 'America/Santiago'), at('2026-09-06T04:30:00Z'))
  assert.equal(secondsAt('2026-03-29T02:30', 'Europe/Berlin'), at('2026-03-29T01:30:00Z'))
})

const ZONES = ['America/Santiago', 'Atlantic/Azores', 'America/Havana', 'Africa/Cairo']

test('every day begins where the reports begin to count it', () => {
  for (const timeZone of ZONES)
    for (let day = '2026-01-01'; day < '2027-01-01'; day = nextDay(day)) {
      const from = startOfDay(day, timeZone)
      const [counted] = intervalsOf(timeZone, 'day', { from, to: from + 1 }, 1) ?? []
      assert.equal(counted && toSeconds(counted.from), from, `${day} in ${timeZone}`)
      assert.equal(dayOf(from * 1_000, timeZone), day)
    }
})

test('days follow each other over months and years', () => {
  assert.equal(nextDay('2026-12-31'), '2027-01-01')
  assert.equal(nextDay('2028-02-28'), '2028-02-29')
  assert.equal(dayOf(Date.parse('2026-11-13T23:30:00Z'), 'Europe/Berlin'), '2026-11-14')
})
