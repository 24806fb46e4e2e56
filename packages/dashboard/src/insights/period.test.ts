import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysIn, intervalsFor, periodOf } from './period.ts'

const NOW = Date.parse('2026-11-18T19:42:00Z')
const seconds = (text: string) => Date.parse(text) / 1_000

test('a period is whole days of the business, divided as its length wants it', () => {
  const days = (search: Parameters<typeof periodOf>[0], timeZone = 'UTC') => {
    const { first, last, interval, spans } = periodOf(search, timeZone, NOW)
    return [first, last, interval, spans.length]
  }
  assert.deepEqual(days({}), ['2026-10-20', '2026-11-18', 'day', 30])
  assert.deepEqual(days({ time: 'today' }), ['2026-11-18', '2026-11-18', 'hour', 24])
  assert.deepEqual(days({ time: 'yesterday' }), ['2026-11-17', '2026-11-17', 'hour', 24])
  assert.deepEqual(days({ time: '90d' }), ['2026-08-21', '2026-11-18', 'day', 90])
  assert.deepEqual(days({ time: '12m' }), ['2025-12-01', '2026-11-18', 'month', 12])
  // It is tomorrow there already.
  assert.deepEqual(days({ time: 'today' }, 'Pacific/Auckland'), ['2026-11-19', '2026-11-19', 'hour', 24])
  assert.deepEqual(days({ from: '2026-11-05', to: '2026-11-02' }), ['2026-11-02', '2026-11-05', 'day', 4])
  assert.deepEqual(days({ from: '2026-11-05', to: '2026-11-02', by: 'hour' }), ['2026-11-02', '2026-11-05', 'hour', 96])
  // A year of hours is nothing that can be looked at.
  assert.deepEqual(days({ time: '12m', by: 'hour' }).slice(2), ['month', 12])
})

test('weeks begin on Monday and months on their first, and both are whole', () => {
  const week = periodOf({ from: '2026-11-05', to: '2026-11-18', by: 'week' }, 'UTC', NOW)
  assert.deepEqual(
    week.spans.map(({ from }) => from),
    ['2026-11-02', '2026-11-09', '2026-11-16'].map((day) => seconds(`${day}T00:00:00Z`)),
  )
  assert.equal(week.to, seconds('2026-11-23T00:00:00Z'))
  const month = periodOf({ from: '2026-09-20', to: '2026-11-01', by: 'month' }, 'Europe/Berlin', NOW)
  assert.deepEqual(
    month.spans.map(({ from }) => from),
    ['2026-08-31T22:00:00Z', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'].map(seconds),
  )
})

test('a day on which the clocks change has 23 or 25 hours', () => {
  const hours = (day: string) => periodOf({ from: day, to: day }, 'Europe/Berlin', NOW).spans.length
  assert.deepEqual([hours('2026-03-29'), hours('2026-10-25'), hours('2026-10-26')], [23, 25, 24])
})

test('a week in which a midnight is skipped has seven days', () => {
  const NOON = Date.parse('2026-09-08T16:00:00Z')
  const { from, to, spans } = periodOf({ time: '7d' }, 'America/Santiago', NOON)
  assert.deepEqual([spans.length, from, to], [7, seconds('2026-09-02T04:00:00Z'), seconds('2026-09-09T03:00:00Z')])
  const beginning = periodOf({ from: '2026-09-06', to: '2026-09-08' }, 'America/Santiago', NOON)
  assert.equal(beginning.from, seconds('2026-09-06T04:00:00Z'))
})

test('only such intervals are offered as the period has room for', () => {
  assert.deepEqual(intervalsFor(1), ['hour'])
  assert.deepEqual(intervalsFor(30), ['hour', 'day', 'week'])
  assert.deepEqual(intervalsFor(365), ['day', 'week', 'month'])
  assert.equal(daysIn('2026-03-28', '2026-03-30'), 3)
})
