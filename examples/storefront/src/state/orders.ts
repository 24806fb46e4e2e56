import type { Order } from '@kontor/sdk'

/** The last entry of a history is the current one. */
export const statusOf = ({ statuses }: Order) => statuses.at(-1)?.status ?? 'PENDING'
export const paymentOf = ({ paymentStatus }: Order) => paymentStatus.at(-1)?.status ?? 'PENDING'

const TEXTS: Record<string, string> = {
  PENDING: 'Waiting for payment',
  PROCESSING: 'Paid, being packed',
  SHIPPED: 'On its way',
  DELIVERED: 'Delivered',
  CANCELLED: 'Cancelled',
  REFUNDED: 'Paid back',
}

export function stateText(order: Order): string {
  const payment = paymentOf(order)
  if (payment === 'REFUNDED') return 'Paid back'
  const text = TEXTS[statusOf(order)] ?? statusOf(order)
  return payment === 'PARTIALLY_REFUNDED' ? `${text}, partly paid back` : text
}
