import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { type MarkCustomers, matchingReaders } from './matching-readers.ts'
import type { Condition, MatchingCount } from './schemas.ts'

type Counted = { businessId: string; collectionId: string; conditions: readonly Condition[] }

/** How many readers a letter would go to now, and for how many of them the conditions hold. */
export async function countMatching(db: Db, counted: Counted, markCustomers: MarkCustomers): Promise<MatchingCount> {
  const { marks, readers, isReached, fits } = matchingReaders({ ...counted, at: now() }, markCustomers)
  const { rows } = await sql<MatchingCount>`
    ${marks}
    select count(*)::integer as total, (count(*) filter (where ${fits}))::integer as matching
      from ${readers}
     where ${isReached}`.execute(db)
  return rows[0] ?? { total: 0, matching: 0 }
}
