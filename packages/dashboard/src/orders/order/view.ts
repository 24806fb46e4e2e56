import type { Explanation, Order, Shipment } from '@kontor/sdk'
import type { AskedRefund, moneyOf, Pieces } from './pieces.ts'
import type { RefundItem, TimelineItem } from './queries.ts'

/** What the parts of the page show: the order now, or as it was. */
export type OrderView = {
  order: Order
  shipments: readonly Shipment[]
  refunds: readonly RefundItem[]
  timeline: readonly TimelineItem[]
  explanation: Explanation | undefined
  asked: readonly AskedRefund[]
  pieces: ReadonlyMap<string, Pieces>
  money: ReturnType<typeof moneyOf>
  /** Why nothing can be changed now. */
  reason: string | undefined
}

/** A name for a line beside a figure. */
export const lineNames = (
  { order }: Pick<OrderView, 'order'>,
  lines: readonly { lineId: string; quantity: number }[],
) =>
  lines
    .map(({ lineId, quantity }) => `${quantity} × ${order.lines.find(({ id }) => id === lineId)?.name ?? lineId}`)
    .join(', ')
