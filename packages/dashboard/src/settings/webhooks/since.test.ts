import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberBefore } from './since.ts'

/** Event n happened at 10 × n. */
const feed = (numbers: number[]) => (after: number) => {
  const number = numbers.find((one) => one > after)
  return Promise.resolve(number === undefined ? undefined : { number, timestamp: number * 10 })
}
const ALL = Array.from({ length: 100 }, (_, index) => index + 1)

test('what happened since a moment comes after the number that is found', async () => {
  assert.equal(await numberBefore(505, 100, feed(ALL)), 50)
  assert.equal(await numberBefore(510, 100, feed(ALL)), 50)
  assert.equal(await numberBefore(511, 100, feed(ALL)), 51)
})

test('before the first event it is 0, after the last the last, and without any 0', async () => {
  assert.equal(await numberBefore(0, 100, feed(ALL)), 0)
  assert.equal(await numberBefore(9_999, 100, feed(ALL)), 100)
  assert.equal(await numberBefore(5, 0, feed([])), 0)
})

test('events that one may not read, and those that were dropped by age, are stepped over', async () => {
  const seen = [40, 70, 71, 99]
  const found = await numberBefore(705, 100, feed(seen))
  assert.ok(found >= 70 && found < 71, String(found))
  assert.ok((await numberBefore(300, 100, feed(seen))) < 40)
})
