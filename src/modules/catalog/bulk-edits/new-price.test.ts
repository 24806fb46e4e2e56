import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { raisePrice, roundPrice } from './new-price.ts'

const MAX = BigInt(Number.MAX_SAFE_INTEGER)
const price = fc.bigInt({ min: 0n, max: MAX })
const bps = fc.integer({ min: -10_000, max: 100_000 })
const rounding = fc
  .integer({ min: 1, max: 1_000_000 })
  .chain((to) => fc.record({ to: fc.constant(to), ending: fc.integer({ min: 0, max: to - 1 }) }))
const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a)

test('a raised price is the exact one, halves up', () => {
  assert.equal(raisePrice(1_990n, 500), 2_090n) // 2089.5
  assert.equal(raisePrice(1n, 5_000), 2n) // 1.5
  assert.equal(raisePrice(1n, 4_999), 1n)
  assert.equal(raisePrice(1_000n, -10_000), 0n)
  fc.assert(
    fc.property(price, bps, (before, bps) => {
      const after = raisePrice(before, bps)
      // after − ½ ≤ exact < after + ½, in parts of 20,000.
      const exact = 2n * before * BigInt(10_000 + bps)
      assert.ok(20_000n * after - 10_000n <= exact && exact < 20_000n * after + 10_000n)
      assert.ok(after >= 0n)
    }),
  )
})

test('a rounded price is of its form, and none of that form is nearer; of two as near it is the higher', () => {
  const to90 = { to: 100, ending: 90 }
  assert.equal(roundPrice(2_090n, to90), 2_090n)
  assert.equal(roundPrice(2_040n, to90), 2_090n) // a tie
  assert.equal(roundPrice(2_039n, to90), 1_990n)
  assert.equal(roundPrice(0n, to90), 90n)
  assert.equal(roundPrice(49n, { to: 100, ending: 0 }), 0n)
  fc.assert(
    fc.property(price, rounding, (before, { to, ending }) => {
      const after = roundPrice(before, { to, ending })
      const step = BigInt(to)
      assert.equal((after - BigInt(ending)) % step, 0n)
      assert.ok(after >= BigInt(ending))
      assert.ok(distance(after + step, before) > distance(after, before), 'the next one is farther')
      if (after > BigInt(ending)) assert.ok(distance(after - step, before) >= distance(after, before))
      assert.equal(roundPrice(after, { to, ending }), after, 'rounding twice changes nothing')
    }),
  )
})

test('a higher price is never rounded to a lower one', () => {
  fc.assert(
    fc.property(price, price, bps, rounding, (a, b, bps, terms) => {
      const [low, high] = a < b ? [a, b] : [b, a]
      assert.ok(roundPrice(raisePrice(low, bps), terms) <= roundPrice(raisePrice(high, bps), terms))
    }),
  )
})
