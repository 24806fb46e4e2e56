import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { transaction } from '#platform/database/transaction.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { presentBulkEdit } from './bulk-edit.ts'
import { checkBulkEdit, createBulkEdit } from './create-bulk-edit.ts'
import * as operation from './operations.ts'
import { getBulkEdit, listBulkEdits, listItems } from './queries.ts'
import { applyBulkEdit, cancelBulkEdit, discardBulkEdit, undoBulkEdit } from './steer-bulk-edit.ts'

export const bulkEditRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const placeOf = ({ business, params }: FastifyRequest & { params: { id: string } }) => ({
    businessId: business.id,
    id: params.id,
  })

  handle(app, operation.createBulkEdit, async (request, reply) => {
    const { cell, body } = request
    const changes = await checkBulkEdit(cell, request, body)
    const create = async (tx: Parameters<typeof createBulkEdit>[0]) =>
      presentBulkEdit(await createBulkEdit(tx, request, body.select, changes))
    return createOnce(request, reply, cell, create, 202)
  })

  handle(app, operation.listBulkEdits, ({ cell, business, query }) => listBulkEdits(cell, business.id, query))

  handle(app, operation.getBulkEdit, async ({ cell, business, params }) =>
    presentBulkEdit(await getBulkEdit(cell, business.id, params.id)),
  )

  handle(app, operation.listBulkEditItems, ({ cell, business, params, query }) =>
    listItems(cell, business.id, params.id, query),
  )

  handle(app, operation.applyBulkEdit, async (request, reply) => {
    void reply.code(202)
    return presentBulkEdit(await transaction(request.cell, (tx) => applyBulkEdit(tx, placeOf(request), request.actor)))
  })

  handle(app, operation.undoBulkEdit, async (request, reply) => {
    void reply.code(202)
    return presentBulkEdit(await transaction(request.cell, (tx) => undoBulkEdit(tx, placeOf(request), request.actor)))
  })

  handle(app, operation.cancelBulkEdit, async (request) =>
    presentBulkEdit(await transaction(request.cell, (tx) => cancelBulkEdit(tx, placeOf(request)))),
  )

  handle(app, operation.discardBulkEdit, async (request) =>
    presentBulkEdit(await transaction(request.cell, (tx) => discardBulkEdit(tx, placeOf(request)))),
  )
}
