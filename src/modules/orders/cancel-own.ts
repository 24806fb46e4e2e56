import type { Tx } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { applyChange } from './change-status.ts'
import { notCancellable, orderPaid } from './errors.ts'
import type { OrderRow } from './order.ts'
import { lockOrder } from './queries.ts'

/** Its figures were computed, or it waited for a payment. Neither is true of an order by hand. */
const isOfCheckout = ({ trace, expiresAt }: OrderRow) => trace !== null || expiresAt !== null

/** Whether its customer may still cancel it; false when that has happened already. Throws the reason why not. */
export function canCancel(order: OrderRow): boolean {
  const { status, paymentStatus } = order
  if (!isOfCheckout(order)) throw notCancellable({ status })
  if (status === 'CANCELLED') return false
  const isUnpaid = paymentStatus === 'PENDING' || paymentStatus === 'FAILED'
  if (status === 'PENDING' && isUnpaid) return true
  const isOnItsWay = status === 'PENDING' || status === 'PROCESSING'
  throw isOnItsWay && paymentStatus === 'PAID' ? orderPaid() : notCancellable({ status })
}

/** Cancels a customer's own order, once nobody can pay it any more. */
export async function cancelOwn(tx: Tx, businessId: string, id: string, actor: Actor): Promise<OrderRow> {
  const order = await lockOrder(tx, businessId, id)
  if (!canCancel(order)) return order
  return applyChange(tx, order, { order: { status: 'CANCELLED' } }, actor)
}
