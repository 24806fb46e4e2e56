import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findOrder } from '#modules/orders/index.ts'
import { createOnce, keyOfRequest } from '#platform/http/idempotency.ts'
import { notFound } from '#vocabulary/errors.ts'
import { holds } from '#vocabulary/permissions.ts'
import { BusinessParams, RecordParams } from '#vocabulary/schemas.ts'
import { type CheckoutContext, createCheckout } from './checkout.ts'
import { explain } from './explain.ts'
import { quote } from './quote.ts'
import { refundOrder } from './refund-order.ts'
import * as shape from './schemas.ts'

export const checkoutRoutes: FastifyPluginAsyncTypebox<CheckoutContext> = async (app, context) => {
  const checkout = createCheckout(context)

  app.post(
    '/v1/payments/quote',
    {
      config: { access: 'guest', business: 'body' },
      schema: {
        operationId: 'quote',
        tags: ['Checkout'],
        summary: 'Quote a price',
        description: 'What a checkout would cost now. Has no effect. `items` is another name for `lines`.',
        body: shape.QuoteBody,
        response: { 200: shape.Quote },
      },
    },
    ({ cell, business, body }) => quote(cell, business, body),
  )

  app.post(
    '/v1/businesses/:businessId/orders/checkout',
    {
      config: { access: 'guest', business: 'path', idempotent: true, fails: [403, 502] },
      schema: {
        operationId: 'checkout',
        tags: ['Checkout'],
        summary: 'Check out',
        description:
          'Creates the order and takes its stock. Answers where to pay, or, if there is nothing to pay, `COMPLETED`. An order ' +
          'that is not paid within an hour is cancelled. Ten of a caller may wait to be paid at a time.',
        params: BusinessParams,
        body: shape.CheckoutBody,
        response: { 200: shape.CheckoutResult },
      },
    },
    async (request, reply) => {
      const { cell, business, actor, permissions, body } = request
      const requestKey = keyOfRequest(request)
      const isSeller = holds(permissions, 'ORDERS_WRITE')
      const { isRepeated, ...result } = await checkout({ cell, business, actor, isSeller, requestKey }, body)
      if (isRepeated) void reply.header('idempotency-replayed', 'true')
      return result
    },
  )

  app.get(
    '/v1/businesses/:businessId/orders/:id/explain',
    {
      config: { access: 'ORDERS_READ', business: 'path' },
      schema: {
        operationId: 'explainOrder',
        tags: ['Orders'],
        summary: 'Explain an order’s figures',
        description: 'Computes them again, step by step, and says whether they still add up.',
        params: RecordParams,
        response: { 200: shape.Explanation },
      },
    },
    async ({ cell, params }) => {
      const order = await findOrder(cell, params.businessId, params.id)
      if (!order) throw notFound('order')
      return explain(order)
    },
  )

  app.post(
    '/v1/businesses/:businessId/orders/:id/refunds',
    {
      config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'refundOrder',
        tags: ['Orders'],
        summary: 'Refund an order',
        description:
          'Through the payment provider, in part or in full, never above what was paid. The order’s payment status follows ' +
          'when the provider has done it.',
        params: RecordParams,
        body: shape.NewRefund,
        response: { 201: shape.Refund },
      },
    },
    (request, reply) => {
      const { cell, params, actor, body } = request
      return createOnce(request, reply, cell, (tx) => refundOrder(tx, params.businessId, params.id, actor, body))
    },
  )
}
