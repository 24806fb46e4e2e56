import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'

/** How many imports have ended since then with lines left out, and were not undone; counted up to `most`. */
export async function countIncompleteImports(db: Db, businessId: string, since: Date, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
      from (select
              from catalog.imports
             where business_id = ${businessId} and status = 'DONE' and failed > 0 and finished_at >= ${since}
             limit ${most}) as incomplete`.execute(db)
  return rows[0]?.count ?? 0
}
