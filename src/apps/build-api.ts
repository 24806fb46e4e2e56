import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createAuthenticator } from '#modules/accounts/index.ts'
import type { Config } from '#platform/config.ts'
import { eventRoutes } from '#platform/events/routes.ts'
import { createStreams, type StreamSettings } from '#platform/events/streams.ts'
import { healthRoutes } from '#platform/http/health.ts'
import { createServer, type Server } from '#platform/http/server.ts'
import {
  type Metrics,
  measureCells,
  measureOverload,
  measurePools,
  measureRedisCounts,
  measureRequests,
  measureStreams,
} from '#platform/observability/metrics.ts'
import { storageOrigins } from '#platform/storage/origins.ts'
import { fileRoutes, uploadRoutes } from '#platform/storage/routes.ts'
import { isLoopback } from '#vocabulary/origins.ts'
import { DASHBOARD_FOLDER, dashboardRoutes } from './dashboard.ts'
import { demoImages } from './demo/image-routes.ts'
import { EVENT_READERS, EVENTS } from './events.ts'
import { openParts, type Parts } from './parts.ts'
import { TAGS } from './tags.ts'
import { MODULES } from './wiring.ts'

/** A database that has not answered for so long may be hanging. */
const ANSWERING_MS = 200

export type Api = Awaited<ReturnType<typeof buildApi>>

export type ApiOptions = {
  log: Logger
  metrics: Metrics
  drainGraceMs?: number
  readerPatienceMs?: number
  /** How often databases are looked at. */
  lookEveryMs?: number
  streams?: StreamSettings
  trace?: ((app: FastifyInstance) => void) | undefined
  /** Called after every module, for more routes. */
  extend?: (app: Server) => void | Promise<void>
}

/** The API, put together: the parts that modules share, the server, then the routes of every module. */
export async function buildApi(config: Config, options: ApiOptions) {
  const { log, metrics, lookEveryMs, extend } = options
  if (!config.rateLimits && config.mode === 'production') {
    log.warn('RATE_LIMITS is off: anybody may send as many requests as they like. It is meant for load tests.')
  }
  const parts = await openParts(config, { log, metrics, lookEveryMs })
  const { databases, cells, listener, tokens, box, watch, presence } = parts
  const app = await openServer(parts, options)
  app.addHook('onClose', parts.close)
  measureRequests(app, metrics, cells)
  measureCells(metrics, watch)
  measurePools(metrics, Object.fromEntries([...cells].map(([name, cell]) => [name, cell.pool])))

  await app.register(uploadRoutes, { folder: parts.folder })
  await app.register(fileRoutes, { folder: parts.folder })
  await app.register(healthRoutes, { watch, presence, providers: config.providers })
  for (const wire of MODULES) await wire(app, parts)
  const streams = createStreams({ ...options.streams, app, readers: EVENT_READERS })
  measureStreams(metrics, streams.count)
  await app.register(eventRoutes, {
    prefix: '/v1/businesses/:businessId',
    events: EVENTS,
    readers: EVENT_READERS,
    streams,
  })
  if (config.dashboard) {
    const isDevelopment = config.mode === 'development'
    const hasDevLogin = isDevelopment && isLoopback(config.publicUrl)
    const origins = storageOrigins(config.media)
    await app.register(dashboardRoutes, { folder: DASHBOARD_FOLDER, isDevelopment, hasDevLogin, origins })
  }
  if (config.demoImages) await app.register(demoImages)
  await extend?.(app)

  return Object.assign(app, { services: { databases, listener, tokens, box, watch, presence } })
}

function openServer(parts: Parts, { log, trace, drainGraceMs = 1_000, readerPatienceMs = 10_000 }: ApiOptions) {
  const { config, metrics, control, cells, tokens, box, listener, directory, watch } = parts
  return createServer({
    log,
    publicUrl: config.publicUrl,
    tags: TAGS,
    trustProxy: config.trustProxy,
    limits: config.rateLimits ? config.limits : undefined,
    redisCounts: config.redis && { ...config.redis, meter: measureRedisCounts(metrics) },
    overload: config.loadShedding
      ? {
          connections: control.pool.options.max,
          isAnswering: (name) => (cells.get(name) ?? control).pool.hasAnswered(ANSWERING_MS),
          meter: measureOverload(metrics),
        }
      : undefined,
    compression: config.compression,
    trace,
    drainGraceMs,
    readerPatienceMs,
    guard: {
      ...directory,
      ...createAuthenticator({ control, tokens, box, listener }),
      cells,
      ownOrigin: new URL(config.publicUrl).origin,
      isBehind: (name) => watch.cells.get(name)?.state === 'behind',
    },
  })
}
