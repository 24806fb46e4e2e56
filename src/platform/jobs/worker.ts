import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { forEachCell } from '../database/cell-map.ts'
import type { Cell, Control, Databases } from '../database/database.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { JobTracer } from '../observability/tracing.ts'
import type { Usage } from '../usage/count-usage.ts'
import type { AnyJob, JobServices } from './define.ts'
import { measureJobs, measureQueues } from './measure.ts'
import { openQueue, type Queue } from './queue.ts'
import { createRests, type Rests } from './rest.ts'

export type WorkerOptions = {
  databases: Databases
  /** The cells whose queues it serves, as they come and go; all of them, unless some are named. */
  cells?: ReadonlyMap<string, Cell>
  /** The names of those that it is to serve, also while they cannot be served; for the metrics. */
  isToServe?: () => Iterable<string>
  /** Where loops of this process wait for something to do; its queues look for them. */
  rests?: Rests
  jobs: readonly AnyJob[]
  services: JobServices
  log: FastifyBaseLogger
  metrics: Metrics
  trace?: JobTracer | undefined
  /** Counts the jobs of each business. */
  usage?: Pick<Usage, 'note'> | undefined
  /** The cell in which a business lives now: jobs that come late in another one go there. */
  homeOf?: ((businessId: string) => Promise<string | undefined>) | undefined
  /** Jobs at once, for each database. */
  concurrency?: number
  /** Of them, those of one business, where an operator has said so. */
  mostOf?: ((businessId: string) => number | undefined) | undefined
  /**
   * Called when the heartbeat to a database is lost and a job of it does not end here, although it can reach neither a
   * database nor an outside service any more. Another worker will run it; only the end of this process stops it for
   * sure.
   */
  abandon: (database: string) => void
}

export type Worker = { stop(): Promise<void> }

/** A queue that worked for this long is reopened at once, without backoff. */
const STEADY_MS = 10_000

/**
 * Serves the queues of the control database and of every cell. A queue that is down is reopened with backoff; the
 * others go on.
 */
export function startWorker(options: WorkerOptions): Worker {
  const { databases, log, cells = databases.cells, rests = createRests(log) } = options
  const open = new Map<string, Queue>()
  const leaving = new Set<Promise<void>>()
  const meter = measureJobs(options.metrics)

  /** Running jobs may take long: they finish in the background, while the database gets a new queue. */
  function leave(queue: Queue) {
    const left = queue.stop().finally(() => leaving.delete(left))
    leaving.add(left)
  }

  async function serve(name: string, targets: { control?: Control; cell: Cell }, stopping: AbortSignal) {
    for (let failures = 0; !stopping.aborted; failures++) {
      const since = performance.now()
      let queue: Queue | undefined
      try {
        const rest = rests.of(targets.cell)
        const abandon = () => options.abandon(name)
        queue = await openQueue({ ...options, meter, name, ...targets, rest, abandon })
        open.set(name, queue)
        const reason = await Promise.race([queue.broken, aborted(stopping)])
        if (stopping.aborted) return await queue.stop()
        log.error({ err: reason, database: name, running: queue.running() }, 'this queue is broken; opening it anew')
        leave(queue)
      } catch (error) {
        log.error({ err: error, database: name }, 'cannot serve the queue of this database; trying again')
      } finally {
        if (open.get(name) === queue) open.delete(name) // it may be at another address by now
      }
      if (performance.now() - since > STEADY_MS) failures = 0
      await sleep(Math.min(5_000, 200 * 2 ** failures), undefined, { signal: stopping }).catch(() => {})
    }
  }

  const hasCellJobs = options.jobs.some((job) => job.on === 'cell')
  const isControl = (cell: Cell) => cell.pool === databases.control.pool
  const hasJobs = (cell: Cell) => isControl(cell) || hasCellJobs // without any job, the runner would refuse to start
  const { isToServe = () => [...cells].filter(([, cell]) => hasJobs(cell)).map(([name]) => name) } = options
  measureQueues(options.metrics, isToServe, open)
  const served = forEachCell(cells, (name, cell) => {
    if (!hasJobs(cell)) return undefined
    const stopping = new AbortController()
    const done = serve(name, isControl(cell) ? { control: databases.control, cell } : { cell }, stopping.signal)
    return {
      stop() {
        stopping.abort()
        return done
      },
    }
  })
  return {
    async stop() {
      await served.stop()
      await Promise.all(leaving)
    },
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
