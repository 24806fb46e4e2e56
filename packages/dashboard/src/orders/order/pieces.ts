import type { Order, RefundOrderBody, Shipment } from '@kontor/sdk'
import type { Entry } from '../../outbox/store.ts'
import type { RefundItem, TimelineItem } from './queries.ts'

/** How far a line has come. All counts are of pieces. */
export type Pieces = {
  shipped: number
  refunded: number
  /** Of a refund that was asked for and is not yet known. Counted as gone wherever money is quoted. */
  asked: number
  returned: number
  leftToShip: number
  leftToRefund: number
  leftToReturn: number
}

/** A refund whose answer is not known to this page yet. */
export type AskedRefund = { id: string; amount: number; at: number; isLost: boolean; body: RefundOrderBody }

export const askedRefunds = (entries: readonly Entry[]): AskedRefund[] =>
  entries
    .filter(({ operation }) => operation === 'refundOrder')
    .map(({ id, askedAt, isLost, input }) => {
      const body = (input.body ?? {}) as RefundOrderBody
      return { id, amount: body.amount ?? 0, at: askedAt / 1_000, isLost, body }
    })

type Counted = { lineId: string; quantity: number }

/** Pieces that were asked to go out or to be taken back, and are not yet known: they count as gone. */
export type AskedPieces = { isAllShipped: boolean; shipped: readonly Counted[]; returned: readonly Counted[] }

export function askedPieces(entries: readonly Entry[], orderId: string): AskedPieces {
  const bodies = (operation: Entry['operation']) =>
    entries.filter((entry) => entry.operation === operation).map(({ input }) => (input.body ?? {}) as AskedBody)
  const shipped = bodies('shipOrder')
  const isOfList = bodies('shipOrders').some(({ items }) => items?.some((item) => item.orderId === orderId))
  return {
    isAllShipped: isOfList || shipped.some(({ lines }) => lines === undefined),
    shipped: shipped.flatMap(({ lines = [] }) => lines),
    returned: bodies('returnOrderLines').flatMap(({ lines = [] }) => lines),
  }
}

type AskedBody = { lines?: Counted[]; items?: { orderId: string }[] }

type Record = {
  order: Order
  shipments: readonly Shipment[]
  refunds: readonly RefundItem[]
  timeline: readonly TimelineItem[]
  asked: readonly AskedRefund[]
  moving: AskedPieces
}

const sum = (figures: readonly number[]) => figures.reduce((whole, figure) => whole + figure, 0)
const countOf = (lines: readonly Counted[], lineId: string) =>
  sum(lines.filter((line) => line.lineId === lineId).map(({ quantity }) => quantity))

/** The pieces of each line, by its id. */
export function piecesOf({ order, shipments, refunds, timeline, asked, moving }: Record): Map<string, Pieces> {
  const counted = refunds.filter(({ status }) => status !== 'FAILED')
  const returns = timeline.filter(({ type }) => type === 'order.returned')
  const isSaidShipped = shipments.length === 0 && order.fulfillment === 'FULFILLED'
  return new Map(
    order.lines.map(({ id, quantity }) => {
      const of = (list: readonly { lines: Counted[] }[]) => sum(list.map(({ lines }) => countOf(lines, id)))
      const shipped = isSaidShipped ? quantity : of(shipments)
      const refunded = of(counted.filter(({ status }) => status === 'SUCCEEDED'))
      const waiting = of(counted.filter(({ status }) => status === 'PENDING'))
      const unsent = sum(asked.map(({ body }) => countOf(body.lines ?? [], id)))
      const returned = sum(
        returns.map((event) => countOf(('data' in event ? (event.data as ReturnData).lines : undefined) ?? [], id)),
      )
      const unshipped = sum(
        counted.map(({ lines }) =>
          countOf(
            lines.filter(({ from }) => from === 'UNSHIPPED'),
            id,
          ),
        ), // never to be sent
      )
      const pieces: Pieces = {
        shipped,
        refunded,
        asked: waiting + unsent,
        returned,
        leftToShip: moving.isAllShipped ? 0 : Math.max(quantity - shipped - unshipped - countOf(moving.shipped, id), 0),
        leftToRefund: Math.max(quantity - refunded - waiting - unsent, 0),
        leftToReturn: Math.max(quantity - returned - countOf(moving.returned, id), 0),
      }
      return [id, pieces] as const
    }),
  )
}

type ReturnData = { lines?: Counted[] }

/** What stays with the business, counting as gone whatever was asked for. */
export function moneyOf({ order, refunds, asked }: Pick<Record, 'order' | 'refunds' | 'asked'>) {
  const wasPaid = order.paymentStatus.some(({ status }) => status === 'PAID')
  const of = (status: RefundItem['status']) =>
    sum(refunds.filter((refund) => refund.status === status).map(({ amount }) => amount))
  const isAllBack = order.paymentStatus.at(-1)?.status === 'REFUNDED'
  const paid = wasPaid || order.refundedAmount > 0 || isAllBack ? order.total : 0
  // Money that went back elsewhere, or before there were refunds here, is known by the status alone.
  const refunded = isAllBack && refunds.length === 0 ? paid : Math.max(order.refundedAmount, of('SUCCEEDED'))
  const waiting = of('PENDING') + sum(asked.map(({ amount }) => amount))
  return { paid, refunded, waiting, ours: Math.max(paid - refunded - waiting, 0) }
}
