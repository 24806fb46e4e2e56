import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

test('no more than so many work at a time, in the order in which they came, whoever fails', async () => {
  const inTurn = createTurns(3)
  const begun: number[] = []
  let [now, most] = [0, 0]
  const work = (index: number) =>
    inTurn(async () => {
      begun.push(index)
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      now--
      if (index % 4 === 0) throw new Error('refused')
      return index
    })
  const ended = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => work(index)))
  assert.equal(most, 3)
  assert.deepEqual(
    begun,
    ended.map((_, index) => index),
  )
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 15)
})
