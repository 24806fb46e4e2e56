import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import { createBatcher } from './batch.ts'

const done = <Value>(value: Value) => ({ status: 'fulfilled' as const, value })

test('the first goes at once, what comes meanwhile goes next, together', async () => {
  const batches: number[][] = []
  const combine = createBatcher(
    async (_key: string, items: number[]) => {
      batches.push(items)
      await tick()
      return items.map((item) => done(item * 2))
    },
    { maxItems: 3, lanes: 1 },
  )
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map((item) => combine('a', item))), [2, 4, 6, 8, 10])
  assert.deepEqual(batches, [[1], [2, 3, 4], [5]])
  assert.equal(await combine('a', 6), 12)
})

test('one that fails does not fail the others; a batch that fails as a whole fails all of it, and the next goes on', async () => {
  const combine = createBatcher(
    async (_key: string, items: number[]) => {
      await tick()
      if (items.includes(9)) throw new Error('all')
      return items.map((item) =>
        item === 3 ? { status: 'rejected' as const, reason: new Error('three') } : done(item),
      )
    },
    { maxItems: 10, lanes: 1 },
  )
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((item) => combine('a', item)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  const failed = await Promise.allSettled([5, 9, 6].map((item) => combine('a', item)))
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  assert.equal(await combine('a', 7), 7)
})

test('everybody gets their own answer, keys do not mix, and never are more batches under way than there are lanes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: fc.constantFrom('a', 'b'), item: fc.integer(), after: fc.nat(3) }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      async (calls, lanes) => {
        const running = new Map<string, number>()
        const combine = createBatcher(
          async (key: string, items: number[]) => {
            running.set(key, (running.get(key) ?? 0) + 1)
            assert.ok((running.get(key) ?? 0) <= lanes)
            await tick()
            running.set(key, (running.get(key) ?? 0) - 1)
            return items.map((item) => done(`${key}${item}`))
          },
          { maxItems: 4, lanes },
        )
        const answers = calls.map(async ({ key, item, after }) => {
          for (let waited = 0; waited < after; waited++) await tick()
          return combine(key, item)
        })
        assert.deepEqual(
          await Promise.all(answers),
          calls.map(({ key, item }) => `${key}${item}`),
        )
      },
    ),
    { numRuns: 100 },
  )
})
