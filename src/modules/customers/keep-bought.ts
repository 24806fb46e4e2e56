import { sql } from 'kysely'
import { EVER_PAID, lastSoldSql, type OrderPlace, soldSql } from '#modules/orders/index.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Merged } from './customer.ts'

type Bought = { businessId: string; userId: string; productId: string }

const listed = (places: readonly OrderPlace[]) => sql`
  (select business_id collate "C" as business_id, id collate "C" as id
     from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
          as place (business_id, id))`

/** What these orders hold now, and whose that is: a guest who became a user is that user. */
const soldTo = (places: readonly OrderPlace[]) => sql`
  select sold.business_id, sold.product_id, coalesce(aliases.user_id, sold.customer_id) as user_id, sold.order_id,
         sold.created_at
    from (${soldSql(listed(places), EVER_PAID)}) as sold
    left join customers.aliases on aliases.business_id = sold.business_id and aliases.guest_id = sold.customer_id`

/** Of two orders for the same product, the later one stays. Nothing is written about the erased. */
const KEEP_LATER = sql`
  on conflict (business_id, product_id, user_id) do update set last_at = excluded.last_at, order_id = excluded.order_id
     where (known.last_at, known.order_id) < (excluded.last_at, excluded.order_id)`
const IS_NOT_ERASED = sql`
  not exists (select from customers.customers
               where customers.business_id = made.business_id and customers.user_id = made.user_id
                 and customers.erased_at is not null)`

/**
 * Keeps what customers bought last after these orders, as they are now. An order that no longer says what stands here is
 * not paid any more, is another's, or holds other products: then the one before counts. The caller holds the lock of the
 * sums.
 */
export async function keepBought(tx: Tx, places: readonly OrderPlace[]): Promise<void> {
  if (places.length === 0) return
  const { rows: gone } = await sql<Bought>`
    with sold as materialized (${soldTo(places)})
    delete from customers.bought
     using ${listed(places)} as wanted
     where bought.business_id = wanted.business_id and bought.order_id = wanted.id
       and not exists (select from sold
                        where sold.business_id = bought.business_id and sold.order_id = bought.order_id
                          and sold.user_id = bought.user_id and sold.product_id = bought.product_id
                          and sold.created_at = bought.last_at)
    returning bought.business_id, bought.user_id, bought.product_id`.execute(tx)
  await sql`
    insert into customers.bought as known (business_id, product_id, user_id, last_at, order_id)
    select distinct on (1, 2, 3) made.business_id, made.product_id, made.user_id, made.created_at, made.order_id
      from (${soldTo(places)}) as made
     where ${IS_NOT_ERASED}
     order by 1, 2, 3, made.created_at desc, made.order_id desc
    ${KEEP_LATER}`.execute(tx)
  if (gone.length > 0) await findLastAgain(tx, gone)
}

/** Looks through all orders of these customers: rare, so that no row is kept for every line of every order. */
async function findLastAgain(tx: Tx, pairs: readonly Bought[]): Promise<void> {
  const column = (name: keyof Bought) => pairs.map((pair) => pair[name])
  // By all ids under which the customer ordered: their own, and those that they had as a guest.
  const wanted = sql`
    (select person.business_id, person.product_id, person.user_id, ids.customer_id
       from (select pair.business_id, pair.product_id, coalesce(aliases.user_id, pair.user_id) as user_id
               from unnest(${column('businessId')}::text[], ${column('productId')}::text[], ${column('userId')}::text[])
                    as pair (business_id, product_id, user_id)
               left join customers.aliases
                 on aliases.business_id = pair.business_id and aliases.guest_id = pair.user_id) as person
      cross join lateral (
        select person.user_id as customer_id
         union
        select aliases.guest_id
          from customers.aliases
         where aliases.business_id = person.business_id and aliases.user_id = person.user_id) as ids)`
  await sql`
    insert into customers.bought as known (business_id, product_id, user_id, last_at, order_id)
    select distinct on (1, 2, 3) made.business_id, made.product_id, made.user_id, made.created_at, made.order_id
      from (${lastSoldSql(wanted, EVER_PAID)}) as made
     where ${IS_NOT_ERASED}
     order by 1, 2, 3, made.created_at desc, made.order_id desc
    ${KEEP_LATER}`.execute(tx)
}

/** What the guest bought is the user's; nothing of it is kept if one of them is erased. */
export async function moveBought(tx: Tx, { businessId, guestId, userId }: Merged): Promise<void> {
  await sql`
    with made as (
      delete from customers.bought where business_id = ${businessId} and user_id = ${guestId} returning *
    )
    insert into customers.bought as known (business_id, product_id, user_id, last_at, order_id)
    select made.business_id, made.product_id, ${userId}, made.last_at, made.order_id from made
    ${KEEP_LATER}`.execute(tx)
  await sql`
    delete from customers.bought
     using customers.customers
     where bought.business_id = ${businessId} and bought.user_id = ${userId}
       and customers.business_id = bought.business_id and customers.user_id = bought.user_id
       and customers.erased_at is not null`.execute(tx)
}
