import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_WAITING_EACH, openThread } from '#platform/thread.ts'
import { AppError } from '#vocabulary/errors.ts'

const fileOf = (work: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', (task) => { ${work} })`)}`,
  )

const ADA = { key: 'ada' }

test('a thread does one task after the other, and answers each', async () => {
  const double = openThread<number, number>(fileOf('parentPort.postMessage({ result: task * 2 })'), {
    timeoutMs: 60_000,
  })
  assert.deepEqual(await Promise.all([1, 2, 3].map((task) => double(task, ADA))), [2, 4, 6])
  assert.equal(await double(4, ADA), 8)
})

test('a task that takes too long is ended and refused, and the next one gets a new thread', async () => {
  const run = openThread<string, string>(
    fileOf("if (task === 'never') for (;;) {} else parentPort.postMessage({ result: task })"),
    { timeoutMs: 3_000 },
  )
  const [never, next] = await Promise.allSettled([run('never', ADA), run('next', ADA)])
  assert.ok(never.status === 'rejected' && never.reason instanceof AppError && never.reason.status === 503)
  assert.deepEqual(next, { status: 'fulfilled', value: 'next' })
})

test('a thread that fails is told as our fault, and replaced', async () => {
  const run = openThread<string, string>(
    fileOf("if (task === 'bad') throw new Error('broken'); parentPort.postMessage({ result: task })"),
    { timeoutMs: 60_000 },
  )
  await assert.rejects(run('bad', ADA), /broken/)
  assert.equal(await run('good', ADA), 'good')
})

test('callers are served in turn, however many tasks one of them has, and one that has too many waiting is refused', async () => {
  const done: string[] = []
  const run = openThread<string, string>(fileOf('parentPort.postMessage({ result: task })'), { timeoutMs: 60_000 })
  const ask = (task: string, key: string) => run(task, { key }).then((result) => done.push(result))
  const many = Array.from({ length: MAX_WAITING_EACH + 5 }, (_, index) => ask(`eve ${index}`, 'eve'))
  const others = [ask('ada', 'ada'), ask('ben', 'ben')]
  const outcomes = await Promise.allSettled(many)
  await Promise.all(others)
  // One is being done, the others wait.
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1 + MAX_WAITING_EACH)
  assert.deepEqual(done.slice(0, 4), ['eve 0', 'eve 1', 'ada', 'ben'])
})

test('what nobody waits for any more is not done', async () => {
  const tasks: string[] = []
  const run = openThread<string, string[]>(
    fileOf('(globalThis.all ??= []).push(task); parentPort.postMessage({ result: all })'),
    { timeoutMs: 60_000 },
  )
  let isGone = false
  const first = run('first', { key: 'ada' })
  const left = run('left', { key: 'eve', isGone: () => isGone })
  isGone = true
  await first
  await assert.rejects(left)
  tasks.push(...(await run('last', { key: 'ada' })))
  assert.deepEqual(tasks, ['first', 'last'])
})
