import { conflict, invalid } from '#vocabulary/errors.ts'

export const orderIsFinal = (status: string) =>
  conflict('status', 'ORDER_FINAL', `This order is ${status}: that is final.`)
export const paymentOpen = () =>
  conflict('id', 'PAYMENT_OPEN', 'This order is paid, or its payment page is open. It cannot be changed now.')
export const orderNotOpen = (status: string) =>
  conflict('id', 'ORDER_CLOSED', `This order is ${status}. Only PENDING and PROCESSING ones can be changed.`)
export const outOfStock = (field: string, quantity: number) =>
  conflict(field, 'OUT_OF_STOCK', quantity === 0 ? 'This is sold out.' : `There are only ${quantity} left.`)
export const customerNotFound = (id: string) => invalid('customerId', 'NOT_FOUND', `There is no user ${id}.`)
export const marketNotFound = (id: string) => invalid('market', 'NOT_FOUND', `This business has no market ${id}.`)
export const wrongCurrency = (currency: string) =>
  invalid('currency', 'INVALID', `The currency of this market is ${currency}.`)
export const blocksTooLarge = () =>
  invalid('blocks', 'TOO_LARGE', 'The blocks of an order are larger than 100 KB as JSON. Shorten them.')
