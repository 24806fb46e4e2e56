import { changeStock, releasePromo } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { type OrderRow, stockOf } from './order.ts'

/** Gives back the stock that a locked order holds, and its promo use: once, whoever asks how often. */
export async function release(tx: Tx, order: OrderRow): Promise<OrderRow> {
  if (order.releasedAt) return order
  const { businessId } = order
  await changeStock(tx, businessId, stockOf(order, 'GIVEN'), { kind: 'CANCEL' })
  if (order.promoId) await releasePromo(tx, businessId, order.promoId, order.promoCustomer ?? undefined)
  return { ...order, releasedAt: now() }
}
