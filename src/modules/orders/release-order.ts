import { changeStock, releasePromo, type StockOutcome } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type OrderLine, type OrderRow, outOf, stockOf } from './order.ts'
import { shippedPieces } from './shipped-pieces.ts'

type Released = { order: OrderRow; given: readonly StockOutcome[] }

/** Releases stock and promo code of a locked order. Pieces that are with the customer stay out. Idempotent. */
export async function releaseOrder(tx: Tx, order: OrderRow, actor: Actor | undefined): Promise<Released> {
  if (order.releasedAt) return { order, given: [] }
  const { businessId } = order
  const shipped = await shippedPieces(tx, order)
  const lines = order.lines.map((line) => withKept(line, shipped.get(line.id) ?? 0))
  const cause = { kind: 'CANCEL' as const, userId: actor?.userId }
  const given = await changeStock(tx, businessId, stockOf({ id: order.id, lines }, 'GIVEN'), cause)
  if (order.promoId) await releasePromo(tx, businessId, order.promoId, order.promoCustomer ?? undefined)
  return { order: { ...order, lines, releasedAt: now() }, given }
}

function withKept(line: OrderLine, shipped: number): OrderLine {
  const kept = Math.min(line.taken, outOf(line, shipped))
  return kept > 0 ? { ...line, kept } : line
}
