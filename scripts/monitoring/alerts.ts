/**
 * What an operator is told without asking. The rules for Prometheus and the page docs/alerts.md are made from this list; a test
 * tries each with promtool, and `npm run proof -- alerts` with a real Prometheus.
 */
export type Alert = {
  name: `Kontor${string}`
  /** `page`: somebody gets up for it. `ticket`: somebody looks at it within the day. */
  severity: 'page' | 'ticket'
  /** PromQL. Names and labels of metrics are checked against their list. */
  expr: string
  /** For how long it must hold. */
  forSeconds: number
  /** One line, with the values of labels as `{{ $labels.cell }}`. */
  summary: string
  meaning: string
  /** What to do, one step each. */
  steps: readonly string[]
}

const errorShare = (by: string) => {
  const sum = (status: string) => `sum${by} (rate(kontor_cell_request_seconds_count{${status}}[5m]))`
  const [failed, all] = [sum('status="5xx"'), `sum${by} (rate(kontor_cell_request_seconds_count[5m]))`]
  // Few requests make large shares: a failure now and then wakes nobody.
  return `${failed} / ${all} > 0.02 and ${failed} > 0.05`
}

export const ALERTS: readonly Alert[] = [
  {
    name: 'KontorNothingToSee',
    severity: 'page',
    expr: 'absent(kontor_cell_up)',
    forSeconds: 120,
    summary: 'Prometheus gets no metrics of Kontor at all',
    meaning:
      'No process of Kontor answers on its metrics port. Either all of them are gone, or Prometheus cannot reach them. No other alert can be trusted meanwhile.',
    steps: [
      'Ask the API from outside: `curl -i <PUBLIC_URL>/readyz`. If it answers, shops are served, and only the way to the metrics ports is broken.',
      'Look at *Status → Targets* of Prometheus: addresses, ports (`METRICS_PORT`, `WORKER_METRICS_PORT`), `HOST`, firewall.',
      'If the API does not answer: start it and read the first lines of its log. It refuses to start on a wrong setting or a missing migration, and says which.',
    ],
  },
  {
    name: 'KontorProcessDown',
    severity: 'ticket',
    expr: 'up{job=~"kontor-.*"} == 0',
    forSeconds: 60,
    summary: '{{ $labels.instance }} of {{ $labels.job }} does not answer on its metrics port',
    meaning:
      'A process that Prometheus knows is gone, hangs, or cannot be reached. If it is one of several, the others do its work; jobs of a dead worker are taken back by another within seconds.',
    steps: [
      'Look whether the process runs, and at the last lines of its log. `stopping` with a signal: somebody stopped it.',
      'No last words: did the system kill it for its memory (`dmesg`, the events of the container)?',
      'If it was taken out of service for good, take it off the targets.',
    ],
  },
  {
    name: 'KontorNoWorker',
    severity: 'page',
    expr: 'max(kontor_processes{kind="worker"}) == 0',
    forSeconds: 30,
    summary: 'No worker is running',
    meaning:
      'For 20 seconds no worker has written its heartbeat. Shops go on selling, but no mail leaves, payments are not settled, unpaid orders keep their stock, events get no number and nobody is told of them. Nothing is lost: it is done once a worker runs.',
    steps: [
      'Start a worker (`npm run worker`), and read what it says if it ends.',
      'A worker that ends itself with status 1 lost its connection to a database during a job: look at the network, and at the alerts about cells.',
      'See that the queue falls afterwards (`kontor_queue_jobs`, state `ready`).',
    ],
  },
  {
    name: 'KontorWorkerDied',
    severity: 'ticket',
    expr: 'sum(increase(kontor_workers_lost_total[15m])) > 0',
    forSeconds: 0,
    summary: 'A worker died without a word; another has taken its jobs back',
    meaning:
      'A worker vanished without closing its connections: killed, out of memory, or its machine is gone. If the line to a database broke, it looks the same from there, and there is an alert about the cell as well. Its jobs were taken back after some 6 seconds, and each lost one attempt. Once is no harm; again and again means that one job kills workers.',
    steps: [
      'Read the log of the dead worker, and of the system: was it killed for its memory?',
      'If it happens again, find the job that all crashes have in common: `npm run cli -- jobs list --running`.',
    ],
  },
  {
    name: 'KontorRestarts',
    severity: 'ticket',
    expr: 'changes(process_start_time_seconds{job=~"kontor-.*"}[15m]) > 3',
    forSeconds: 0,
    summary: '{{ $labels.instance }} of {{ $labels.job }} starts again and again',
    meaning:
      'A process has started more than three times within a quarter of an hour. Something ends it soon after each start.',
    steps: [
      'Read the log before each start: a fatal error, a setting that is refused, a kill for memory.',
      'After an upgrade: did the migrations run (`npm run db:migrate`)?',
    ],
  },
  {
    name: 'KontorQueueNotServed',
    severity: 'page',
    expr: 'max by (database) (kontor_queue_served) == 0',
    forSeconds: 60,
    summary: 'No worker takes jobs of {{ $labels.database }}',
    meaning:
      'Workers run, but none has a connection to this database on which it could take jobs. For its businesses it is as if there were no worker.',
    steps: [
      'Is there an alert about this cell, too? Then it is the database: go there first.',
      'If not, the API reaches the database and the workers do not: run `cli doctor` where they run: workers use the direct address of a cell, past PgBouncer (`cli cells set --direct-url`, or `directUrl` in `CELLS`).',
      'The log of a worker says why: `cannot serve the queue of this database`.',
    ],
  },
  {
    name: 'KontorJobsWait',
    severity: 'ticket',
    expr: 'max by (database) (kontor_queue_oldest_seconds) > 300',
    forSeconds: 120,
    summary: 'A job of {{ $labels.database }} has waited for {{ $value | humanizeDuration }}',
    meaning:
      'Jobs come in faster than they are done, or the ones that run take very long. Mails and payments of this database are late by that time.',
    steps: [
      'Look which jobs run, and for how long: `npm run cli -- jobs list --running`, `kontor_job_seconds`.',
      'Mails that all take 10 s or more: the mail server does not answer. Mend that; more workers do not help.',
      'If they are quick and there are simply many: add workers.',
    ],
  },
  {
    name: 'KontorJobsDead',
    severity: 'ticket',
    expr: 'max by (database) (kontor_queue_jobs{state="dead"}) > 0',
    forSeconds: 60,
    summary: '{{ $value }} jobs of {{ $labels.database }} are out of attempts and wait for a person',
    meaning:
      'A job failed as often as it may (12 times over some 16 hours, as a rule). It is not tried again by itself, so a mail or a step of an order is missing.',
    steps: [
      '`npm run cli -- jobs list --dead` shows them with their last error.',
      'Remove the cause, then `npm run cli -- jobs retry <id>`, or `--dead` for all of them.',
      'To forget one: [dead jobs](runbooks.md#dead-jobs).',
    ],
  },
  {
    name: 'KontorCellDown',
    severity: 'page',
    expr: 'min by (cell) (kontor_cell_up) == 0',
    forSeconds: 30,
    summary: 'The cell {{ $labels.cell }} is not well',
    meaning:
      'At least one process sees this database as down, silent, read-only or behind in migrations. Businesses in it get 503; all others are served as usual. If it is `main`, control is there: reads of shops in other cells go on for CONTROL_AWAY_SECONDS, all else is 503.',
    steps: [
      'See in which state it is: `GET /readyz` of the API, `GET /cells` on a metrics port. [What the states mean](guides/cells.md#when-one-is-in-trouble).',
      '`down` or `silent`: look at the PostgreSQL server, its disk and the network between. `read-only`: the address leads to a standby, or the disk is full. `behind`: run `npm run db:migrate`.',
      '`npm run cli -- doctor` looks at it from outside, and at PgBouncer in between.',
      'Processes notice by themselves when it is back; nothing has to be restarted.',
    ],
  },
  {
    name: 'KontorReplicaUnused',
    severity: 'ticket',
    expr: 'min by (cell) (kontor_replica_used) == 0',
    forSeconds: 300,
    summary: 'The replica of the cell {{ $labels.cell }} is not read',
    meaning:
      'At least one API process does not read the replica of this cell: it is away, silent, more than REPLICA_MAX_LAG_SECONDS behind, or no copy of the cell. Everything is answered by the primary, which has more to do.',
    steps: [
      '`npm run cli -- doctor` says why.',
      'On the replica: `select * from pg_stat_wal_receiver`. If it follows nobody, or another timeline, make it anew with `pg_basebackup`. Right after a failover: `checkpoint` on it.',
      '[Replicas and failover](guides/replicas.md).',
    ],
  },
  {
    name: 'KontorCellUnknown',
    severity: 'page',
    expr: 'max by (job, instance) (kontor_cells_unknown) > 0',
    forSeconds: 60,
    summary: '{{ $labels.instance }} does not know a cell in which businesses live',
    meaning:
      'This process does not know a cell that holds businesses. It answers 503 for them, while other processes may serve them.',
    steps: [
      '`GET /cells` on its metrics port names the cell.',
      '`npm run cli -- cells list` says whether control has its address. If not: `npm run cli -- cells add`, or give every API, worker and command line the same `CELLS`, and restart those that lack it.',
    ],
  },
  {
    name: 'KontorDatabaseWaits',
    severity: 'ticket',
    expr: 'histogram_quantile(0.95, sum by (database, le) (rate(kontor_pool_wait_seconds_bucket[5m]))) > 0.5',
    forSeconds: 300,
    summary:
      'One of twenty callers waits for over {{ $value | humanizeDuration }} for a connection to {{ $labels.database }}',
    meaning:
      'All connections of the pool are in use, and callers queue for one. Answers are slow before anything is asked of the database.',
    steps: [
      'Look for slow statements and long transactions in PostgreSQL (`pg_stat_activity`): they hold the connections.',
      'If PostgreSQL has cores to spare, raise `DATABASE_POOL_SIZE`; if not, more connections make it slower.',
      'Too many password logins at once do it as well: they are slow on purpose.',
    ],
  },
  {
    name: 'KontorErrors',
    severity: 'page',
    expr: errorShare(''),
    forSeconds: 120,
    summary: '{{ $value | humanizePercentage }} of all requests are answered with 5xx',
    meaning:
      'More than 2 % of the requests of the last five minutes failed on our side. 503 of an overloaded process or of a cell that is away are among them.',
    steps: [
      'Is there an alert about a cell or about overload? Begin there.',
      'See which routes fail, and with which status: board, row *Requests*. 502 is a provider (payments, language model), 500 is a bug.',
      'Of a 500 the log has the stack, under its `requestId`. With `ACCESS_LOG=errors` each failed request is a line of its own.',
      'Since an upgrade? Go back to the version before: migrations are made so that it runs on the new schema.',
    ],
  },
  {
    name: 'KontorCellErrors',
    severity: 'page',
    expr: errorShare(' by (cell)'),
    forSeconds: 120,
    summary:
      '{{ $value | humanizePercentage }} of the requests for businesses in {{ $labels.cell }} are answered with 5xx',
    meaning:
      'Businesses of one cell fail while the sum of all may look well: one cell of fifty is 2 % of everything. `none` is what names no business, such as logins.',
    steps: [
      'Look at `kontor_pool_connections` and `kontor_pool_wait_seconds` of this cell, and at its PostgreSQL server.',
      'With `BUSINESS_METRICS`, see whether it is one business (`kontor_business_errors`).',
      'Then go on as with [KontorErrors](#kontorerrors).',
    ],
  },
  {
    name: 'KontorSlow',
    severity: 'ticket',
    expr: 'histogram_quantile(0.95, sum by (cell, le) (rate(kontor_cell_request_seconds_bucket{status="2xx"}[5m]))) > 1',
    forSeconds: 600,
    summary: 'One of twenty answers for {{ $labels.cell }} takes over {{ $value | humanizeDuration }}',
    meaning: 'People wait. It has been so for ten minutes, so it is no single report or import.',
    steps: [
      'See which routes are slow: board, row *Requests*.',
      'Look at event-loop lag (our cores), waits for connections (the pool) and slow statements (PostgreSQL), in this order.',
      'With `BUSINESS_METRICS`, see whose requests take the time (`kontor_business_seconds`).',
    ],
  },
  {
    name: 'KontorOverloaded',
    severity: 'ticket',
    expr: 'sum(rate(kontor_http_refused_total[5m])) > 1',
    forSeconds: 120,
    summary: '{{ $value | humanize }} requests a second are refused because there is too much to do',
    meaning:
      'More comes in than can be answered in time; the surplus gets 503 at once, so that the rest is answered as usual.',
    steps: [
      'For many routes: add API processes, or a larger database ([limits and overload](operations.md#limits-and-overload)).',
      'For one route: it is slow, or somebody asks for it too often. The access log says who.',
    ],
  },
  {
    name: 'KontorEventLoopLate',
    severity: 'ticket',
    expr: 'nodejs_eventloop_lag_p99_seconds{job=~"kontor-.*"} > 0.5',
    forSeconds: 300,
    summary: '{{ $labels.instance }} is late by {{ $value | humanizeDuration }}',
    meaning:
      'Something keeps the process so busy that all its requests or jobs wait: too few cores, or one long computation.',
    steps: [
      'Is the core full (`process_cpu_seconds_total`)? Add processes or cores.',
      'Does its memory grow (`nodejs_heap_size_used_bytes`)? Then it is collecting garbage: restart it, and report it.',
    ],
  },
  {
    name: 'KontorFeedLate',
    severity: 'ticket',
    expr: 'max by (cell, follower) (kontor_feed_lag_seconds) > 60',
    forSeconds: 120,
    summary: '{{ $labels.follower }} in {{ $labels.cell }} is behind by {{ $value | humanizeDuration }}',
    meaning:
      'Events wait. `numbering`: they are in no feed yet, so webhooks, streams and everything after them wait, too. Any other name: search, customers, stock or reports show what was true then.',
    steps: [
      'The log of the workers says `failed; trying again` with the name of the loop, and why.',
      'After an import of many thousand records it catches up by itself: see whether it falls.',
      'A transaction that is open for long holds up numbering: look for it in `pg_stat_activity`.',
    ],
  },
  {
    name: 'KontorSubjectsSkipped',
    severity: 'ticket',
    expr: 'max by (cell, follower) (kontor_feed_skipped_subjects) > 0',
    forSeconds: 300,
    summary: '{{ $labels.follower }} in {{ $labels.cell }} cannot process {{ $value }} subjects',
    meaning:
      'Orders, products, or subscriptions cannot be processed, for example because a row is damaged. Search, stock, customers, or reports are wrong for these and correct for all others. They are retried after each of their events, and at least once an hour.',
    steps: [
      'Find `subject skipped, retrying later` in the worker log. It has the business, the subject, and the error.',
      'If the data is damaged, repair the row. The next retry processes it: within an hour, or immediately after `update cell.skipped_subjects set retry_at = now()` in the database of the cell.',
      'If many subjects were skipped after an update, report the logged error. A release that can process them retries them automatically.',
      'If the error is a timeout, the database is too slow for even one subject. Check its load first.',
    ],
  },
  {
    name: 'KontorNewslettersStandStill',
    severity: 'ticket',
    expr: 'max(kontor_newsletter_sends_due) > 0 and sum(increase(kontor_newsletter_mails_total[10m])) == 0',
    forSeconds: 300,
    summary: 'Newsletters are due, and no mail has left for ten minutes',
    meaning: 'There are mails that could go out now, and none does.',
    steps: ['See [newsletters](runbooks.md#newsletters) in the runbooks: a send stands still.'],
  },
  {
    name: 'KontorMailsFail',
    severity: 'ticket',
    expr: [
      'sum(increase(kontor_newsletter_mails_total{outcome=~"failed|uncertain|later"}[15m]))',
      'sum(increase(kontor_newsletter_mails_total{outcome=~"sent|failed|uncertain|later"}[15m])) > 0.1',
    ].join(' / '),
    forSeconds: 300,
    summary: '{{ $value | humanizePercentage }} of the mails of newsletters do not go through',
    meaning:
      'The mail server refuses mails, puts them off or does not answer. Those put off are tried again for three days.',
    steps: [
      'Read what it says: `response` of the recipients ([newsletters](runbooks.md#newsletters)).',
      'If something is wrong with the letter or the list, pause the send.',
    ],
  },
  {
    name: 'KontorPaymentEventsForged',
    severity: 'ticket',
    expr: 'sum(increase(kontor_payment_events_total{outcome="forged"}[15m])) > 0',
    forSeconds: 0,
    summary: 'Payment events come with a signature that is not valid',
    meaning:
      'Mostly `STRIPE_WEBHOOK_SECRET` is not that of the endpoint: then no payment is noted when it happens, only minutes later, when the worker asks. Otherwise somebody tries their luck; they are refused.',
    steps: [
      'Compare the secret with that of the endpoint in Stripe. Connected accounts have an endpoint, and a secret, of their own.',
      'If Stripe shows its events as delivered, they are not from Stripe.',
    ],
  },
  {
    name: 'KontorWebhooksLate',
    severity: 'ticket',
    expr: 'max by (cell) (kontor_webhook_delay_seconds) > 60',
    forSeconds: 300,
    summary: 'Webhooks of the cell {{ $labels.cell }} are more than a minute late',
    meaning:
      'Events wait that should have been delivered to services which answer. Those that fail are not meant: they wait for their turn.',
    steps: [
      'Are workers running, and do they take the cell? See KontorNoWorker and KontorQueueNotServed.',
      'Look at the processors of workers and of the database. Another worker takes half of the businesses by itself.',
      'Nothing is lost: every endpoint goes on where it was.',
    ],
  },
  {
    name: 'KontorBooksBroken',
    severity: 'ticket',
    expr: 'max by (cell) (kontor_checks_broken_rules) > 0',
    forSeconds: 60,
    summary: '{{ $value }} rules of the books do not hold in the cell {{ $labels.cell }}',
    meaning:
      'The last check of a business found figures that do not add up: a sum that differs from its parts, stock that differs from its ledger. Shops go on selling.',
    steps: [
      'See which: *Worst first* in the console names the businesses, and *Settings → Checks* of each names rule and rows.',
      'Ask for the check once more: what was only under way is well then.',
      'Look for what wrote these rows last (ledger, timeline, audit) before anything is mended by hand.',
    ],
  },
  {
    name: 'KontorBooksUnchecked',
    severity: 'ticket',
    expr: 'time() - max by (cell) (kontor_checks_finished_timestamp_seconds != 0) > 2 * 86400',
    forSeconds: 600,
    summary: 'The books of the cell {{ $labels.cell }} were not checked for two days',
    meaning:
      'The check of each night has not come to its end, or in a new cell the first one has not. Nobody would be told of figures that do not add up.',
    steps: [
      'Does a worker serve the cell? Its log says why a check has ended (`checks`).',
      'Look at `kontor_checks_seconds`: a cell that needs more than a night has too much to check for its database.',
    ],
  },
  {
    name: 'KontorRedisAway',
    severity: 'ticket',
    expr: 'min(kontor_redis_up) == 0',
    forSeconds: 120,
    summary: 'Redis does not answer',
    meaning:
      'Each API process counts requests for itself, so rate limits are as many times higher as there are processes. Nothing else depends on Redis.',
    steps: ['Look at the Redis server. Processes connect again by themselves, within two seconds.'],
  },
]
