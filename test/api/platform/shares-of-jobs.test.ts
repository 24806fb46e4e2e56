import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { loadConfig } from '#platform/config.ts'
import { openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { floodJobs, openQueue } from '../../scenarios/job-flood.ts'
import { createTestDatabases } from '../../support/start-api.ts'
import { startTestWorker, type WorkerOptions } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

async function setUp(t: TestContext, takesMs: number, options?: WorkerOptions) {
  const queue = await openQueue(takesMs, options)
  t.after(() => queue.close())
  return queue
}

test('a job of another business starts at once beside a business with thousands, whose jobs go on', async () => {
  const { waitsMs, mostOfNoisy } = await floodJobs({ noisyJobs: 5_000, jobMs: 20, quietJobs: 5, pauseMs: 0 })
  assert.ok(Math.max(...waitsMs) < 2_000, `${waitsMs.map(Math.round).join(', ')} ms`)
  assert.ok(mostOfNoisy < 4, 'one place is left')
})

test('also while the jobs of that business take long, and when two of them have many', async (t) => {
  const { start, add, addMany, began, countOf } = await setUp(t, 5_000)
  await addMany('noisy', 100)
  start()
  await until('it has its places', () => countOf('noisy') === 3)
  await addMany('loud', 100)
  const since = performance.now()
  await add('quiet')
  await until('it has begun', () => countOf('quiet') === 1 || performance.now() - since > 8_000, { withinMs: 9_000 })
  assert.equal(countOf('quiet'), 1)
  assert.ok(began.length >= 5)
})

test('several with many do not keep out one with few', async (t) => {
  const { start, add, addMany, countOf } = await setUp(t, 30)
  for (const business of ['a', 'b', 'c', 'd', 'e']) await addMany(business, 1_000)
  start()
  await until('they are busy', () => countOf('a') > 10)
  const since = performance.now()
  await add('quiet')
  await until('it has begun', () => countOf('quiet') === 1, { everyMs: 2 })
  assert.ok(performance.now() - since < 2_000)
})

test('an operator’s number of jobs at once counts', async (t) => {
  const { start, addMany, most, countOf } = await setUp(t, 20, {
    mostOf: (businessId) => (businessId === 'held' ? 1 : undefined),
  })
  await addMany('held', 20)
  start()
  await until('all have run', () => countOf('held') === 20)
  assert.equal(most.get('held'), 1)
})

test('a mail goes at once while long jobs of many businesses run and wait, and all of these get their turn', async (t) => {
  const made = await createTestDatabases()
  const databases = openDatabases(loadConfig({ NODE_ENV: 'test', ...made.env }).databases, { max: 4 })
  const { control } = databases
  const held = Promise.withResolvers<void>()
  const begun: number[] = []
  let mailedAt: number | undefined
  const long = defineJob({
    name: 'test.long',
    on: 'control',
    isLong: true,
    payload: Type.Object({ businessId: Type.Optional(Type.String()), number: Type.Number() }),
    async run({ number }) {
      begun.push(number)
      await held.promise
    },
  })
  const mail = defineJob({
    name: 'test.mail',
    on: 'control',
    payload: Type.Object({}),
    async run() {
      mailedAt = performance.now()
    },
  })
  const worker = startTestWorker(made.env, [long, mail])
  t.after(async () => {
    held.resolve()
    await worker.stop()
    await databases.close()
    await made.drop()
  })
  const all = Array.from({ length: 6 }, (_, number) => number)
  for (const number of all) {
    const of = number % 2 === 0 ? { businessId: `biz_${number}` } : {} // a move names none
    await transaction(control, (tx) => enqueue(tx, long, { ...of, number }))
  }
  await until('half of the places are taken', () => begun.length === 2)
  await sleep(1_500) // until none of their businesses has begun anything lately
  const since = performance.now()
  await transaction(control, (tx) => enqueue(tx, mail, {}))
  await until('the mail is sent', () => mailedAt !== undefined, { everyMs: 2 })
  assert.ok((mailedAt ?? Number.NaN) - since < 1_000)
  assert.equal(begun.length, 2)
  held.resolve()
  await until('the others have begun', () => begun.length === all.length)
  assert.deepEqual(
    begun.toSorted((a, b) => a - b),
    all,
  )
})
