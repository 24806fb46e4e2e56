import type { Db } from '#platform/database/database.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { toAsked } from './conditions.ts'
import { findOrders } from './find-orders.ts'

/** A few orders with these words, newest first, in short. */
export async function searchOrders(
  db: Db,
  { businessId, query, limit }: { businessId: string; query: string; limit: number },
) {
  const asked = toAsked(businessId, { query }, undefined)
  const { rows } = await findOrders(db, { asked, sort: '-createdAt', after: undefined, limit })
  return rows.slice(0, limit).map((order) => ({
    id: order.id,
    number: order.number,
    email: order.contactEmail,
    status: order.status,
    paymentStatus: order.paymentStatus,
    total: order.total,
    currency: order.currency,
    createdAt: toSeconds(order.createdAt),
  }))
}
