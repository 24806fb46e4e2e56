import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { findGoods } from '#modules/catalog/index.ts'
import { readUnfinished } from '#modules/orders/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { behindSql, type EventRow, readAfter, readLastNumber } from '#platform/events/feed.ts'
import { FOLLOW_BATCH, FOLLOW_PAGE, followInTurn } from '#platform/events/follow-in-turn.ts'
import { fault } from '#platform/faults.ts'
import { emailKeyOf } from '../subscriptions/subscription.ts'
import { isBuyable } from './wishes.ts'

/**
 * Reads the feed of each business that has letters which go out by themselves, and writes down to whom they are due.
 * Returns how many events were looked at.
 */
export function followFeed(db: Db, log: FastifyBaseLogger, signal?: AbortSignal): Promise<number> {
  return followInTurn({
    listBehind: (after) => listBehind(db, after),
    followBatch: (businessId) => followBatch(db, businessId),
    failed: (businessId, error) =>
      log.error({ err: error, businessId }, 'the feed cannot be followed for letters that go out by themselves'),
    signal,
  })
}

async function listBehind(db: Db, after: string): Promise<string[]> {
  const positions = sql`
    (select business_id, number
       from newsletter.feed_positions
      where business_id > ${after}
        and exists (select from newsletter.automations as automation
                     where automation.business_id = feed_positions.business_id and is_enabled))`
  const { rows } = await sql<{ businessId: string }>`
    ${behindSql(positions)} order by position.business_id limit ${FOLLOW_PAGE}`.execute(db)
  return rows.map(({ businessId }) => businessId)
}

/** What is due and how far it got are one: whatever dies, each event counts once. */
function followBatch(db: Db, businessId: string): Promise<number> {
  return transaction(db, async (tx) => {
    const { rows } = await sql<{ number: number }>`
      select number from newsletter.feed_positions where business_id = ${businessId} for update skip locked`.execute(tx)
    const [position] = rows
    if (!position) return 0 // another process is at it
    const newest = await readLastNumber(tx, businessId)
    const events = await readAfter(tx, businessId, position.number, FOLLOW_BATCH)
    const reached = events.at(-1)?.number ?? newest // without any, they have left the feed
    await welcome(tx, businessId, events)
    await remindOfCheckouts(tx, businessId, events)
    await tellOfStock(tx, businessId, events)
    await sql`update newsletter.feed_positions set number = ${reached} where business_id = ${businessId}`.execute(tx)
    await fault('automation.followed')
    return events.length
  })
}

const dataOf = (event: EventRow) => event.data as Record<string, unknown>

/** Paying again or changing the plan activates nothing: the time of the activation is the cause. */
async function welcome(tx: Tx, businessId: string, events: readonly EventRow[]): Promise<void> {
  const active = events.filter((event) => event.type.startsWith('subscription.') && dataOf(event).status === 'ACTIVE')
  if (active.length === 0) return
  await sql`
    insert into newsletter.due_letters (business_id, automation_id, subscription_id, cause, due_at, state)
    select automation.business_id, automation.id, subscription.id,
           'active-' || (extract(epoch from subscription.activated_at) * 1000)::bigint,
           subscription.activated_at + make_interval(mins => automation.delay_minutes), 'WAITING'
      from newsletter.subscriptions as subscription
      join newsletter.automations as automation
        on automation.business_id = subscription.business_id and automation.collection_id = subscription.collection_id
     where subscription.business_id = ${businessId} and subscription.id = any (${active.map(({ subject }) => subject)}::text[])
       and subscription.status = 'ACTIVE' and subscription.activated_at >= automation.enabled_at
       and automation.trigger = 'WELCOME' and automation.is_enabled
    on conflict do nothing`.execute(tx)
}

/** Of those who are readers: that is their consent. */
async function remindOfCheckouts(tx: Tx, businessId: string, events: readonly EventRow[]): Promise<void> {
  const expired = new Map(
    events
      .filter((event) => event.type === 'order.expired' && dataOf(event).hasEmail)
      .map(({ subject, occurredAt }) => [subject, occurredAt]),
  )
  if (expired.size === 0) return
  const orders = (await readUnfinished(tx, businessId, [...expired.keys()])).filter(({ contactEmail }) => contactEmail)
  await sql`
    insert into newsletter.due_letters (business_id, automation_id, subscription_id, cause, due_at, state)
    select automation.business_id, automation.id, subscription.id, expired.order_id,
           expired.at + make_interval(mins => automation.delay_minutes), 'WAITING'
      from unnest(${orders.map(({ id }) => id)}::text[], ${orders.map(({ contactEmail }) => emailKeyOf(contactEmail ?? ''))}::text[],
                  ${orders.map(({ id }) => expired.get(id))}::timestamptz[]) as expired (order_id, email_key, at)
      join newsletter.automations as automation
        on automation.business_id = ${businessId} and automation.trigger = 'CHECKOUT_UNFINISHED' and automation.is_enabled
           and expired.at >= automation.enabled_at
      join newsletter.subscriptions as subscription
        on subscription.business_id = automation.business_id and subscription.collection_id = automation.collection_id
           and subscription.email_key = expired.email_key and subscription.status = 'ACTIVE'
    on conflict do nothing`.execute(tx)
}

/** The products whose stock may have grown, each with the time of the last event that says so. */
function restocked(events: readonly EventRow[]): Map<string, Date> {
  const found = new Map<string, Date>()
  for (const event of events) {
    const { type, subject, occurredAt } = event
    const { changes = [], productId } = dataOf(event) as {
      changes?: { productId: string; delta: number }[]
      productId?: string
    }
    if (type === 'product.updated') found.set(subject, occurredAt)
    if (type === 'newsletter.wish_made' && productId) found.set(productId, occurredAt)
    if (type === 'stock.changed')
      for (const change of changes) if (change.delta > 0) found.set(change.productId, occurredAt)
  }
  return found
}

/** A wish is made for what is sold out: once it can be bought, its turn has come. */
async function tellOfStock(tx: Tx, businessId: string, events: readonly EventRow[]): Promise<void> {
  const products = restocked(events)
  if (products.size === 0) return
  const { rows: wished } = await sql<{ productId: string; variantId: string }>`
    select product_id, variant_id
      from newsletter.wishes
     where business_id = ${businessId} and product_id = any (${[...products.keys()]}::text[])
     group by 1, 2`.execute(tx)
  const back = (await findGoods(tx, businessId, wished)).filter(isBuyable)
  if (back.length === 0) return
  await sql`
    with due as (
      delete from newsletter.wishes as wish
       using unnest(${back.map(({ productId }) => productId)}::text[], ${back.map(({ variantId }) => variantId)}::text[],
                    ${back.map(({ productId }) => products.get(productId))}::timestamptz[]) as back (product_id, variant_id, at),
             newsletter.automations as automation
       where wish.business_id = ${businessId} and wish.product_id = back.product_id and wish.variant_id = back.variant_id
         and automation.business_id = wish.business_id and automation.collection_id = wish.collection_id
         and automation.trigger = 'BACK_IN_STOCK' and automation.is_enabled
      returning wish.business_id, automation.id as automation_id, wish.subscription_id, wish.id as cause, wish.product_id,
                wish.variant_id,
                greatest(back.at, automation.enabled_at) + make_interval(mins => automation.delay_minutes) as due_at
    )
    insert into newsletter.due_letters
           (business_id, automation_id, subscription_id, cause, product_id, variant_id, due_at, state)
    select business_id, automation_id, subscription_id, cause, product_id, variant_id, due_at, 'WAITING' from due
    on conflict do nothing`.execute(tx)
}

/** Whether something happened in a business that has such letters. */
export const isBehind = () =>
  sql`exists (${behindSql(sql`
  (select business_id, number
     from newsletter.feed_positions
    where exists (select from newsletter.automations as automation
                   where automation.business_id = feed_positions.business_id and is_enabled))`)})`
