import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { type KillReport, killWorkers, percentile, RUNS_TABLE } from '../../scenarios/kill-workers.ts'
import { cloneTemplate } from '../../support/database.ts'
import { until } from '../../support/until.ts'
import { forkWorker } from '../../support/worker-child.ts'
import { slowJob } from '../../support/worker-fixture.ts'

const RESTART_WITHIN_SECONDS = 10

function judge(t: TestContext, { restartSeconds, waitSeconds, ...report }: KillReport) {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(restartSeconds, share).toFixed(2))
  t.diagnostic(
    `${report.killedRuns} killed runs of ${report.jobs} jobs started again: p50 ${p50} s, p99 ${p99} s, max ${max} s`,
  )
  assert.deepEqual(report.lost, [], 'every job is done')
  assert.deepEqual(report.repeated, [], 'what is done is not done again')
  assert.deepEqual(report.overlapping, [], 'no job runs twice at once')
  const longest = percentile(waitSeconds, 1)
  assert.ok(longest <= RESTART_WITHIN_SECONDS, `a killed job waited ${longest} s while there was a worker`)
}

describe('when workers are killed in the middle of their jobs', { concurrency: true }, () => {
  test('the surviving ones take their jobs over within seconds', async (t) => {
    const report = await killWorkers({ kills: 8, workers: 3 })
    assert.ok(report.killedRuns >= 8)
    judge(t, report)
  })

  test('the next one takes them over within seconds, when there is no survivor', async (t) => {
    const report = await killWorkers({ kills: 2, workers: 1 })
    assert.ok(report.killedRuns >= 2)
    judge(t, report)
  })
})

async function setUp(t: TestContext) {
  const database = await cloneTemplate('full')
  const databases = openDatabases({ control: { url: database.url, directUrl: database.url }, cells: {} }, { max: 2 })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(RUNS_TABLE)
  const worker = await forkWorker({ DATABASE_URL: database.url })
  t.after(async () => {
    worker.kill('SIGKILL')
    await worker.exited
    await client.end()
    await databases.close()
    await database.drop()
  })
  const look = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows
  const heartbeat = async () =>
    (
      await look(
        "select pid from pg_stat_activity where application_name = 'kontor worker heartbeat' and datname = current_database()",
      )
    )[0]?.pid
  return {
    worker,
    look,
    heartbeat,
    cutHeartbeat: async () => look('select pg_terminate_backend($1)', [await heartbeat()]),
    give: (step: number, ms: number) =>
      transaction(databases.cells.get('main')!, (tx) => enqueue(tx, slowJob, { step, ms })), // oxlint-disable-line typescript/no-non-null-assertion
    run: async (step: number) => (await look('select * from runs where step = $1', [step]))[0],
  }
}

test('a worker that can no longer be seen ends at once if it has a job running', async (t) => {
  const { worker, give, run, cutHeartbeat } = await setUp(t)
  await give(1, 10_000)
  await until('the job runs', () => run(1))
  const before = performance.now()
  await cutHeartbeat()
  const { code } = await worker.exited

  assert.equal(code, 1)
  assert.ok(performance.now() - before < 3_000, 'before anybody else may take its job')
  assert.equal((await run(1)).finished_at, null)
})

test('a worker that can no longer be seen, and has nothing to do, connects again and goes on', async (t) => {
  const { worker, give, run, cutHeartbeat, heartbeat } = await setUp(t)
  const first = await until('it can be seen', heartbeat)
  await cutHeartbeat()
  await until('it can be seen again', async () => {
    const pid = await heartbeat()
    return pid !== undefined && pid !== first
  })
  await give(1, 10)
  await until('it has done a job', async () => (await run(1))?.finished_at)
  assert.equal((await run(1)).pid, worker.pid)
})
