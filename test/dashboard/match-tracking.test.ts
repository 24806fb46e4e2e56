import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchTracking } from '../../packages/dashboard/src/orders/match-tracking.ts'

const ORDERS = [
  { id: 'one', number: 'V8RM-2TQ6' },
  { id: 'two', number: 'D4HK-7WX9' },
  { id: 'three', number: 'T2NC-5JP8' },
]
const match = (pasted: string) => {
  const { numbers, left } = matchTracking(pasted, ORDERS)
  return { ...Object.fromEntries(numbers), left }
}

test('numbers without names go to the orders from the top', () => {
  assert.deepEqual(match('111\n222\n'), { one: '111', two: '222', left: [] })
})

test('a line that names its order goes to it, whichever way round, and the others fill the rest', () => {
  assert.deepEqual(match('D4HK-7WX9\t222\r\n111\n333;t2nc5jp8'), { one: '111', two: '222', three: '333', left: [] })
  assert.deepEqual(match('D4HK-7WX9 222'), { two: '222', left: [] })
})

test('what nothing is left for is answered', () => {
  assert.deepEqual(match('1\n2\n3\n4\n5'), { one: '1', two: '2', three: '3', left: ['4', '5'] })
})

test('empty lines and a name without a number count for nothing', () => {
  assert.deepEqual(match('\n\nV8RM-2TQ6\n'), { left: [] })
})
