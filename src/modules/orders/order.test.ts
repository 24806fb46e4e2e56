import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldOf, type OrderLine, outOf, stockOf } from './order.ts'

const line = (changes: Partial<OrderLine>): OrderLine => ({
  id: 'line_1',
  type: 'PRODUCT_VARIANT',
  productId: 'prod_1',
  variantId: 'one',
  quantity: 3,
  unitPrice: 100,
  totalPrice: 300,
  discount: 0,
  taxClass: 'standard',
  taxBps: null,
  tax: 0,
  name: 'Salt',
  sku: 'SALT',
  taken: 3,
  ...changes,
})

test('pieces are with the customer until they come back; those that never went out do not count', () => {
  assert.equal(outOf(line({}), 0), 0)
  assert.equal(outOf(line({}), 2), 2)
  assert.equal(outOf(line({ returned: 1 }), 2), 1)
  assert.equal(outOf(line({ returned: 1, returnedUnshipped: 1 }), 2), 2)
  assert.equal(outOf(line({ returned: 3 }), 2), 0)
})

test('what a cancelled order kept is neither given back nor taken again, and it still holds it', () => {
  const cancelled = line({ kept: 1 })
  const deltas = (lines: OrderLine[], direction: 'TAKEN' | 'GIVEN') =>
    stockOf({ id: 'ord_1', lines }, direction).map(({ delta, reference }) => [delta, reference])
  assert.deepEqual(deltas([cancelled], 'GIVEN'), [[2, 'ord_1']])
  assert.deepEqual(deltas([cancelled], 'TAKEN'), [[-2, 'ord_1']])
  assert.deepEqual(deltas([line({ kept: 3 }), line({ taken: 0 })], 'GIVEN'), [])
  assert.equal(heldOf({ releasedAt: null }, line({})), 3)
  assert.equal(heldOf({ releasedAt: new Date(0) }, line({})), 0)
  assert.equal(heldOf({ releasedAt: new Date(0) }, cancelled), 1)
})
