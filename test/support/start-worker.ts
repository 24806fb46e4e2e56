import pino from 'pino'
import { loadConfig } from '#platform/config.ts'
import { openDatabases } from '#platform/database/database.ts'
import type { AnyJob } from '#platform/jobs/define.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openServices } from '#platform/services.ts'

export type WorkerOptions = {
  concurrency?: number
  mostOf?: (businessId: string) => number | undefined
  /** Log lines, one string each, are pushed here. */
  lines?: string[]
}
export type TestWorker = ReturnType<typeof startTestWorker>

/** The real worker in this process, with jobs of the test's own. */
export function startTestWorker(env: Record<string, string>, jobs: readonly AnyJob[], options: WorkerOptions = {}) {
  const config = loadConfig({ NODE_ENV: 'test', ...env })
  const databases = openDatabases(config.databases, { max: 4 })
  const services = openServices(config)
  const metrics = createMetrics()
  const { lines } = options
  const log = pino({ level: lines ? 'debug' : 'silent' }, { write: (line: string) => void lines?.push(line) })
  const abandoned: string[] = []
  const worker = startWorker({
    databases,
    jobs,
    services,
    log,
    metrics,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    mostOf: options.mostOf,
    abandon: (database) => void abandoned.push(database),
  })
  let stopping: Promise<void> | undefined
  return {
    metrics,
    /** The databases of which it wanted to end this process. */
    abandoned,
    stop: () => {
      stopping ??= worker.stop().then(() => {
        services.mail?.close()
        return databases.close()
      })
      return stopping
    },
  }
}
