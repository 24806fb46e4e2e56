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
      'Through the payment provider: an amount, pieces of lines and shipping, or all that is left. Never above what was ' +
      'paid. The order’s payment status follows when the provider has done it.',
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
    description: 'What a refund would come to. Has no effect.',
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
    description: 'Newest first. Without those made in the provider’s own dashboard.',
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
