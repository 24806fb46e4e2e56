/** Series in promtool's notation: `0+3x20` begins at 0 and grows by 3, twenty times. One value every 15 s. */
type Series = Record<string, string>
export type Case = {
  /** Makes it fire at `at`. */
  bad: Series
  at: string
  /** The labels it then has besides its name and severity. */
  labels?: Record<string, string>
  /** Near by, and no reason to fire. */
  good: Series
}

const all = (name: string, first: Record<string, string>, values: string): Series =>
  Object.fromEntries([
    [
      `${name}{${Object.entries(first)
        .map(([label, value]) => `${label}="${value}"`)
        .join(',')}}`,
      values,
    ],
  ])

const buckets = (name: string, labels: string, counts: Record<string, string>): Series =>
  Object.fromEntries(Object.entries(counts).map(([le, values]) => [`${name}_bucket{${labels},le="${le}"}`, values]))

const REQUESTS = 'kontor_cell_request_seconds_count'
const MAILS = 'kontor_newsletter_mails_total'

/** For each alert a system that deserves it, and one that does not. */
export const CASES: Record<string, Case> = {
  KontorNothingToSee: {
    bad: { 'up{job="kontor-api",instance="a"}': '1x60' },
    at: '3m',
    good: { 'kontor_cell_up{cell="main",job="kontor-api"}': '0x60' },
  },
  KontorProcessDown: {
    bad: { 'up{job="kontor-worker",instance="w1"}': '1x8 0x60' },
    at: '5m',
    labels: { job: 'kontor-worker', instance: 'w1' },
    good: { 'up{job="kontor-worker",instance="w1"}': '1x8 0 0 1x60', 'up{job="other",instance="x"}': '0x60' },
  },
  KontorNoWorker: {
    bad: {
      'kontor_processes{kind="worker",instance="a"}': '1x4 0x60',
      'kontor_processes{kind="worker",instance="b"}': '1x4 0x60',
    },
    at: '3m',
    good: {
      'kontor_processes{kind="worker",instance="a"}': '0x60',
      'kontor_processes{kind="worker",instance="b"}': '1x60',
    },
  },
  KontorWorkerDied: {
    bad: { 'kontor_workers_lost_total{instance="w1"}': '0x8 1x60' },
    at: '5m',
    good: { 'kontor_workers_lost_total{instance="w1"}': '7x60' },
  },
  KontorRestarts: {
    bad: { 'process_start_time_seconds{job="kontor-api",instance="a"}': '1x6 2x6 3x6 4x6 5x60' },
    at: '10m',
    labels: { job: 'kontor-api', instance: 'a' },
    good: { 'process_start_time_seconds{job="kontor-api",instance="a"}': '1x6 2x6 3x60' },
  },
  KontorQueueNotServed: {
    bad: {
      'kontor_queue_served{database="eu2",instance="w1"}': '0x60',
      'kontor_queue_served{database="eu2",instance="w2"}': '0x60',
    },
    at: '3m',
    labels: { database: 'eu2' },
    good: {
      'kontor_queue_served{database="eu2",instance="w1"}': '0x60',
      'kontor_queue_served{database="eu2",instance="w2"}': '1x60',
    },
  },
  KontorJobsWait: {
    bad: { 'kontor_queue_oldest_seconds{database="main",instance="w1"}': '0+15x80' },
    at: '10m',
    labels: { database: 'main' },
    good: { 'kontor_queue_oldest_seconds{database="main",instance="w1"}': '0+15x19 0+15x19' },
  },
  KontorJobsDead: {
    bad: { 'kontor_queue_jobs{database="main",state="dead",instance="w1"}': '0 2x60' },
    at: '3m',
    labels: { database: 'main' },
    good: {
      'kontor_queue_jobs{database="main",state="dead",instance="w1"}': '0x60',
      'kontor_queue_jobs{database="main",state="ready",instance="w1"}': '9x60',
    },
  },
  KontorCellDown: {
    bad: { 'kontor_cell_up{cell="eu2",instance="a"}': '1 0x60', 'kontor_cell_up{cell="eu2",instance="b"}': '1x60' },
    at: '2m',
    labels: { cell: 'eu2' },
    good: { 'kontor_cell_up{cell="eu2",instance="a"}': '1 0 1x60' },
  },
  KontorReplicaUnused: {
    bad: {
      'kontor_replica_used{cell="eu2",instance="a"}': '1 0x60',
      'kontor_replica_used{cell="eu2",instance="b"}': '1x60',
    },
    at: '8m',
    labels: { cell: 'eu2' },
    good: { 'kontor_replica_used{cell="eu2",instance="a"}': '1 0 1x60' },
  },
  KontorCellUnknown: {
    bad: { 'kontor_cells_unknown{job="kontor-api",instance="a"}': '1x60' },
    at: '2m',
    labels: { job: 'kontor-api', instance: 'a' },
    good: { 'kontor_cells_unknown{job="kontor-api",instance="a"}': '0x60' },
  },
  KontorDatabaseWaits: {
    bad: buckets('kontor_pool_wait_seconds', 'database="main"', {
      '0.1': '0+8x80',
      '0.5': '0+8x80',
      '2': '0+10x80',
      '+Inf': '0+10x80',
    }),
    at: '15m',
    labels: { database: 'main' },
    good: buckets('kontor_pool_wait_seconds', 'database="main"', {
      '0.1': '0+99x80',
      '0.5': '0+99x80',
      '2': '0+100x80',
      '+Inf': '0+100x80',
    }),
  },
  KontorErrors: {
    bad: {
      ...all(REQUESTS, { cell: 'main', status: '2xx' }, '0+100x60'),
      ...all(REQUESTS, { cell: 'main', status: '5xx' }, '0+5x60'),
    },
    at: '10m',
    good: {
      ...all(REQUESTS, { cell: 'main', status: '2xx' }, '0+1000x60'),
      ...all(REQUESTS, { cell: 'main', status: '5xx' }, '0+5x60'),
    },
  },
  KontorCellErrors: {
    bad: {
      ...all(REQUESTS, { cell: 'main', status: '2xx' }, '0+9000x60'),
      ...all(REQUESTS, { cell: 'eu2', status: '2xx' }, '0+100x60'),
      ...all(REQUESTS, { cell: 'eu2', status: '5xx' }, '0+5x60'),
    },
    at: '10m',
    labels: { cell: 'eu2' },
    // Half of the requests fail, but there are two in five minutes.
    good: {
      ...all(REQUESTS, { cell: 'eu2', status: '2xx' }, '0x10 1x10 2x40'),
      ...all(REQUESTS, { cell: 'eu2', status: '5xx' }, '0x10 1x10 2x40'),
    },
  },
  KontorSlow: {
    bad: buckets('kontor_cell_request_seconds', 'cell="main",status="2xx"', {
      '1': '0+90x80',
      '3': '0+100x80',
      '+Inf': '0+100x80',
    }),
    at: '18m',
    labels: { cell: 'main' },
    good: buckets('kontor_cell_request_seconds', 'cell="main",status="2xx"', {
      '0.3': '0+96x80',
      '1': '0+99x80',
      '3': '0+100x80',
      '+Inf': '0+100x80',
    }),
  },
  KontorOverloaded: {
    bad: { 'kontor_http_refused_total{route="/a"}': '0+10x60', 'kontor_http_refused_total{route="/b"}': '0+10x60' },
    at: '8m',
    good: { 'kontor_http_refused_total{route="/a"}': '0+10x60' },
  },
  KontorEventLoopLate: {
    bad: { 'nodejs_eventloop_lag_p99_seconds{job="kontor-api",instance="a"}': '0.9x60' },
    at: '8m',
    labels: { job: 'kontor-api', instance: 'a' },
    good: { 'nodejs_eventloop_lag_p99_seconds{job="kontor-api",instance="a"}': '0.1x60' },
  },
  KontorFeedLate: {
    bad: { 'kontor_feed_lag_seconds{cell="main",follower="numbering",instance="w1"}': '0+15x60' },
    at: '8m',
    labels: { cell: 'main', follower: 'numbering' },
    good: { 'kontor_feed_lag_seconds{cell="main",follower="numbering",instance="w1"}': '0 70 0 70 0 2x60' },
  },
  KontorSubjectsSkipped: {
    bad: { 'kontor_feed_skipped_subjects{cell="main",follower="order",instance="w1"}': '2x60' },
    at: '8m',
    labels: { cell: 'main', follower: 'order' },
    good: { 'kontor_feed_skipped_subjects{cell="main",follower="order",instance="w1"}': '2 2 2 0x60' },
  },
  KontorNewslettersStandStill: {
    bad: { 'kontor_newsletter_sends_due{cell="main",instance="w1"}': '2x80', [`${MAILS}{outcome="sent"}`]: '7x80' },
    at: '18m',
    good: { 'kontor_newsletter_sends_due{cell="main",instance="w1"}': '2x80', [`${MAILS}{outcome="sent"}`]: '0+1x80' },
  },
  KontorMailsFail: {
    bad: { [`${MAILS}{outcome="sent"}`]: '0+50x80', [`${MAILS}{outcome="later"}`]: '0+10x80' },
    at: '12m',
    good: { [`${MAILS}{outcome="sent"}`]: '0+50x80', [`${MAILS}{outcome="failed"}`]: '0+1x80' },
  },
  KontorPaymentEventsForged: {
    bad: { 'kontor_payment_events_total{outcome="forged"}': '0x8 1x60' },
    at: '5m',
    good: {
      'kontor_payment_events_total{outcome="stored"}': '0+5x60',
      'kontor_payment_events_total{outcome="forged"}': '3x60',
    },
  },
  KontorWebhooksLate: {
    bad: { 'kontor_webhook_delay_seconds{cell="main"}': '90x60' },
    at: '8m',
    labels: { cell: 'main' },
    good: { 'kontor_webhook_delay_seconds{cell="main"}': '90x2 3x60' },
  },
  KontorBooksBroken: {
    bad: { 'kontor_checks_broken_rules{cell="main"}': '0x4 2x60' },
    at: '10m',
    labels: { cell: 'main' },
    good: { 'kontor_checks_broken_rules{cell="main"}': '0x60' },
  },
  // The clock of these cases begins at 0: two days before is a time below it. In the cell `new` no night has begun yet.
  KontorBooksUnchecked: {
    bad: {
      'kontor_checks_finished_timestamp_seconds{cell="main"}': '-180000x80',
      'kontor_checks_finished_timestamp_seconds{cell="new"}': '0x80',
    },
    at: '15m',
    labels: { cell: 'main' },
    good: {
      'kontor_checks_finished_timestamp_seconds{cell="main"}': '-100000x80',
      'kontor_checks_finished_timestamp_seconds{cell="new"}': '0x80',
    },
  },
  KontorRedisAway: {
    bad: { 'kontor_redis_up{instance="a"}': '1x4 0x60' },
    at: '5m',
    good: { 'kontor_redis_up{instance="a"}': '1x4 0x3 1x60' },
  },
}
