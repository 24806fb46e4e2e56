import { operation } from '#platform/http/operation.ts'
import { BusinessParams, RecordParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const createOrder = operation({
  method: 'POST',
  url: '/orders',
  config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createOrder',
    tags: ['Orders'],
    summary: 'Create an order by hand',
    description: 'Needs no checkout: you send the figures, and they must add up. Takes the stock.',
    params: BusinessParams,
    body: shape.NewOrder,
    response: { 201: shape.Order },
  },
})

export const getOrder = operation({
  method: 'GET',
  url: '/orders/:id',
  config: { access: 'guest', business: 'path', keys: 'strangers', versioned: true },
  schema: {
    operationId: 'getOrder',
    tags: ['Orders'],
    summary: 'Get an order',
    description: 'Without `ORDERS_READ`: only your own.',
    params: RecordParams,
    response: { 200: shape.Order },
  },
})

export const updateOrder = operation({
  method: 'PUT',
  url: '/orders/update',
  config: { access: 'ORDERS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateOrder',
    tags: ['Orders'],
    summary: 'Change an order',
    description:
      'Possible while it is PENDING or PROCESSING, not paid, and no payment is under way. Changes what is sent; the figures must add up. ' +
      'Stock follows the lines.',
    params: BusinessParams,
    body: shape.OrderChanges,
    response: { 200: shape.Order },
  },
})

export const setOrderStatus = operation({
  method: 'PUT',
  url: '/orders/:id/status',
  config: { access: 'ORDERS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'setOrderStatus',
    tags: ['Orders'],
    summary: 'Set the order status',
    description:
      'Adds to the history. CANCELLED and REFUNDED are final. CANCELLED closes an open payment page and releases stock and promo code. Sending the same `id` again changes nothing.',
    params: RecordParams,
    body: shape.StatusChange,
    response: { 200: shape.Order },
  },
})

export const cancelOrder = operation({
  method: 'POST',
  url: '/orders/:id/cancel',
  config: { access: 'guest', business: 'path', fails: [409, 502] },
  schema: {
    operationId: 'cancelOrder',
    tags: ['Orders'],
    summary: 'Cancel your own order',
    description:
      'One that a checkout made and that nobody has paid. Closes its payment page and releases stock and promo code. ' +
      'Cancelling it again changes nothing.',
    params: RecordParams,
    response: { 200: shape.Order },
  },
})

export const setPaymentStatus = operation({
  method: 'PUT',
  url: '/orders/:id/payment-status',
  config: { access: 'ORDERS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'setPaymentStatus',
    tags: ['Orders'],
    summary: 'Set the payment status',
    description: 'Adds to the history, for payments outside of the service. It moves no money.',
    params: RecordParams,
    body: shape.PaymentStatusChange,
    response: { 200: shape.Order },
  },
})
