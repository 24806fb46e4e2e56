import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { type CronItem, Logger, parseCronItems, type Runner, run, type Task, type WorkerEvents } from 'graphile-worker'
import { sql } from 'kysely'
import pg from 'pg'
import { type ControlDb, type Databases, type Db, handleOf, lend } from '../database/database.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { JobTracer } from '../observability/tracing.ts'
import { type AnyJob, checkPayload, DEFAULT_ATTEMPTS, type JobContext, type JobServices } from './define.ts'
import { openLifeline } from './lifeline.ts'
import { keepTakingBack, TAKE_BACK } from './recovery.ts'
import { revocable } from './revocable.ts'

type QueueOptions = {
  name: string
  /** Set where the control database and this cell are one. */
  control?: ControlDb
  cell: Db
  databases: Databases
  jobs: readonly AnyJob[]
  services: JobServices
  log: FastifyBaseLogger
  metrics: Metrics
  /** Makes a span of each job. */
  trace?: JobTracer | undefined
  concurrency?: number
  /** Called when the database can no longer see that this process lives, and a job of it cannot be stopped. */
  abandon: () => void
}

export type Queue = {
  /** Settles, with the reason, when this queue has to be left and opened anew. */
  broken: Promise<unknown>
  running(): number
  counts(): Promise<Record<string, number>>
  /** Takes no more jobs and waits for the running ones; whatever is still locked for this queue then is free again. */
  stop(): Promise<void>
}

const DEFAULT_CONCURRENCY = 4
const POLL_MS = 1_000
const CONNECT_TIMEOUT_MS = 3_000
const STATEMENT_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 2_000
/** Others take a job over 5 s after we can no longer be seen: until then it has to have ended here. */
const GIVE_UP_MS = 1_000

/** One queue of one database, worked off by this process until it is stopped or something is wrong with it. */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const { cell, control, log, metrics, concurrency = DEFAULT_CONCURRENCY } = options
  const { directUrl } = handleOf(cell).address
  const jobs = options.jobs.filter((job) => job.on === 'cell' || control)
  const life = await openLifeline(directUrl)
  const { pool, tearDown } = openQueuePool(directUrl, concurrency)

  const { promise: broken, resolve: breakDown } = Promise.withResolvers<unknown>()
  let running = 0
  let busy = 0
  let lost = false
  // What a job may use until it is given up.
  const lent = lend(options.databases)
  const services = revocable(options.services)
  let poolId = ''
  let announced: Promise<void> | undefined
  const events = new EventEmitter() as WorkerEvents
  events.on('pool:create', ({ workerPool }) => {
    poolId = workerPool.id
    announced = life.announce(poolId)
    announced.catch(() => {}) // told by `lost`, and to whoever waits for it before taking a job
  })
  events.on('job:start', () => {
    running++
  })
  // The answer that got lost may have been a job: nobody but us could know that it is locked for nothing.
  events.on('worker:getJob:error', ({ error }) => breakDown(error))
  void life.lost.then(() => {
    lost = true
    breakDown('lost the connection that shows this worker to be alive')
    // Its jobs will be given to another worker, so whatever they do here has to fail from now on.
    lent.end(GIVEN_UP)
    services.revoke(GIVEN_UP)
    if (busy > 0) setTimeout(() => busy > 0 && options.abandon(), GIVE_UP_MS)
    setTimeout(tearDown, CLOSE_TIMEOUT_MS).unref()
  })
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
      if (lost) throw new Error(GIVEN_UP) // it was on its way to us when the connection broke
      const { id, attempts, locked_at: lockedAt } = helpers.job
      const context: JobContext<never> = {
        db: (job.on === 'control' ? lent.control : lent.cells.get(options.name)) as never,
        control: lent.control,
        cells: lent.cells,
        services: services.value,
        log: log.child({ job: job.name, jobId: id }),
        attempt: attempts,
        signal: helpers.abortSignal ?? new AbortController().signal,
        // This worker may have it again since, so it has to be the same lock. (The attempts do not tell: enqueueing its key
        // anew changes them.)
        fence: async (tx) => {
          const { rows } = await sql`
            select 1 from graphile_worker._private_jobs
             where id = ${id} and locked_by = ${poolId} and date_trunc('milliseconds', locked_at) = ${lockedAt}
               for share`.execute(tx)
          if (rows.length === 0) throw new Error(`Job ${id} was given up for dead and belongs to another worker now`)
        },
      }
      const stopClock = metrics.jobSeconds.startTimer({ job: job.name })
      busy++
      try {
        const work = () => job.run(payload, context)
        const { businessId } = payload as { businessId?: string }
        const facts = {
          'kontor.job_id': id,
          'kontor.attempt': attempts,
          ...(businessId && { 'kontor.business_id': businessId }),
        }
        await (options.trace ? options.trace(job.name, facts, work) : work())
        if (lost) throw new Error(GIVEN_UP)
      } finally {
        busy--
        stopClock()
      }
    }

  let runner: Runner
  try {
    runner = await run({
      pgPool: pool,
      taskList: Object.fromEntries(jobs.map((job) => [job.name, taskFor(job)])),
      parsedCronItems: parseCronItems(jobs.flatMap(toCronItem)),
      concurrency,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      events,
      logger: quietLogger(log),
      preset: {
        plugins: [{ name: 'kontor', worker: { hooks: { startWorker: () => announced } } }], // no job before we can be seen
        // Without a batch, nobody hears that a job could not be marked as done. With one, the runner ends.
        worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
      },
    })
  } catch (error) {
    await close()
    throw error
  }
  const ended = runner.promise.then(
    () => breakDown('the queue’s runner has ended'),
    (error: unknown) => breakDown(error),
  )
  const recovery = keepTakingBack(life.query, () => poolId, log, metrics)

  /** A server that is gone without a word never confirms that a connection is closed. */
  async function close() {
    await Promise.race([Promise.allSettled([life.end(), pool.end()]), sleep(CLOSE_TIMEOUT_MS)])
  }

  return {
    broken,
    running: () => running,
    counts: () => countJobs(pool),
    async stop() {
      recovery.stop()
      await runner.stop().catch(() => {}) // ended by itself already
      await ended
      await life.query(TAKE_BACK, [poolId]).catch(() => {}) // then others will
      await close()
    },
  }
}

const GIVEN_UP = 'This job was given up: its database cannot see this worker any more, and gives it to another'

type Release = (error?: Error | boolean) => void
type ConnectCallback = (error: Error | undefined, client: pg.PoolClient | undefined, release?: Release) => void

/** Undefined where there is nothing to release: the runner asks. */
function once(release: Release | undefined): Release | undefined {
  if (!release) return undefined
  let released = false
  return (error) => {
    if (!released) release(error)
    released = true
  }
}

/** Its statements are short. One that is not has met a server in trouble, and must not hold up leaving it. */
function openQueuePool(directUrl: string, concurrency: number) {
  const pool = new pg.Pool({
    connectionString: directUrl,
    application_name: 'kontor worker',
    max: concurrency + 3,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
    keepAlive: true,
  })
  const clients = new Set<pg.PoolClient>()
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    clients.add(client)
    client.on('error', () => {})
  })
  pool.on('remove', (client) => clients.delete(client))
  // The runner hands its listening connection back twice when that breaks at the wrong moment; the second time is an
  // exception that nobody can catch.
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => unknown
  const connectOnce = (callback?: ConnectCallback) =>
    callback ? connect((error, client, release) => callback(error, client, once(release))) : connect()
  pool.connect = connectOnce as typeof pool.connect
  return {
    pool,
    /** Ends what waits for a server that is gone without a word. */
    tearDown: () => {
      for (const client of clients) void (client as pg.PoolClient & { end(): Promise<void> }).end().catch(() => {})
    },
  }
}

function toCronItem({ name, cron, maxAttempts = DEFAULT_ATTEMPTS }: AnyJob): CronItem[] {
  if (!cron) return []
  return [{ task: name, match: cron, options: { jobKey: name, jobKeyMode: 'preserve_run_at', maxAttempts } }]
}

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
