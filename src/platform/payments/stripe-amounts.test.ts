import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromStripeAmount, isPayable, toStripeAmount } from './stripe-amounts.ts'

test('amounts go to the provider in its own units, and come back in ours', () => {
  for (const [amount, currency, asked] of [
    [1_999, 'USD', 1_999],
    [4_500, 'JPY', 4_500],
    [4_500, 'ISK', 450_000],
    [4_500, 'UGX', 450_000],
    [4_500, 'MGA', 45],
    [12_340, 'KWD', 12_340],
  ] as const) {
    assert.equal(toStripeAmount(amount, currency), asked, currency)
    assert.equal(fromStripeAmount(asked, currency), amount, currency)
  }
})

test('what the provider cannot charge is not payable', () => {
  assert.deepEqual(
    [49, 50, 99_999_999, 100_000_000].map((amount) => isPayable(amount, 'USD')),
    [false, true, true, false],
  )
  assert.deepEqual([isPayable(4_550, 'MGA'), isPayable(5_000, 'MGA')], [false, true])
  assert.deepEqual([isPayable(12_345, 'KWD'), isPayable(12_340, 'KWD')], [false, true])
  assert.deepEqual([isPayable(1, 'ISK'), isPayable(999_999, 'ISK'), isPayable(1_000_000, 'ISK')], [true, true, false])
})
