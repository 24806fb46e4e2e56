import type { FastifyBaseLogger } from 'fastify'
import type { Metrics } from '../observability/metrics.ts'
import { RECLAIM, RECLAIM_STRAYS } from './graphile-internals.ts'
import type { HeartbeatQuery } from './heartbeat.ts'

const SWEEP_MS = 1_000
const SWEEPS_PER_LOOK_FOR_STRAYS = 10
/** How long a worker that lost its connection, but is alive, has to notice and stop its jobs. */
const PATIENCE = '5 seconds'

/**
 * Reclaims the jobs of dead workers, which graphile-worker leaves locked for hours. Every worker watches the others:
 * one whose advisory lock is free has lost its connection, and after a short wait its jobs are unlocked.
 */
export function reclaimDeadWorkersJobs(
  query: HeartbeatQuery,
  ownId: () => string,
  log: FastifyBaseLogger,
  metrics: Metrics,
): { stop(): void } {
  let sweeping = false
  let sweeps = 0

  async function sweep() {
    for (const { pool_id: id } of await query<{ pool_id: string }>(FIND_DEAD, [ownId(), PATIENCE])) {
      const [taken] = await query<{ jobs: number }>(RECLAIM, [id])
      if (!taken) continue // another worker was faster
      metrics.recovered.inc(taken.jobs)
      log.warn({ worker: id, jobs: taken.jobs }, 'reclaimed the jobs of a dead worker')
    }
    if (sweeps++ % SWEEPS_PER_LOOK_FOR_STRAYS > 0) return
    const [found] = await query<{ jobs: number }>(RECLAIM_STRAYS)
    if (!found) return
    metrics.recovered.inc(found.jobs)
    log.warn({ jobs: found.jobs }, 'reclaimed jobs of workers without a heartbeat')
  }

  async function sweepOnce() {
    if (sweeping) return
    sweeping = true
    await sweep().catch(() => {}) // the connection is gone, which the heartbeat reports, or a row is locked: next time
    sweeping = false
  }

  void sweepOnce()
  const timer = setInterval(() => void sweepOnce(), SWEEP_MS)
  return { stop: () => clearInterval(timer) }
}

// Tries each other worker's lock, and releases it at once. In a `case`, because its order of evaluation is fixed: the
// planner may reorder conditions joined by `and`. The time of the first suspicion is stored, so that the wait does not
// start over when the worker that waited dies as well.
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
