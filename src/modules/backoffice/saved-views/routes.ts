import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { transaction } from '#platform/database/transaction.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { holds } from '#vocabulary/permissions.ts'
import { createView, deleteView, getView, listViews, presentView, updateView, type Viewer } from './change-view.ts'
import * as operation from './operations.ts'

const viewerOf = ({ business, actor, permissions }: FastifyRequest): Viewer => ({
  businessId: business.id,
  userId: actor.userId,
  isAdmin: holds(permissions, 'ADMIN'),
})

export const savedViewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  handle(app, operation.createSavedView, (request, reply) =>
    createOnce(request, reply, request.cell, async (tx) =>
      presentView(await createView(tx, viewerOf(request), request.body)),
    ),
  )

  handle(app, operation.listSavedViews, (request) => listViews(request.cell, viewerOf(request), request.query))

  handle(app, operation.getSavedView, async (request, reply) => {
    const view = await getView(request.cell, viewerOf(request), request.params.id)
    return sendVersioned(request, reply, etagOf(view.version), presentView(view))
  })

  handle(app, operation.updateSavedView, async (request, reply) => {
    const { cell, params, body } = request
    const view = await transaction(cell, (tx) =>
      updateView(tx, viewerOf(request), params.id, expectedOf(request), body),
    )
    return sendVersioned(request, reply, etagOf(view.version), presentView(view))
  })

  handle(app, operation.deleteSavedView, async (request) => {
    const { cell, params } = request
    await transaction(cell, (tx) => deleteView(tx, viewerOf(request), params.id, expectedOf(request)))
    return { success: true } as const
  })
}
