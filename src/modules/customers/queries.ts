import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import type { CustomerRow, Person } from './customer.ts'

/**
 * The columns of a customer with their sums. One row, or the rows of a page: the sums of each are read by their key.
 */
export const CUSTOMER = sql`
  customers.*,
  coalesce((
    select json_agg(json_build_object('currency', currency, 'amount', amount, 'orders', spent.orders) order by currency)
      from customers.spent
     where spent.business_id = customers.business_id and spent.user_id = customers.user_id), '[]') as spent`

/** Also by an id that the customer had as a guest. */
export async function findCustomer(db: Db, businessId: string, id: string): Promise<CustomerRow | undefined> {
  const { rows } = await sql<CustomerRow>`
    select ${CUSTOMER}
      from customers.customers
     where customers.business_id = ${businessId}
       and customers.user_id = coalesce(
             (select user_id from customers.aliases where business_id = ${businessId} and guest_id = ${id}), ${id})`.execute(
    db,
  )
  return rows[0]
}

/** The ids of a customer: their own, and those that they had as a guest. */
export async function idsOf(db: Db, { businessId, userId }: Person): Promise<string[]> {
  const rows = await db
    .selectFrom('customers.aliases')
    .select('guestId')
    .where((alias) => alias.and({ businessId, userId }))
    .where('guestId', '<>', userId) // of an account that is gone
    .orderBy('guestId')
    .execute()
  return [userId, ...rows.map(({ guestId }) => guestId)]
}

/** Whoever changes sums holds this lock: one at a time in a cell. */
export const SUMS_LOCK = 'kontor.customers'

export async function lockSums(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${SUMS_LOCK}, 0))`.execute(tx)
}

/** The words of tags stand among those of names with this in front, which no word and no address has. */
export const markOf = (tag: string) => `t:${tag}`
