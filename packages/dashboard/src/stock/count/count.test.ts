import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Level } from '../level.ts'
import { type Count, countedAgain, differenceOf, itemOf, troubleOf } from './count.ts'

const level = (quantity: number, committed: number | null, number: number): Level => ({
  productId: 'prod_1',
  variantId: 'one',
  productName: 'Mug',
  variantName: 'Navy',
  sku: 'MUG',
  tracked: true,
  quantity,
  committed,
  number,
  lowStockThreshold: null,
})
const count = (counted: number, more: Partial<Count> = {}): Count => ({
  id: 'a',
  userId: 'usr_1',
  businessId: 'biz_1',
  text: 'MUG',
  counted,
  startedAt: 0,
  level: level(7, 3, 5),
  ...more,
})
const at = { productId: 'prod_1', variantId: 'one' }

test('ten on the shelf, three of them sold and not sent, is no difference', () => {
  assert.equal(differenceOf(count(10)), 0)
  assert.deepEqual(itemOf(count(10)), { ...at, counted: 10, committed: 3, number: 5 })
})

test('what is sold or cancelled meanwhile is no trouble, because the shelf stays as it is', () => {
  assert.equal(troubleOf(count(10), level(5, 5, 7)), undefined)
  assert.equal(troubleOf(count(10), level(9, 1, 8)), undefined)
})

test('what was sent or came back meanwhile is: before the count, or after it?', () => {
  const fresh = level(7, 1, 5)
  assert.equal(troubleOf(count(10), fresh), 'moved')
  assert.deepEqual(itemOf(count(10, { fresh, choice: 'before' })), { ...at, counted: 10, committed: 3, number: 5 })
  assert.deepEqual(itemOf(count(8, { fresh, choice: 'after' })), { ...at, counted: 8, committed: 1, number: 5 })
  assert.equal(differenceOf(count(8, { fresh, choice: 'after' })), 0)
  assert.equal(troubleOf(count(8, { fresh, choice: 'after' }), level(7, 0, 5)), undefined)
})

test('two who counted two shelves of one variant add up', () => {
  assert.deepEqual(itemOf(count(4, { choice: 'add' })), { ...at, delta: 4 })
})

test('where more was sold than was found, there is nothing left to sell', () => {
  assert.deepEqual(itemOf(count(0, { choice: 'none', fresh: level(2, 3, 6) })), { ...at, delta: -2 })
})

test('what was counted before anybody could ask, and what the service does not know, is left to a person', () => {
  assert.equal(troubleOf(count(3, { level: undefined }), level(7, 3, 5)), 'late')
  assert.equal(troubleOf(count(3), level(7, null, 5)), 'unsure')
  assert.equal(itemOf(count(3, { level: undefined })), undefined)
  assert.equal(itemOf(count(3, { level: level(7, null, 5) })), undefined)
})

test('who counts again begins with what the book says now', () => {
  const fresh = level(7, 1, 5)
  const { level: base, counted, trouble } = countedAgain(count(9, { fresh, trouble: 'moved' }))
  assert.deepEqual([base, counted, trouble], [fresh, 0, undefined])
})
