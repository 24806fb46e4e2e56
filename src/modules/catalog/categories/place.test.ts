import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { placeAt } from './place.ts'
import { MAX_CATEGORIES, MAX_POSITION } from './schemas.ts'

test('between two there is room, so nobody else moves', () => {
  const siblings = [
    { id: 'a', position: 0 },
    { id: 'b', position: 10 },
  ]
  assert.deepEqual(placeAt(siblings, 1), { position: 5, others: [] })
  assert.deepEqual(placeAt(siblings, 2), { position: 20, others: [] })
  assert.deepEqual(placeAt([], 0), { position: 0, others: [] })
})

test('whatever the positions were, it stands where it was put and the others stay in their order', () => {
  const positions = fc.array(fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: MAX_POSITION })), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(positions, fc.nat(40), (given, wanted) => {
      const siblings = given.toSorted((a, b) => a - b).map((position, at) => ({ id: `${at}`.padStart(3), position }))
      const index = Math.min(wanted, siblings.length)
      const { position, others } = placeAt(siblings, index)
      const moved = new Map(others.map((other) => [other.id, other.position]))
      const after = siblings.map((one) => ({ ...one, position: moved.get(one.id) ?? one.position }))
      const all = [...after, { id: 'moved', position }].sort(
        (a, b) => a.position - b.position || (a.id < b.id ? -1 : 1),
      )
      assert.deepEqual(
        all.map(({ id }) => id),
        siblings.map(({ id }) => id).toSpliced(index, 0, 'moved'),
      )
      assert.ok(all.every((one) => one.position >= 0 && one.position <= MAX_POSITION))
    }),
  )
})

test('as many as there may be have room', () => {
  const siblings = Array.from({ length: MAX_CATEGORIES }, (_, at) => ({ id: `${at}`, position: 0 }))
  assert.ok(placeAt(siblings, siblings.length).position <= MAX_POSITION)
})
