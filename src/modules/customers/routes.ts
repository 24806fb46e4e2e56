import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { listSubscriptionsOf } from '#modules/newsletter/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { etagForReaders, etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { sendFile } from '#platform/transfer/routes.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { decodeCursor, encodeCursor, type Filters, toPage } from '#vocabulary/paging.ts'
import { holds } from '#vocabulary/permissions.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { changeTags } from './change-tags.ts'
import { commentOn, listComments, presentComment, removeComment } from './comments.ts'
import { type CustomerRow, presentCustomer } from './customer.ts'
import { eraseForBusiness } from './erase-for-business.ts'
import type { EraseOthers } from './erase-person.ts'
import { currencyRequired, customerNotFound, taggingNeedsReading } from './errors.ts'
import { exportCustomer, exportCustomers } from './export-customers.ts'
import { findCustomers, keyKindOf, type Place } from './find-customers.ts'
import * as operation from './operations.ts'
import { findCustomer, idsOf } from './queries.ts'
import type { CustomerDetails } from './schemas.ts'

export type CustomerOptions = {
  /** Notes in the audit log who exported, and what. */
  noteExport: (
    businessId: string,
    actor: Actor,
    exported: {
      action: 'customers.exported' | 'customer.exported'
      subject: string
      data: Record<string, string | boolean | string[]>
    },
  ) => Promise<void>
  /** Notes in the audit log who erased whom, and takes away what control has of guests that the business has made up. */
  noteErasure: (businessId: string, actor: Actor, customer: { userId: string; ids: string[] }) => Promise<void>
  erase: EraseOthers
}

const MAX_SUBSCRIPTIONS = 100

/** Only who may see subscribers sees what somebody has subscribed to: to others it is another version, with another ETag. */
async function sendDetails(request: FastifyRequest, reply: FastifyReply, row: CustomerRow): Promise<CustomerDetails> {
  const seesSubscriptions = holds(request.permissions, 'SUBSCRIBERS_READ')
  const etag = etagOf(row.version)
  const details = await presentDetails(request.cell, row, seesSubscriptions)
  return sendVersioned(request, reply, seesSubscriptions ? etag : etagForReaders(etag), details)
}

async function presentDetails(db: Db, row: CustomerRow, seesSubscriptions: boolean): Promise<CustomerDetails> {
  const subscriptions =
    row.erasedAt || !seesSubscriptions
      ? []
      : await listSubscriptionsOf(db, row.businessId, await idsOf(db, row), '~', MAX_SUBSCRIPTIONS)
  return {
    ...presentCustomer(row),
    subscriptions: subscriptions.map(({ id, collectionId, planId, email, status, createdAt }) => ({
      id,
      collectionId,
      planId,
      email,
      status,
      createdAt: toSeconds(createdAt),
    })),
  }
}

async function getCustomer({ cell, business, params }: FastifyRequest): Promise<CustomerRow> {
  const found = await findCustomer(cell, business.id, (params as { userId: string }).userId)
  if (!found) throw customerNotFound()
  return found
}

export const customerRoutes: FastifyPluginAsyncTypebox<CustomerOptions> = async (app, options) => {
  const { noteExport, noteErasure, erase } = options
  handle(app, operation.listCustomers, async ({ cell, business, query }) => {
    const { limit = 20, cursor, sort = '-lastOrderAt', currency, ...filters } = query
    if (sort === '-spent' && currency === undefined) throw currencyRequired()
    const marks: Filters = { list: 'customers', businessId: business.id, sort, currency, ...filters }
    const position = decodeCursor(marks, cursor, [keyKindOf(sort), 'string'])
    const after = position && { key: position[0] as string | number, id: String(position[1]) }
    const { rows, stop } = await findCustomers(cell, { businessId: business.id, filters, sort, currency, after, limit })
    const toPosition = ({ key, id }: Place) => [key, id]
    const page = toPage(rows, limit, marks, (row) => toPosition({ key: row.sortKey, id: row.userId }), presentCustomer)
    return page.cursor === null && stop ? { ...page, cursor: encodeCursor(marks, toPosition(stop)) } : page
  })

  handle(app, operation.exportCustomers, async ({ cell, business, actor, query }, reply) => {
    const { format = 'csv', ...filters } = query
    const exported = { action: 'customers.exported', subject: business.id, data: { format, ...filters } } as const
    await noteExport(business.id, actor, exported)
    return sendFile(reply, 'customers', format, exportCustomers(cell, business.id, filters, format))
  })

  handle(app, operation.getCustomer, async (request, reply) => sendDetails(request, reply, await getCustomer(request)))

  handle(app, operation.updateCustomer, async (request, reply) => {
    const { cell, actor, body } = request
    const person = await getCustomer(request)
    if (!holds(request.permissions, 'ORDERS_READ')) throw taggingNeedsReading()
    const expected = expectedOf(request)
    const changed = await transaction(cell, (tx) => changeTags(tx, person, { tags: body.tags, expected, actor }))
    return sendDetails(request, reply, changed)
  })

  handle(app, operation.exportCustomer, async (request, reply) => {
    const { cell, business, actor } = request
    const customer = await getCustomer(request)
    const exported = { action: 'customer.exported', subject: customer.userId, data: {} } as const
    await noteExport(business.id, actor, exported)
    void reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('content-disposition', 'attachment; filename="customer.json"')
    return reply.send(Readable.from(exportCustomer(cell, customer)))
  })

  handle(app, operation.eraseCustomer, async (request) => {
    const { cell, business, actor } = request
    const { businessId, userId } = await getCustomer(request)
    await noteErasure(business.id, actor, { userId, ids: await idsOf(cell, { businessId, userId }) })
    return eraseForBusiness(cell, { businessId, userId }, { ...erase, actor })
  })

  handle(app, operation.commentOnCustomer, async (request, reply) => {
    const { cell, actor, body } = request
    const customer = await getCustomer(request)
    return createOnce(request, reply, cell, async (tx) =>
      presentComment(await commentOn(tx, customer, { text: body.text, actor })),
    )
  })

  handle(app, operation.listComments, async (request) =>
    listComments(request.cell, await getCustomer(request), request.query),
  )

  handle(app, operation.deleteComment, async (request) => {
    const { cell, params, actor, permissions } = request
    const customer = await getCustomer(request)
    const by = { actor, isAdmin: holds(permissions, 'ADMIN') }
    await transaction(cell, (tx) => removeComment(tx, customer, params.commentId, by))
    return { success: true as const }
  })
}
