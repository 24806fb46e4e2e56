import { type Origin, type RefundLine, SHIPPING_LINE } from '#modules/orders/index.ts'
import type { Refund as RefundRow } from '#modules/payments/index.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Refund } from './schemas.ts'

/** A refund with its parts: of those given, its own. */
export function presentRefund(
  orderId: string,
  { id, amount, reason, status, createdAt }: RefundRow,
  given: readonly RefundLine[],
): Refund {
  const parts = given.filter(({ refundId }) => refundId === id)
  return {
    id,
    orderId,
    amount,
    lines: parts
      .filter(({ lineId }) => lineId !== SHIPPING_LINE)
      .map(({ lineId, quantity, origin, amount }) => ({ lineId, quantity, from: origin as Origin, amount })),
    shipping: parts.find(({ lineId }) => lineId === SHIPPING_LINE)?.amount ?? 0,
    restock: parts.some(({ restocked }) => restocked),
    reason,
    status,
    createdAt: toSeconds(createdAt),
  }
}
