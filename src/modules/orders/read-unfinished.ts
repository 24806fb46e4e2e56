import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import type { OrderRow } from './order.ts'

export type UnfinishedOrder = Pick<OrderRow, 'id' | 'contactEmail'> & {
  /** Of its lines. */
  names: string[]
  /** It was paid after all, or its customer has ordered since. */
  isOver: boolean
}

const STANDS = sql`later.expired_at is null and later.status <> 'CANCELLED'`

/** Orders that expired unpaid. Who ordered since is known by address or by id; ids of orders sort by time. */
export async function readUnfinished(db: Db, businessId: string, ids: readonly string[]): Promise<UnfinishedOrder[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<UnfinishedOrder>`
    select orders.id, orders.contact_email,
           array(select line ->> 'name' from json_array_elements(orders.lines) as line) as names,
           orders.expired_at is null or orders.payment_status not in ('PENDING', 'FAILED')
             or exists (select from orders.orders as later
                         where later.business_id = ${businessId} and later.customer_id = orders.customer_id
                           and later.id > orders.id and ${STANDS})
             or exists (select from orders.orders as later
                         where later.business_id = ${businessId} and later.contact_email is not null
                           and lower(later.contact_email) collate "C" = lower(orders.contact_email) collate "C"
                           and later.id > orders.id and ${STANDS}) as is_over
      from unnest(${ids}::text[]) as wanted (id)
      join orders.orders on orders.business_id = ${businessId} and orders.id = wanted.id`.execute(db)
  return rows
}
