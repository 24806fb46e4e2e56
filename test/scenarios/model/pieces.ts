import { leftOf, type ModelOrder, type ModelRefund, outOf, shippedOf, sumOf } from './model.ts'

export type Origin = 'UNSHIPPED' | 'SHIPPED'

/** What refunds have taken of the line, without those that failed. */
function givenOf({ refunds }: ModelOrder) {
  const counted = refunds.filter(({ status }) => status !== 'FAILED')
  const sum = (part: 'pieces' | 'unshipped' | 'money') => sumOf(counted.map((refund) => refund[part]))
  return { pieces: sum('pieces'), unshipped: sum('unshipped'), money: sum('money') }
}

export const leftToShip = (order: ModelOrder) => order.quantity - shippedOf(order) - givenOf(order).unshipped

/** Without a shipment the status tells. */
export function fulfillmentOf(order: ModelOrder) {
  if (order.shipments.length === 0) return order.status === 'SHIPPED' ? 'FULFILLED' : 'UNFULFILLED'
  return leftToShip(order) === 0 ? 'FULFILLED' : 'PARTIALLY_FULFILLED'
}

/** Pieces that can be refunded as never shipped. */
function refundableHere(order: ModelOrder): number {
  const isAllShipped = order.shipments.length === 0 && fulfillmentOf(order) === 'FULFILLED'
  const { pieces, unshipped } = givenOf(order)
  const here = isAllShipped ? 0 : order.quantity - shippedOf(order) - unshipped
  return Math.min(order.quantity - pieces, Math.max(here, 0))
}

/** What further pieces are worth: prices are such that no share is rounded. */
function worthOf(order: ModelOrder, pieces: number): number {
  const given = givenOf(order)
  return Math.max(((given.pieces + pieces) * order.total) / order.quantity - given.money, 0)
}

/** A refund of an amount, or of all that is left. */
export function refundOf(order: ModelOrder, amount: number | undefined): ModelRefund {
  const status = 'PENDING'
  if (amount !== undefined) return { amount, pieces: 0, unshipped: 0, money: 0, status }
  const left = leftOf(order)
  const pieces = order.quantity - givenOf(order).pieces
  const money = pieces === 0 ? 0 : Math.min(worthOf(order, pieces), left)
  return { amount: left, pieces, unshipped: Math.min(pieces, refundableHere(order)), money, status }
}

/** A refund of pieces, or with what it is refused. */
export function refundPieces(order: ModelOrder, pieces: number, from: Origin | undefined): ModelRefund | string {
  const here = refundableHere(order)
  const left = leftOf(order)
  const isTooMany = pieces > order.quantity - givenOf(order).pieces || (from === 'UNSHIPPED' && pieces > here)
  if (order.pageId === undefined) return '409 CONFLICT id NOTHING_TO_REFUND'
  if (isTooMany) return '422 VALIDATION_FAILED lines.0.quantity TOO_MANY'
  const worth = worthOf(order, pieces)
  if (left === 0 || worth === 0) return '409 CONFLICT amount NOTHING_TO_REFUND'
  if (worth > left) return '422 VALIDATION_FAILED amount TOO_LARGE'
  const unshipped = from === 'SHIPPED' ? 0 : Math.min(pieces, here)
  return { amount: worth, pieces, unshipped, money: worth, status: 'PENDING' }
}

/** Pieces come back: into stock, as far as the line holds any. Says how many went there. */
export function bringBack(order: ModelOrder, pieces: number, from?: Origin): number {
  const back = Math.min(pieces, order.quantity - order.returned)
  const held = order.isReleased ? order.kept : order.taken
  const restocked = Math.min(back, held)
  const unshipped = { UNSHIPPED: back, SHIPPED: 0, unknown: back - Math.min(back, outOf(order)) }
  order.returnedUnshipped += unshipped[from ?? 'unknown']
  order.returned += back
  order.taken -= restocked
  if (order.isReleased) order.kept -= restocked
  order.product.stock += restocked
  return restocked
}
