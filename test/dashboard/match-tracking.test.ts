import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchTracking } from '../../packages/dashboard/src/orders/match-tracking.ts'

const ORDERS = [
  { id: 'one', number: 'V8RM-2TQ6' },
  { id: 'two', number: 'D4HK-7WX9' },
  { id: 'three', number: 'T2NC-5JP8' },
]
const match = (pasted: string) => {
  const { numbers, left, conflicts } = matchTracking(pasted, ORDERS)
  return { ...Object.fromEntries(numbers), left, ...(conflicts.length > 0 && { conflicts }) }
}

test('numbers without names go to the orders from the top', () => {
  assert.deepEqual(match('111\n222\n'), { one: '111', two: '222', left: [] })
  assert.deepEqual(match('0034 0434 11\r\n"222"\r\n'), { one: '0034 0434 11', two: '222', left: [] })
})

test('a line that names its order goes to it, whichever way round', () => {
  assert.deepEqual(match('D4HK-7WX9\t222\r\n333;t2nc5jp8'), { two: '222', three: '333', left: [] })
  assert.deepEqual(match('D4HK-7WX9 222'), { two: '222', left: [] })
  assert.deepEqual(match('"D4HK-7WX9","0034 0434"'), { two: '0034 0434', left: [] })
})

test('where one line names an order, none goes by its place', () => {
  assert.deepEqual(match('D4HK-7WX9\t222\n111'), { two: '222', left: ['111'] })
  assert.deepEqual(match('V8RM-2TQ6\n111\n222'), { left: ['V8RM-2TQ6', '111', '222'] })
})

test('a line of an order that was not picked goes to nobody, and lets nothing go by its place', () => {
  assert.deepEqual(match('K7QQ-9ZZ3\t999\n111'), { left: ['K7QQ-9ZZ3 999', '111'] })
  assert.deepEqual(match('K7QQ-9ZZ3 999\n111'), { left: ['K7QQ-9ZZ3 999', '111'] })
  assert.deepEqual(match('K7QQ-9ZZ3\t999\nD4HK-7WX9\t222'), { two: '222', left: ['K7QQ-9ZZ3 999'] })
})

test('a header, a gap and lines of several cells are no numbers', () => {
  assert.deepEqual(match('Order\tTracking\nD4HK-7WX9\t222'), { two: '222', left: ['Order Tracking'] })
  assert.deepEqual(match('Tracking number\n111'), { left: ['Tracking number', '111'] })
  assert.deepEqual(match('111\nn/a\n333'), { left: ['111', 'n/a', '333'] })
  assert.deepEqual(match('111\n\n333'), { left: ['111', '333'] })
  assert.deepEqual(match('DHL\t111\nDHL\t222'), { left: ['DHL 111', 'DHL 222'] })
  assert.deepEqual(match('D4HK-7WX9\tIngrid\t222'), { left: ['D4HK-7WX9 Ingrid 222'] })
  assert.deepEqual(match('D4HK-7WX9 Ingrid 222'), { left: ['D4HK-7WX9 Ingrid 222'] })
  assert.deepEqual(match('D4HK-7WX9\tT2NC-5JP8'), { left: ['D4HK-7WX9 T2NC-5JP8'] })
})

test('two numbers for one order are a conflict, and it gets neither; the same one twice is none', () => {
  assert.deepEqual(match('D4HK-7WX9\t222\nd4hk7wx9\t223\nT2NC-5JP8\t333'), {
    three: '333',
    left: [],
    conflicts: [{ number: 'D4HK-7WX9', given: ['222', '223'] }],
  })
  assert.deepEqual(match('D4HK-7WX9\t222\nD4HK-7WX9\t222'), { two: '222', left: [] })
})

test('what nothing is left for is answered', () => {
  assert.deepEqual(match('1\n2\n3\n4\n5'), { one: '1', two: '2', three: '3', left: ['4', '5'] })
})

test('a name without a number is not matched; empty lines around count for nothing', () => {
  assert.deepEqual(match('\n\nV8RM-2TQ6\n'), { left: ['V8RM-2TQ6'] })
  assert.deepEqual(match('\n\n111\n\n'), { one: '111', left: [] })
  assert.deepEqual(match(' \n'), { left: [] })
})
