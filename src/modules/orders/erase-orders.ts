import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { movePromoUses } from '#modules/catalog/index.ts'
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

type Found = {
  id: string
  number: string
  status: OrderStatus
  promoId: string | null
  promoCustomer: string | null
  isReleased: boolean
  isToErase: boolean
}

export type ErasedOrders = {
  erased: string[]
  /** Still in work: they keep what is needed to finish them. 100 at most. */
  kept: { id: string; number: string; status: OrderStatus }[]
  /** There may be more that name the person: the same call again goes on. */
  hasMore: boolean
}

/**
 * Takes a person out of their orders: name, addresses, email, phone, note, blocks and what staff said about them. Lines,
 * money and histories stay. Their search rows are written anew after the event. May run twice: what names nobody any more
 * is not found again.
 */
export async function eraseOrders(
  tx: Tx,
  { businessId, customerIds }: { businessId: string; customerIds: readonly string[] },
  actor: Actor,
): Promise<ErasedOrders> {
  const theirs = sql`orders.business_id = ${businessId} and orders.customer_id = any (${customerIds}::text[])`
  const isEnded = sql`orders.status = any (${ENDED}::text[])`
  const hasPerson = sql`(
    num_nonnulls(shipping_address, billing_address, phone, customer_note, contact_email, return_url, cancel_url) > 0
    or blocks::text <> '[]'
    or exists (select from orders.comments
                where comments.business_id = orders.business_id and comments.order_id = orders.id))`
  const { rows } = await sql<Found>`
    select id, number, status, promo_id, promo_customer, released_at is not null as is_released,
           ${isEnded} and ${hasPerson} as is_to_erase
      from orders.orders
     where ${theirs}
       and ((${isEnded} and ${hasPerson}) or (promo_id is not null and promo_customer not like ${`${FORGOTTEN}%`}))
     order by id
     limit ${MOST}
       for update`.execute(tx)
  const { rows: kept } = await sql<ErasedOrders['kept'][number]>`
    select id, number, status from orders.orders where ${theirs} and not ${isEnded} order by id limit ${MOST_NAMED}`.execute(
    tx,
  )
  const erased = rows.filter(({ isToErase }) => isToErase)
  const ids = erased.map(({ id }) => id)
  if (erased.length > 0) {
    await sql`
      update orders.orders
         set shipping_address = null, billing_address = null, phone = null, customer_note = null, contact_email = null,
             blocks = '[]', return_url = null, cancel_url = null, version = version + 1, updated_at = ${now()}
       where business_id = ${businessId} and id = any (${ids}::text[])`.execute(tx)
    await sql`
      delete from orders.comments where business_id = ${businessId} and order_id = any (${ids}::text[])`.execute(tx)
    await record(
      tx,
      ...erased.map(({ id, number }) => orderErased({ businessId, subject: id, actor, data: { number } })),
    )
  }
  await forgetPromoCustomers(tx, businessId, rows)
  return { erased: ids, kept, hasMore: rows.length === MOST }
}

/** An email address or a number under which uses of codes were counted. Orders in work do not need it, either. */
async function forgetPromoCustomers(tx: Tx, businessId: string, rows: readonly Found[]): Promise<void> {
  const used = rows.flatMap(({ id, promoId, promoCustomer, isReleased }) =>
    promoId !== null && promoCustomer !== null && !promoCustomer.startsWith(FORGOTTEN)
      ? [{ id, promoId, from: promoCustomer, uses: isReleased ? 0 : 1 }]
      : [],
  )
  const groups = [...Map.groupBy(used, ({ promoId, from }) => `${promoId} ${from}`).values()]
  const moves = groups.flatMap((these) => {
    const [first] = these
    if (!first) return []
    const uses = these.reduce((sum, one) => sum + one.uses, 0)
    return [
      { ids: these.map(({ id }) => id), promoId: first.promoId, from: first.from, to: FORGOTTEN + randomUUID(), uses },
    ]
  })
  if (moves.length === 0) return
  const named = moves.flatMap(({ ids, to }) => ids.map((id) => ({ id, to })))
  await sql`
    update orders.orders set promo_customer = moved.name
      from unnest(${named.map(({ id }) => id)}::text[], ${named.map(({ to }) => to)}::text[]) as moved (id, name)
     where business_id = ${businessId} and orders.id = moved.id`.execute(tx)
  await movePromoUses(tx, businessId, moves)
}
