import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { loadConfig } from '#platform/config.ts'
import { type Db, openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue, enqueueAll } from '#platform/jobs/define.ts'
import { createTestDatabases } from '../support/start-api.ts'
import { startTestWorker, type WorkerOptions } from '../support/start-worker.ts'
import { until } from '../support/until.ts'

const AT_ONCE = 10_000

/** A queue of its own with one kind of job, which takes `takesMs` and records the business it runs for. */
export async function openQueue(takesMs: number, options: WorkerOptions = {}) {
  const made = await createTestDatabases()
  const databases = openDatabases(loadConfig({ NODE_ENV: 'test', ...made.env }).databases, { max: 4 })
  const began: { businessId: string; at: number }[] = []
  const counts = new Map<string, number>()
  const running = new Map<string, number>()
  const most = new Map<string, number>()
  const job = defineJob({
    name: 'test.work',
    on: 'cell',
    payload: Type.Object({ businessId: Type.String(), number: Type.Number() }),
    async run({ businessId }) {
      began.push({ businessId, at: performance.now() })
      counts.set(businessId, (counts.get(businessId) ?? 0) + 1)
      const now = (running.get(businessId) ?? 0) + 1
      running.set(businessId, now)
      most.set(businessId, Math.max(now, most.get(businessId) ?? 0))
      await sleep(takesMs)
      running.set(businessId, (running.get(businessId) ?? 1) - 1)
    },
  })
  const main = databases.cells.get('main') as Db
  const workers: ReturnType<typeof startTestWorker>[] = []
  return {
    began,
    /** Jobs of a business that ran at the same time, at most. */
    most,
    start: () => void workers.push(startTestWorker(made.env, [job], options)),
    add: (businessId: string) => transaction(main, (tx) => enqueue(tx, job, { businessId, number: 0 })),
    async addMany(businessId: string, count: number): Promise<void> {
      for (let from = 0; from < count; from += AT_ONCE) {
        const length = Math.min(AT_ONCE, count - from)
        const payloads = Array.from({ length }, (_, index) => ({ businessId, number: from + index }))
        await transaction(main, (tx) => enqueueAll(tx, [job], payloads))
      }
    },
    countOf: (businessId: string) => counts.get(businessId) ?? 0,
    async close(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.stop()))
      await databases.close()
      await made.drop()
    },
  }
}

type Size = { noisyJobs: number; jobMs: number; quietJobs: number; pauseMs: number }

/** Adds jobs of other businesses, one at a time, while a worker is busy with thousands of one business. */
export async function floodJobs({ noisyJobs, jobMs, quietJobs, pauseMs }: Size) {
  const { start, add, addMany, began, most, countOf, close } = await openQueue(jobMs)
  try {
    await addMany('noisy', noisyJobs)
    start()
    await until('the worker is busy', () => countOf('noisy') > 20)
    const waitsMs: number[] = []
    const [since, before] = [performance.now(), countOf('noisy')]
    for (let turn = 0; turn < quietJobs; turn++) {
      const quiet = `quiet${turn >> 1}` // two jobs of each
      const asked = performance.now()
      await add(quiet)
      await until('the job has begun', () => countOf(quiet) > turn % 2, { everyMs: 2, withinMs: 60_000 })
      waitsMs.push((began.findLast(({ businessId }) => businessId === quiet)?.at ?? Number.NaN) - asked)
      await sleep(pauseMs)
    }
    const noisyPerSecond = (countOf('noisy') - before) / ((performance.now() - since) / 1_000)
    const now = countOf('noisy')
    await until('the others go on', () => countOf('noisy') > now + 20)
    return { waitsMs, noisyPerSecond, mostOfNoisy: most.get('noisy') ?? 0 }
  } finally {
    await close()
  }
}
