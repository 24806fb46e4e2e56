import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import type { SubscriptionRow } from './subscription.ts'

type Place = { businessId: string; id: string }

/** Whose these subscriptions are. Imported ones are nobody's. */
export async function readSubscribers(
  db: Db,
  places: readonly Place[],
): Promise<{ businessId: string; userId: string }[]> {
  if (places.length === 0) return []
  const { rows } = await sql<{ businessId: string; userId: string }>`
    select distinct subscriptions.business_id, subscriptions.user_id
      from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
           as wanted (business_id, id)
      join newsletter.subscriptions on subscriptions.business_id = wanted.business_id and subscriptions.id = wanted.id
     where subscriptions.user_id is not null`.execute(db)
  return rows
}

type PersonIds = { businessId: string; userId: string; ids: readonly string[] }
export type SubscriberContact = { businessId: string; userId: string } & Pick<
  SubscriptionRow,
  'id' | 'email' | 'name' | 'createdAt'
>

/** The newest subscriptions of each person, newest first. */
export async function readSubscriberContacts(
  db: Db,
  people: readonly PersonIds[],
  newest: number,
): Promise<SubscriberContact[]> {
  const pairs = people.flatMap(({ businessId, userId, ids }) => ids.map((id) => ({ businessId, userId, id })))
  if (pairs.length === 0) return []
  const { rows } = await sql<SubscriberContact>`
    select person.business_id, person.user_id, contact.*
      from unnest(${pairs.map(({ businessId }) => businessId)}::text[], ${pairs.map(({ userId }) => userId)}::text[],
                  ${pairs.map(({ id }) => id)}::text[]) as person (business_id, user_id, subscriber_id)
     cross join lateral (
       select subscriptions.id, subscriptions.email, subscriptions.name, subscriptions.created_at
         from newsletter.subscriptions
        where subscriptions.business_id = person.business_id and subscriptions.user_id = person.subscriber_id
        order by subscriptions.id desc
        limit ${newest}) as contact
     order by contact.id desc`.execute(db)
  return rows
}

/** The newest subscriptions of a person. */
export async function listSubscriptionsOf(
  db: Db,
  businessId: string,
  userIds: readonly string[],
  after: string,
  limit: number,
): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    select *
      from newsletter.subscriptions
     where business_id = ${businessId} and user_id = any (${userIds}::text[]) and id < ${after}
     order by id desc
     limit ${limit}`.execute(db)
  return rows
}

/** Whether subscriptions are active, and since when something of them is as it is. */
export type SubscriptionState = Place & Pick<SubscriptionRow, 'collectionId' | 'status' | 'activatedAt' | 'updatedAt'>

export async function readStates(db: Db, places: readonly Place[]): Promise<SubscriptionState[]> {
  if (places.length === 0) return []
  const { rows } = await sql<SubscriptionState>`
    select subscriptions.business_id, subscriptions.id, subscriptions.collection_id, subscriptions.status,
           subscriptions.activated_at, subscriptions.updated_at
      from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
           as wanted (business_id, id)
      join newsletter.subscriptions on subscriptions.business_id = wanted.business_id and subscriptions.id = wanted.id`.execute(
    db,
  )
  return rows
}
