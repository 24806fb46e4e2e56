import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { loadConfig } from '#platform/config.ts'
import type { StreamSettings } from '#platform/events/streams.ts'
import type { Server } from '#platform/http/server.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { buildApi } from '../../src/apps/build-api.ts'
import { checkEventData } from './check-events.ts'
import { cloneTemplate, poolSize } from './database.ts'

export type StartOptions = {
  publicUrl?: string
  /** For pages, which want the address that the service knows as its own. Otherwise any that is free. */
  port?: number
  env?: Record<string, string>
  /** Databases made by somebody else: for a second node on the same data. */
  databases?: TestDatabases
  /** Log lines, one string each, are pushed here. */
  lines?: string[]
  /** Routes of the test's own, to make happen what no real route does. */
  routes?: (app: Server) => void | Promise<void>
  drainGraceMs?: number
  readerPatienceMs?: number
  /** How long a request may take. */
  deadlineMs?: number
  /** How often databases are looked at. */
  lookEveryMs?: number
  /** How long a minute of the busiest businesses is. */
  businessesEveryMs?: number
  streams?: StreamSettings
}

export type TestDatabases = Awaited<ReturnType<typeof createTestDatabases>>

/** Control with the cell `main`, and a second cell: two databases, so that nothing can rely on there being one. */
export async function createTestDatabases() {
  const [main, second] = await Promise.all([cloneTemplate('full'), cloneTemplate('cell')])
  return {
    main,
    second,
    env: { DATABASE_URL: main.url, CELLS: JSON.stringify({ second: { url: second.url } }) },
    drop: async () => {
      await Promise.all([main.drop(), second.drop()])
    },
  }
}

export type TestApi = Awaited<ReturnType<typeof startApi>>

/** The real API on a real port, on databases of its own. */
export async function startApi(options: StartOptions = {}) {
  checkEventData()
  const databases = options.databases ?? (await createTestDatabases())
  const config = loadConfig({
    NODE_ENV: 'test',
    RATE_LIMITS: 'off',
    LOAD_SHEDDING: 'off', // a slow machine must not fail tests about something else
    PORT: '0',
    ...poolSize,
    PUBLIC_URL: options.publicUrl ?? 'http://localhost:3000',
    ...databases.env,
    ...options.env,
  })
  const lines = options.lines
  const log = pino({ level: lines ? 'debug' : 'silent' }, { write: (line: string) => void lines?.push(line) })
  const { routes: extend, drainGraceMs = 0, readerPatienceMs, lookEveryMs, businessesEveryMs, streams } = options
  const { deadlineMs } = options
  const metrics = createMetrics()
  const app = await buildApi(config, {
    log,
    metrics,
    drainGraceMs,
    deadlineMs,
    ...(readerPatienceMs === undefined ? {} : { readerPatienceMs }),
    ...(lookEveryMs === undefined ? {} : { lookEveryMs }),
    ...(businessesEveryMs === undefined ? {} : { businessesEveryMs }),
    ...(streams ? { streams } : {}),
    ...(extend ? { extend } : {}),
  })
  try {
    await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  } catch (error) {
    await app.close()
    if (!options.databases) await databases.drop()
    throw error
  }
  const { port } = app.server.address() as AddressInfo
  return {
    app,
    config,
    databases,
    metrics,
    url: `http://127.0.0.1:${port}`,
    services: app.services,
    async close() {
      await app.close()
      if (!options.databases) await databases.drop()
    },
  }
}
