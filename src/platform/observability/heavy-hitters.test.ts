import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createHeavyHitters } from './heavy-hitters.ts'

test('a hundred thousand names take no more room than two thousand, and the loud ones are found', () => {
  const hitters = createHeavyHitters(1_000)
  let most = 0
  for (let round = 0; round < 3; round++) {
    for (let name = 0; name < 100_000; name++) {
      hitters.add(`biz_${name}`, 1)
      if (name % 100 === 0) hitters.add('loud', 1) // 1 % of what the others do together
      most = Math.max(most, hitters.size())
    }
  }
  assert.ok(most <= 2_000, `${most} names at once`)
  const { first, other } = hitters.take(20)
  assert.equal(first[0]?.[0], 'loud')
  const [, loud] = first[0] ?? ['', 0]
  assert.ok(loud <= 3_000 && loud >= 3_000 - 303_000 / 1_001, `${loud} of 3,000`)
  assert.equal(
    first.reduce((sum, [, each]) => sum + each, other),
    303_000,
  )
})

test('it never tells too much of a name, and too little only within its bound', () => {
  const requests = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 9 })), {
    maxLength: 600,
  })
  fc.assert(
    fc.property(requests, fc.integer({ min: 1, max: 20 }), (added, capacity) => {
      const hitters = createHeavyHitters(capacity)
      const exact = new Map<string, number>()
      for (const [name, amount] of added) {
        hitters.add(`${name}`, amount)
        exact.set(`${name}`, (exact.get(`${name}`) ?? 0) + amount)
        assert.ok(hitters.size() <= 2 * capacity)
      }
      const total = added.reduce((sum, [, amount]) => sum + amount, 0)
      const bound = total / (capacity + 1)
      const { first, other } = hitters.take(1_000)
      const told = new Map(first)
      for (const [name, sum] of exact) {
        const said = told.get(name) ?? 0
        assert.ok(said <= sum && said >= sum - bound - 1e-9, `${name}: told ${said} of ${sum}, bound ${bound}`)
      }
      assert.equal(
        first.reduce((sum, [, each]) => sum + each, other),
        total,
      )
    }),
  )
})

test('after it was asked it begins anew', () => {
  const hitters = createHeavyHitters(10)
  hitters.add('a', 5)
  hitters.take(3)
  hitters.add('b', 2)
  assert.deepEqual(hitters.take(3), { first: [['b', 2]], other: 0 })
  assert.deepEqual(hitters.take(3), { first: [], other: 0 })
})
