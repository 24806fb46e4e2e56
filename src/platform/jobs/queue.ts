import { EventEmitter } from 'node:events'
import type { FastifyBaseLogger } from 'fastify'
import { Logger, type Runner, run, type Task, type WorkerEvents } from 'graphile-worker'
import { sql } from 'kysely'
import pg from 'pg'
import { type ControlDb, type Databases, type Db, handleOf } from '../database/database.ts'
import type { Metrics } from '../observability/metrics.ts'
import { type AnyJob, checkPayload, DEFAULT_ATTEMPTS, type JobContext } from './define.ts'
import { keepTakingBack } from './recovery.ts'

type QueueOptions = {
  name: string
  /** Set where the control database and this cell are one. */
  control?: ControlDb
  cell: Db
  databases: Databases
  jobs: readonly AnyJob[]
  log: FastifyBaseLogger
  metrics: Metrics
  concurrency?: number
}

export type Queue = {
  /** Settles when the database can no longer see that this process lives. */
  lost: Promise<void>
  running(): number
  counts(): Promise<Record<string, number>>
  stop(): Promise<void>
}

const DEFAULT_CONCURRENCY = 4
const POLL_MS = 1_000

/** One queue of one database, worked off by this process until it is stopped or the connection is lost. */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const { cell, control, log, metrics, concurrency = DEFAULT_CONCURRENCY } = options
  const { directUrl } = handleOf(cell).address
  const jobs = options.jobs.filter((job) => job.on === 'cell' || control)
  const life = await openLifeline(directUrl)
  const pool = new pg.Pool({ connectionString: directUrl, application_name: 'kontor worker', max: concurrency + 3 })
  pool.on('error', () => {})

  let running = 0
  let poolId = ''
  const events = new EventEmitter() as WorkerEvents
  events.on('pool:create', ({ workerPool }) => {
    poolId = workerPool.id
    life.announce(poolId)
  })
  events.on('job:start', () => void running++)
  events.on('job:complete', ({ job, error }) => {
    running--
    metrics.jobs.inc({ job: job.task_identifier, outcome: error ? 'failed' : 'done' })
  })
  events.on('job:failed', ({ job, error }) => {
    metrics.jobs.inc({ job: job.task_identifier, outcome: 'dead' })
    log.error({ err: error, job: job.task_identifier, jobId: job.id }, 'job is out of attempts and waits for a person')
  })

  const taskFor =
    (job: AnyJob): Task =>
    async (payload, helpers) => {
      checkPayload(job, payload)
      const { id, attempts } = helpers.job
      const context: JobContext<never> = {
        db: (job.on === 'control' ? control : cell) as never,
        control: options.databases.control,
        cells: options.databases.cells,
        log: log.child({ job: job.name, jobId: id }),
        attempt: attempts,
        signal: helpers.abortSignal ?? new AbortController().signal,
        fence: async (tx) => {
          const { rows } = await sql`
            select 1 from graphile_worker._private_jobs where id = ${id} and locked_by = ${poolId} for share`.execute(
            tx,
          )
          if (rows.length === 0) throw new Error(`Job ${id} was given up for dead and belongs to another worker now`)
        },
      }
      const stopClock = metrics.jobSeconds.startTimer({ job: job.name })
      try {
        await job.run(payload, context)
      } finally {
        stopClock()
      }
    }

  let runner: Runner
  try {
    runner = await run({
      pgPool: pool,
      taskList: Object.fromEntries(jobs.map((job) => [job.name, taskFor(job)])),
      crontab: jobs
        .filter((job) => job.cron)
        .map(cronLine)
        .join('\n'),
      concurrency,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      noPreparedStatements: true,
      events,
      logger: quietLogger(log),
    })
  } catch (error) {
    await Promise.allSettled([life.end(), pool.end()])
    throw error
  }
  runner.promise.catch(() => {}) // what it would tell is told by `lost`
  const recovery = keepTakingBack(life.client, () => poolId, log, metrics)

  return {
    lost: life.lost,
    running: () => running,
    counts: () => countJobs(pool),
    async stop() {
      recovery.stop()
      await runner.stop().catch(() => {})
      await life.retire(poolId)
      await Promise.allSettled([life.end(), pool.end()])
    },
  }
}

const cronLine = ({ name, cron, maxAttempts = DEFAULT_ATTEMPTS }: AnyJob) =>
  `${cron} ${name} ?jobKey=${name}&jobKeyMode=preserve_run_at&max=${maxAttempts}`

/** The queue's own messages are for debugging it; what matters is logged above. */
const quietLogger = (log: FastifyBaseLogger) =>
  new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn(message)
    else log.debug(message)
  })

async function countJobs(pool: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query(`
    select count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now())::int as ready,
           count(*) filter (where locked_at is not null)::int as running,
           count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now())::int as scheduled,
           count(*) filter (where locked_at is null and attempts >= max_attempts)::int as dead
      from graphile_worker._private_jobs`)
  return rows[0]
}

const PING_MS = 1_000
const TIMEOUT_MS = 3_000

/**
 * The connection by which a database sees that this process lives: it holds an advisory lock for it, and PostgreSQL lets go of
 * that lock the moment the connection is gone. The pings find out the same from this side.
 */
async function openLifeline(directUrl: string) {
  const client = new pg.Client({
    connectionString: directUrl,
    application_name: 'kontor worker lifeline',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
  })
  let ended = false
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
  client.on('error', () => lose())
  client.on('end', () => lose())
  await client.connect()
  // A machine that vanishes sends no goodbye: the server has to notice within seconds, too.
  await client.query('set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3')
  const pings = setInterval(() => {
    client.query('select 1').catch(() => lose())
  }, PING_MS)
  return {
    client,
    lost,
    announce(poolId: string) {
      Promise.all([
        client.query("select pg_advisory_lock(hashtextextended('kontor.worker:' || $1, 0))", [poolId]),
        client.query('insert into cell.workers (pool_id) values ($1)', [poolId]),
      ]).catch(() => lose())
    },
    retire: (poolId: string) => client.query('delete from cell.workers where pool_id = $1', [poolId]).catch(() => {}),
    async end() {
      if (ended) return
      ended = true
      clearInterval(pings)
      await client.end()
    },
  }
}
