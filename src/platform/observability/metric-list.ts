import { defineMetric } from './define-metric.ts'

const CELL = 'the name of the cell'
const DATABASE = 'the name of the cell; `main` is control, too; `eu2/replica` is the replica of eu2'
const ROUTE = 'the template of the route; `unknown` if there is none'
const REQUEST_BUCKETS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]

export const requestSeconds = defineMetric({
  name: 'kontor_http_request_seconds',
  kind: 'histogram',
  unit: 'seconds',
  area: 'Requests',
  of: 'api',
  help: 'Requests by method, route template and status, and how long they took. Streams are not among them.',
  labels: { method: 'the method', route: ROUTE, status: 'the status' },
  buckets: REQUEST_BUCKETS,
  boardBy: ['route'],
})

// Not a label of the one above: routes times cells would be half a million series with fifty cells.
export const cellRequestSeconds = defineMetric({
  name: 'kontor_cell_request_seconds',
  kind: 'histogram',
  unit: 'seconds',
  area: 'Requests',
  of: 'api',
  help: 'Requests by the cell of the business that they are for, and by the kind of status.',
  labels: { cell: `${CELL}; \`none\` where a request names no business`, status: '`2xx`, `3xx`, `4xx`, `5xx`' },
  buckets: REQUEST_BUCKETS,
  boardBy: ['cell'],
})

export const gateRequests = defineMetric({
  name: 'kontor_http_gate_requests',
  kind: 'gauge',
  unit: 'requests',
  area: 'Requests',
  of: 'api',
  help: 'Requests being worked on, waiting to be, and how many may be worked on at once.',
  labels: { state: ['inside', 'waiting', 'limit'] },
  needs: 'LOAD_SHEDDING=on',
})

export const refusedRequests = defineMetric({
  name: 'kontor_http_refused_total',
  kind: 'counter',
  unit: 'requests',
  area: 'Requests',
  of: 'api',
  help: 'Requests refused with 503 because there was more to do than could be done.',
  labels: { route: ROUTE },
  needs: 'LOAD_SHEDDING=on',
})

export const overShareRequests = defineMetric({
  name: 'kontor_http_over_share_total',
  kind: 'counter',
  unit: 'requests',
  area: 'Requests',
  of: 'api',
  help:
    'Of the requests refused with 503: those whose business had used up its share of this process, or that named one not found there yet, ' +
    'which share one.',
  labels: {},
  needs: 'LOAD_SHEDDING=on',
})

export const eventStreams = defineMetric({
  name: 'kontor_event_streams',
  kind: 'gauge',
  unit: 'streams',
  area: 'Requests',
  of: 'api',
  help: 'Streams of events that are open in this process.',
  labels: {},
})

export const redisUp = defineMetric({
  name: 'kontor_redis_up',
  kind: 'gauge',
  unit: 'yes or no',
  area: 'Requests',
  of: 'api',
  help: '1 while Redis answers.',
  labels: {},
  needs: 'REDIS_URL',
})

export const limitCounts = defineMetric({
  name: 'kontor_limit_counts_total',
  kind: 'counter',
  unit: 'requests',
  area: 'Requests',
  of: 'api',
  help: 'Requests counted for a rate limit: in redis, or here, in this process alone.',
  labels: { where: ['redis', 'here'] },
  needs: 'REDIS_URL',
})

const BUSINESS = 'the ids of the first BUSINESS_METRICS, and `other` for the sum of the rest'

export const businessRequests = defineMetric({
  name: 'kontor_business_requests',
  kind: 'gauge',
  unit: 'requests',
  area: 'Businesses',
  of: 'api',
  help: 'Requests of the last full minute: the businesses with the most, and the sum of the others.',
  labels: { business: BUSINESS },
  needs: 'BUSINESS_METRICS',
})

export const businessErrors = defineMetric({
  name: 'kontor_business_errors',
  kind: 'gauge',
  unit: 'requests',
  area: 'Businesses',
  of: 'api',
  help: 'Requests of the last full minute that were answered with 5xx: the businesses with the most, and the others.',
  labels: { business: BUSINESS },
  needs: 'BUSINESS_METRICS',
})

export const businessSeconds = defineMetric({
  name: 'kontor_business_seconds',
  kind: 'gauge',
  unit: 'seconds',
  area: 'Businesses',
  of: 'api',
  help: 'Time that the requests of the last full minute took together: the businesses with the most, and the others.',
  labels: { business: BUSINESS },
  needs: 'BUSINESS_METRICS',
})

export const cellUp = defineMetric({
  name: 'kontor_cell_up',
  kind: 'gauge',
  unit: 'yes or no',
  area: 'Cells and databases',
  of: 'both',
  help: '1 while a cell is well; 0 while it is down, silent, read-only or behind in migrations.',
  labels: { cell: CELL },
})

export const cellsUnknown = defineMetric({
  name: 'kontor_cells_unknown',
  kind: 'gauge',
  unit: 'count',
  area: 'Cells and databases',
  of: 'both',
  help: 'Cells that hold businesses, but that this process does not know.',
  labels: {},
})

export const replicaUsed = defineMetric({
  name: 'kontor_replica_used',
  kind: 'gauge',
  unit: 'yes or no',
  area: 'Cells and databases',
  of: 'api',
  help: '1 while the replica of a cell is read; 0 while it is away, silent, too far behind, or no copy of it.',
  labels: { cell: CELL },
  needs: 'a replica',
})

export const replicaLagSeconds = defineMetric({
  name: 'kontor_replica_lag_seconds',
  kind: 'gauge',
  unit: 'seconds',
  area: 'Cells and databases',
  of: 'api',
  help: 'The replica has all that the primary had written until so long ago, at least. Looked at every second, so about 1 is none.',
  labels: { cell: CELL },
  needs: 'a replica',
})

export const replicaReads = defineMetric({
  name: 'kontor_replica_reads_total',
  kind: 'counter',
  unit: 'requests',
  area: 'Cells and databases',
  of: 'api',
  help: 'Reads that were meant for a replica: answered there, or by the primary because the replica could not.',
  labels: { cell: CELL, answered: ['replica', 'primary'] },
  needs: 'a replica',
})

export const poolConnections = defineMetric({
  name: 'kontor_pool_connections',
  kind: 'gauge',
  unit: 'connections',
  area: 'Cells and databases',
  of: 'both',
  help: 'Connections of a database pool: total, idle, and callers waiting for one.',
  labels: { database: DATABASE, state: ['total', 'idle', 'waiting'] },
})

export const poolWaitSeconds = defineMetric({
  name: 'kontor_pool_wait_seconds',
  kind: 'histogram',
  unit: 'seconds',
  area: 'Cells and databases',
  of: 'both',
  help: 'How long callers waited for a connection of a database pool, whether or not they got one.',
  labels: { database: DATABASE },
  buckets: [0.001, 0.01, 0.1, 0.5, 2, 5],
})

export const processes = defineMetric({
  name: 'kontor_processes',
  kind: 'gauge',
  unit: 'count',
  area: 'Jobs and workers',
  of: 'both',
  help: 'Processes with a heartbeat within the last 20 s, as control knows them. Every process shows the same.',
  labels: { kind: ['api', 'worker'] },
})

export const queueServed = defineMetric({
  name: 'kontor_queue_served',
  kind: 'gauge',
  unit: 'yes or no',
  area: 'Jobs and workers',
  of: 'worker',
  help: '1 while this worker takes jobs of this database: its heartbeat there is held.',
  labels: { database: DATABASE },
})

export const queueJobs = defineMetric({
  name: 'kontor_queue_jobs',
  kind: 'gauge',
  unit: 'jobs',
  area: 'Jobs and workers',
  of: 'worker',
  help: 'Jobs in a queue: ready, running, scheduled, and dead (out of attempts). Each worker counts the same ones: do not sum.',
  labels: { database: DATABASE, state: ['ready', 'running', 'scheduled', 'dead'] },
})

export const queueOldestSeconds = defineMetric({
  name: 'kontor_queue_oldest_seconds',
  kind: 'gauge',
  unit: 'seconds',
  area: 'Jobs and workers',
  of: 'worker',
  help: 'How long the job that is ready for longest has waited for a worker; 0 if none is ready.',
  labels: { database: DATABASE },
})

export const jobsDone = defineMetric({
  name: 'kontor_jobs_total',
  kind: 'counter',
  unit: 'jobs',
  area: 'Jobs and workers',
  of: 'worker',
  help: 'Jobs run, by name and outcome: done, failed, dead. The last failure of a job is both of the latter.',
  labels: { job: 'the name of the job', outcome: 'done, failed, dead' },
})

export const extensionErrors = defineMetric({
  name: 'kontor_extension_errors_total',
  kind: 'counter',
  unit: 'count',
  area: 'Jobs and workers',
  of: 'both',
  help: 'Unhandled errors of extensions, in timers and promises without `await`.',
  labels: { extension: 'the name of the extension; its path while it is loaded' },
})

export const jobSeconds = defineMetric({
  name: 'kontor_job_seconds',
  kind: 'histogram',
  unit: 'seconds',
  area: 'Jobs and workers',
  of: 'worker',
  help: 'How long jobs run.',
  labels: { job: 'the name of the job' },
  buckets: [0.01, 0.1, 1, 10, 60, 600],
})

export const jobsRecovered = defineMetric({
  name: 'kontor_jobs_recovered_total',
  kind: 'counter',
  unit: 'jobs',
  area: 'Jobs and workers',
  of: 'worker',
  help: 'Jobs reclaimed from workers that died.',
  labels: {},
})

export const workersLost = defineMetric({
  name: 'kontor_workers_lost_total',
  kind: 'counter',
  unit: 'count',
  area: 'Jobs and workers',
  of: 'worker',
  help: 'Workers that died, or lost a database, without a word, as the others found out: one for each database.',
  labels: {},
})

export const feedLagSeconds = defineMetric({
  name: 'kontor_feed_lag_seconds',
  kind: 'gauge',
  unit: 'seconds',
  area: 'Events',
  of: 'worker',
  help: 'How old the oldest event is that waits to be numbered, or to be looked at by a follower; 0 if none waits.',
  labels: { cell: CELL, follower: '`numbering`, or the topic of a follower' },
})

export const skippedSubjects = defineMetric({
  name: 'kontor_feed_skipped_subjects',
  kind: 'gauge',
  unit: 'count',
  area: 'Events',
  of: 'worker',
  help: 'Subjects that a follower could not process and retries later. Counted up to 10,000. Every worker reports the same count: do not sum.',
  labels: { cell: CELL, follower: 'the topic of a follower' },
})

export const checksFinished = defineMetric({
  name: 'kontor_checks_finished_timestamp_seconds',
  kind: 'gauge',
  unit: 'seconds',
  area: 'Books',
  of: 'worker',
  help: 'When the last nightly check of the books was through, in Unix time; before the first is, when that began; 0: none has.',
  labels: { cell: CELL },
})

export const checksSeconds = defineMetric({
  name: 'kontor_checks_seconds',
  kind: 'gauge',
  unit: 'seconds',
  area: 'Books',
  of: 'worker',
  help: 'How long the last nightly check of the books took.',
  labels: { cell: CELL },
})

export const checksBusinesses = defineMetric({
  name: 'kontor_checks_businesses',
  kind: 'gauge',
  unit: 'count',
  area: 'Books',
  of: 'worker',
  help: 'Businesses that the last nightly check of the books looked at.',
  labels: { cell: CELL },
})

export const checksBrokenRules = defineMetric({
  name: 'kontor_checks_broken_rules',
  kind: 'gauge',
  unit: 'count',
  area: 'Books',
  of: 'worker',
  help: 'Rules of businesses that did not hold when they were last checked.',
  labels: { cell: CELL },
})

export const calloutSeconds = defineMetric({
  name: 'kontor_callout_seconds',
  kind: 'histogram',
  unit: 'seconds',
  area: 'Services of others',
  of: 'api',
  help: 'Time that services of businesses took to answer. left_alone: by the breaker, or for want of a place.',
  labels: { point: 'where they are asked', outcome: ['answered', 'failed', 'left_alone'] },
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
})

export const calloutsUnanswered = defineMetric({
  name: 'kontor_callouts_unanswered_total',
  kind: 'counter',
  unit: 'requests',
  area: 'Services of others',
  of: 'api',
  help: 'Questions to services of businesses without a usable answer: our own rates counted, or the request was refused.',
  labels: { point: 'where they are asked', became: ['fallback', 'refused'] },
})

export const calloutBreakersOpen = defineMetric({
  name: 'kontor_callout_breakers_open',
  kind: 'gauge',
  unit: 'count',
  area: 'Services of others',
  of: 'api',
  help: 'Services of businesses that this process leaves alone because they keep failing.',
  labels: {},
})

// By cell, never by business or endpoint: those have no bound.
export const webhookDeliveries = defineMetric({
  name: 'kontor_webhook_deliveries_total',
  kind: 'counter',
  unit: 'events',
  area: 'Services of others',
  of: 'worker',
  help: 'Attempts to deliver an event: delivered, failed (tried again), or parked (until somebody replays it).',
  labels: { outcome: ['delivered', 'failed', 'parked'] },
})

export const webhookDelaySeconds = defineMetric({
  name: 'kontor_webhook_delay_seconds',
  kind: 'gauge',
  unit: 'seconds',
  area: 'Services of others',
  of: 'worker',
  help: 'How long the oldest event waits of which an endpoint that answers was not told.',
  labels: { cell: CELL },
})

/** Of Node itself, by prom-client; these are the ones that the board and the alerts use. */
export const RUNTIME_METRICS = {
  process_cpu_seconds_total: 'Processor time, in seconds.',
  process_resident_memory_bytes: 'Memory that the system has given it, in bytes.',
  process_start_time_seconds: 'When it started, in Unix time.',
  nodejs_eventloop_lag_p99_seconds: 'How late timers are, at the 99th percentile.',
  nodejs_heap_size_used_bytes: 'Heap in use, in bytes.',
} as const
