import assert from 'node:assert/strict'
import { test } from 'node:test'
import { balanceOf, type Movement, soldADay, stepsOf } from './balance.ts'

const DAY = 86_400
const NOW = 100 * DAY

/** Newest first, as the service answers. */
function ledger(
  opening: number,
  first: number,
  deltas: readonly number[],
  kind: Movement['kind'] = 'ORDER',
): Movement[] {
  let quantity = opening
  return deltas
    .map((delta, index): Movement => {
      quantity += delta
      return {
        number: first + index,
        productId: 'prod_1',
        variantId: 'one',
        delta,
        quantity,
        kind,
        reason: null,
        reference: null,
        userId: null,
        createdAt: NOW - (deltas.length - index) * DAY,
      }
    })
    .toReversed()
}

test('the opening balance and what came and went make the closing one', () => {
  assert.deepEqual(balanceOf(ledger(18, 399, [-1, -2, 48, -25])), {
    opening: 18,
    before: 398,
    came: 48,
    went: 28,
    closing: 38,
    last: 402,
    isBroken: false,
  })
})

test('a missing number, a wrong balance and a beginning that is not zero are noticed', () => {
  const whole = ledger(0, 1, [10, -1, -2])
  assert.equal(balanceOf(whole).isBroken, false)
  assert.equal(balanceOf(whole.filter(({ number }) => number !== 2)).isBroken, true)
  assert.equal(balanceOf(whole.map((each) => (each.number === 2 ? { ...each, quantity: 8 } : each))).isBroken, true)
  assert.equal(balanceOf(ledger(5, 1, [-1])).isBroken, true)
})

test('nothing has moved yet', () => {
  const { closing, last, isBroken } = balanceOf([])
  assert.deepEqual([closing, last, isBroken], [0, 0, false])
})

test('how many are sold a day is told of orders only, and not of less than a day', () => {
  assert.equal(soldADay(ledger(100, 9, [-2, -2, -2, -2]), NOW, false), 2)
  assert.equal(soldADay(ledger(100, 9, [-2, -2], 'MANUAL'), NOW, false), undefined)
  assert.equal(soldADay([], NOW, true), undefined)
})

test('the level begins 30 days ago where that is known, else with the first movement that is', () => {
  assert.deepEqual(stepsOf(ledger(0, 1, [10, -1]), NOW)[0], { at: NOW - 2 * DAY, quantity: 10 })
  const [old, ...later] = ledger(7, 50, [-1, -1, -1]).toReversed()
  assert.ok(old)
  const known = [...later.toReversed(), { ...old, createdAt: NOW - 60 * DAY }]
  assert.deepEqual(stepsOf(known, NOW)[0], { at: NOW - 30 * DAY, quantity: 6 })
})
