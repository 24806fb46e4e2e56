import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { FULFILLMENT } from './finding/conditions.ts'

/** The query of the list of orders of which something is to go out. */
export const TO_SHIP_QUERY = 'status=PROCESSING&fulfillment=UNFULFILLED&fulfillment=PARTIALLY_FULFILLED'

/** How many there are of them, counted up to `most`. */
export async function countToShip(db: Db, businessId: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
      from (select
              from orders.orders
             where orders.business_id = ${businessId} and orders.status = 'PROCESSING' and ${FULFILLMENT} <> 'FULFILLED'
             limit ${most}) as waiting`.execute(db)
  return rows[0]?.count ?? 0
}
