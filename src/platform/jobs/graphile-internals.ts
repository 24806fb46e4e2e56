import { type QueryExecutorProvider, sql } from 'kysely'
import pg from 'pg'

/**
 * All uses of graphile-worker beyond its documented interface: the jobs table behind the view, the channel that
 * announces new jobs, and how the runner handles its pool. A test fails with any other version: read its changes to
 * these parts, then change the number.
 */
export const GRAPHILE_VERSION = '0.18.0'

type Lock = { id: string; poolId: string; lockedAt: Date | null }

/** Whether the job is still locked for this pool by the same lock; if so, the row stays as it is until `tx` ends. */
export async function holdsLock(tx: QueryExecutorProvider, { id, poolId, lockedAt }: Lock): Promise<boolean> {
  const { rows } = await sql`
    select 1 from graphile_worker._private_jobs
     where id = ${id} and locked_by = ${poolId} and date_trunc('milliseconds', locked_at) = ${lockedAt}
       for share`.execute(tx)
  return rows.length > 0
}

export async function countJobs(pool: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query(`
    select count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now())::int as ready,
           count(*) filter (where locked_at is not null)::int as running,
           count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now())::int as scheduled,
           count(*) filter (where locked_at is null and attempts >= max_attempts)::int as dead
      from graphile_worker._private_jobs`)
  return rows[0]
}

// Workers poll every second; this NOTIFY, as enqueueing sends it, spares them the wait.
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

type Release = (error?: Error | boolean) => void
type ConnectCallback = (error: Error | undefined, client: pg.PoolClient | undefined, release?: Release) => void

/** Undefined where there is nothing to release: the runner checks for it. */
function once(release: Release | undefined): Release | undefined {
  if (!release) return undefined
  let released = false
  return (error) => {
    if (!released) release(error)
    released = true
  }
}

/** The queue's statements are short. A long one means a server in trouble, and must not delay leaving it. */
export function openQueuePool(directUrl: string, concurrency: number) {
  const pool = new pg.Pool({
    connectionString: directUrl,
    application_name: 'kontor worker',
    max: concurrency + 3,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
    keepAlive: true,
  })
  const clients = new Set<pg.PoolClient>()
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    clients.add(client)
    client.on('error', () => {})
  })
  pool.on('remove', (client) => clients.delete(client))
  // The runner releases its listening connection twice if it breaks at the wrong moment; the second release throws an
  // exception that nobody can catch.
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => unknown
  const connectOnce = (callback?: ConnectCallback) =>
    callback ? connect((error, client, release) => callback(error, client, once(release))) : connect()
  pool.connect = connectOnce as typeof pool.connect
  return {
    pool,
    /** Destroys connections to a server that vanished without closing them. */
    tearDown: () => {
      for (const client of clients) void (client as pg.PoolClient & { end(): Promise<void> }).end().catch(() => {})
    },
  }
}
