import { operation } from '#platform/http/operation.ts'
import { PageOf, PageOnly, RecordParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const refundOrder = operation({
  method: 'POST',
  url: '/orders/:id/refunds',
  config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true, strict: true },
  schema: {
    operationId: 'refundOrder',
    tags: ['Orders'],
    summary: 'Refund an order',
    description:
      'Refunds an amount, items and shipping, or the remaining amount through the payment provider, up to the amount ' +
      'paid. The payment status of the order changes when the provider completes the refund.',
    params: RecordParams,
    body: shape.NewRefund,
    response: { 201: shape.Refund },
  },
})

export const quoteRefund = operation({
  method: 'POST',
  url: '/orders/:id/refunds/quote',
  config: { access: 'ORDERS_READ', business: 'path', strict: true, fails: [409] },
  schema: {
    operationId: 'quoteRefund',
    tags: ['Orders'],
    summary: 'Quote a refund',
    description: 'Calculates a refund without creating it.',
    params: RecordParams,
    body: shape.NewRefund,
    response: { 200: shape.RefundQuote },
  },
})

export const listRefunds = operation({
  method: 'GET',
  url: '/orders/:id/refunds',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'listRefunds',
    tags: ['Orders'],
    summary: 'List refunds of an order',
    description:
      'Returns the newest refunds first. Does not include refunds made in the dashboard of the payment provider.',
    params: RecordParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.Refund) },
  },
})

export const getRefund = operation({
  method: 'GET',
  url: '/orders/:id/refunds/:refundId',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'getRefund',
    tags: ['Orders'],
    summary: 'Get a refund',
    params: shape.RefundParams,
    response: { 200: shape.Refund },
  },
})
