import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTimeout } from './with-timeout.ts'

const late = () => new Error('late')

test('an answer in time is passed on, and so is a failure', async () => {
  assert.equal(await withTimeout(1_000, Promise.resolve(1), late), 1)
  await assert.rejects(withTimeout(1_000, Promise.reject(new Error('broken')), late), /broken/)
})

test('one that is late is given up, and what becomes of it disturbs nobody', async () => {
  const asked = Promise.withResolvers<number>()
  await assert.rejects(withTimeout(5, asked.promise, late), /late/)
  asked.reject(new Error('much later'))
  await new Promise((resolve) => void setImmediate(resolve)) // an unhandled rejection would fail this test
})
