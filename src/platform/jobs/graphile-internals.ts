import { EventEmitter } from 'node:events'
import { type QueryExecutorProvider, sql } from 'kysely'
import pg from 'pg'

/**
 * All uses of graphile-worker beyond its documented interface: the jobs table behind the view, the channel that
 * announces new jobs, and how the runner handles its pool. A test fails with any other version: read its changes to
 * these parts, then change the number.
 */
export const GRAPHILE_VERSION = '0.18.0'

/** The business that a job is for, if its payload names one. */
export function businessOf(payload: unknown): string | undefined {
  const { businessId } = (payload ?? {}) as { businessId?: unknown }
  return typeof businessId === 'string' ? businessId : undefined
}

/** Marks the jobs of a business, so that a worker can pass them over: the queue looks at flags, not at payloads. */
export const toFlag = (businessId: string) => `business:${businessId}`
export const flagOf = (payload: unknown): string | null => {
  const businessId = businessOf(payload)
  return businessId === undefined ? null : toFlag(businessId)
}

/** Marks those that may take minutes or hours, of whichever business. */
export const LONG = 'long'

type Lock = { id: string; poolId: string; lockedAt: Date | null }

/** Whether the job is still locked for this pool by the same lock; if so, the row stays as it is until `tx` ends. */
export async function holdsLock(tx: QueryExecutorProvider, { id, poolId, lockedAt }: Lock): Promise<boolean> {
  const { rows } = await sql`
    select 1 from graphile_worker._private_jobs
     where id = ${id} and locked_by = ${poolId} and date_trunc('milliseconds', locked_at) = ${lockedAt}
       for share`.execute(tx)
  return rows.length > 0
}

export type JobCounts = {
  jobs: Record<'ready' | 'running' | 'scheduled' | 'dead', number>
  /** How long the job that is ready for longest has waited. */
  oldestSeconds: number
}

export async function countJobs(pool: pg.Pool): Promise<JobCounts> {
  const { rows } = await pool.query<JobCounts['jobs'] & { oldest: number }>(`
    select count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now())::int as ready,
           count(*) filter (where locked_at is not null)::int as running,
           count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now())::int as scheduled,
           count(*) filter (where locked_at is null and attempts >= max_attempts)::int as dead,
           coalesce(extract(epoch from now() - min(run_at) filter (where locked_at is null and attempts < max_attempts)), 0)::float as oldest
      from graphile_worker._private_jobs`)
  const { oldest = 0, ...jobs } = rows[0] ?? { ready: 0, running: 0, scheduled: 0, dead: 0 }
  return { jobs, oldestSeconds: Math.max(0, oldest) } // the next one may be due in the future
}

const asJson = sql`
  json_build_object('identifier', tasks.identifier, 'payload', jobs.payload, 'run_at', jobs.run_at,
                    'max_attempts', jobs.max_attempts, 'key', jobs.key, 'priority', jobs.priority)`

/**
 * Of which business, and which jobs. The queue of the cell `main` is that of control, too, whose jobs belong to no cell, whatever
 * business their payload names: so names are wanted.
 */
export type JobsOf = { businessId: string; names: readonly string[] }

const areOf = ({ businessId, names }: JobsOf) => sql`
  jobs.payload ->> 'businessId' = ${businessId} and jobs.attempts < jobs.max_attempts
  and jobs.task_id in (select id from graphile_worker._private_tasks where identifier = any (${names}::text[]))`

/** Jobs as lines of JSON. What is running now may run again elsewhere: jobs allow that. */
export async function readJobsOf(db: QueryExecutorProvider, which: JobsOf): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select ${asJson}::text as line
      from graphile_worker._private_jobs as jobs
      join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
     where ${areOf(which)}
     order by jobs.id`.execute(db)
  return rows.map(({ line }) => line.replaceAll(/[\r\n]+/g, ' '))
}

/** Jobs as `readJobsOf` read them; those of another business are passed over, and those that would take the place of one. */
export async function addJobs(tx: QueryExecutorProvider, businessId: string, lines: readonly string[]): Promise<void> {
  await sql`
    select graphile_worker.add_job(identifier => identifier, payload => payload, run_at => run_at,
                                   max_attempts => max_attempts, job_key => key, priority => priority,
                                   flags => array[${toFlag(businessId)}])
      from json_to_recordset(${`[${lines.join(',')}]`}::json)
           as job (identifier text, payload json, run_at timestamptz, max_attempts integer, key text, priority integer)
     where payload ->> 'businessId' = ${businessId}
       and not exists (select from graphile_worker._private_jobs as known
                        where known.key = job.key and known.payload ->> 'businessId' is distinct from ${businessId})`.execute(
    tx,
  )
}

/** How many of them wait, and how many somebody is at. */
export async function countJobsOf(
  db: QueryExecutorProvider,
  which: JobsOf,
): Promise<{ waiting: number; running: number }> {
  const { rows } = await sql<{ waiting: number; running: number }>`
    select count(*) filter (where locked_at is null)::integer as waiting,
           count(*) filter (where locked_at is not null)::integer as running
      from graphile_worker._private_jobs as jobs
     where ${areOf(which)}`.execute(db)
  return rows[0] ?? { waiting: 0, running: 0 }
}

/** Takes those that wait out of the queue. From now on they are in `cell.moving_jobs`, and no worker gets at them. */
export const takeOut = (tx: QueryExecutorProvider, which: JobsOf): Promise<unknown> =>
  sql`
    with waiting as (
      select id from graphile_worker._private_jobs as jobs
       where ${areOf(which)} and locked_at is null
         for update skip locked
    ), taken as (
      delete from graphile_worker._private_jobs as jobs
       using graphile_worker._private_tasks as tasks
       where jobs.id = any (array(select id from waiting)) and tasks.id = jobs.task_id
      returning jobs.id, ${asJson} as job
    )
    insert into cell.moving_jobs (business_id, id, job) select ${which.businessId}, id, job from taken`.execute(tx)

/** As `readJobsOf` reads those that are in the queue. */
export async function readTakenOut(db: QueryExecutorProvider, businessId: string): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select job::text as line from cell.moving_jobs where business_id = ${businessId} order by id`.execute(db)
  return rows.map(({ line }) => line)
}

/** The job with this key runs at once, with all its attempts, unless it is running. False: there is none. */
export async function hurryJob(db: QueryExecutorProvider, key: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id::text as id from graphile_worker._private_jobs where key = ${key}`.execute(db)
  await sql`
    select from graphile_worker.reschedule_jobs(${rows.map(({ id }) => id)}::bigint[], run_at => now(), attempts => 0)`.execute(
    db,
  )
  return rows.length > 0
}

export const forgetTakenOut = (db: QueryExecutorProvider, businessId: string): Promise<unknown> =>
  sql`delete from cell.moving_jobs where business_id = ${businessId}`.execute(db)

export type LateJob = {
  /** The cell in whose queue it was. */
  from: string
  id: string
  task_identifier: string
  payload: unknown
  max_attempts: number
  key: string | null
  priority: number
}

/**
 * Puts a job into another queue, as it was. One that waits there under the same key is newer, and does for both; one that has begun, or
 * is dead, does not. Without a key it gets one, so that a worker that dies here and does this again does not double it.
 */
export async function handOn(db: QueryExecutorProvider, businessId: string, job: LateJob): Promise<void> {
  const own = `moved from ${job.from} ${job.id}`
  await sql`
    select graphile_worker.add_job(
      identifier => ${job.task_identifier}, payload => ${JSON.stringify(job.payload)}::json, max_attempts => ${job.max_attempts},
      priority => ${job.priority}, flags => array[${toFlag(businessId)}], job_key_mode => 'unsafe_dedupe',
      job_key => case when exists (select from graphile_worker._private_jobs as known
                                    where known.key = ${job.key}::text and (known.locked_at is not null or known.attempts >= known.max_attempts))
                      then ${own} else coalesce(${job.key}::text, ${own}) end)`.execute(db)
}

/** Drops all jobs whose payload names the business, those of control, too, but for those that are running. Returns how many. */
export async function dropJobsOf(db: QueryExecutorProvider, businessId: string): Promise<number> {
  const { rows } = await sql`
    select from graphile_worker.complete_jobs(array(
      select id from graphile_worker._private_jobs
       where payload ->> 'businessId' = ${businessId} and locked_at is null))`.execute(db)
  return rows.length
}

/** Where the queue announces new jobs, and changes of its tables that this version must not go on with. */
export const JOB_CHANNELS = ['jobs:insert', 'worker:migrate']

/** Whether a job waits whose time has come, as an expression. New jobs are announced; those whose time comes are not. */
export const isJobReady = () =>
  sql`exists (select from graphile_worker._private_jobs where is_available = true and run_at <= now())`

// Workers look every second; this NOTIFY, as enqueueing sends it, spares them the wait.
const wakeWorkers = (jobs: string) =>
  `pg_notify('jobs:insert', json_build_object('r', random(), 'count', ${jobs})::text)`

// Deletes the worker's row first: of two workers that reclaim the same jobs, the second waits here and then finds
// nothing.
export const RECLAIM = `
  with gone as (delete from cell.workers where pool_id = $1 returning pool_id),
       counted as (select count(*)::int as jobs from graphile_worker._private_jobs where locked_by = $1)
  select jobs, graphile_worker.force_unlock_workers(array[pool_id]), ${wakeWorkers('jobs')} from gone, counted`

// A worker has its row from before its first job until after its last. A worker without a row, whose last statement
// arrived late, may still have locked a job.
export const RECLAIM_STRAYS = `
  with strays as (
    select locked_by, count(*)::int as jobs
      from graphile_worker._private_jobs
     where locked_by is not null and not exists (select from cell.workers where pool_id = locked_by)
     group by locked_by
  )
  select sum(jobs)::int as jobs, graphile_worker.force_unlock_workers(array_agg(locked_by)), ${wakeWorkers('sum(jobs)')}
    from strays
  having count(*) > 0`

const CONNECT_TIMEOUT_MS = 3_000
const STATEMENT_TIMEOUT_MS = 5_000

/** The runner's connections are used for some milliseconds, some times a minute. */
const IDLE_MS = 1_000

type ConnectCallback = (error: Error | undefined, client: unknown, release: () => void) => void

/** The queue's statements are short. A long one means a server in trouble, and must not delay leaving it. */
export function openQueuePool(directUrl: string, concurrency: number) {
  const pool = new pg.Pool({
    connectionString: directUrl,
    application_name: 'kontor worker',
    max: concurrency + 3,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
  })
  const clients = new Set<pg.PoolClient>()
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    clients.add(client)
    client.on('error', () => {})
  })
  pool.on('remove', (client) => clients.delete(client))
  const { runnerPool, hear } = withEars(pool)
  return {
    pool,
    /** The same, for the runner. */
    runnerPool,
    /** Tells the runner of a notification on one of its channels. */
    hear,
    /** Tells it that there are jobs, for so many of its places. */
    wake: (count = concurrency) => hear({ channel: 'jobs:insert', payload: JSON.stringify({ count }) }),
    /** Destroys connections to a server that vanished without closing them. */
    tearDown: () => {
      for (const client of clients) void (client as pg.PoolClient & { end(): Promise<void> }).end().catch(() => {})
    },
  }
}

/**
 * The runner keeps a connection of its own to hear of new jobs, the only one that it asks for with a callback. It gets one that
 * hears what it is told: the heartbeat's connection listens already.
 */
function withEars(pool: pg.Pool) {
  const ears = Object.assign(new EventEmitter(), { query: async () => ({ rows: [] }) })
  const connect = (callback?: ConnectCallback) =>
    callback ? void setImmediate(() => callback(undefined, ears, () => {})) : pool.connect()
  const runnerPool = new Proxy(pool, {
    get(target, key) {
      if (key === 'connect') return connect
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    runnerPool,
    hear: (message: Pick<pg.Notification, 'channel' | 'payload'>) => void ears.emit('notification', message),
  }
}

export type DeadJob = {
  id: number
  name: string
  /** The business that it is for, if its payload names one. Nothing else of the payload is shown: it may name people. */
  businessId: string | null
  attempts: number
  lastError: string | null
  createdAt: Date
  diedAt: Date
}

export type QueueCounts = {
  name: string
  ready: number
  running: number
  scheduled: number
  dead: number
  /** When the job that has waited longest became due. */
  oldestReadyAt: Date | null
}

const IS_DEAD = sql`job.locked_at is null and job.attempts >= job.max_attempts`
const BUSINESS = sql<string | null>`job.payload ->> 'businessId'`

export type JobFilter = { name?: string | undefined; businessId?: string | undefined }

const fits = ({ name, businessId }: JobFilter) => sql`
  ${name === undefined ? sql`true` : sql`task.identifier = ${name}`}
  and ${businessId === undefined ? sql`true` : sql`${BUSINESS} = ${businessId}`}`

export async function countQueues(db: QueryExecutorProvider, filter: JobFilter = {}): Promise<QueueCounts[]> {
  const { rows } = await sql<QueueCounts>`
    select task.identifier as name,
           count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now())::integer as ready,
           count(*) filter (where locked_at is not null)::integer as running,
           count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now())::integer as scheduled,
           count(*) filter (where ${IS_DEAD})::integer as dead,
           min(run_at) filter (where locked_at is null and attempts < max_attempts and run_at <= now()) as oldest_ready_at
      from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
     where ${fits(filter)}
     group by task.identifier
     order by task.identifier`.execute(db)
  return rows
}

/** Dead jobs, those that died last first; after `before` in that order. */
export async function listDead(
  db: QueryExecutorProvider,
  filter: JobFilter & { before?: { diedAt: Date; id: number } | undefined; limit: number },
): Promise<DeadJob[]> {
  const { before, limit } = filter
  const { rows } = await sql<DeadJob>`
    select id, name, business_id, attempts, last_error, created_at, died_at
      from (select job.id::float8 as id, task.identifier as name, ${BUSINESS} as business_id, attempts, left(last_error, 2000) as last_error,
                   job.created_at, date_trunc('milliseconds', job.updated_at) as died_at
              from graphile_worker._private_jobs as job
              join graphile_worker._private_tasks as task on task.id = job.task_id
             where ${IS_DEAD} and ${fits(filter)}) as dead
     where ${before === undefined ? sql`true` : sql`(died_at, id) < (${before.diedAt}, ${before.id})`}
     order by died_at desc, id desc
     limit ${limit}`.execute(db)
  return rows
}

export type FoundJob = { id: string; name: string; businessId: string | null; isDead: boolean }

export async function findJob(db: QueryExecutorProvider, id: string): Promise<FoundJob | undefined> {
  const { rows } = await sql<FoundJob>`
    select job.id::text as id, task.identifier as name, ${BUSINESS} as business_id, ${IS_DEAD} as is_dead
      from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
     where job.id = ${id}::bigint`.execute(db)
  return rows[0]
}

const deadIds = (filter: JobFilter & { id?: string | undefined; most: number }) => sql`
  array(select job.id
          from graphile_worker._private_jobs as job
          join graphile_worker._private_tasks as task on task.id = job.task_id
         where ${IS_DEAD} and ${fits(filter)} and ${filter.id === undefined ? sql`true` : sql`job.id = ${filter.id}::bigint`}
         order by job.id
         limit ${filter.most}
           for update of job skip locked)`

/** Dead jobs run again at once, with all their attempts. Returns how many. */
export async function retryDead(
  db: QueryExecutorProvider,
  filter: JobFilter & { id?: string; most: number },
): Promise<number> {
  const { rows } = await sql`
    select from graphile_worker.reschedule_jobs(${deadIds(filter)}, run_at => now(), attempts => 0)`.execute(db)
  return rows.length
}

/** Dead jobs are taken out of the queue, undone. Returns how many. */
export async function discardDead(
  db: QueryExecutorProvider,
  filter: JobFilter & { id?: string; most: number },
): Promise<number> {
  const { rows } = await sql`select from graphile_worker.complete_jobs(${deadIds(filter)})`.execute(db)
  return rows.length
}

/** Of every business that has any: how many of its jobs are dead. */
export async function countDeadByBusiness(db: QueryExecutorProvider): Promise<{ businessId: string; count: number }[]> {
  const { rows } = await sql<{ businessId: string; count: number }>`
    select business_id, count(*)::integer as count
      from (select ${BUSINESS} as business_id from graphile_worker._private_jobs as job where ${IS_DEAD}) as dead
     where business_id is not null
     group by business_id`.execute(db)
  return rows
}
