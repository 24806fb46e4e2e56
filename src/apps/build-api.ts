import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { listRolesOf } from '#modules/access/index.ts'
import { createAuthenticator, needFreshProof } from '#modules/accounts/index.ts'
import type { Config } from '#platform/config.ts'
import type { Databases } from '#platform/database/database.ts'
import type { MigrationSet } from '#platform/database/migrate.ts'
import { eventRoutes } from '#platform/events/routes.ts'
import { createStreams, type StreamSettings } from '#platform/events/streams.ts'
import { tagOf } from '#platform/extensions/routes.ts'
import { logRequests } from '#platform/http/access-log.ts'
import { healthRoutes } from '#platform/http/health.ts'
import type { Tag } from '#platform/http/openapi.ts'
import { createServer, type Server } from '#platform/http/server.ts'
import {
  type Metrics,
  measureBusinesses,
  measureCells,
  measureOverload,
  measurePools,
  measurePresence,
  measureRedisCounts,
  measureReplicas,
  measureRequests,
  measureStreams,
} from '#platform/observability/metrics.ts'
import { storageOrigins } from '#platform/storage/origins.ts'
import { downloadRoutes, fileRoutes, uploadRoutes } from '#platform/storage/routes.ts'
import { countRequests } from '#platform/usage/count-usage.ts'
import { isLoopback } from '#vocabulary/origins.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { DASHBOARD_FOLDER, dashboardRoutes } from './dashboard.ts'
import { demoImages } from './demo/image-routes.ts'
import { EVENT_READERS, EVENTS } from './events.ts'
import { openExtensions, wireExtensions } from './extensions.ts'
import { mcpRoutes } from './mcp/routes.ts'
import { openParts, type Parts } from './parts.ts'
import { TAGS } from './tags.ts'
import { canRead, createWhileAway } from './while-away.ts'
import { MODULES } from './wiring.ts'

/** A database that owes answers, and has given none for so long, may be hanging. */
const ANSWERING_MS = 200

export type Api = Awaited<ReturnType<typeof buildApi>>

export type ApiOptions = {
  log: Logger
  metrics: Metrics
  /** Told the databases before anything looks there by itself; what it throws keeps the service from starting. */
  beforeStart?: ((databases: Databases, extensions: readonly MigrationSet[]) => Promise<void>) | undefined
  drainGraceMs?: number
  readerPatienceMs?: number
  deadlineMs?: number | undefined
  /** How often databases are looked at. */
  lookEveryMs?: number
  /** How often the busiest businesses are told anew. */
  businessesEveryMs?: number
  streams?: StreamSettings
  trace?: ((app: FastifyInstance) => void) | undefined
  /** Called after every module, for more routes. */
  extend?: (app: Server) => void | Promise<void>
}

/** The API, put together: the parts that modules share, the server, then the routes of every module. */
export async function buildApi(config: Config, options: ApiOptions) {
  const { log, metrics, lookEveryMs, beforeStart, extend } = options
  if (!config.rateLimits && config.mode === 'production') {
    log.warn('RATE_LIMITS is off: anybody may send as many requests as they like. It is meant for load tests.')
  }
  const extensions = await openExtensions(config)
  const parts = await openParts(config, { log, metrics, extensions, lookEveryMs, beforeStart })
  const { databases, cells, listener, tokens, box, watch, replicas, presence } = parts
  const app = await openServer(parts, options, [...TAGS, ...extensions.map(tagOf)])
  app.addHook('onClose', parts.close)
  measureRequests(app, metrics, cells)
  if (config.businessMetrics > 0) measureBusinesses(app, metrics, config.businessMetrics, options.businessesEveryMs)
  if (config.accessLog) logRequests(app, log, config.accessLog)
  countRequests(app, parts.usage)
  measureCells(metrics, watch)
  measurePresence(metrics, presence)
  measurePools(metrics, cells, replicas)
  measureReplicas(metrics, replicas)

  await app.register(uploadRoutes, { folder: parts.folder })
  await app.register(fileRoutes, { folder: parts.folder })
  await app.register(downloadRoutes, { folder: parts.folder })
  const goesOn = () => parts.away.isWithin() && canRead(databases, (name) => watch.cells.get(name)?.state === 'up')
  await app.register(healthRoutes, { watch, presence, providers: config.providers, goesOn })
  for (const wire of MODULES) await wire(app, parts)
  const streams = createStreams({ ...options.streams, app, readers: EVENT_READERS })
  measureStreams(metrics, streams.count)
  await app.register(eventRoutes, {
    prefix: '/v1/businesses/:businessId',
    events: EVENTS,
    readers: EVENT_READERS,
    streams,
  })
  await wireExtensions(app, parts, extensions)
  await wireMcp(app, parts)
  if (config.dashboard) {
    const isDevelopment = config.mode === 'development'
    const hasDevLogin = isDevelopment && isLoopback(config.publicUrl)
    const origins = storageOrigins(config.media)
    await app.register(dashboardRoutes, { folder: DASHBOARD_FOLDER, isDevelopment, hasDevLogin, origins })
  }
  if (config.demoImages) await app.register(demoImages)
  await extend?.(app)

  return Object.assign(app, {
    services: { databases, listener, tokens, box, watch, replicas, presence, extensions, usage: parts.usage },
  })
}

const wireMcp = (app: Server, { config, control, directory }: Parts) =>
  app.register(mcpRoutes, {
    publicUrl: config.publicUrl,
    findBusiness: directory.findBusiness,
    permissionsOf: directory.permissionsOf,
    listPermissions: async (userId) =>
      (await listRolesOf(control, [userId])).flatMap((role) => role.permissions as Permission[]),
  })

function openServer(
  parts: Parts,
  { log, trace, drainGraceMs = 1_000, readerPatienceMs = 10_000, deadlineMs }: ApiOptions,
  tags: readonly Tag[],
) {
  const { config, metrics, control, cells, databases, tokens, box, listener, directory, watch, away, replicas } = parts
  const authenticator = createAuthenticator({ control, tokens, box, listener })
  return createServer({
    log,
    publicUrl: config.publicUrl,
    tags,
    trustProxy: config.trustProxy,
    limits: config.rateLimits ? config.limits : undefined,
    redisCounts: config.redis && { ...config.redis, meter: measureRedisCounts(metrics) },
    overload: config.loadShedding
      ? {
          connections: control.pool.options.max,
          isAnswering(name, reads) {
            const cell = cells.get(name)
            const read = (reads && cell?.replica) ?? cell ?? control
            return read.pool.isAnswering(ANSWERING_MS)
          },
          meter: measureOverload(metrics),
        }
      : undefined,
    compression: config.compression,
    trace,
    drainGraceMs,
    readerPatienceMs,
    deadlineMs,
    guard: {
      ...directory,
      ...authenticator,
      away: createWhileAway({ away, directory, authenticator, databases, replicas }),
      needFreshProof: (actor) => needFreshProof(control, actor),
      cells,
      ownOrigin: new URL(config.publicUrl).origin,
      isBehind: (name) => watch.cells.get(name)?.state === 'behind',
    },
  })
}
