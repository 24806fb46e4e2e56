import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { forEachCell } from '../database/cell-map.ts'
import type { PatientPool } from '../database/connection.ts'
import type { FollowedReplicas } from '../database/replica.ts'
import type { Watch } from '../database/watch.ts'
import { businessIdOf, cellNameOf, recognised } from '../http/access.ts'
import type { OverloadMeter } from '../http/overload.ts'
import type { RedisCountsOptions } from '../http/redis-rate-limit.ts'
import type { Presence } from '../processes.ts'
import { openCounter, openGauge, openHistogram } from './define-metric.ts'
import { createHeavyHitters } from './heavy-hitters.ts'
import * as list from './metric-list.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** One registry a process, nothing global: tests run two nodes in one process. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry }) // event-loop lag, heap, garbage collection, CPU
  return { registry, extensionErrors: openCounter({ registry }, list.extensionErrors) }
}

const NO_CELL = 'none'

/** Labels by route template, never by URL: URLs are unbounded (cardinality). */
export function measureRequests(app: FastifyInstance, metrics: Metrics, cells: ReadonlyMap<string, unknown>): void {
  const byRoute = openHistogram(metrics, list.requestSeconds)
  const byCell = openHistogram(metrics, list.cellRequestSeconds)
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url = 'unknown' } = request.routeOptions
    const { statusCode: status, elapsedTime } = reply
    // How long a stream was open tells nothing about our speed.
    if (config.isStream && status < 300) return done()
    const seconds = elapsedTime / 1000
    byRoute.observe({ method: request.method, route: request.is404 ? 'unknown' : url, status }, seconds)
    const cell = cellNameOf(request) ?? ''
    byCell.observe({ cell: cells.has(cell) ? cell : NO_CELL, status: `${Math.floor(status / 100)}xx` }, seconds)
    done()
  })
}

const MINUTE_MS = 60_000
/** Names held for each measure; whoever has more than a thousandth of all is surely among them. */
const CAPACITY = 1_000
const OTHER = 'other'

/**
 * Which businesses keep the process busy: the first `top` of each full minute, and the sum of the others. A label for every
 * business would be a series each, for good, in every process.
 */
export function measureBusinesses(app: FastifyInstance, metrics: Metrics, top: number, everyMs = MINUTE_MS): void {
  const measures = {
    requests: { gauge: openGauge(metrics, list.businessRequests), found: createHeavyHitters(CAPACITY) },
    errors: { gauge: openGauge(metrics, list.businessErrors), found: createHeavyHitters(CAPACITY) },
    seconds: { gauge: openGauge(metrics, list.businessSeconds), found: createHeavyHitters(CAPACITY) },
  }
  app.addHook('onResponse', (request, reply, done) => {
    const id = businessIdOf(request)
    if (id === undefined || recognised(request).route.isStream) return done()
    measures.requests.found.add(id, 1)
    measures.seconds.found.add(id, reply.elapsedTime / 1000)
    if (reply.statusCode >= 500) measures.errors.found.add(id, 1)
    done()
  })
  const timer = setInterval(() => {
    for (const { gauge, found } of Object.values(measures)) {
      const { first, other } = found.take(top)
      gauge.reset()
      for (const [business, sum] of first) gauge.set({ business }, sum)
      gauge.set({ business: OTHER }, other)
    }
  }, everyMs)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

export function measureStreams(metrics: Metrics, count: () => number): void {
  openGauge(metrics, list.eventStreams, function () {
    this.set(count())
  })
}

/** Metrics of load shedding. */
export function measureOverload(metrics: Metrics): OverloadMeter {
  const refused = openCounter(metrics, list.refusedRequests)
  const overShare = openCounter(metrics, list.overShareRequests)
  return {
    overShare: () => overShare.inc(),
    refused: (route) => refused.inc({ route }),
    watch(state) {
      openGauge(metrics, list.gateRequests, function () {
        for (const [name, count] of Object.entries(state())) this.set({ state: name }, count)
      })
    },
  }
}

/** How long servers of others were waited for, and what came of it. */
export function measureCallouts(metrics: Metrics) {
  const seconds = openHistogram(metrics, list.calloutSeconds)
  const unanswered = openCounter(metrics, list.calloutsUnanswered)
  return {
    asked: (point: string, outcome: 'answered' | 'failed' | 'left_alone', took: number) =>
      seconds.observe({ point, outcome }, took),
    unanswered: (point: string, became: 'fallback' | 'refused') => unanswered.inc({ point, became }),
    watch(openBreakers: () => number) {
      openGauge(metrics, list.calloutBreakersOpen, function () {
        this.set(openBreakers())
      })
    },
  }
}

/** What became of deliveries, and how long the oldest one waits. */
export function measureWebhooks(metrics: Metrics) {
  const deliveries = openCounter(metrics, list.webhookDeliveries)
  const delays = new Map<string, () => number>()
  openGauge(metrics, list.webhookDelaySeconds, function () {
    for (const [cell, delaySeconds] of delays) this.set({ cell }, delaySeconds())
  })
  return {
    count: (outcome: 'delivered' | 'failed' | 'parked') => deliveries.inc({ outcome }),
    watch: (cell: string, delaySeconds: () => number) => void delays.set(cell, delaySeconds),
  }
}

/** Whether Redis is up, and whether it or the process counts requests. */
export function measureRedisCounts(metrics: Metrics): NonNullable<RedisCountsOptions['meter']> {
  const isUp = openGauge(metrics, list.redisUp)
  const counts = openCounter(metrics, list.limitCounts)
  return { up: (up) => isUp.set(up ? 1 : 0), counted: (where) => counts.inc({ where }) }
}

/** The last known state of each cell: a scrape queries no database. */
export function measureCells(metrics: Metrics, { cells }: Pick<Watch, 'cells'>): void {
  openGauge(metrics, list.cellUp, function () {
    this.reset()
    for (const [cell, { state }] of cells) this.set({ cell }, state === 'up' ? 1 : 0)
  })
}

/** The last nightly check of each cell, as the worker last read it. */
export function measureChecks(metrics: Metrics) {
  const finished = openGauge(metrics, list.checksFinished)
  const seconds = openGauge(metrics, list.checksSeconds)
  const businesses = openGauge(metrics, list.checksBusinesses)
  const broken = openGauge(metrics, list.checksBrokenRules)
  return (cell: string, state: { finishedAt: Date | null; seconds: number; businesses: number; broken: number }) => {
    finished.set({ cell }, (state.finishedAt?.getTime() ?? 0) / 1000)
    seconds.set({ cell }, state.seconds)
    businesses.set({ cell }, state.businesses)
    broken.set({ cell }, state.broken)
  }
}

/** Who is alive, as control knows it; no value while control does not answer. */
export function measurePresence(metrics: Metrics, presence: Pick<Presence, 'unknownCells' | 'alive'>): void {
  openGauge(metrics, list.cellsUnknown, function () {
    this.set(presence.unknownCells().length)
  })
  openGauge(metrics, list.processes, function () {
    this.reset()
    for (const [kind, count] of Object.entries(presence.alive() ?? {})) this.set({ kind }, count)
  })
}

export function measurePools(
  metrics: Metrics,
  cells: ReadonlyMap<string, { pool: PatientPool }>,
  replicas: Pick<FollowedReplicas, 'all'> = { all: () => new Map() },
): void {
  const waits = openHistogram(metrics, list.poolWaitSeconds)
  forEachCell(cells, (database, { pool }) => {
    const waited = waits.labels({ database })
    pool.onWaited = (seconds) => waited.observe(seconds)
  })
  openGauge(metrics, list.poolConnections, function () {
    this.reset()
    const ofReplicas = [...replicas.all()].map(([cell, { pool }]) => [`${cell}/replica`, { pool }] as const)
    for (const [database, { pool }] of [...cells, ...ofReplicas]) {
      this.set({ database, state: 'total' }, pool.totalCount)
      this.set({ database, state: 'idle' }, pool.idleCount)
      this.set({ database, state: 'waiting' }, pool.waitingCount)
    }
  })
}

/** Whether replicas are read, how far they are behind, and their pools. */
export function measureReplicas(metrics: Metrics, { all }: Pick<FollowedReplicas, 'all'>): void {
  openGauge(metrics, list.replicaUsed, function () {
    this.reset()
    for (const [cell, replica] of all()) this.set({ cell }, replica.seen().state === 'used' ? 1 : 0)
  })
  openGauge(metrics, list.replicaLagSeconds, function () {
    this.reset()
    for (const [cell, replica] of all()) {
      const { lagSeconds } = replica.seen()
      if (Number.isFinite(lagSeconds)) this.set({ cell }, lagSeconds)
    }
  })
}

export function measureReplicaReads(metrics: Metrics): (cell: string, isOfReplica: boolean) => void {
  const reads = openCounter(metrics, list.replicaReads)
  return (cell, isOfReplica) => reads.inc({ cell, answered: isOfReplica ? 'replica' : 'primary' })
}

/** `/metrics` and `/healthz` on a port of their own, so that the public one never shows them. */
export async function serveMetrics(
  metrics: Metrics,
  host: string,
  port: number,
  /** Details that are not for the public, at `/cells`. */
  describeCells?: () => object,
): Promise<{ port: number; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    if (request.url === '/healthz') return void response.end('ok\n')
    if (request.url === '/cells' && describeCells) {
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify(describeCells()))
    }
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    metrics.registry.metrics().then(
      (text) => response.setHeader('content-type', metrics.registry.contentType).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
