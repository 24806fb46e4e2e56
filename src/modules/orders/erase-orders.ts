import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { forgetReasons, movePromoUses } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { orderErased } from './events.ts'
import type { OrderStatus } from './schemas.ts'

/** Nobody has to send anything any more. */
const ENDED: readonly OrderStatus[] = ['DELIVERED', 'CANCELLED', 'REFUNDED']
/** Of one call. Whoever has more is erased by several. */
const MOST = 1_000
const MOST_NAMED = 100
/** Before the name under which uses of promo codes are counted afterwards. */
const FORGOTTEN = 'erased:'

/** Says nothing about anybody, and is nobody else's. */
export const newPromoCustomer = () => FORGOTTEN + randomUUID()

type Found = {
  id: string
  number: string
  promoId: string | null
  promoCustomer: string | null
  isReleased: boolean
  isToErase: boolean
}

const FOUND = sql`id, number, promo_id, promo_customer, released_at is not null as is_released`
const IS_ENDED = sql`orders.status = any (${ENDED}::text[])`

export type ErasedOrders = {
  erased: string[]
  /** Still in work: they keep what is needed to finish them. 100 at most. */
  kept: { id: string; number: string; status: OrderStatus }[]
  /** There may be more that name the person: the same call again goes on. */
  hasMore: boolean
}

/**
 * A business takes a person out of their orders that have ended. May run twice: what names nobody any more is not found
 * again.
 */
export async function eraseOrders(
  tx: Tx,
  { businessId, customerIds }: { businessId: string; customerIds: readonly string[] },
  actor: Actor,
): Promise<ErasedOrders> {
  const theirs = sql`orders.business_id = ${businessId} and orders.customer_id = any (${customerIds}::text[])`
  const hasPerson = sql`(
    num_nonnulls(shipping_address, billing_address, phone, customer_note, contact_email, return_url, cancel_url) > 0
    or blocks::text <> '[]'
    or exists (select from orders.comments
                where comments.business_id = orders.business_id and comments.order_id = orders.id))`
  const { rows } = await sql<Found>`
    select ${FOUND}, ${IS_ENDED} and ${hasPerson} as is_to_erase
      from orders.orders
     where ${theirs}
       and ((${IS_ENDED} and ${hasPerson}) or (promo_id is not null and promo_customer not like ${`${FORGOTTEN}%`}))
     order by id
     limit ${MOST}
       for update`.execute(tx)
  const { rows: kept } = await sql<ErasedOrders['kept'][number]>`
    select id, number, status from orders.orders where ${theirs} and not ${IS_ENDED} order by id limit ${MOST_NAMED}`.execute(
    tx,
  )
  const erased = await takeOut(tx, businessId, rows, actor)
  await forgetPromoCustomers(tx, businessId, rows, newPromoCustomer())
  return { erased, kept, hasMore: rows.length === MOST }
}

/** A person whose account is gone. Of orders made after `keptFrom` it stays for a while whose they were. */
export type Gone = { businessId: string; promoCustomer: string; keptFrom: Date }
export type KeptOrder = { id: string; isEnded: boolean; createdAt: Date }
export type ErasedBatch = {
  erased: string[]
  kept: KeptOrder[]
  /** Undefined when there is no order after this batch. */
  last: string | undefined
}

/** Takes a person out of the next orders under one of their ids. */
export async function eraseNextOrders(
  tx: Tx,
  gone: Gone,
  { customerId, after, limit }: { customerId: string; after: string; limit: number },
): Promise<ErasedBatch> {
  const { businessId } = gone
  const { rows } = await sql<Found & KeptOrder>`
    select ${FOUND}, ${IS_ENDED} as is_ended, created_at, ${IS_ENDED} and created_at <= ${gone.keptFrom} as is_to_erase
      from orders.orders
     where business_id = ${businessId} and customer_id = ${customerId} and id > ${after}
     order by id
     limit ${limit}
       for update`.execute(tx)
  return { ...(await eraseFound(tx, gone, rows)), last: rows.length === limit ? rows.at(-1)?.id : undefined }
}

/** The same for orders that could not be erased when they were looked at before. */
export async function eraseOrdersAgain(
  tx: Tx,
  gone: Omit<Gone, 'promoCustomer'>,
  orders: readonly { id: string; customerId: string }[],
): Promise<Omit<ErasedBatch, 'last'>> {
  const { rows } = await sql<Found & KeptOrder>`
    select ${FOUND}, ${IS_ENDED} as is_ended, created_at, ${IS_ENDED} and created_at <= ${gone.keptFrom} as is_to_erase
      from orders.orders
     where business_id = ${gone.businessId} and id = any (${orders.map(({ id }) => id)}::text[])
       and (id, customer_id) in (select * from unnest(${orders.map(({ id }) => id)}::text[],
                                                      ${orders.map(({ customerId }) => customerId)}::text[]))
     order by id
       for update`.execute(tx)
  // Their promo customers are forgotten already.
  return eraseFound(tx, { ...gone, promoCustomer: undefined }, rows)
}

async function eraseFound(
  tx: Tx,
  { businessId, promoCustomer }: { businessId: string; promoCustomer: string | undefined },
  rows: readonly (Found & KeptOrder)[],
): Promise<Omit<ErasedBatch, 'last'>> {
  const erased = await takeOut(tx, businessId, rows, undefined)
  if (promoCustomer !== undefined) await forgetPromoCustomers(tx, businessId, rows, promoCustomer)
  return { erased, kept: rows.filter(({ isToErase }) => !isToErase) }
}

/**
 * Name, addresses, email, phone, note, blocks, the key of the request, tracking numbers, and what staff said. Lines,
 * money and histories stay. Search rows are written anew after the event.
 */
async function takeOut(
  tx: Tx,
  businessId: string,
  found: readonly Found[],
  actor: Actor | undefined,
): Promise<string[]> {
  const orders = found.filter(({ isToErase }) => isToErase)
  const ids = orders.map(({ id }) => id)
  if (ids.length === 0) return []
  await sql`
    update orders.orders
       set shipping_address = null, billing_address = null, phone = null, customer_note = null, contact_email = null,
           blocks = '[]', return_url = null, cancel_url = null, request_key = null, request_caller = null,
           request_hash = null, version = version + 1, updated_at = ${now()}
     where business_id = ${businessId} and id = any (${ids}::text[])`.execute(tx)
  await sql`
    delete from orders.comments where business_id = ${businessId} and order_id = any (${ids}::text[])`.execute(tx)
  await sql`
    update orders.shipments
       set tracking_number = null, tracking_url = null, version = version + 1
     where business_id = ${businessId} and order_id = any (${ids}::text[])
       and num_nonnulls(tracking_number, tracking_url) > 0`.execute(tx)
  await forgetReasons(tx, businessId, ids)
  await record(tx, ...orders.map(({ id, number }) => orderErased({ businessId, subject: id, actor, data: { number } })))
  return ids
}

/** An email address or a number under which uses of codes were counted. Orders in work do not need it, either. */
async function forgetPromoCustomers(tx: Tx, businessId: string, rows: readonly Found[], to: string): Promise<void> {
  const used = rows.flatMap(({ id, promoId, promoCustomer, isReleased }) =>
    promoId !== null && promoCustomer !== null && !promoCustomer.startsWith(FORGOTTEN)
      ? [{ id, promoId, from: promoCustomer, uses: isReleased ? 0 : 1 }]
      : [],
  )
  if (used.length === 0) return
  await sql`
    update orders.orders set promo_customer = ${to}
     where business_id = ${businessId} and id = any (${used.map(({ id }) => id)}::text[])`.execute(tx)
  const groups = [...Map.groupBy(used, ({ promoId, from }) => `${promoId} ${from}`).values()]
  const moves = groups.flatMap((these) => {
    const [first] = these
    return first ? [{ ...first, to, uses: these.reduce((sum, { uses }) => sum + uses, 0) }] : []
  })
  await movePromoUses(tx, businessId, moves)
}
