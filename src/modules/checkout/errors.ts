import { conflict, invalid } from '#vocabulary/errors.ts'

export const paymentMethodNotTaken = () =>
  invalid('paymentMethod', 'INVALID', 'This market does not take this payment method.')
export const shippingMethodRequired = () =>
  invalid('shippingMethodId', 'REQUIRED', 'This market has shipping methods: choose one.')
export const shippingMethodNotFound = (id: string) =>
  invalid('shippingMethodId', 'NOT_FOUND', `This market has no shipping method ${id}.`)
export const promoNotFound = () => invalid('promoCode', 'NOT_FOUND', 'There is no such promo code.')
export const promoExhausted = () =>
  conflict('promoCode', 'PROMO_EXHAUSTED', 'This promo code has been used as often as it can be.')
export const promoNeedsCustomer = () =>
  invalid('promoCode', 'PROMO_NOT_APPLICABLE', 'This promo code needs your email address, or a confirmed phone number.')
export const itemsRequired = () => invalid('lines', 'REQUIRED', 'Put at least one line into lines.')
export const amountOutOfRange = () =>
  invalid('items', 'AMOUNT_OUT_OF_RANGE', 'The total is outside of what can be paid by card.')
export const redirectNotAllowed = (field: string) =>
  invalid(field, 'INVALID_REDIRECT_URI', `${field} must lead to an origin that this business allows.`)
export const orderEnded = () =>
  conflict('Idempotency-Key', 'ORDER_CANCELLED', 'The order of this key has ended. Use a new key to order again.')
export const paidMeanwhile = () =>
  conflict(
    'status',
    'ORDER_PAID',
    'The order was paid this very moment. Cancel it again if you still want to, and refund it.',
  )
export const tooManyUnpaid = (count: number) =>
  conflict(
    'items',
    'TOO_MANY_UNPAID',
    `You have ${count} orders that are not paid yet. Pay or cancel one, or wait: an order that nobody pays ends after an hour.`,
  )
export const blocksTooLarge = () => invalid('blocks', 'TOO_LONG', 'The blocks of an order may have 16 KiB in all.')
