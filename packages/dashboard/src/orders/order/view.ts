import type { Explanation, Order, Shipment } from '@kontor/sdk'
import type { Entry } from '../../outbox/store.ts'
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
  /** All that was asked about the order and is not yet known. */
  entries: readonly Entry[]
  /** Whether parcels and refunds could be read: without them nothing is left to be counted from. */
  isKnown: boolean
  pieces: ReadonlyMap<string, Pieces>
  money: ReturnType<typeof moneyOf>
  /** Why nothing can be changed now. */
  reason: string | undefined
}

/** Whether such a thing was asked and is not yet known: asking again would be a second time. */
export const isAsked = ({ entries }: Pick<OrderView, 'entries'>, ...operations: Entry['operation'][]) =>
  entries.some(({ operation }) => operations.includes(operation))

/** A name for a line beside a figure. */
export const lineNames = (
  { order }: Pick<OrderView, 'order'>,
  lines: readonly { lineId: string; quantity: number }[],
) =>
  lines
    .map(({ lineId, quantity }) => `${quantity} × ${order.lines.find(({ id }) => id === lineId)?.name ?? lineId}`)
    .join(', ')
