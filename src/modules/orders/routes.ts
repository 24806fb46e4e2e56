import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Db } from '#platform/database/database.ts'
import { countFitting, isFitting } from '#platform/database/page-bytes.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { checkExpected, etagForReaders, etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { notFound } from '#vocabulary/errors.ts'
import { toPage } from '#vocabulary/paging.ts'
import { holds } from '#vocabulary/permissions.ts'
import { BusinessParams, PageOf, RecordParams } from '#vocabulary/schemas.ts'
import { changeStatus, entryOf, FINAL, wouldChange } from './change-status.ts'
import { customerNotFound } from './errors.ts'
import { createOrder, updateOrder } from './manual.ts'
import { presentOrder, presentToCustomer } from './order.ts'
import { findOrder, listOrders } from './queries.ts'
import * as shape from './schemas.ts'

export type OrderOptions = {
  /** All ids under which a user may have ordered: guests that became an account are still in old orders. */
  idsOf: (userId: string) => Promise<string[]>
  userExists: (userId: string) => Promise<boolean>
  /** Called before an order by hand names this user, so that a guest in it is kept. Nothing is shown of anybody by this. */
  holdCustomer: (businessId: string, userId: string) => Promise<void>
  /** Called after such an order was written: only then is its customer a person of the business. */
  nameCustomer: (businessId: string, userId: string) => Promise<void>
  /** Called before an order is cancelled: nobody may be able to pay it any more. */
  closePage: (cell: Db, businessId: string, orderId: string) => Promise<void>
}

export const orderRoutes: FastifyPluginAsyncTypebox<OrderOptions> = async (app, options) => {
  const { idsOf, userExists, holdCustomer, nameCustomer, closePage } = options

  async function checkCustomer(businessId: string, customerId: string | undefined) {
    if (customerId === undefined) return
    if (!(await userExists(customerId))) throw customerNotFound(customerId)
    await holdCustomer(businessId, customerId)
  }

  // The order stands by then: whoever asked must not think that it failed.
  const ignore = (request: FastifyRequest) => (error: unknown) =>
    request.log.warn({ err: error }, 'the customer of an order by hand was not named')

  app.post(
    '/orders',
    {
      config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'createOrder',
        tags: ['Orders'],
        summary: 'Create an order by hand',
        description: 'Without a checkout: the figures are yours, but must add up. Stock is taken.',
        params: BusinessParams,
        body: shape.NewOrder,
        response: { 201: shape.Order },
      },
    },
    async (request, reply) => {
      const { cell, business, actor, body } = request
      await checkCustomer(business.id, body.customerId)
      const answer = await createOnce(request, reply, cell, async (tx) =>
        presentOrder(await createOrder(tx, { business, actor }, body)),
      )
      // A refusal that is repeated for its key is answered, not thrown.
      if (reply.statusCode === 201) await nameCustomer(business.id, body.customerId).catch(ignore(request))
      return answer
    },
  )

  /** Whose orders the caller may see; undefined: everybody's. */
  const visibleTo = async ({ permissions, actor, business }: FastifyRequest) => {
    if (holds(permissions, 'ORDERS_READ')) return undefined
    const isElsewhere = actor.onlyBusinessId !== undefined && actor.onlyBusinessId !== business.id
    return isElsewhere ? [] : idsOf(actor.userId) // a key that is bound to another business sees nothing here
  }

  /** Who has changed an order is for the staff. */
  const seesActors = ({ permissions }: FastifyRequest) =>
    holds(permissions, 'ORDERS_READ') || holds(permissions, 'ORDERS_WRITE')

  app.get(
    '/orders',
    {
      config: { access: 'guest', business: 'path' },
      schema: {
        operationId: 'listOrders',
        tags: ['Orders'],
        summary: 'List orders',
        description: 'Newest first. Without `ORDERS_READ`: one’s own.',
        params: BusinessParams,
        querystring: shape.OrderQuery,
        response: { 200: PageOf(shape.Order) },
      },
    },
    async (request) => {
      const { cell, params, query } = request
      const own = await visibleTo(request)
      const asked = query.customerId === undefined ? undefined : await idsOf(query.customerId)
      const customerIds = own && asked ? asked.filter((id) => own.includes(id)) : (asked ?? own)
      const { rows, filters } = await listOrders(cell, params.businessId, query, customerIds)
      const shown = countFitting(rows, query.limit ?? 20, isFitting)
      return toPage(rows, shown, filters, (row) => [row.id], seesActors(request) ? presentOrder : presentToCustomer)
    },
  )

  app.get(
    '/orders/:id',
    {
      config: { access: 'guest', business: 'path', versioned: true },
      schema: {
        operationId: 'getOrder',
        tags: ['Orders'],
        summary: 'Get an order',
        description: 'Without `ORDERS_READ`: one’s own.',
        params: RecordParams,
        response: { 200: shape.Order },
      },
    },
    async (request, reply) => {
      const { cell, params } = request
      const [order, own] = await Promise.all([findOrder(cell, params.businessId, params.id), visibleTo(request)])
      if (!order || (own && !own.includes(order.customerId))) throw notFound('order')
      const etag = etagOf(order.version)
      if (seesActors(request)) return sendVersioned(request, reply, etag, presentOrder(order))
      return sendVersioned(request, reply, etagForReaders(etag), presentToCustomer(order))
    },
  )

  app.put(
    '/orders/update',
    {
      config: { access: 'ORDERS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'updateOrder',
        tags: ['Orders'],
        summary: 'Change an order',
        description:
          'While it is PENDING or PROCESSING, not paid, and nobody is paying it. Changes what is sent; the figures must add up. ' +
          'Stock follows the lines.',
        params: BusinessParams,
        body: shape.OrderChanges,
        response: { 200: shape.Order },
      },
    },
    async (request, reply) => {
      const { cell, business, actor, body } = request
      await checkCustomer(business.id, body.customerId)
      const expected = expectedOf(request)
      const order = await transaction(cell, (tx) =>
        updateOrder(tx, { business, actor }, ({ version }) => checkExpected(expected, etagOf(version)), body),
      )
      if (body.customerId !== undefined) await nameCustomer(business.id, body.customerId).catch(ignore(request))
      return sendVersioned(request, reply, etagOf(order.version), presentOrder(order))
    },
  )

  app.put(
    '/orders/:id/status',
    {
      config: { access: 'ORDERS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'setOrderStatus',
        tags: ['Orders'],
        summary: 'Set the order status',
        description:
          'Adds to the history. CANCELLED and REFUNDED are final. CANCELLED closes an open payment page, and gives stock and ' +
          'promo code back. The same `id` again changes nothing.',
        params: RecordParams,
        body: shape.StatusChange,
        response: { 200: shape.Order },
      },
    },
    async (request, reply) => {
      const { cell, params, body, actor } = request
      const { businessId, id } = params
      const expected = expectedOf(request)
      const change = { order: entryOf(id, body) }
      if (FINAL.includes(body.status)) {
        const before = await findOrder(cell, businessId, id)
        if (!before) throw notFound('order')
        if (wouldChange(before, change, { actor, expected })) await closePage(cell, businessId, id)
      }
      await fault('set-status.before-transaction')
      const order = await transaction(cell, (tx) => changeStatus(tx, businessId, id, change, { actor, expected }))
      await fault('set-status.after-commit')
      return sendVersioned(request, reply, etagOf(order.version), presentOrder(order))
    },
  )

  app.put(
    '/orders/:id/payment-status',
    {
      config: { access: 'ORDERS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'setPaymentStatus',
        tags: ['Orders'],
        summary: 'Set the payment status',
        description: 'Adds to the history, for what happens outside of the service. Moves no money.',
        params: RecordParams,
        body: shape.PaymentStatusChange,
        response: { 200: shape.Order },
      },
    },
    async (request, reply) => {
      const { cell, params, body, actor } = request
      const expected = expectedOf(request)
      const order = await transaction(cell, (tx) =>
        changeStatus(tx, params.businessId, params.id, { payment: entryOf(params.id, body) }, { actor, expected }),
      )
      return sendVersioned(request, reply, etagOf(order.version), presentOrder(order))
    },
  )
}
