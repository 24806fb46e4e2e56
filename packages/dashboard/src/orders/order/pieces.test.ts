import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '@kontor/sdk'
import type { Entry } from '../../outbox/store.ts'
import { askedPieces, piecesOf } from './pieces.ts'

const ORDER = {
  id: 'ord_1',
  lines: [
    { id: 'mug', quantity: 3 },
    { id: 'lamp', quantity: 1 },
  ],
  fulfillment: 'UNFULFILLED',
} as unknown as Order

const entry = (operation: Entry['operation'], body: object) => ({ operation, input: { body } }) as unknown as Entry

const leftOf = (...entries: Entry[]) => {
  const moving = askedPieces(entries, ORDER.id)
  const pieces = piecesOf({ order: ORDER, shipments: [], refunds: [], timeline: [], asked: [], moving })
  return [...pieces.values()].map(({ leftToShip, leftToReturn }) => [leftToShip, leftToReturn])
}

test('what was asked to go out or to come back counts as gone until it is known', () => {
  assert.deepEqual(leftOf(), [
    [3, 3],
    [1, 1],
  ])
  const part = entry('shipOrder', { lines: [{ lineId: 'mug', quantity: 2 }] })
  const back = entry('returnOrderLines', { lines: [{ lineId: 'lamp', quantity: 1 }] })
  assert.deepEqual(leftOf(part, back), [
    [1, 3],
    [1, 0],
  ])
})

test('a parcel without lines, or one of a list, is all that is left', () => {
  const all = [
    [0, 3],
    [0, 1],
  ]
  assert.deepEqual(leftOf(entry('shipOrder', {})), all)
  assert.deepEqual(leftOf(entry('shipOrders', { items: [{ orderId: 'ord_2' }, { orderId: 'ord_1' }] })), all)
  assert.equal(leftOf(entry('shipOrders', { items: [{ orderId: 'ord_2' }] }))[0]?.[0], 3)
})
