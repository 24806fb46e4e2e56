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

/**
 * They came by themselves. Called before a user's first order, subscription or entry in a business: a superset is harmless, a gap
 * is not.
 */
export async function rememberCustomer(db: ControlDb, businessId: string, userId: string): Promise<void> {
  await db
    .insertInto('access.customers')
    .values({ businessId, userId, cameAt: now(), createdAt: now() })
    .onConflict((known) =>
      known
        .columns(['businessId', 'userId'])
        .doUpdateSet({ cameAt: now() })
        .where('access.customers.cameAt', 'is', null),
    )
    .execute()
}

/** Before a business writes an order for somebody: a guest in it is not tidied away, and nothing is shown of anybody yet. */
export async function holdCustomer(db: ControlDb, businessId: string, userId: string): Promise<void> {
  await db
    .insertInto('access.customers')
    .values({ businessId, userId, cameAt: null, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .execute()
}

/** After that order was written: the business has a person of this id, of whom it sees no more until they come by themselves. */
export async function nameCustomer(db: ControlDb, businessId: string, userId: string): Promise<void> {
  await db
    .updateTable('access.customers')
    .set({ namedAt: now() })
    .where((row) => row.and({ businessId, userId }))
    .where('namedAt', 'is', null)
    .where('cameAt', 'is', null)
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
