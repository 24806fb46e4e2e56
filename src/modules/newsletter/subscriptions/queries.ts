import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { SubscriberCounts, SubscriberQuery, Subscription } from '../schemas.ts'
import { emailKeyOf, presentSubscription, type SubscriptionRow } from './subscription.ts'

export async function findSubscription(db: Db, businessId: string, id: string): Promise<SubscriptionRow | undefined> {
  const row = await db
    .selectFrom('newsletter.subscriptions')
    .selectAll()
    .where((subscription) => subscription.and({ businessId, id }))
    .executeTakeFirst()
  return row as SubscriptionRow | undefined
}

export async function findByEmail(
  db: Db,
  businessId: string,
  collectionId: string,
  email: string,
): Promise<SubscriptionRow | undefined> {
  const row = await db
    .selectFrom('newsletter.subscriptions')
    .selectAll()
    .where((subscription) => subscription.and({ businessId, collectionId, emailKey: emailKeyOf(email) }))
    .executeTakeFirst()
  return row as SubscriptionRow | undefined
}

export async function lockSubscription(tx: Tx, businessId: string, id: string): Promise<SubscriptionRow | undefined> {
  const row = await tx
    .selectFrom('newsletter.subscriptions')
    .selectAll()
    .where((subscription) => subscription.and({ businessId, id }))
    .forUpdate()
    .executeTakeFirst()
  return row as SubscriptionRow | undefined
}

/**
 * Locks the subscription of an address; inserts it first if there is none, so that two concurrent requests meet on one
 * row.
 */
export async function lockByEmail(tx: Tx, made: SubscriptionRow): Promise<{ row: SubscriptionRow; isNew: boolean }> {
  const inserted = await tx
    .insertInto('newsletter.subscriptions')
    .values(made)
    .onConflict((known) => known.constraint('subscriptions_email_key').doNothing())
    .returning('id')
    .execute()
  if (inserted.length > 0) return { row: made, isNew: true }
  const { businessId, collectionId, emailKey } = made
  const row = await tx
    .selectFrom('newsletter.subscriptions')
    .selectAll()
    .where((subscription) => subscription.and({ businessId, collectionId, emailKey }))
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { row: row as SubscriptionRow, isNew: false }
}

export async function saveSubscription(tx: Tx, { businessId, id, ...values }: SubscriptionRow): Promise<void> {
  await tx
    .updateTable('newsletter.subscriptions')
    .set(values)
    .where((subscription) => subscription.and({ businessId, id }))
    .execute()
}

/** Newest first. */
export async function listSubscribers(
  db: Db,
  businessId: string,
  collectionId: string,
  { limit = 20, cursor, status, email }: SubscriberQuery,
): Promise<Page<Subscription>> {
  const filters = { list: 'subscribers', businessId, collectionId, status, email }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
  const { rows } = await sql<SubscriptionRow>`
    select *
      from newsletter.subscriptions
     where business_id = ${businessId} and collection_id = ${collectionId} and id < ${after}
           ${status === undefined ? sql`` : sql`and status = ${status}`}
           ${email === undefined ? sql`` : sql`and email_key = ${emailKeyOf(email)}`}
     order by id desc
     limit ${limit + 1}`.execute(db)
  return toPage(rows, limit, filters, ({ id }) => [id], presentSubscription)
}

/** By status, and how many of the ACTIVE ones a letter would not go to. */
export async function countSubscribers(db: Db, businessId: string, collectionId: string): Promise<SubscriberCounts> {
  const { rows } = await sql<SubscriberCounts['items'][number]>`
    select status as value, count(*)::integer as count
      from newsletter.subscriptions
     where business_id = ${businessId} and collection_id = ${collectionId}
     group by status
     order by status`.execute(db)
  // From the suppressed ones, which are few, not from the subscribers.
  const suppressed = await sql<{ count: number }>`
    select count(*)::integer as count
      from newsletter.suppressions as suppression
      join newsletter.subscriptions as subscription using (business_id, email_key)
     where business_id = ${businessId} and subscription.collection_id = ${collectionId} and subscription.status = 'ACTIVE'`.execute(
    db,
  )
  return { items: rows, suppressed: suppressed.rows[0]?.count ?? 0 }
}

/** Newsletters that the caller may read, because they were paid for under the address of their account. */
export async function listPaidNewsletters(
  db: Db,
  businessId: string,
  { email }: Pick<Actor, 'email'>,
): Promise<string[]> {
  if (email === undefined) return []
  const rows = await db
    .selectFrom('newsletter.subscriptions')
    .select('collectionId')
    .where((subscription) => subscription.and({ businessId, emailKey: emailKeyOf(email), status: 'ACTIVE' }))
    .where('providerId', 'is not', null)
    .execute()
  return rows.map(({ collectionId }) => collectionId)
}
