import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysAgo, startOfDay } from '../i18n/days.ts'
import { filtersOf, readOrdersSearch } from './filters.ts'

test('days that move begin at midnight of the business, counted from today; other words are no days', () => {
  for (const timeZone of ['UTC', 'Pacific/Auckland', 'America/New_York']) {
    for (const [from, days] of [
      ['today', 0],
      ['7d', 6],
      ['30d', 29],
    ] as const) {
      const search = readOrdersSearch({ from })
      assert.equal(search.from, from)
      assert.deepEqual(filtersOf(search, timeZone), { createdFrom: startOfDay(daysAgo(days, timeZone), timeZone) })
    }
  }
  assert.deepEqual(filtersOf(readOrdersSearch({ from: '2026-11-16' }), 'UTC'), { createdFrom: 1_794_787_200 })
  for (const from of ['yesterday', '8d', 'toString']) assert.equal(readOrdersSearch({ from }).from, undefined)
})

test('a figure of a report leads to its exact moments, by a link as by an address', () => {
  for (const [createdFrom, createdTo] of [
    [1_794_787_200, 1_794_788_100],
    ['1794787200', '1794788100'],
  ])
    assert.deepEqual(filtersOf(readOrdersSearch({ createdFrom, createdTo, customer: 'NEW', currency: 'USD' }), 'UTC'), {
      createdFrom: 1_794_787_200,
      createdTo: 1_794_788_100,
      customer: 'NEW',
      currency: ['USD'],
    })
})
