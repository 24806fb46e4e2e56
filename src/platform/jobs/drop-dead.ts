import { sql } from 'kysely'
import { nowMs } from '../clock.ts'
import type { Cell, Control } from '../database/database.ts'

const KEEP_MS = 24 * 3_600_000

/**
 * Drops dead jobs of these names that nobody has retried for a day. For jobs whose payload names a person: nobody waits
 * for them any more, and what they carry must not stay.
 */
export async function dropDead(db: Cell | Control, names: readonly string[]): Promise<number> {
  const { rows } = await sql`
    select from graphile_worker.complete_jobs(array(
      select id
        from graphile_worker.jobs
       where task_identifier = any (${names}::text[]) and attempts >= max_attempts and locked_at is null
         and updated_at < ${new Date(nowMs() - KEEP_MS)}
       limit 1000))`.execute(db)
  return rows.length
}
