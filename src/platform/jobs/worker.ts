import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Gauge } from 'prom-client'
import type { Cell, Control, Databases } from '../database/database.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { JobTracer } from '../observability/tracing.ts'
import { withTimeout } from '../with-timeout.ts'
import type { AnyJob, JobServices } from './define.ts'
import { openQueue, type Queue } from './queue.ts'

export type WorkerOptions = {
  databases: Databases
  jobs: readonly AnyJob[]
  services: JobServices
  log: FastifyBaseLogger
  metrics: Metrics
  trace?: JobTracer | undefined
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
/** A scrape of the metrics does not wait for a silent database. */
const MAX_SCRAPE_MS = 800

/**
 * Serves the queues of the control database and of every cell. A queue that is down is reopened with backoff; the
 * others go on.
 */
export function startWorker(options: WorkerOptions): Worker {
  const { databases, log } = options
  const stopping = new AbortController()
  const open = new Map<string, Queue>()
  const leaving = new Set<Promise<void>>()
  measureQueues(options.metrics, open)

  /** Running jobs may take long: they finish in the background, while the database gets a new queue. */
  function leave(queue: Queue) {
    const left = queue.stop().finally(() => leaving.delete(left))
    leaving.add(left)
  }

  async function serve(name: string, targets: { control?: Control; cell: Cell }) {
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      const since = performance.now()
      try {
        const queue = await openQueue({ ...options, name, ...targets, abandon: () => options.abandon(name) })
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
  const served = [...databases.cells].flatMap(([name, cell]) => {
    if (cell.pool === databases.control.pool) return [serve(name, { control: databases.control, cell })]
    return hasCellJobs ? [serve(name, { cell })] : [] // without any job, the runner would refuse to start
  })
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

function measureQueues({ registry }: Metrics, open: ReadonlyMap<string, Queue>): void {
  new Gauge({
    name: 'kontor_queue_jobs',
    help: 'Jobs in a queue: ready, running, scheduled, and dead (out of attempts, waiting for a person).',
    labelNames: ['database', 'state'],
    registers: [registry],
    async collect() {
      this.reset() // no reply: no value
      await Promise.all(
        [...open].map(async ([database, queue]) => {
          const late = () => new Error('this queue does not answer')
          const counts = await withTimeout(MAX_SCRAPE_MS, queue.counts(), late).catch(() => ({}))
          for (const [state, count] of Object.entries(counts)) this.set({ database, state }, count)
        }),
      )
    },
  })
}
