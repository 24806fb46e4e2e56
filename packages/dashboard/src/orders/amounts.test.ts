import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardSource } from '../../../../test/support/dashboard-source.ts'
import type * as Amounts from './amounts.ts'

const { amountOf, unitFor } = (await dashboardSource('orders/amounts.ts')) as typeof Amounts

const MARKETS = [
  { id: 'jp', currency: 'JPY' },
  { id: 'de', currency: 'EUR' },
  { id: 'kw', currency: 'KWD' },
]

test('an amount to filter by has the digits of the currency it is meant in', () => {
  assert.equal(unitFor({}, MARKETS), 1)
  assert.equal(unitFor({ market: ['de'] }, MARKETS), 100)
  assert.equal(unitFor({ market: ['de'], currency: ['KWD'] }, MARKETS), 1_000)
  assert.equal(unitFor({}, []), 100)
  assert.equal(unitFor({ currency: ['typed by hand'] }, MARKETS), 100)
})

test('amounts are typed with a point or a comma', () => {
  assert.equal(amountOf('12,5', 100), 1_250)
  assert.equal(amountOf(' 12.5 ', 1_000), 12_500)
  assert.equal(amountOf('500', 1), 500)
  assert.equal(amountOf('', 100), undefined)
  assert.equal(amountOf('-1', 100), undefined)
  assert.equal(amountOf('many', 100), undefined)
})
