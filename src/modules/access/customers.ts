import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'

/** Called before a user's first order, subscription or entry in a business: a superset is harmless, a gap is not. */
export async function rememberCustomer(db: ControlDb, businessId: string, userId: string): Promise<void> {
  await db
    .insertInto('access.customers')
    .values({ businessId, userId, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .execute()
}
