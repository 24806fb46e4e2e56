import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { type FollowerLog, followSubjects, type Subject } from '#platform/events/follow-subjects.ts'
import { hasFollowed, waitingSubjects } from '#platform/events/sequencer.ts'

/** The events after which an order may hold other pieces. */
export const COMMITTED_TOPIC = { topic: 'committed', of: 'order' }

/** Of more orders than these that wait to be looked at, nobody asks what each of them holds. */
const MAX_WAITING = 5_000

/**
 * The pieces that orders hold of each variant and have not sent, as they are: what a line took, less what is with the
 * customer. What is told to be sent by the status alone is gone as a whole, also when it is refunded later. `wanted` has `business_id` and `id`.
 */
const heldSql = (wanted: RawBuilder<unknown>) => sql`
  select orders.business_id, orders.id as order_id, line ->> 'productId' as product_id, line ->> 'variantId' as variant_id,
         sum(taken - least(taken, away))::integer as pieces
    from ${wanted} as wanted
    join orders.orders on orders.business_id = wanted.business_id and orders.id = wanted.id
   cross join lateral json_array_elements(orders.lines) with ordinality as each (line, position)
    left join lateral (
      select sum((shipments.lines ->> coalesce(line ->> 'id', position::text))::integer) as pieces
        from orders.shipments
       where shipments.business_id = orders.business_id and shipments.order_id = orders.id) as shipped
      on orders.fulfillment is not null
   cross join lateral (
     select (line ->> 'taken')::integer as taken,
            greatest(coalesce(shipped.pieces, 0) - coalesce((line ->> 'returned')::integer, 0)
                     + coalesce((line ->> 'returnedUnshipped')::integer, 0), 0) as away) as counted
   where orders.released_at is null
     and (orders.fulfillment is not null or orders.status not in ('SHIPPED', 'DELIVERED', 'REFUNDED')
          or (orders.status = 'REFUNDED' and not exists (
                select from json_array_elements(orders.statuses) as past
                 where past ->> 'status' in ('SHIPPED', 'DELIVERED'))))
   group by 1, 2, 3, 4
  having sum(taken - least(taken, away)) > 0`

/**
 * How many pieces of each variant of `wanted` (it has `product_id` and `variant_id`) orders hold and have not sent. Exact in the
 * statement that it is a part of: orders with an event that still waits are looked at themselves. Null if too many wait.
 */
export const committedSql = (businessId: string, wanted: RawBuilder<unknown>) => sql`
  with waiting as materialized (
    ${waitingSubjects(COMMITTED_TOPIC, businessId, MAX_WAITING + 1)}
  ), is_known as materialized (
    select (select count(*) from waiting) <= ${MAX_WAITING} as is_known
  ), live as materialized (
    ${heldSql(sql`(select ${businessId}::text as business_id, subject as id from waiting where (select is_known from is_known))`)}
  )
  select wanted.product_id, wanted.variant_id,
         case when (select is_known from is_known)
              then settled.pieces + coalesce((select sum(pieces) from live
                                               where live.product_id = wanted.product_id and live.variant_id = wanted.variant_id), 0)
         end::integer as pieces
    from ${wanted} as wanted
   cross join lateral (
     select coalesce(sum(pieces), 0) as pieces
       from orders.committed
      where committed.business_id = ${businessId} and committed.product_id = wanted.product_id
        and committed.variant_id = wanted.variant_id
        and not exists (select from waiting where waiting.subject = committed.order_id)) as settled`

/** Whether what an order holds is to be counted. */
export const hasUncounted = () => hasFollowed(COMMITTED_TOPIC)

/** Counts the units held by orders that have changed. */
export function followCommitted(db: Db, log: FollowerLog, signal?: AbortSignal): Promise<void> {
  const followers = [{ topic: COMMITTED_TOPIC.topic, project: count }]
  return followSubjects(db, { lock: 'kontor.orders.committed', followers }, log, signal)
}

async function count(tx: Tx, orders: readonly Subject[]): Promise<void> {
  const wanted = sql`
    unnest(${orders.map(({ businessId }) => businessId)}::text[], ${orders.map(({ id }) => id)}::text[])`
  await sql`
    delete from orders.committed
     using ${wanted} as wanted (business_id, order_id)
     where committed.business_id = wanted.business_id and committed.order_id = wanted.order_id`.execute(tx)
  await sql`
    insert into orders.committed (business_id, product_id, variant_id, order_id, pieces)
    select held.business_id, held.product_id, held.variant_id, held.order_id, held.pieces
      from (${heldSql(sql`(select * from ${wanted} as named (business_id, id))`)}) as held`.execute(tx)
}
