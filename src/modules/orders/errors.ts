import { conflict, forbidden, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const orderNotFound = notFound('order')
export const filterNeedsPermission = forbidden('Filtering orders by {filter} requires the ORDERS_READ permission.')
export const orderIsFinal = conflict('status', 'ORDER_FINAL', 'This order is {status}. This status is final.')
export const paymentOpen = conflict(
  'id',
  'PAYMENT_OPEN',
  'This order is paid, or its payment page is open, so it cannot be changed.',
)
export const orderNotOpen = conflict(
  'id',
  'ORDER_CLOSED',
  'This order is {status}. Only PENDING and PROCESSING orders can be changed.',
)
export const lineNotFound = invalid('lines.{index}.lineId', 'NOT_FOUND', 'Line {lineId} not found in this order.')
export const tooManyReturned = invalid(
  'lines.{index}.quantity',
  'TOO_MANY',
  'Only {left} units of this line can still be returned.',
)
export const stockFull = conflict('lines', 'TOO_LARGE', 'The stock would exceed its maximum. Reduce the stock first.')
export const piecesUsed = invalid(
  'lines',
  'TOO_FEW',
  '{used} units of line {lineId} are already shipped, refunded, or returned. Keep the line with at least this quantity.',
)
export const commentNotFound = notFound('comment')
export const notYourComment = forbidden('Only the author or an ADMIN can delete a comment.')
export const paidMeanwhile = conflict(
  'status',
  'ORDER_PAID',
  'The order was paid during the cancellation. Cancel it again and refund it.',
)
export const orderPaid = conflict(
  'id',
  'ORDER_PAID',
  'This order is paid and can no longer be canceled here. Contact the shop.',
)
export const notCancellable = conflict(
  'id',
  'WRONG_STATE',
  'This order is {status}. Only unpaid orders from a checkout can be canceled.',
)
export const soldOut = conflict('{field}', 'OUT_OF_STOCK', 'This is sold out.')
export const onlySomeLeft = conflict('{field}', 'OUT_OF_STOCK', 'Only {quantity} left in stock.')
export const customerNotFound = invalid('customerId', 'NOT_FOUND', 'User {id} not found.')
export const customerMissing = invalid('customerId', 'REQUIRED', 'Send customerId or customer.')
export const customerTwice = invalid('customer', 'INVALID', 'Send either customerId or customer, not both.')
export const marketNotFound = invalid('market', 'NOT_FOUND', 'Market {id} not found.')
export const wrongCurrency = invalid('currency', 'INVALID', 'The currency of this market is {currency}.')
export const variantNotFound = invalid(
  'lines.{index}.variantId',
  'NOT_FOUND',
  'Variant {variantId} of product {productId} not found.',
)
export const discountTooLarge = invalid(
  'lines.{index}.discount',
  'TOO_LARGE',
  'The discount of a line must not exceed its price, {totalPrice}.',
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
  'The blocks of an order exceed 100 KB as JSON. Shorten them.',
)

// Shipments
export const shipmentNotFound = notFound('shipment')
export const notShippable = conflict(
  'id',
  'WRONG_STATE',
  'This order is {status}. Only PROCESSING, SHIPPED, and DELIVERED orders can be shipped.',
)
export const nothingToShip = conflict('lines', 'NOTHING_TO_SHIP', 'This order has no items left to ship.')
export const tooManyShipments = conflict('id', 'TOO_MANY', 'An order can have at most 100 shipments.')
export const lineTwice = invalid(
  'lines.{index}.lineId',
  'DUPLICATE',
  'This line appears twice. Combine its quantities.',
)
export const tooManyPieces = invalid(
  'lines.{index}.quantity',
  'TOO_MANY',
  'Only {left} units of this line are left to ship.',
)
export const orderTwice = invalid('items.{index}.orderId', 'DUPLICATE', 'This order appears twice.')
export const shippedMore = invalid(
  'lines',
  'TOO_FEW',
  '{pieces} units of line {lineId} are shipped. Keep the line with its id and at least this quantity.',
)

// Packing slips
export const tooManySlips = invalid('ids', 'TOO_MANY', 'You can print up to 50 packing slips at a time.')
export const tooManySlipLines = invalid(
  'ids',
  'TOO_MANY',
  'These orders have more than 1,000 lines. Print fewer orders at a time.',
)
