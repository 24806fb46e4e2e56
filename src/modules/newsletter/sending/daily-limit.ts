import { findBusiness } from '#modules/access/index.ts'
import { createCache } from '#platform/cache.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import type { Business } from '#vocabulary/business.ts'
import { dailyLimitReached } from '../errors.ts'
import { countToday } from './recipients.ts'

/** Workers hear of a new limit after this long. */
const TTL_MS = 10_000

/** The limit of each business that is sending, without a question for every batch. */
export function createDailyLimits(control: ControlDb): (businessId: string) => Promise<number | undefined> {
  const known = createCache<{ limit: number | undefined }>({ max: 5_000, ttlMs: TTL_MS })
  return async (businessId) => {
    const found = await known.get(businessId, async () => ({
      limit: (await findBusiness(control, businessId))?.limits?.mailsPerDay,
    }))
    return found?.limit
  }
}

/** Refuses a new letter once the letters of today are used up. One that is under way goes on tomorrow by itself. */
export async function checkDailyLimit(db: Db, { id, limits }: Pick<Business, 'id' | 'limits'>): Promise<void> {
  const limit = limits?.mailsPerDay
  if (limit !== undefined && (await countToday(db, id)) >= limit) throw dailyLimitReached({ limit })
}
