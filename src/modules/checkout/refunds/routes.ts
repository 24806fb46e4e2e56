import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findOrder, listRefundLines } from '#modules/orders/index.ts'
import { findPayment, findRefund, listRefunds, subjectOf } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { orderNotFound, refundNotFound } from '../errors.ts'
import * as operation from './operations.ts'
import { presentRefund } from './present.ts'
import { quoteRefund, refundOrder } from './refund-order.ts'

export const refundRoutes: FastifyPluginAsyncTypebox = async (app) => {
  handle(app, operation.refundOrder, (request, reply) => {
    const { cell, business, params, actor, body } = request
    return createOnce(request, reply, cell, (tx) =>
      refundOrder(tx, { businessId: business.id, id: params.id, actor }, body),
    )
  })

  handle(app, operation.quoteRefund, ({ cell, business, params, body }) =>
    quoteRefund(cell, business.id, params.id, body),
  )

  handle(app, operation.listRefunds, async ({ cell, business, params, query }) => {
    const { limit = 20 } = query
    const filters = { list: 'refunds', businessId: business.id, orderId: params.id }
    const after = decodeCursor(filters, query.cursor, ['string'])?.[0] as string | undefined
    const { payment, given } = await readPaid(cell, business.id, params.id)
    const rows = payment ? await listRefunds(cell, payment, { limit: limit + 1, after }) : []
    return toPage(
      rows,
      limit,
      filters,
      (row) => [row.id],
      (row) => presentRefund(params.id, row, given),
    )
  })

  handle(app, operation.getRefund, async ({ cell, business, params }) => {
    const { payment, given } = await readPaid(cell, business.id, params.id)
    const row = payment && (await findRefund(cell, payment, params.refundId))
    if (!row) throw refundNotFound()
    return presentRefund(params.id, row, given)
  })
}

/** The payment of an order, if it has one, and the parts of its refunds. */
async function readPaid(db: Db, businessId: string, orderId: string) {
  const [order, payment, given] = await Promise.all([
    findOrder(db, businessId, orderId),
    findPayment(db, businessId, subjectOf('order', orderId)),
    listRefundLines(db, businessId, orderId),
  ])
  if (!order) throw orderNotFound()
  return { payment, given }
}
