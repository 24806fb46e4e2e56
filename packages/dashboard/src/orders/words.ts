import { blockText, type Order } from '@kontor/sdk'

/** Whose order it is, as far as the order says it. */
export const nameOfOrder = (order: Order): string =>
  order.shippingAddress?.name ||
  order.billingAddress?.name ||
  blockText(order.blocks, 'name') ||
  order.shippingAddress?.company ||
  order.contactEmail ||
  ''
