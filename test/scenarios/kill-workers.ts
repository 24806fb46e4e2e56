import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { cloneTemplate } from '../support/database.ts'
import { until } from '../support/until.ts'
import { forkWorker, type WorkerChild } from '../support/worker-child.ts'
import { slowJob } from '../support/worker-fixture.ts'

const JOB_MS = 1_500
const PER_WORKER = 2

type Kill = {
  pid: number
  killedAt: Date
  /** When there was a worker again: at once where one survived. */
  servedAt: Date
  steps: { step: number; attempt: number }[]
}

export type KillReport = {
  jobs: number
  killedRuns: number
  /** Steps that were enqueued and never finished. */
  lost: number[]
  /** Steps that ran on, or again, after they had been finished. */
  repeated: number[]
  /** Steps of which two runs were under way at the same time. */
  overlapping: number[]
  /** From a kill to the next start of each job that was running then, sorted. */
  restartSeconds: number[]
  /** The same, without the time in which there was no worker at all. */
  waitSeconds: number[]
}

export const RUNS_TABLE = `
  create table runs (
    step integer not null, attempt integer not null, pid integer not null,
    started_at timestamptz not null, finished_at timestamptz
  )`

type Running = { step: number; attempt: number; finished: boolean; age: number; now: Date }

const RUNNING = `
  select step, attempt, finished_at is not null as finished, clock_timestamp() as now,
         extract(epoch from clock_timestamp() - started_at)::float8 * 1000 as age
    from runs join graphile_worker._private_jobs on (payload ->> 'step')::int = step
   where pid = $1`

/**
 * Kills worker processes in the middle of their jobs, again and again, starts a new one for each at once, and tells what became
 * of the jobs. With one worker there is no survivor, and the new one has to find out by itself what the dead one left behind.
 */
export async function killWorkers(options: {
  kills: number
  workers: number
  note?: (text: string) => void
}): Promise<KillReport> {
  const { kills, workers: size, note = () => {} } = options
  const database = await cloneTemplate('full')
  const databases = openDatabases({ control: { url: database.url, directUrl: database.url }, cells: {} }, { max: 2 })
  const cell = databases.cells.get('main')! // oxlint-disable-line typescript/no-non-null-assertion
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(RUNS_TABLE)
  const env = { DATABASE_URL: database.url }
  const workers: WorkerChild[] = []
  let jobs = 0

  const left = async () =>
    (await client.query('select count(*)::int as jobs from graphile_worker._private_jobs')).rows[0].jobs
  const refill = async () => {
    const { rows } = await client.query(
      'select count(*)::int as jobs from graphile_worker._private_jobs where locked_at is null',
    )
    for (let missing = size * PER_WORKER - rows[0].jobs; missing > 0; missing--) {
      const step = ++jobs
      await transaction(cell, (tx) => enqueue(tx, slowJob, { step, ms: JOB_MS }))
    }
  }

  /**
   * Waits until this worker has its hands full, all of it well begun and far from done, and what it has done before is marked
   * as done: then a kill is in the middle of each job, and of nothing else. (One killed between its end and that mark runs
   * again, as jobs may.)
   */
  const midJob = (worker: WorkerChild) =>
    until(
      'a worker is in the middle of its jobs',
      async () => {
        await refill()
        const { rows } = await client.query<Running>(RUNNING, [worker.pid])
        const inTheMiddle = rows.every(({ age, finished }) => !finished && age > 50 && age < JOB_MS - 400)
        return rows.length === PER_WORKER && inTheMiddle && rows
      },
      { withinMs: 60_000 },
    ) as Promise<Running[]>

  const haveStartedAgain = async (steps: { step: number; attempt: number }[]) => {
    const { rows } = await client.query('select step, max(attempt) as attempt from runs group by step')
    return steps.every(({ step, attempt }) => rows.some((run) => run.step === step && run.attempt > attempt))
  }

  const killed: Kill[] = []
  try {
    for (let i = 0; i < size; i++) workers.push(await forkWorker(env))
    for (let turn = 0; turn < kills; turn++) {
      const place = turn % size
      const victim = workers[place]! // oxlint-disable-line typescript/no-non-null-assertion
      const steps = await midJob(victim)
      victim.kill('SIGKILL')
      await victim.exited
      workers[place] = await forkWorker(env)
      const killedAt = steps[0]?.now ?? new Date()
      const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
      killed.push({ pid: victim.pid, killedAt, servedAt: size > 1 ? killedAt : (rows[0]?.now ?? killedAt), steps })
      note(`kill ${turn + 1} of ${kills}: ${steps.length} jobs were running`)
      // What is killed faster than it can work shows nothing but a queue that grows.
      if (size > 1) await sleep(2 * JOB_MS)
      else await until('the killed jobs have started again', () => haveStartedAgain(steps), { withinMs: 60_000 })
    }
    await until('every job is done', async () => (await left()) === 0, { withinMs: 30_000, everyMs: 100 }).catch(
      () => {},
    )
    await sleep(PER_WORKER * 100) // what should not run any more would have its start noted by now
    const { rows } = await client.query<Run>('select * from runs order by started_at')
    return judge(jobs, killed, rows)
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
    await client.end()
    await databases.close()
    await database.drop()
  }
}

type Run = { step: number; attempt: number; pid: number; started_at: Date; finished_at: Date | null }

function judge(jobs: number, killed: Kill[], runs: Run[]): KillReport {
  const byStep = Map.groupBy(runs, ({ step }) => step)
  const steps = Array.from({ length: jobs }, (_, index) => index + 1)
  const deathOf = ({ step, attempt, pid }: Run) =>
    killed.find((kill) => kill.pid === pid && kill.steps.some((dead) => dead.step === step && dead.attempt === attempt))
  const endOf = (run: Run) => run.finished_at ?? deathOf(run)?.killedAt ?? new Date(8.64e15)

  const secondsUntilNext = (since: (kill: Kill) => Date) =>
    killed
      .flatMap((kill) =>
        kill.steps.map(({ step, attempt }) => {
          const next = byStep.get(step)?.find((run) => run.attempt > attempt)
          return next ? (next.started_at.getTime() - since(kill).getTime()) / 1000 : Number.POSITIVE_INFINITY
        }),
      )
      .sort((a, b) => a - b)

  return {
    jobs,
    killedRuns: killed.flatMap((kill) => kill.steps).length,
    lost: steps.filter((step) => !byStep.get(step)?.some((run) => run.finished_at)),
    repeated: steps.filter((step) => {
      const mine = byStep.get(step) ?? []
      const done = mine.find((run) => run.finished_at)?.finished_at
      return mine.filter((run) => run.finished_at).length > 1 || mine.some((run) => done && run.started_at > done)
    }),
    overlapping: steps.filter((step) => {
      const mine = byStep.get(step) ?? []
      return mine.some((run, index) => mine.slice(index + 1).some((later) => later.started_at < endOf(run)))
    }),
    restartSeconds: secondsUntilNext(({ killedAt }) => killedAt),
    waitSeconds: secondsUntilNext(({ servedAt }) => servedAt),
  }
}

/** The smallest value that `share` of the sorted values do not exceed. */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
