import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Gauge } from 'prom-client'
import type { ControlDb, Databases, Db } from '../database/database.ts'
import { handleOf } from '../database/database.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { JobTracer } from '../observability/tracing.ts'
import { within } from '../within.ts'
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
   * Called when a database can no longer see that this process lives, and a job of it goes on here that can neither reach a database
   * nor anybody outside, but does not end. It will be given to another worker; only the end of this process ends it for sure.
   */
  abandon: (database: string) => void
}

export type Worker = { stop(): Promise<void> }

/** A queue that was served for so long has earned to be opened again at once. */
const STEADY_MS = 10_000
/** Whoever asks for metrics does not wait for a database that is silent. */
const MAX_SCRAPE_MS = 800

/** Serves the queues of the control database and of every cell. One that is down is tried again; the others go on. */
export function startWorker(options: WorkerOptions): Worker {
  const { databases, log } = options
  const stopping = new AbortController()
  const open = new Map<string, Queue>()
  const leaving = new Set<Promise<void>>()
  measureQueues(options.metrics, open)

  /** Its running jobs may take long: they finish on the side, while the database is served anew. */
  function leave(queue: Queue) {
    const left = queue.stop().finally(() => leaving.delete(left))
    leaving.add(left)
  }

  async function serve(name: string, targets: { control?: ControlDb; cell: Db }) {
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

  const served = [...databases.cells].map(([name, cell]) => {
    const shared = handleOf(cell).pool === handleOf(databases.control).pool
    return serve(name, shared ? { control: databases.control, cell } : { cell })
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
      this.reset() // what cannot be asked is not known
      await Promise.all(
        [...open].map(async ([database, queue]) => {
          const late = () => new Error('this queue does not answer')
          const counts = await within(MAX_SCRAPE_MS, queue.counts(), late).catch(() => ({}))
          for (const [state, count] of Object.entries(counts)) this.set({ database, state }, count)
        }),
      )
    },
  })
}
