import { MAX_LINE_QUANTITY } from '#modules/orders/index.ts'
import { conflict, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const orderNotFound = notFound('order')

// The cart
export const itemsRequired = invalid('lines', 'REQUIRED', 'The cart is empty. Add at least one line.')
export const tooManyOfVariant = invalid(
  '{at}.quantity',
  'TOO_LARGE',
  `The maximum quantity per variant is ${MAX_LINE_QUANTITY}.`,
)
export const variantNotFound = invalid(
  '{at}.variantId',
  'NOT_FOUND',
  'Variant {variantId} of product {productId} not found, or not for sale.',
)
export const noPrice = invalid('{at}.variantId', 'NO_PRICE', '{name} has no price in this market.')
// Stored amounts from an archive, which are not checked on write.
export const priceOffStep = invalid(
  '{at}.variantId',
  'STEP',
  '{name} costs {amount}, which is not a multiple of {step}. Change its price to {valid}.',
)
export const shippingOffStep = invalid(
  'shippingMethodId',
  'STEP',
  'The shipping method {name} costs {amount}, which is not a multiple of {step}. Change its price to {valid}.',
)
export const promoOffStep = invalid(
  'promoCode',
  'STEP',
  'The promo code {code} is worth {amount}, which is not a multiple of {step}. Change its value to {valid}.',
)
export const tooManyAtOnce = invalid(
  '{at}.quantity',
  'TOO_LARGE',
  'The maximum quantity of {name} per order is {maxPerOrder}.',
)
export const amountOutOfRange = invalid('items', 'AMOUNT_OUT_OF_RANGE', 'The total cannot be charged to a card.')
export const blocksTooLarge = invalid('blocks', 'TOO_LONG', 'The blocks of an order must not exceed 16 KiB in total.')

// Services of the business
/** In the words of the service. */
export const cartRefused = conflict('{field}', 'CART_REFUSED', '{message}')
export const cartChanged = conflict(
  'items',
  'CART_CHANGED',
  'Prices changed during the calculation. Request a new quote.',
)

// Choices
export const paymentMethodNotTaken = invalid(
  'paymentMethod',
  'INVALID',
  'This market does not accept this payment method.',
)
export const shippingMethodRequired = invalid(
  'shippingMethodId',
  'REQUIRED',
  'Choose one of the shipping methods of this market.',
)
export const shippingMethodNotFound = invalid(
  'shippingMethodId',
  'NOT_FOUND',
  'Shipping method {id} not found in this market.',
)
export const noShippingOffered = invalid(
  'shippingMethodId',
  'REQUIRED',
  'No shipping method is available for this cart and address. Change the address, or contact the shop.',
)
export const rateRequired = invalid('shippingMethodId', 'REQUIRED', 'Choose one of the shippingRates of the quote.')
export const rateNotFound = invalid(
  'shippingMethodId',
  'NOT_FOUND',
  'Shipping rate {id} is not available for this cart and address. The quote lists the available rates.',
)
export const promoNotFound = invalid('promoCode', 'NOT_FOUND', 'Promo code not found.')
export const promoExhausted = conflict('promoCode', 'PROMO_EXHAUSTED', 'This promo code has reached its usage limit.')
export const promoNeedsCustomer = invalid(
  'promoCode',
  'PROMO_NOT_APPLICABLE',
  'This promo code requires an email address or a confirmed phone number.',
)
export const redirectNotAllowed = invalid(
  '{field}',
  'INVALID_REDIRECT_URI',
  'The origin of {field} is not allowed by this business.',
)

// Refunds
export const refundNotFound = notFound('refund')
export const tooManyRefunded = invalid(
  'lines.{index}.quantity',
  'TOO_MANY',
  'Only {left} units of this line can still be refunded.',
)
export const tooManyUnshipped = invalid(
  'lines.{index}.quantity',
  'TOO_MANY',
  'Only {left} unshipped units of this line can still be refunded.',
)
export const moreThanWorth = invalid(
  'amount',
  'TOO_LARGE',
  'The refund exceeds the value of the items, {worth}. Reduce the amount.',
)
export const restockNeedsLines = invalid('lines', 'REQUIRED', 'Send lines to choose the items to restock.')

// The order
export const orderEnded = conflict(
  'Idempotency-Key',
  'ORDER_CANCELLED',
  'The order of this key is canceled. Use a new key to order again.',
)
export const tooManyUnpaid = conflict(
  'items',
  'TOO_MANY_UNPAID',
  'You have {count} unpaid orders. Pay or cancel one, or wait: unpaid orders expire after one hour.',
)
export const localeInvalid = invalid('locale', 'INVALID', 'The locale must be a language tag, for example en or de-CH.')
