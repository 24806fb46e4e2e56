import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { addFollowed } from '#platform/events/sequencer.ts'
import { keyOf, type Merged, type Person } from './customer.ts'
import { eraseIn } from './erase-customers.ts'
import { moveBought } from './keep-bought.ts'
import { findCustomer, idsOf, lockSums } from './queries.ts'
import { listed, refreshCustomers } from './refresh-customers.ts'

const MAX_TAGS = 50

/** The ids that mean another customer now, for whoever keeps something by customer. */
export const MERGED_TOPIC = 'customers-merged'

/** Whom these ids mean now, by `keyOf`; only of those who became somebody else. */
export async function readAliases(db: Db, people: readonly Person[]): Promise<Map<string, string>> {
  if (people.length === 0) return new Map()
  const { rows } = await sql<{ businessId: string; guestId: string; userId: string }>`
    select aliases.business_id, aliases.guest_id, aliases.user_id
      from ${listed(people)} as person
      join customers.aliases on aliases.business_id = person.business_id and aliases.guest_id = person.user_id`.execute(
    db,
  )
  return new Map(rows.map(({ businessId, guestId, userId }) => [keyOf({ businessId, userId: guestId }), userId]))
}

/** The guest and the user become one customer. May run twice. */
export async function mergeCustomers(db: Db, merged: Merged): Promise<void> {
  await transaction(db, async (tx) => {
    await lockSums(tx)
    const { businessId, guestId } = merged
    const userId = await findHeir(tx, merged)
    if (userId !== undefined && (await moveCustomer(tx, { businessId, guestId, userId })))
      await refreshCustomers(tx, [{ businessId, userId, orders: 0 }])
  })
}

/**
 * Who the guest becomes here. Control was asked a while ago, and news do not come in order: the user may have become
 * somebody else since, or may be gone (undefined), so that the guest stays a guest.
 */
export async function findHeir(tx: Tx, { businessId, guestId, userId }: Merged): Promise<string | undefined> {
  const { rows } = await sql<{ userId: string }>`
    select user_id from customers.aliases where business_id = ${businessId} and guest_id = ${userId}`.execute(tx)
  const [since] = rows
  if (!since) return userId
  return since.userId === userId || since.userId === guestId ? undefined : since.userId
}

/**
 * An account that nobody confirmed was deleted: the customer is the guest again who had asked for it. Several such guests
 * stay one customer, under the id of the first. A customer who never was a guest here is erased. May run twice.
 */
export async function returnToGuest(db: Db, { businessId, userId }: Person): Promise<void> {
  await transaction(db, async (tx) => {
    await lockSums(tx)
    const [, guestId] = await idsOf(tx, { businessId, userId })
    if (guestId === undefined) {
      const customer = await findCustomer(tx, businessId, userId)
      if (customer?.userId === userId) await eraseIn(tx, customer) // otherwise done before, or never seen here
      // Its own alias: news of a guest who became this account may come yet, and are too late.
      await sql`
        insert into customers.aliases (business_id, guest_id, user_id) values (${businessId}, ${userId}, ${userId})
        on conflict do nothing`.execute(tx)
      return
    }
    await sql`delete from customers.aliases where business_id = ${businessId} and guest_id = ${guestId}`.execute(tx)
    if (await moveCustomer(tx, { businessId, guestId: userId, userId: guestId }))
      await refreshCustomers(tx, [{ businessId, userId: guestId, orders: 0, isGuest: true }])
  })
}

/**
 * From now on the guest's id means the user. What was counted for the guest is the user's; what is written about them
 * has to be refreshed. Returns whether there was anything. The caller holds the lock of the sums.
 */
export async function moveCustomer(tx: Tx, { businessId, guestId, userId }: Merged): Promise<boolean> {
  if (guestId === userId) return false
  await addFollowed(tx, MERGED_TOPIC, [{ businessId, id: guestId }])
  await sql`
    insert into customers.aliases (business_id, guest_id, user_id) values (${businessId}, ${guestId}, ${userId})
    on conflict (business_id, guest_id) do update set user_id = excluded.user_id`.execute(tx)
  // Guests who had become this guest come along.
  await sql`
    update customers.aliases set user_id = ${userId} where business_id = ${businessId} and user_id = ${guestId}`.execute(
    tx,
  )
  const { numAffectedRows = 0n } = await sql`
    with gone as (
      delete from customers.customers where business_id = ${businessId} and user_id = ${guestId} returning *
    )
    insert into customers.customers as known
           (business_id, user_id, sort_name, orders, first_order_at, last_order_at, tags, erased_at, created_at, updated_at)
    select business_id, ${userId}, sort_name, orders, first_order_at, last_order_at, tags, erased_at, created_at, updated_at
      from gone
    on conflict (business_id, user_id) do update
       set orders = known.orders + excluded.orders,
           tags = (array(select distinct tag from unnest(known.tags || excluded.tags) as tag order by tag))[1:${sql.lit(MAX_TAGS)}],
           erased_at = coalesce(known.erased_at, excluded.erased_at),
           created_at = least(known.created_at, excluded.created_at)`.execute(tx)
  await moveBought(tx, { businessId, guestId, userId })
  if (numAffectedRows === 0n) return false
  await sql`
    with gone as (
      delete from customers.spent where business_id = ${businessId} and user_id = ${guestId} returning *
    )
    insert into customers.spent as known (business_id, user_id, currency, total, orders)
    select business_id, ${userId}, currency, total, orders from gone
    on conflict (business_id, user_id, currency) do update
       set total = known.total + excluded.total, orders = known.orders + excluded.orders`.execute(tx)
  await sql`
    update customers.comments set user_id = ${userId} where business_id = ${businessId} and user_id = ${guestId}`.execute(
    tx,
  )
  // The words of the name are written when the customer is refreshed, those of the tags here.
  await sql`
    with gone as (
      delete from customers.words
       where business_id = ${businessId} and user_id = ${guestId}
         and word = any (array(select word from customers.words where business_id = ${businessId} and user_id = ${guestId}))
    )
    insert into customers.words (business_id, word, user_id)
    select business_id, 't:' || tag, user_id
      from customers.customers, unnest(tags) as tag
     where business_id = ${businessId} and user_id = ${userId}
    on conflict do nothing`.execute(tx)
  return true
}
