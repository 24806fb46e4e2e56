import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Metrics } from '../observability/metrics.ts'

const SWEEP_MS = 1_000
/** Time for a worker that lost its connection, but not its life, to notice and end itself. */
const PATIENCE_MS = 5_000

/**
 * graphile-worker leaves the jobs of a killed worker locked for hours. Here every worker watches the others: whose advisory
 * lock can be had has no connection any more, and after a short wait its jobs are free again.
 */
export function keepTakingBack(
  client: pg.Client,
  ownId: () => string,
  log: FastifyBaseLogger,
  metrics: Metrics,
): { stop(): void } {
  const deadSince = new Map<string, number>()
  let sweeping = false

  async function sweep() {
    const { rows } = await client.query<{ pool_id: string }>(SUSPECTS, [ownId()])
    const suspects = new Set(rows.map((row) => row.pool_id))
    for (const id of deadSince.keys()) if (!suspects.has(id)) deadSince.delete(id)
    for (const id of suspects) {
      const since = deadSince.get(id)
      if (since === undefined) deadSince.set(id, performance.now())
      else if (performance.now() - since >= PATIENCE_MS) {
        deadSince.delete(id)
        const { rows: taken } = await client.query<{ jobs: number }>(TAKE_BACK, [id])
        if (!taken[0]) continue // another worker was faster
        metrics.recovered.inc(taken[0].jobs)
        log.warn({ worker: id, jobs: taken[0].jobs }, 'took back the jobs of a worker that died')
      }
    }
  }

  const timer = setInterval(() => {
    if (sweeping) return
    sweeping = true
    sweep()
      .catch(() => {}) // the connection is gone: the lifeline reports it
      .finally(() => {
        sweeping = false
      })
  }, SWEEP_MS)
  return { stop: () => clearInterval(timer) }
}

// Asks for each other worker's lock, and lets go of it in the same statement.
const SUSPECTS = `
  select pool_id
    from cell.workers,
         lateral (select hashtextextended('kontor.worker:' || pool_id, 0) as key) as named,
         lateral (select pg_try_advisory_lock_shared(key) as free) as asked
   where pool_id <> $1 and free and pg_advisory_unlock_shared(key)`

// The row goes first: of two that want to take back, one waits here and then finds nothing to do.
const TAKE_BACK = `
  with gone as (delete from cell.workers where pool_id = $1 returning pool_id),
       counted as (select count(*)::int as jobs from graphile_worker._private_jobs where locked_by = $1)
  select jobs, graphile_worker.force_unlock_workers(array[pool_id]) from gone, counted`
