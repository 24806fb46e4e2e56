import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import {
  checkExpected,
  etagForReaders,
  etagForWriters,
  etagOf,
  expectedOf,
  sendVersioned,
} from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { newId } from '#vocabulary/ids.ts'
import { canCancel, cancelOwn } from './cancel-own.ts'
import { changeStatus, entryOf, FINAL, wouldChange } from './change-status.ts'
import { customerMissing, customerNotFound, customerTwice, orderNotFound, orderPaid, paidMeanwhile } from './errors.ts'
import * as operation from './operations.ts'
import { presentOrder, presentToCustomer } from './order.ts'
import { findOrder } from './queries.ts'
import { findVisible, type IdsOf, seesActors, seesAllOrders } from './readers.ts'
import { createOrder, updateOrder } from './write-manual-order.ts'

type NewGuest = { id: string; businessId: string; email: string; name: string }

export type OrderOptions = {
  idsOf: IdsOf
  userExists: (userId: string) => Promise<boolean>
  /**
   * Called before a manual order is written for this user, so that a guest is not cleaned up. Reveals nothing about the
   * user.
   */
  holdCustomer: (businessId: string, userId: string) => Promise<void>
  /** Called after the manual order is written: only then does the customer belong to the business. */
  nameCustomer: (businessId: string, userId: string) => Promise<void>
  /** The guest of an order for somebody who is known by an address only. */
  guests: {
    /** Part of the order's transaction: the guest is made even if this process dies. */
    makeLater: (tx: Tx, guest: NewGuest) => Promise<void>
    makeNow: (guest: NewGuest) => Promise<void>
  }
  /** Called before an order is cancelled, so that it can no longer be paid. False: it was paid this very moment. */
  closeSession: (cell: Db, businessId: string, orderId: string) => Promise<boolean>
}

export const orderRoutes: FastifyPluginAsyncTypebox<OrderOptions> = async (app, options) => {
  const { idsOf, userExists, holdCustomer, nameCustomer, guests, closeSession } = options

  async function checkCustomer(businessId: string, customerId: string | undefined) {
    if (customerId === undefined) return
    if (!(await userExists(customerId))) throw customerNotFound({ id: customerId })
    await holdCustomer(businessId, customerId)
  }

  // The order exists by then, so the caller must not get an error.
  const ignore = (request: FastifyRequest) => (error: unknown) =>
    request.log.warn({ err: error }, 'the customer of an order by hand was not named')

  const readerOf = (request: FastifyRequest) => ({ seesTags: seesAllOrders(request) })

  handle(app, operation.createOrder, async (request, reply) => {
    const { cell, business, actor } = request
    const { customerId, customer, ...body } = request.body
    if (customerId !== undefined && customer) throw customerTwice()
    if (customerId === undefined && !customer) throw customerMissing()
    await checkCustomer(business.id, customerId)
    const made: { guest?: NewGuest } = {}
    const answer = await createOnce(request, reply, cell, async (tx) => {
      if (customer) made.guest = { id: newId('usr'), businessId: business.id, name: '', ...customer }
      const { guest } = made
      const owner = guest ? { customerId: guest.id, contactEmail: guest.email } : { customerId: customerId as string }
      const order = await createOrder(tx, { business, actor }, { ...owner, ...body })
      if (guest) await guests.makeLater(tx, guest)
      return presentOrder(order, readerOf(request))
    })
    // A refusal that is replayed for its idempotency key is sent, not thrown.
    const isMade = reply.statusCode === 201
    if (made.guest && isMade && !reply.hasHeader('idempotency-replayed'))
      await guests.makeNow(made.guest).catch(ignore(request))
    if (customerId !== undefined && isMade) await nameCustomer(business.id, customerId).catch(ignore(request))
    return answer
  })

  handle(app, operation.getOrder, async (request, reply) => {
    const order = await findVisible(request, request.params.id, idsOf)
    const etag = etagOf(order.version)
    if (!seesActors(request)) return sendVersioned(request, reply, etagForReaders(etag), presentToCustomer(order))
    const reader = readerOf(request)
    return sendVersioned(request, reply, reader.seesTags ? etag : etagForWriters(etag), presentOrder(order, reader))
  })

  handle(app, operation.updateOrder, async (request, reply) => {
    const { cell, business, actor, body } = request
    await checkCustomer(business.id, body.customerId)
    const expected = expectedOf(request)
    const order = await transaction(cell, (tx) =>
      updateOrder(tx, { business, actor }, ({ version }) => checkExpected(expected, etagOf(version)), body),
    )
    if (body.customerId !== undefined) await nameCustomer(business.id, body.customerId).catch(ignore(request))
    return sendVersioned(request, reply, etagOf(order.version), presentOrder(order, readerOf(request)))
  })

  handle(app, operation.setOrderStatus, async (request, reply) => {
    const { cell, params, body, actor } = request
    const { businessId, id } = params
    const expected = expectedOf(request)
    const change = { order: entryOf(id, body) }
    if (FINAL.includes(body.status)) {
      const before = await findOrder(cell, businessId, id)
      if (!before) throw orderNotFound()
      const isNew = wouldChange(before, change, { actor, expected })
      if (isNew && !(await closeSession(cell, businessId, id))) throw paidMeanwhile()
    }
    await fault('set-status.before-transaction')
    const order = await transaction(cell, (tx) => changeStatus(tx, businessId, id, change, { actor, expected }))
    await fault('set-status.after-commit')
    return sendVersioned(request, reply, etagOf(order.version), presentOrder(order, readerOf(request)))
  })

  handle(app, operation.cancelOrder, async ({ cell, params, actor }) => {
    const { businessId, id } = params
    const [before, own] = await Promise.all([findOrder(cell, businessId, id), idsOf(actor.userId)])
    if (!before || !own.includes(before.customerId)) throw orderNotFound()
    if (canCancel(before) && !(await closeSession(cell, businessId, id))) throw orderPaid()
    return presentToCustomer(await transaction(cell, (tx) => cancelOwn(tx, businessId, id, actor)))
  })

  handle(app, operation.setPaymentStatus, async (request, reply) => {
    const { cell, business, params, body, actor } = request
    const expected = expectedOf(request)
    const order = await transaction(cell, (tx) =>
      changeStatus(tx, business.id, params.id, { payment: entryOf(params.id, body) }, { actor, expected }),
    )
    return sendVersioned(request, reply, etagOf(order.version), presentOrder(order, readerOf(request)))
  })
}
