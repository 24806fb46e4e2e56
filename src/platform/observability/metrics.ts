import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Watch } from '../database/watch.ts'
import { cellNameOf } from '../http/access.ts'
import type { OverloadMeter } from '../http/overload.ts'
import type { RedisCountsOptions } from '../http/redis-rate-limit.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** One registry a process, nothing global: tests run two nodes in one process. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry }) // event-loop lag, heap, garbage collection, CPU
  return {
    registry,
    requests: new Histogram({
      name: 'kontor_http_request_seconds',
      help: 'Requests by method, route template, status, and the cell of the business that they are for.',
      labelNames: ['method', 'route', 'status', 'cell'],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    jobs: new Counter({
      name: 'kontor_jobs_total',
      help: 'Jobs run, by name and outcome.',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'kontor_job_seconds',
      help: 'How long jobs run.',
      labelNames: ['job'],
      buckets: [0.01, 0.1, 1, 10, 60, 600],
      registers,
    }),
    refused: new Counter({
      name: 'kontor_http_refused_total',
      help: 'Requests refused because there was more to do than could be done, by route template.',
      labelNames: ['route'],
      registers,
    }),
    recovered: new Counter({
      name: 'kontor_jobs_recovered_total',
      help: 'Jobs reclaimed from workers that died.',
      registers,
    }),
  }
}

/** Labels by route template, never by URL: URLs are unbounded (cardinality). */
export function measureRequests(app: FastifyInstance, metrics: Metrics, cells: ReadonlyMap<string, unknown>): void {
  app.addHook('onResponse', (request, reply, done) => {
    // How long a stream was open tells nothing about our speed.
    if (request.routeOptions.config.isStream && reply.statusCode < 300) return done()
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown')
    const cell = cellNameOf(request) ?? ''
    const labels = { method: request.method, route, status: reply.statusCode, cell: cells.has(cell) ? cell : 'none' }
    metrics.requests.observe(labels, reply.elapsedTime / 1000)
    done()
  })
}

export function measureStreams({ registry }: Metrics, count: () => number): void {
  new Gauge({
    name: 'kontor_event_streams',
    help: 'Streams of events that are open in this process.',
    registers: [registry],
    collect() {
      this.set(count())
    },
  })
}

/** Metrics of load shedding. */
export const measureOverload = ({ registry, refused }: Metrics): OverloadMeter => ({
  refused: (route) => refused.inc({ route }),
  watch(state) {
    new Gauge({
      name: 'kontor_http_gate_requests',
      help: 'Requests being worked on, waiting to be, and how many may be worked on at once.',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        for (const [name, count] of Object.entries(state())) this.set({ state: name }, count)
      },
    })
  },
})

/** Whether Redis is up, and whether it or the process counts requests. */
export function measureRedisCounts({ registry }: Metrics): NonNullable<RedisCountsOptions['meter']> {
  const registers = [registry]
  const isUp = new Gauge({ name: 'kontor_redis_up', help: '1 while Redis answers.', registers })
  const counts = new Counter({
    name: 'kontor_limit_counts_total',
    help: 'Requests counted for the limit of an address: in redis, or here, in this process alone.',
    labelNames: ['where'],
    registers,
  })
  return { up: (up) => isUp.set(up ? 1 : 0), counted: (where) => counts.inc({ where }) }
}

/** The last known state of each cell: a scrape queries no database. */
export function measureCells({ registry }: Metrics, { cells }: Pick<Watch, 'cells'>): void {
  new Gauge({
    name: 'kontor_cell_up',
    help: '1 while a cell is well; 0 while it is down, silent, read-only or behind in migrations.',
    labelNames: ['cell'],
    registers: [registry],
    collect() {
      for (const [cell, { state }] of cells) this.set({ cell }, state === 'up' ? 1 : 0)
    },
  })
}

export function measurePools({ registry }: Metrics, pools: Record<string, pg.Pool>): void {
  new Gauge({
    name: 'kontor_pool_connections',
    help: 'Connections of a database pool: total, idle, and callers waiting for one.',
    labelNames: ['database', 'state'],
    registers: [registry],
    collect() {
      for (const [database, pool] of Object.entries(pools)) {
        this.set({ database, state: 'total' }, pool.totalCount)
        this.set({ database, state: 'idle' }, pool.idleCount)
        this.set({ database, state: 'waiting' }, pool.waitingCount)
      }
    },
  })
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
