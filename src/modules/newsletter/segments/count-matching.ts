import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type MarkCustomers, makeRoomForSets, matchingReaders } from './matching-readers.ts'
import type { Condition, MatchingCount } from './schemas.ts'

/** Less than a request may take. */
const MAX_SECONDS = 8

type Counted = { businessId: string; collectionId: string; conditions: readonly Condition[] }

/** How many readers a letter would go to now, and for how many of them the conditions hold. */
export async function countMatching(db: Db, counted: Counted, markCustomers: MarkCustomers): Promise<MatchingCount> {
  const { sets, isReached, fits } = matchingReaders({ ...counted, at: now() }, markCustomers)
  return transaction(db, async (tx) => {
    await makeRoomForSets(tx, MAX_SECONDS)
    const { rows } = await sql<MatchingCount>`
      ${sets}
      select count(*)::integer as total, (count(*) filter (where ${fits}))::integer as matching
        from newsletter.subscriptions as subscription
       where ${isReached}`.execute(tx)
    return rows[0] ?? { total: 0, matching: 0 }
  })
}
