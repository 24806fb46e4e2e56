import { changeStock, releasePromo } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { type OrderLine, type OrderRow, outOf, stockOf } from './order.ts'
import { shippedPieces } from './shipped-pieces.ts'

/** Releases stock and promo code of a locked order. Pieces that are with the customer stay out. Idempotent. */
export async function releaseOrder(tx: Tx, order: OrderRow): Promise<OrderRow> {
  if (order.releasedAt) return order
  const { businessId } = order
  const shipped = await shippedPieces(tx, order)
  const lines = order.lines.map((line) => withKept(line, shipped.get(line.id) ?? 0))
  await changeStock(tx, businessId, stockOf({ id: order.id, lines }, 'GIVEN'), { kind: 'CANCEL' })
  if (order.promoId) await releasePromo(tx, businessId, order.promoId, order.promoCustomer ?? undefined)
  return { ...order, lines, releasedAt: now() }
}

function withKept(line: OrderLine, shipped: number): OrderLine {
  const kept = Math.min(line.taken, outOf(line, shipped))
  return kept > 0 ? { ...line, kept } : line
}
