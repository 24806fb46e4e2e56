import type { Db } from '#platform/database/database.ts'
import { isCounted, listRefundLines, type RefundLine } from './refund-lines.ts'

/** How many pieces of each line were refunded before they went out, by the line's id: nobody is to ship these. */
export const unshippedRefunds = async (db: Db, businessId: string, orderId: string) =>
  sumUnshipped(await listRefundLines(db, businessId, orderId))

/** The same of an order whose refunds were read already. */
export function sumUnshipped(refundLines: readonly RefundLine[]): ReadonlyMap<string, number> {
  const pieces = new Map<string, number>()
  for (const { lineId, origin, quantity } of refundLines.filter(isCounted)) {
    if (origin === 'UNSHIPPED') pieces.set(lineId, (pieces.get(lineId) ?? 0) + quantity)
  }
  return pieces
}
