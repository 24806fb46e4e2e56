import type { Db } from '#platform/database/database.ts'
import { isCounted, listRefundLines } from './refund-lines.ts'

/** How many pieces of each line were refunded before they went out, by the line's id: nobody is to ship these. */
export async function unshippedRefunds(
  db: Db,
  businessId: string,
  orderId: string,
): Promise<ReadonlyMap<string, number>> {
  const pieces = new Map<string, number>()
  for (const { lineId, origin, quantity } of (await listRefundLines(db, businessId, orderId)).filter(isCounted)) {
    if (origin === 'UNSHIPPED') pieces.set(lineId, (pieces.get(lineId) ?? 0) + quantity)
  }
  return pieces
}
