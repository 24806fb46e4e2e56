import { sql } from 'kysely'
import type { Db } from './database/database.ts'
import { countQueues } from './jobs/graphile-internals.ts'
import { isHere } from './moves/fence.ts'

export type CellFigures = {
  workers: number
  databaseBytes: number
  connections: number
  jobs: { ready: number; running: number; scheduled: number; dead: number; oldestReadyAt: Date | null }
  /** When the oldest event happened that is in no feed yet. */
  oldestEventAt: Date | null
}

/** What an operator wants to know of a cell at a glance. */
export async function lookAtCell(db: Db): Promise<CellFigures> {
  const { rows } = await sql<Omit<CellFigures, 'jobs'>>`
    select (select count(*)::integer from cell.workers) as workers,
           pg_database_size(current_database())::float8 as database_bytes,
           (select count(*)::integer from pg_stat_activity where datname = current_database()) as connections,
           (select occurred_at from cell.event_outbox where ${isHere('business_id')} order by position limit 1) as oldest_event_at`.execute(
    db,
  )
  const [seen] = rows as [Omit<CellFigures, 'jobs'>]
  const queues = await countQueues(db)
  const sum = (name: 'ready' | 'running' | 'scheduled' | 'dead') =>
    queues.reduce((total, queue) => total + queue[name], 0)
  const oldest = queues.flatMap(({ oldestReadyAt }) => (oldestReadyAt ? [oldestReadyAt] : []))
  const oldestReadyAt = oldest.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
  return {
    ...seen,
    jobs: {
      ready: sum('ready'),
      running: sum('running'),
      scheduled: sum('scheduled'),
      dead: sum('dead'),
      oldestReadyAt,
    },
  }
}
