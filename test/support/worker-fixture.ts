// A worker process with a job that takes its time and leaves a trace in the table `runs`, to be killed in the middle of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { loadConfig } from '#platform/config.ts'
import { openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openServices } from '#platform/services.ts'

/** `step` names the job in `runs`: each step is to be finished exactly once. */
export const slowJob = defineJob({
  name: 'test.slow',
  on: 'cell',
  payload: Type.Object({ step: Type.Integer(), ms: Type.Integer() }),
  maxAttempts: 1_000, // each kill costs one, and the oldest jobs are hit again and again
  async run({ step, ms }, { db, attempt, fence }) {
    await sql`
      insert into runs (step, attempt, pid, started_at)
      values (${step}, ${attempt}, ${process.pid}, clock_timestamp())`.execute(db)
    await sleep(ms)
    await transaction(db, async (tx) => {
      await fence(tx)
      await sql`
        update runs set finished_at = clock_timestamp()
         where step = ${step} and attempt = ${attempt} and pid = ${process.pid}`.execute(tx)
    })
  },
})

if (import.meta.main) {
  const config = loadConfig(process.env)
  const databases = openDatabases(config.databases, { max: 4 })
  const worker = startWorker({
    databases,
    jobs: [slowJob],
    services: openServices(config),
    log: createLog('warn'),
    metrics: createMetrics(),
    concurrency: 2,
    abandon: () => process.exit(1),
  })
  process.on('SIGTERM', () => void worker.stop().then(() => process.exit(0)))
  process.send?.('started')
}
