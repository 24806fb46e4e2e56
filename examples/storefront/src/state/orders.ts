import { type Order, paymentStatusOf, statusOf } from '@kontor/sdk'

const TEXTS: Record<string, string> = {
  PENDING: 'Waiting for payment',
  PROCESSING: 'Paid, being packed',
  SHIPPED: 'On its way',
  DELIVERED: 'Delivered',
  CANCELLED: 'Cancelled',
  REFUNDED: 'Paid back',
}

export function stateText(order: Order): string {
  const payment = paymentStatusOf(order)
  if (payment === 'REFUNDED') return 'Paid back'
  const text = TEXTS[statusOf(order)] ?? statusOf(order)
  return payment === 'PARTIALLY_REFUNDED' ? `${text}, partly paid back` : text
}
