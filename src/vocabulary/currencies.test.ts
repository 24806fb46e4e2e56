import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCurrency, stepOf } from './currencies.ts'

test('currencies in use are known, whatever their minor units', () => {
  for (const code of ['USD', 'EUR', 'GBP', 'CHF', 'JPY', 'KRW', 'KWD', 'TND', 'SLE', 'XCG', 'ZWG', 'XOF', 'VES']) {
    assert.ok(isCurrency(code), code)
  }
})

test('what is not, or no longer, a currency to sell in is not', () => {
  for (const code of ['', ' ', 'usd', 'USDX', 'US', 'XXX', 'XTS', 'XAU', 'XDR', 'DEM', 'HRK', 'ANG', 'ZWL', 'SLL']) {
    assert.ok(!isCurrency(code), code)
  }
})

test('three-decimal currencies, and the ariary, have a step above the minor unit', () => {
  const codes = ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND', 'MGA', 'EUR', 'JPY', 'ISK']
  assert.deepEqual(codes.map(stepOf), [10, 10, 10, 10, 10, 10, 10, 100, 1, 1, 1])
})
