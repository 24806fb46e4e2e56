import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore } from './semaphore.ts'

const open = () => createSemaphore({ atOnce: 2, maxWaiting: 3, refuse: () => new Error('full') })

test('so much runs at once, the rest in its order', async () => {
  const inTurn = open()
  const log: string[] = []
  let [running, most] = [0, 0]
  const work = (name: string) => async () => {
    log.push(name)
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return name
  }
  const names = ['a', 'b', 'c', 'd', 'e']
  assert.deepEqual(await Promise.all(names.map((name) => inTurn(work(name)))), names)
  assert.deepEqual(log, names)
  assert.equal(most, 2)
})

test('whoever finds the queue full is refused, and a failure gives its place back', async () => {
  const inTurn = open()
  const fail = () => new Promise<never>((_, reject) => setImmediate(() => reject(new Error('failed'))))
  const all = await Promise.allSettled(Array.from({ length: 6 }, () => inTurn(fail)))
  const reasons = all.map((one) => (one.status === 'rejected' ? (one.reason as Error).message : ''))
  assert.deepEqual(reasons, ['failed', 'failed', 'failed', 'failed', 'failed', 'full'])
  assert.equal(await inTurn(async () => 'after'), 'after')
})
