import { MAX_LINE_QUANTITY } from '#modules/orders/index.ts'
import { conflict, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const orderNotFound = notFound('order')

// The cart
export const itemsRequired = invalid('lines', 'REQUIRED', 'Put at least one line into lines.')
export const tooManyOfVariant = invalid(
  '{at}.quantity',
  'TOO_LARGE',
  `At most ${MAX_LINE_QUANTITY} of a variant can be ordered.`,
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
  'At most {maxPerOrder} of {name} can be ordered at once.',
)
export const amountOutOfRange = invalid(
  'items',
  'AMOUNT_OUT_OF_RANGE',
  'The total is outside of what can be paid by card.',
)
export const blocksTooLarge = invalid('blocks', 'TOO_LONG', 'The blocks of an order may have 16 KiB in all.')

// Services of the business
/** In the words of the service. */
export const cartRefused = conflict('{field}', 'CART_REFUSED', '{message}')
export const cartChanged = conflict(
  'items',
  'CART_CHANGED',
  'Prices changed while this was being computed. Ask for a quote again.',
)

// Choices
export const paymentMethodNotTaken = invalid(
  'paymentMethod',
  'INVALID',
  'This market does not take this payment method.',
)
export const shippingMethodRequired = invalid(
  'shippingMethodId',
  'REQUIRED',
  'This market has shipping methods: choose one.',
)
export const shippingMethodNotFound = invalid(
  'shippingMethodId',
  'NOT_FOUND',
  'This market has no shipping method {id}.',
)
export const noShippingOffered = invalid(
  'shippingMethodId',
  'REQUIRED',
  'No shipping is offered for this cart and address. Change the address, or ask the shop.',
)
export const rateRequired = invalid(
  'shippingMethodId',
  'REQUIRED',
  'Choose how it is shipped: one of shippingRates of the quote.',
)
export const rateNotFound = invalid(
  'shippingMethodId',
  'NOT_FOUND',
  'Shipping {id} is not offered for this cart and address. The quote lists what is.',
)
export const promoNotFound = invalid('promoCode', 'NOT_FOUND', 'Promo code not found.')
export const promoExhausted = conflict(
  'promoCode',
  'PROMO_EXHAUSTED',
  'This promo code has been used as often as it can be.',
)
export const promoNeedsCustomer = invalid(
  'promoCode',
  'PROMO_NOT_APPLICABLE',
  'This promo code needs your email address, or a confirmed phone number.',
)
export const redirectNotAllowed = invalid(
  '{field}',
  'INVALID_REDIRECT_URI',
  '{field} must lead to an origin that this business allows.',
)

// Refunds
export const refundNotFound = notFound('refund')
export const tooManyRefunded = invalid(
  'lines.{index}.quantity',
  'TOO_MANY',
  'Of this line, {left} can still be refunded.',
)
export const tooManyUnshipped = invalid(
  'lines.{index}.quantity',
  'TOO_MANY',
  'Of this line, {left} that are not shipped can still be refunded.',
)
export const moreThanWorth = invalid('amount', 'TOO_LARGE', 'This is worth {worth}. Refund that, or less.')
export const restockNeedsLines = invalid('lines', 'REQUIRED', 'To put goods back into stock, say which: send lines.')

// The order
export const orderEnded = conflict(
  'Idempotency-Key',
  'ORDER_CANCELLED',
  'The order of this key has ended. Use a new key to order again.',
)
export const tooManyUnpaid = conflict(
  'items',
  'TOO_MANY_UNPAID',
  'You have {count} orders that are not paid yet. Pay or cancel one, or wait: an order that nobody pays ends after an hour.',
)
export const localeInvalid = invalid('locale', 'INVALID', 'The locale must be a language tag, such as en or de-CH.')
