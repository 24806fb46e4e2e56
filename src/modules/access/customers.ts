import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'

/** The users who never were a customer of any business. */
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

/** The businesses that have one of these users as a customer. */
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

/** The same, each with the cell that it lives in. */
export async function listCustomerHomes(
  db: ControlDb,
  userIds: readonly string[],
): Promise<{ businessId: string; cell: string }[]> {
  return db
    .selectFrom('access.customers')
    .innerJoin('access.businesses', 'access.businesses.id', 'access.customers.businessId')
    .select(['access.customers.businessId', 'access.businesses.cell'])
    .distinct()
    .where('access.customers.userId', 'in', userIds)
    .orderBy('access.customers.businessId')
    .execute()
}

/** Those of these people who came to the business by their own action. */
export async function findCame(
  db: ControlDb,
  people: readonly { businessId: string; userId: string }[],
): Promise<{ businessId: string; userId: string }[]> {
  const { rows } = await sql<{ businessId: string; userId: string }>`
    select customers.business_id, customers.user_id
      from unnest(${people.map(({ businessId }) => businessId)}::text[], ${people.map(({ userId }) => userId)}::text[])
           as wanted (business_id, user_id)
      join access.customers on customers.business_id = wanted.business_id and customers.user_id = wanted.user_id
     where customers.came_at is not null`.execute(db)
  return rows
}

/**
 * The user became a customer by their own action. Called before a user's first order, subscription or entry in a
 * business: too many rows are harmless, a missing one is not.
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

/**
 * Called before a business writes an order for somebody: keeps a guest from being cleaned up, and reveals nothing yet.
 */
export async function holdCustomer(db: ControlDb, businessId: string, userId: string): Promise<void> {
  await db
    .insertInto('access.customers')
    .values({ businessId, userId, cameAt: null, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .execute()
}

/**
 * Called after that order is written: the business now knows the id, and sees no more until the user acts there
 * themselves.
 */
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

/** `rememberCustomer` with a memory: skips what this process has written before. */
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
