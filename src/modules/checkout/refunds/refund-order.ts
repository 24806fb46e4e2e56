import {
  findOrder,
  fulfillmentOf,
  insertRefundLines,
  isCounted,
  listRefundLines,
  lockOrder,
  type OrderRow,
  orderRefundRequested,
  type RefundLine,
  returnPieces,
  SHIPPING_LINE,
  shippedPieces,
  updateFulfillment,
} from '#modules/orders/index.ts'
import {
  findPayment,
  leftOf,
  lockPayment,
  notPaidHere,
  type Payment,
  type Refund as RefundRow,
  requestRefund,
  subjectOf,
} from '#modules/payments/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { orderNotFound } from '../errors.ts'
import { presentRefund } from './present.ts'
import { type PricedRefund, type Progress, priceRefund } from './price-refund.ts'
import type { NewRefund, Refund, RefundQuote } from './schemas.ts'

/** What a refund would come to. */
export async function quoteRefund(db: Db, businessId: string, id: string, asked: NewRefund): Promise<RefundQuote> {
  const order = await findOrder(db, businessId, id)
  if (!order) throw orderNotFound()
  const payment = await findPayment(db, businessId, subjectOf('order', id))
  if (!payment) throw notPaidHere()
  const priced = priceRefund(order, await progressOf(db, order, payment), asked)
  return { ...priced, left: leftOf(payment) - priced.amount }
}

/**
 * Sets money and pieces apart; a worker asks the provider until it confirms or refuses. Goods come back at once, if
 * asked for: they are here, whatever the provider says.
 */
export async function refundOrder(
  tx: Tx,
  { businessId, id, actor }: { businessId: string; id: string; actor: Actor },
  asked: NewRefund,
): Promise<Refund> {
  const order = await lockOrder(tx, businessId, id)
  const found = await findPayment(tx, businessId, subjectOf('order', id))
  if (!found) throw notPaidHere()
  const payment = await lockPayment(tx, businessId, found.id)
  const priced = priceRefund(order, await progressOf(tx, order, payment), asked)
  const { amount, lines } = priced
  const reason = asked.reason ?? null
  const refund = await requestRefund(tx, payment, { amount, reason, actor })
  const parts = toParts(order, refund, priced, asked.restock ?? false)
  await insertRefundLines(tx, parts)
  const { order: after } = asked.restock ? await returnPieces(tx, order, lines, { reason, actor }) : { order }
  await updateFulfillment(tx, after)
  const data = { refundId: refund.id, amount }
  await record(tx, orderRefundRequested({ businessId, subject: id, actor, data }))
  await fault('refund.asked')
  return presentRefund(id, refund, parts)
}

async function progressOf(db: Db, order: OrderRow, payment: Payment): Promise<Progress> {
  const { businessId, id } = order
  const given = (await listRefundLines(db, businessId, id)).filter(isCounted)
  const pieces = await shippedPieces(db, order)
  // A person may have said that all is shipped, without a shipment.
  const isShipped = pieces.size === 0 && fulfillmentOf(order) === 'FULFILLED'
  const shipped = (lineId: string) =>
    isShipped ? (order.lines.find((line) => line.id === lineId)?.quantity ?? 0) : (pieces.get(lineId) ?? 0)
  return { left: leftOf(payment), given, shipped }
}

function toParts(
  { businessId, id: orderId }: OrderRow,
  { id: refundId }: RefundRow,
  { lines, shipping }: PricedRefund,
  restocked: boolean,
): RefundLine[] {
  const parts = [
    ...lines.map(({ from, ...line }) => ({ ...line, origin: from, restocked })),
    ...(shipping > 0 ? [{ lineId: SHIPPING_LINE, origin: null, quantity: 0, amount: shipping, restocked: false }] : []),
  ]
  return parts.map((part, position) => ({ businessId, orderId, refundId, position, ...part, freedAt: null }))
}
