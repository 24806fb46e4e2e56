import { conflict, forbidden, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const orderNotFound = notFound('order')
export const filterNeedsPermission = forbidden('Only who holds ORDERS_READ can filter orders by {filter}.')
export const orderIsFinal = conflict('status', 'ORDER_FINAL', 'This order is {status}: that is final.')
export const paymentOpen = conflict(
  'id',
  'PAYMENT_OPEN',
  'This order is paid, or its payment page is open. It cannot be changed now.',
)
export const orderNotOpen = conflict(
  'id',
  'ORDER_CLOSED',
  'This order is {status}. Only PENDING and PROCESSING ones can be changed.',
)
export const lineNotFound = invalid('lines.{index}.lineId', 'NOT_FOUND', 'This order has no line {lineId}.')
export const tooManyReturned = invalid(
  'lines.{index}.quantity',
  'TOO_MANY',
  'Of this line, {left} can still come back.',
)
export const stockFull = conflict(
  'lines',
  'TOO_LARGE',
  'There would be more in stock than can be counted. Lower the stock first.',
)
export const piecesUsed = invalid(
  'lines',
  'TOO_FEW',
  'Of line {lineId}, {used} were shipped, refunded or returned already: it must stay, with as many or more.',
)
export const commentNotFound = notFound('comment')
export const notYourComment = forbidden('Only its author or an ADMIN may delete a comment.')
export const paidMeanwhile = conflict(
  'status',
  'ORDER_PAID',
  'The order was paid this very moment. Cancel it again if you still want to, and refund it.',
)
export const orderPaid = conflict(
  'id',
  'ORDER_PAID',
  'This order is paid. It cannot be cancelled here any more: please ask the shop.',
)
export const notCancellable = conflict(
  'id',
  'WRONG_STATE',
  'Only an order from a checkout that waits to be paid can be cancelled; this one is {status}.',
)
export const soldOut = conflict('{field}', 'OUT_OF_STOCK', 'This is sold out.')
export const onlySomeLeft = conflict('{field}', 'OUT_OF_STOCK', 'There are only {quantity} left.')
export const customerNotFound = invalid('customerId', 'NOT_FOUND', 'User {id} not found.')
export const customerMissing = invalid('customerId', 'REQUIRED', 'Say whose order it is: send customerId, or customer.')
export const customerTwice = invalid('customer', 'INVALID', 'Send either customerId or customer, not both.')
export const marketNotFound = invalid('market', 'NOT_FOUND', 'This business has no market {id}.')
export const wrongCurrency = invalid('currency', 'INVALID', 'The currency of this market is {currency}.')
export const variantNotFound = invalid(
  'lines.{index}.variantId',
  'NOT_FOUND',
  'This business has no variant {variantId} of product {productId}.',
)
export const discountTooLarge = invalid(
  'lines.{index}.discount',
  'TOO_LARGE',
  'A line’s discount is at most its price, {totalPrice}.',
)
export const sumWrong = invalid('{field}', 'INVALID', '{field} must be {rule}, {expected}.')
export const taxAbovePrice = invalid('{field}', 'TOO_LARGE', '{field} is part of the price. Send at most {price}.')
export const taxNotIncluded = invalid(
  'taxIncluded',
  'INVALID',
  'Prices in the market {market} do not include tax. Send the amount in tax.',
)
export const blocksTooLarge = invalid(
  'blocks',
  'TOO_LARGE',
  'The blocks of an order are larger than 100 KB as JSON. Shorten them.',
)

// Shipments
export const shipmentNotFound = notFound('shipment')
export const notShippable = conflict(
  'id',
  'WRONG_STATE',
  'This order is {status}. Only PROCESSING, SHIPPED and DELIVERED ones can be shipped.',
)
export const nothingToShip = conflict('lines', 'NOTHING_TO_SHIP', 'Nothing of this order is left to ship.')
export const tooManyShipments = conflict('id', 'TOO_MANY', 'An order has at most 100 shipments.')
export const lineTwice = invalid('lines.{index}.lineId', 'DUPLICATE', 'This line is named twice. Add its pieces up.')
export const tooManyPieces = invalid('lines.{index}.quantity', 'TOO_MANY', 'Of this line, {left} are left to ship.')
export const orderTwice = invalid('items.{index}.orderId', 'DUPLICATE', 'This order is named twice.')
export const shippedMore = invalid(
  'lines',
  'TOO_FEW',
  '{pieces} pieces of the line {lineId} were shipped. Keep the line, with its id and at least so many pieces.',
)

// Packing slips
export const tooManySlips = invalid('ids', 'TOO_MANY', 'Print at most 50 packing slips at once.')
export const tooManySlipLines = invalid(
  'ids',
  'TOO_MANY',
  'These orders have more than 1000 lines. Print fewer of them at once.',
)
