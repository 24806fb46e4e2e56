import type { Order, Shipment } from '@kontor/sdk'
import type { RefundItem, TimelineItem } from './queries.ts'

type History = {
  order: Order
  shipments: readonly Shipment[]
  refunds: readonly RefundItem[]
  timeline: readonly TimelineItem[]
}

/** Every second at which something happened to the order, the first comes first. */
export function momentsOf({ order, shipments, refunds, timeline }: History): number[] {
  const seconds = [
    order.createdAt,
    ...order.statuses.map(({ timestamp }) => timestamp),
    ...order.paymentStatus.map(({ timestamp }) => timestamp),
    ...shipments.map(({ createdAt }) => createdAt),
    ...refunds.map(({ createdAt }) => createdAt),
    ...timeline.map(({ timestamp }) => timestamp),
  ]
  return [...new Set(seconds)].sort((a, b) => a - b)
}

/** The order as it was: its histories, shipments and refunds up to this second. Undefined: as it is now. */
export function asItWas<Record extends History>(record: Record, at: number | undefined): Record {
  if (at === undefined) return record
  const until = <Entry extends { timestamp: number }>(entries: readonly Entry[]) =>
    entries.filter(({ timestamp }) => timestamp <= at)
  const { order } = record
  const shipments = record.shipments.filter(({ createdAt }) => createdAt <= at)
  const timeline = until(record.timeline)
  const refunds = record.refunds
    .filter(({ createdAt }) => createdAt <= at)
    .map((refund) => statusThen(refund, record, at))
  const statuses = until(order.statuses)
  const refundedAmount = refunds
    .filter(({ status }) => status === 'SUCCEEDED')
    .reduce((sum, { amount }) => sum + amount, 0)
  const then = {
    ...order,
    statuses: statuses.length > 0 ? statuses : order.statuses.slice(0, 1),
    paymentStatus: until(order.paymentStatus),
    refundedAmount,
  }
  return { ...record, order: { ...then, fulfillment: fulfillmentThen(then, shipments) }, shipments, refunds, timeline }
}

/** A refund is known from the event that says so; one without an event is taken as it is. */
function statusThen(refund: RefundItem, { timeline }: History, at: number): RefundItem {
  if (refund.status === 'PENDING') return refund
  const known = timeline.find(
    (item) => ['order.refunded', 'order.refund_failed'].includes(item.type) && refundIdOf(item) === refund.id,
  )
  return known && known.timestamp > at ? { ...refund, status: 'PENDING' } : refund
}

export const refundIdOf = (item: TimelineItem): string | undefined =>
  'data' in item ? (item.data as { refundId?: string }).refundId : undefined

function fulfillmentThen(order: Order, shipments: readonly Shipment[]): Order['fulfillment'] {
  const status = order.statuses.findLast((entry) => entry.status !== 'REFUNDED')?.status // as the service has it
  if (shipments.length === 0) return status === 'SHIPPED' || status === 'DELIVERED' ? 'FULFILLED' : 'UNFULFILLED'
  const sent = shipments.flatMap(({ lines }) => lines).reduce((sum, { quantity }) => sum + quantity, 0)
  const ordered = order.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return sent >= ordered || status === 'SHIPPED' || status === 'DELIVERED' ? 'FULFILLED' : 'PARTIALLY_FULFILLED'
}
