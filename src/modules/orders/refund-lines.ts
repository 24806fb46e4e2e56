import { type Selectable, sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { OrdersRefundLines } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { insertion, write } from '#platform/database/write.ts'

export const ORIGINS = ['UNSHIPPED', 'SHIPPED'] as const
/** Where refunded pieces were: still here, or with the customer. */
export type Origin = (typeof ORIGINS)[number]

/** A part of a refund: pieces of a line, or shipping, whose `lineId` is empty. */
export type RefundLine = Omit<Selectable<OrdersRefundLines>, 'origin'> & { origin: Origin | null }

export const SHIPPING_LINE = ''

/** Whether it takes pieces and money: those of a refund that failed are free again. */
export const isCounted = ({ freedAt }: Pick<RefundLine, 'freedAt'>) => freedAt === null

/** The parts of all refunds of an order. */
export const listRefundLines = (db: Db, businessId: string, orderId: string): Promise<RefundLine[]> =>
  listRefundLinesOf(db, businessId, [orderId])

export async function listRefundLinesOf(
  db: Db,
  businessId: string,
  orderIds: readonly string[],
): Promise<RefundLine[]> {
  const rows = await db
    .selectFrom('orders.refundLines')
    .selectAll()
    .where('businessId', '=', businessId)
    .where('orderId', '=', sql<string>`any(${orderIds})`)
    .orderBy('refundId')
    .orderBy('position')
    .execute()
  return rows as RefundLine[]
}

export const insertRefundLines = (tx: Tx, lines: readonly RefundLine[]): Promise<void> =>
  write(tx, insertion('orders.refundLines', lines))

/** The refund failed: its pieces and money may be refunded again. */
export const freeRefundLines = (
  tx: Tx,
  { businessId, orderId, refundId }: Pick<RefundLine, 'businessId' | 'orderId' | 'refundId'>,
) =>
  tx
    .updateTable('orders.refundLines')
    .set({ freedAt: now() })
    .where((line) => line.and({ businessId, orderId, refundId }))
    .execute()
