import { sql } from 'kysely'
import { findGoods, type Goods } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { canBeBought, tellsNobody, variantNotFound } from '../errors.ts'
import { wishMade } from '../events.ts'
import { getNewsletter } from '../subscriptions/newsletter.ts'
import { emailKeyOf } from '../subscriptions/subscription.ts'
import type { Wish } from './schemas.ts'

type Wisher = { businessId: string; actor: Actor }

/** For one reader, by one wisher: what a stranger wishes for a reader leaves room for their own. */
const MAX_WISHES = 100

export const isBuyable = ({ status, tracked, quantity }: Goods) => status === 'ACTIVE' && (!tracked || quantity > 0)

/** Whether the address is a reader's does not show: anybody may type it. */
export async function makeWish(
  tx: Tx,
  { businessId, actor }: Wisher,
  collectionId: string,
  { email, productId, variantId }: Wish,
): Promise<void> {
  await getNewsletter(tx, businessId, collectionId, 'collectionId')
  const { rows: watching } = await sql`
    select from newsletter.automations
     where business_id = ${businessId} and collection_id = ${collectionId} and trigger = 'BACK_IN_STOCK' and is_enabled`.execute(
    tx,
  )
  if (watching.length === 0) throw tellsNobody()
  const [goods] = await findGoods(tx, businessId, [{ productId, variantId }])
  if (goods?.status !== 'ACTIVE') throw variantNotFound()
  if (isBuyable(goods)) throw canBeBought()
  const { rows } = await sql<{ subscriptionId: string }>`
    insert into newsletter.wishes (business_id, product_id, variant_id, subscription_id, id, collection_id, user_id, created_at)
    select business_id, ${productId}, ${variantId}, subscription.id, ${newId('wsh')}, collection_id, ${actor.userId}, ${now()}
      from newsletter.subscriptions as subscription
     where business_id = ${businessId} and collection_id = ${collectionId} and email_key = ${emailKeyOf(email)}
       and status = 'ACTIVE'
       and (select count(*) from newsletter.wishes as other
             where other.business_id = subscription.business_id and other.subscription_id = subscription.id
               and other.user_id = ${actor.userId}) < ${MAX_WISHES}
    on conflict do nothing
    returning subscription_id`.execute(tx)
  await announceWishes(
    tx,
    businessId,
    collectionId,
    rows.map(({ subscriptionId }) => ({ subscriptionId, productId, variantId })),
  )
}

type Wished = { subscriptionId: string; productId: string; variantId: string }

/**
 * The stock may have come before the wish was there to be seen: its own event has the follower of the feed look at the
 * variant once more.
 */
export const announceWishes = (tx: Tx, businessId: string, collectionId: string, wishes: readonly Wished[]) =>
  record(
    tx,
    ...wishes.map(({ subscriptionId, productId, variantId }) =>
      wishMade({ businessId, subject: subscriptionId, data: { collectionId, productId, variantId } }),
    ),
  )

export async function withdrawWish(
  db: Db,
  { businessId, actor }: Wisher,
  collectionId: string,
  { email, productId, variantId }: Wish,
): Promise<void> {
  const { userId, formerIds = [] } = actor
  const hasAddress = actor.email !== undefined && emailKeyOf(actor.email) === emailKeyOf(email)
  await sql`
    delete from newsletter.wishes as wish
     using newsletter.subscriptions as subscription
     where subscription.business_id = ${businessId} and subscription.collection_id = ${collectionId}
       and subscription.email_key = ${emailKeyOf(email)}
       and wish.business_id = subscription.business_id and wish.subscription_id = subscription.id
       and wish.product_id = ${productId} and wish.variant_id = ${variantId}
       and (${hasAddress} or wish.user_id = any (${[userId, ...formerIds]}::text[]))`.execute(db)
}
