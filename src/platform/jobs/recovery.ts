import type { FastifyBaseLogger } from 'fastify'
import type { Metrics } from '../observability/metrics.ts'
import type { LifelineQuery } from './lifeline.ts'

const SWEEP_MS = 1_000
const SWEEPS_PER_LOOK_FOR_STRAYS = 10
/** Time for a worker that lost its connection, but not its life, to notice and end itself. */
const PATIENCE = '5 seconds'

/**
 * graphile-worker leaves the jobs of a killed worker locked for hours. Here every worker watches the others: whose advisory
 * lock can be had has no connection any more, and after a short wait its jobs are free again.
 */
export function keepTakingBack(
  query: LifelineQuery,
  ownId: () => string,
  log: FastifyBaseLogger,
  metrics: Metrics,
): { stop(): void } {
  let sweeping = false
  let sweeps = 0

  async function sweep() {
    for (const { pool_id: id } of await query<{ pool_id: string }>(FIND_DEAD, [ownId(), PATIENCE])) {
      const [taken] = await query<{ jobs: number }>(TAKE_BACK, [id])
      if (!taken) continue // another worker was faster
      metrics.recovered.inc(taken.jobs)
      log.warn({ worker: id, jobs: taken.jobs }, 'took back the jobs of a worker that died')
    }
    if (sweeps++ % SWEEPS_PER_LOOK_FOR_STRAYS > 0) return
    const [found] = await query<{ jobs: number }>(TAKE_BACK_STRAYS)
    if (!found) return
    metrics.recovered.inc(found.jobs)
    log.warn({ jobs: found.jobs }, 'took back jobs that were locked for a worker that had been given up')
  }

  async function sweepOnce() {
    if (sweeping) return
    sweeping = true
    await sweep().catch(() => {}) // the connection is gone, which the lifeline reports, or somebody holds a row: next time
    sweeping = false
  }

  void sweepOnce()
  const timer = setInterval(() => void sweepOnce(), SWEEP_MS)
  return { stop: () => clearInterval(timer) }
}

// Asks for each other worker's lock, and lets go of it at once. In a case, because the order of its parts is certain: the planner
// may try conditions that are joined by `and` in any order. Since when one is suspected stands in the database, so that the wait
// does not begin anew when the worker that waited dies as well.
const FIND_DEAD = `
  with asked as materialized (
    select pool_id, case when pg_try_advisory_lock_shared(key) then pg_advisory_unlock_shared(key) else false end as gone
      from (select pool_id, hashtextextended('kontor.worker:' || pool_id, 0) as key from cell.workers where pool_id <> $1) as others
  ), suspected as (
    update cell.workers worker
       set suspected_at = case when asked.gone then clock_timestamp() end
      from asked
     where worker.pool_id = asked.pool_id and asked.gone = (worker.suspected_at is null)
  )
  select pool_id from asked join cell.workers using (pool_id)
   where gone and suspected_at < clock_timestamp() - $2::interval`

// They would look by themselves within a second; this is what enqueueing does to spare them the wait.
const wakeWorkers = (jobs: string) =>
  `pg_notify('jobs:insert', json_build_object('r', random(), 'count', ${jobs})::text)`

// The row goes first: of two that want to take back, one waits here and then finds nothing to do.
export const TAKE_BACK = `
  with gone as (delete from cell.workers where pool_id = $1 returning pool_id),
       counted as (select count(*)::int as jobs from graphile_worker._private_jobs where locked_by = $1)
  select jobs, graphile_worker.force_unlock_workers(array[pool_id]), ${wakeWorkers('jobs')} from gone, counted`

// A worker has its row from before its first job until after its last one. Who has none, but was slow to send a statement,
// may still have locked a job in the database.
const TAKE_BACK_STRAYS = `
  with strays as (
    select locked_by, count(*)::int as jobs
      from graphile_worker._private_jobs
     where locked_by is not null and not exists (select from cell.workers where pool_id = locked_by)
     group by locked_by
  )
  select sum(jobs)::int as jobs, graphile_worker.force_unlock_workers(array_agg(locked_by)), ${wakeWorkers('sum(jobs)')}
    from strays
  having count(*) > 0`
