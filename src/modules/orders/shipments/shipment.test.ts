import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fulfillmentBy, leftToShip, sumPieces } from './shipment.ts'

const NONE = new Map<string, number>()
const lines = [
  { id: 'a', quantity: 3 },
  { id: 'b', quantity: 1 },
]

test('left to ship is what was ordered, less what was shipped, less what was refunded before it was', () => {
  assert.deepEqual(
    [...leftToShip(lines, NONE, NONE)],
    [
      ['a', 3],
      ['b', 1],
    ],
  )
  const shipped = sumPieces([{ lines: { a: 1 } }, { lines: { a: 1, b: 1 } }])
  assert.deepEqual([...leftToShip(lines, shipped, NONE)], [['a', 1]])
  assert.deepEqual([...leftToShip(lines, shipped, new Map([['a', 1]]))], [])
})

test('fulfillment is told by shipments only if there are any', () => {
  assert.equal(
    fulfillmentBy(
      [],
      leftToShip(
        lines,
        NONE,
        new Map([
          ['a', 3],
          ['b', 1],
        ]),
      ),
    ),
    null,
  )
  assert.equal(fulfillmentBy([{}], leftToShip(lines, new Map([['a', 3]]), NONE)), 'PARTIALLY_FULFILLED')
  assert.equal(fulfillmentBy([{}], leftToShip(lines, new Map([['a', 3]]), new Map([['b', 1]]))), 'FULFILLED')
})

test('shipping all that is left leaves nothing, whatever was shipped and refunded before', () => {
  const pieces = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)) // shipped, refunded, and what is left beside them
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 8 }), (counts) => {
      const ordered = counts.map(([shipped, refunded, rest], index) => ({
        id: `line_${index}`,
        quantity: shipped + refunded + rest,
      }))
      const mapOf = (place: 0 | 1) => new Map(counts.map((count, index) => [`line_${index}`, count[place]]))
      const [shipped, refunded] = [mapOf(0), mapOf(1)]
      const left = leftToShip(ordered, shipped, refunded)
      const all = counts.reduce((sum, [, , rest]) => sum + rest, 0)
      assert.equal(
        [...left.values()].reduce((sum, count) => sum + count, 0),
        all,
      )
      const after = sumPieces([{ lines: Object.fromEntries(shipped) }, { lines: Object.fromEntries(left) }])
      assert.equal(leftToShip(ordered, after, refunded).size, 0)
    }),
  )
})
