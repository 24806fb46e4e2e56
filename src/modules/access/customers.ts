import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'

/** Those of the users who never were anybody's customer. */
export async function withoutCustomers(db: ControlDb, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('access.customers')
    .select('userId')
    .distinct()
    .where('userId', 'in', userIds)
    .execute()
  const customers = new Set(rows.map(({ userId }) => userId))
  return userIds.filter((id) => !customers.has(id))
}

/** The businesses whose customer one of these users is. */
export async function listCustomerships(db: ControlDb, userIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('access.customers')
    .select('businessId')
    .distinct()
    .where('userId', 'in', userIds)
    .orderBy('businessId')
    .execute()
  return rows.map(({ businessId }) => businessId)
}

/** Called before a user's first order, subscription or entry in a business: a superset is harmless, a gap is not. */
export async function rememberCustomer(db: ControlDb, businessId: string, userId: string): Promise<void> {
  await db
    .insertInto('access.customers')
    .values({ businessId, userId, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .execute()
}

const REMEMBERED = 50_000

/** The same for who buys often: this process does not write what it has written before. */
export function createCustomers(control: ControlDb) {
  const known = new Set<string>()
  return {
    async remember(businessId: string, userId: string): Promise<void> {
      const key = `${businessId}/${userId}`
      if (known.has(key)) return
      await rememberCustomer(control, businessId, userId)
      if (known.size >= REMEMBERED) known.clear()
      known.add(key)
    },
  }
}
