import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'

/** How many sends the service has paused because of a problem, and nobody has taken up again; counted up to `most`. */
export async function countStoppedSends(db: Db, businessId: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
      from (select
              from newsletter.sends
             where business_id = ${businessId} and status = 'PAUSED' and problem is not null
             limit ${most}) as stopped`.execute(db)
  return rows[0]?.count ?? 0
}
