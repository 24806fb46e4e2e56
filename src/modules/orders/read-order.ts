import type { Db } from '#platform/database/database.ts'
import { presentOrder } from './order.ts'
import { findOrder } from './queries.ts'
import type { Order } from './schemas.ts'

/** The order as those read it who may read all orders. */
export async function readOrder(db: Db, businessId: string, id: string): Promise<Order | undefined> {
  const row = await findOrder(db, businessId, id)
  return row && presentOrder(row, { seesTags: true })
}
