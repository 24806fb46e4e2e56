import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { type CronItem, Logger, parseCronItems, type Runner, run, type Task, type WorkerEvents } from 'graphile-worker'
import { type Cell, type Control, type Databases, makeRevocable } from '../database/database.ts'
import { isAway, readMoveState } from '../moves/fence.ts'
import type { JobTracer } from '../observability/tracing.ts'
import type { Usage } from '../usage/count-usage.ts'
import { withTimeout } from '../with-timeout.ts'
import { type AnyJob, checkPayload, DEFAULT_ATTEMPTS, type JobContext, type JobServices } from './define.ts'
import {
  businessOf,
  countJobs,
  handOn,
  holdsLock,
  isJobReady,
  type JobCounts,
  type LateJob,
  openQueuePool,
  RECLAIM,
} from './graphile-internals.ts'
import { CELL_CHANNEL, openHeartbeat } from './heartbeat.ts'
import type { JobMeter } from './measure.ts'
import { reclaimDeadWorkersJobs } from './recovery.ts'
import type { Rest } from './rest.ts'
import { revocable } from './revocable.ts'
import { createShares } from './shares.ts'
import { createTurns } from './turns.ts'

type QueueOptions = {
  name: string
  /** Set where the control database and this cell are the same database. */
  control?: Control
  cell: Cell
  rest: Rest
  databases: Databases
  jobs: readonly AnyJob[]
  services: JobServices
  log: FastifyBaseLogger
  meter: JobMeter
  /** Counts the jobs of each business. */
  usage?: Pick<Usage, 'note'> | undefined
  /** Traces each job as a span. */
  trace?: JobTracer | undefined
  /** The cell in which a business lives now. */
  homeOf?: ((businessId: string) => Promise<string | undefined>) | undefined
  concurrency?: number
  /** How many jobs of a business may run at once here, where an operator has said so. */
  mostOf?: ((businessId: string) => number | undefined) | undefined
  /** Called when the heartbeat is lost and a job of this process cannot be stopped. */
  abandon: () => void
}

export type Queue = {
  /** Resolves with the reason when this queue has to be closed and opened anew. */
  broken: Promise<unknown>
  running(): number
  counts(): Promise<JobCounts>
  /** Takes no more jobs and waits for the running ones; then releases whatever is still locked for this queue. */
  stop(): Promise<void>
}

const DEFAULT_CONCURRENCY = 4
/** The runner is told of jobs; this is the net under it. */
const POLL_MS = 300_000
/** How often is looked for jobs whose time has come. */
const LOOK_MS = 1_000
const CLOSE_TIMEOUT_MS = 2_000
/** How long a job waits for its business to have moved. */
const MOVING_MS = 5_000
const MOVING_LOOK_MS = 200
/** Other workers take over a job 5 s after the heartbeat is lost: by then it must have ended here. */
const GIVE_UP_MS = 1_000

/** Runs the jobs of one database until it is stopped or its connection breaks. */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const { cell, control, rest, log, meter, concurrency = DEFAULT_CONCURRENCY } = options
  const { directUrl } = cell.address
  const jobs = options.jobs.filter((job) => job.on === 'cell' || control)
  const long = new Set(jobs.flatMap((job) => (job.isLong ? [job.name] : [])))
  const cellJobs = jobs.flatMap((job) => (job.on === 'cell' ? [job.name] : []))
  const { pool, runnerPool, hear, wake, tearDown } = openQueuePool(directUrl, concurrency)
  const shares = createShares(concurrency, options.mostOf)
  const turns = createTurns(shares, wake)
  const life = await openHeartbeat(directUrl, (message) => {
    if (message.channel === CELL_CHANNEL) rest.wake()
    else if (message.channel !== 'jobs:insert' || !turns.delays()) hear(message)
  })

  const { promise: broken, resolve: breakDown } = Promise.withResolvers<unknown>()
  let running = 0
  let busy = 0
  let lost = false
  // The databases that a job may use until it is given up.
  const granted = makeRevocable(options.databases)
  const own = granted.cells.get(options.name) // jobs that are under way when the cell goes still have it
  const services = revocable(options.services)
  let poolId = ''
  let announced: Promise<void> | undefined
  const events = new EventEmitter() as WorkerEvents
  events.on('pool:create', ({ workerPool }) => {
    poolId = workerPool.id
    announced = life.announce(poolId)
    announced.catch(() => {}) // reported by `lost`, and by the hook that awaits it before the first job
  })
  events.on('job:start', ({ job }) => {
    running++
    shares.began(businessOf(job.payload), long.has(job.task_identifier))
    turns.found()
  })
  events.on('worker:getJob:empty', () => turns.foundNone())
  events.on('worker:getJob:error', () => turns.foundNone())
  // The lost reply may have been a job: only this process could know that it is locked for nothing.
  events.on('worker:getJob:error', ({ error }) => breakDown(error))
  void life.lost.then(() => {
    lost = true
    breakDown('lost the connection that shows this worker to be alive')
    // Its jobs will be given to another worker, so their statements must fail from now on.
    granted.end(GIVEN_UP)
    services.revoke(GIVEN_UP)
    if (busy > 0) setTimeout(() => busy > 0 && options.abandon(), GIVE_UP_MS)
    setTimeout(tearDown, CLOSE_TIMEOUT_MS).unref()
  })
  events.on('job:complete', ({ job, error }) => {
    running--
    shares.ended(businessOf(job.payload), long.has(job.task_identifier))
    rest.look() // it may have made something to do
    meter.jobs.inc({ job: job.task_identifier, outcome: error ? 'failed' : 'done' })
  })
  events.on('job:failed', ({ job, error }) => {
    meter.jobs.inc({ job: job.task_identifier, outcome: 'dead' })
    log.error({ err: error, job: job.task_identifier, jobId: job.id }, 'job is out of attempts and waits for a person')
  })

  const taskFor =
    (job: AnyJob): Task =>
    async (payload, helpers) => {
      checkPayload(job, payload)
      if (lost) throw new Error(GIVEN_UP) // the job arrived while the connection broke
      const { id, attempts, locked_at: lockedAt } = helpers.job
      const lent = lend(job, helpers.abortSignal ?? new AbortController().signal)
      const context: JobContext<never> = {
        db: (job.on === 'control' ? lent.databases.control : lent.cell) as never,
        control: lent.databases.control,
        cells: lent.databases.cells,
        services: lent.services,
        log: log.child({ job: job.name, jobId: id }),
        attempt: attempts,
        signal: lent.signal,
        cellJobs,
        // This worker may have locked the job again since, so it has to be the same lock. (The attempts do not show
        // that: enqueueing its key again changes them.)
        fence: async (tx) => {
          if (await holdsLock(tx, { id, poolId, lockedAt })) return
          throw new Error(`Job ${id} was given up for dead and belongs to another worker now`)
        },
      }
      const stopClock = meter.seconds.startTimer({ job: job.name })
      busy++
      try {
        const work = () => lent.within(job.run(payload, context))
        const { businessId } = payload as { businessId?: string }
        if (businessId && job.on === 'cell' && (await handedOn(businessId, helpers.job))) return
        if (businessId && job.on === 'cell') options.usage?.note(options.name, businessId, 'jobs')
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

  /** What a run of the job may use, until its time limit is over. */
  function lend({ name, timeLimitSeconds }: AnyJob, stopping: AbortSignal) {
    const within = (work: Promise<void>) => work
    if (timeLimitSeconds === undefined)
      return { databases: granted, cell: own, services: services.value, signal: stopping, within }
    const ended = new AbortController()
    const databases = makeRevocable(granted)
    const outside = revocable(services.value)
    const giveUp = () => {
      const reason = `${name} took longer than its time limit of ${timeLimitSeconds} s`
      databases.end(reason)
      outside.revoke(reason)
      ended.abort()
      return new Error(reason)
    }
    return {
      databases,
      cell: databases.cells.get(options.name),
      services: outside.value,
      signal: AbortSignal.any([stopping, ended.signal]),
      within: (work: Promise<void>) => withTimeout(timeLimitSeconds * 1_000, work, giveUp),
    }
  }

  /**
   * A job for a business that has moved goes after it. While it is moving, the job waits. None of those that were moved along is
   * still in this queue.
   */
  async function handedOn(businessId: string, late: Omit<LateJob, 'from'>): Promise<boolean> {
    for (const until = performance.now() + MOVING_MS; own; await sleep(MOVING_LOOK_MS)) {
      const { state } = (await readMoveState(own, businessId)) ?? {}
      if (!isAway(state)) return false
      const home = await options.homeOf?.(businessId)
      if (home === undefined && state === 'MOVED') return false // it is gone: the job finds nothing
      const there = home === undefined || home === options.name ? undefined : granted.cells.get(home)
      if (there) {
        await handOn(there, businessId, { ...late, from: options.name })
        return true
      }
      if (performance.now() > until) throw new Error(`${businessId} is moving to another cell`)
    }
    return false
  }

  let runner: Runner
  try {
    runner = await run({
      pgPool: runnerPool,
      taskList: Object.fromEntries(jobs.map((job) => [job.name, taskFor(job)])),
      parsedCronItems: parseCronItems(jobs.flatMap(toCronItem)),
      concurrency,
      forbiddenFlags: () => turns.take(),
      pollInterval: POLL_MS,
      noHandleSignals: true,
      events,
      logger: quietLogger(log),
      preset: {
        // No job before the heartbeat lock is held.
        plugins: [{ name: 'kontor', worker: { hooks: { startWorker: () => announced } } }],
        // Without a batch, an error in marking a job as done is lost. With one, the runner ends.
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
  const isWanted = () => running < concurrency
  const onDue = () => {
    if (!turns.delays()) wake()
  }
  const unwatch = rest.watch({ everyMs: LOOK_MS, condition: isJobReady, isWanted, onDue, isLoop: false })
  const recovery = reclaimDeadWorkersJobs(life.query, poolId, rest, log, meter)

  /** A server that vanished never confirms that a connection is closed. */
  async function close() {
    await Promise.race([Promise.allSettled([life.end(), pool.end()]), sleep(CLOSE_TIMEOUT_MS)])
  }

  return {
    broken,
    running: () => running,
    counts: () => countJobs(cell.pool),
    async stop() {
      unwatch()
      turns.stop()
      recovery.stop()
      await runner.stop().catch(() => {}) // it has ended already
      await ended
      await life.query(RECLAIM, [poolId]).catch(() => {}) // then other workers will
      await close()
    },
  }
}

const GIVEN_UP = 'This job was given up: its database cannot see this worker any more, and gives it to another'

function toCronItem({ name, cron, maxAttempts = DEFAULT_ATTEMPTS }: AnyJob): CronItem[] {
  if (!cron) return []
  return [{ task: name, match: cron, options: { jobKey: name, jobKeyMode: 'preserve_run_at', maxAttempts } }]
}

/** graphile-worker's own messages are for debugging it; the important ones are logged above. */
const quietLogger = (log: FastifyBaseLogger) =>
  new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn(message)
    else log.debug(message)
  })
