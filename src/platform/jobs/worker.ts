import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
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
  /** The cells whose queues it serves; all of them, unless some are named. */
  cells?: ReadonlyMap<string, Cell>
  /** Where loops of this process wait for something to do; its queues look for them. */
  rests?: Rests
  jobs: readonly AnyJob[]
  services: JobServices
  log: FastifyBaseLogger
  metrics: Metrics
  trace?: JobTracer | undefined
  /** Counts the jobs of each business. */
  usage?: Pick<Usage, 'note'> | undefined
  /** Jobs at once, for each database. */
  concurrency?: number
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
  const { databases, log, cells = databases.cells, rests = createRests(cells.values(), log) } = options
  const stopping = new AbortController()
  const open = new Map<string, Queue>()
  const leaving = new Set<Promise<void>>()
  const meter = measureJobs(options.metrics)

  /** Running jobs may take long: they finish in the background, while the database gets a new queue. */
  function leave(queue: Queue) {
    const left = queue.stop().finally(() => leaving.delete(left))
    leaving.add(left)
  }

  async function serve(name: string, targets: { control?: Control; cell: Cell }) {
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      const since = performance.now()
      try {
        const rest = rests.of(targets.cell)
        const abandon = () => options.abandon(name)
        const queue = await openQueue({ ...options, meter, name, ...targets, rest, abandon })
        open.set(name, queue)
        const reason = await Promise.race([queue.broken, aborted(stopping.signal)])
        if (stopping.signal.aborted) return await queue.stop()
        log.error({ err: reason, database: name, running: queue.running() }, 'this queue is broken; opening it anew')
        leave(queue)
      } catch (error) {
        log.error({ err: error, database: name }, 'cannot serve the queue of this database; trying again')
      } finally {
        open.delete(name)
      }
      if (performance.now() - since > STEADY_MS) failures = 0
      await sleep(Math.min(5_000, 200 * 2 ** failures), undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const hasCellJobs = options.jobs.some((job) => job.on === 'cell')
  const isControl = (cell: Cell) => cell.pool === databases.control.pool
  const queues = [...cells].filter(([, cell]) => isControl(cell) || hasCellJobs) // without any job, the runner would refuse to start
  measureQueues(
    options.metrics,
    queues.map(([name]) => name),
    open,
  )
  const served = queues.map(([name, cell]) =>
    serve(name, isControl(cell) ? { control: databases.control, cell } : { cell }),
  )
  return {
    async stop() {
      stopping.abort()
      await Promise.all(served)
      await Promise.all(leaving)
    },
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
