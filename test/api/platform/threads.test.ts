import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openThread } from '#platform/thread.ts'
import { AppError } from '#vocabulary/errors.ts'

const fileOf = (work: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', (task) => { ${work} })`)}`,
  )

test('a thread does one task after the other, and answers each', async () => {
  const double = openThread<number, number>(fileOf('parentPort.postMessage({ result: task * 2 })'), {
    timeoutMs: 60_000,
  })
  assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6])
  assert.equal(await double(4), 8)
})

test('a task that takes too long is ended and refused, and the next one gets a new thread', async () => {
  const run = openThread<string, string>(
    fileOf("if (task === 'never') for (;;) {} else parentPort.postMessage({ result: task })"),
    { timeoutMs: 3_000 },
  )
  const [never, next] = await Promise.allSettled([run('never'), run('next')])
  assert.ok(never.status === 'rejected' && never.reason instanceof AppError && never.reason.status === 503)
  assert.deepEqual(next, { status: 'fulfilled', value: 'next' })
})

test('a thread that fails is told as our fault, and replaced', async () => {
  const run = openThread<string, string>(
    fileOf("if (task === 'bad') throw new Error('broken'); parentPort.postMessage({ result: task })"),
    { timeoutMs: 60_000 },
  )
  await assert.rejects(run('bad'), /broken/)
  assert.equal(await run('good'), 'good')
})
