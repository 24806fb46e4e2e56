import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSame } from '../../packages/dashboard/src/merge/is-same.ts'
import { mergeThree } from '../../packages/dashboard/src/merge/three-way.ts'

const FIELDS = ['name', 'price', 'tags', 'status', 'note'] as const
type Item = Record<(typeof FIELDS)[number], unknown>

const value = fc.oneof(
  fc.constantFrom('a', 'b', 'c'),
  fc.integer({ min: 0, max: 2 }),
  fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
)
const record = fc.record({ name: value, price: value, tags: value, status: value, note: value }) as fc.Arbitrary<Item>

test('of two edits of one record nothing is lost without being shown', () => {
  fc.assert(
    fc.property(record, record, record, (base, theirs, mine) => {
      const merged = mergeThree(base, theirs, mine)
      for (const field of FIELDS) {
        const shown = merged.conflicts.find((conflict) => conflict.field === field)
        const iChanged = !isSame(base[field], mine[field])
        const theyChanged = !isSame(base[field], theirs[field])
        if (shown) {
          assert.ok(iChanged && theyChanged && !isSame(theirs[field], mine[field]))
          assert.deepEqual([shown.theirs, shown.mine], [theirs[field], mine[field]])
        } else if (iChanged) assert.deepEqual(merged.value[field], mine[field])
        else assert.deepEqual(merged.value[field], theirs[field])
      }
    }),
    { numRuns: 1_000 },
  )
})

test('changes of different fields are merged by themselves', () => {
  const base = { name: 'Mug', price: 2_400, tags: ['new'] }
  const merged = mergeThree(base, { ...base, price: 2_490 }, { ...base, name: 'Watch Mug' })
  assert.deepEqual(merged, {
    value: { name: 'Watch Mug', price: 2_490, tags: ['new'] },
    conflicts: [],
    theirs: ['price'],
  })
})

test('the same change twice is no conflict', () => {
  const base = { tags: ['a'] }
  assert.deepEqual(mergeThree(base, { tags: ['a', 'b'] }, { tags: ['a', 'b'] }).conflicts, [])
})
