import { sql } from 'kysely'

/** How long a worker that lost its connection, but is alive, has to notice and stop its jobs. */
const PATIENCE = '5 seconds'

/**
 * The workers whose advisory lock is free for longer than they have to notice, as an expression, `dead`, in a statement that begins
 * with `having`.
 *
 * Tries each other worker's lock, and releases it at once. In a `case`, because its order of evaluation is fixed: the
 * planner may reorder conditions joined by `and`. The time of the first suspicion is stored, so that the wait does not
 * start over when the worker that waited dies as well.
 */
export const findDead = (ownId: string) => ({
  having: sql`
    with asked as materialized (
      select pool_id, case when pg_try_advisory_lock_shared(key) then pg_advisory_unlock_shared(key) else false end as gone
        from (select pool_id, hashtextextended('kontor.worker:' || pool_id, 0) as key
                from cell.workers where pool_id <> ${ownId}) as others
    ), suspected as (
      update cell.workers worker
         set suspected_at = case when asked.gone then clock_timestamp() end
        from asked
       where worker.pool_id = asked.pool_id and asked.gone = (worker.suspected_at is null)
    )`,
  dead: sql`
    array(select pool_id from asked join cell.workers using (pool_id)
           where gone and suspected_at < clock_timestamp() - ${PATIENCE}::interval)`,
})
