import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { HoldMedia } from '#modules/media/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { presentCategory } from './category.ts'
import { createCategory } from './create-category.ts'
import { deleteCategory } from './delete-category.ts'
import { moveCategory } from './move-category.ts'
import * as operation from './operations.ts'
import { getCategory, listCategories, readTree } from './queries.ts'
import { updateCategory } from './update-category.ts'

export const categoryRoutes: FastifyPluginAsyncTypebox<{ media: HoldMedia }> = async (app, { media }) => {
  const editorOf = ({ business, actor }: FastifyRequest) => ({ business, actor, media })

  handle(app, operation.createCategory, (request, reply) =>
    createOnce(request, reply, request.cell, async (tx) =>
      presentCategory(await createCategory(tx, editorOf(request), request.body)),
    ),
  )

  handle(app, operation.listCategories, ({ cell, business, query }) =>
    listCategories(cell, business.id, query, presentCategory),
  )

  handle(app, operation.getCategoryTree, async ({ cell, business }) => ({
    items: await readTree(cell, business.id),
  }))

  handle(app, operation.getCategory, async (request, reply) => {
    const category = await getCategory(request.cell, request.business.id, request.params.id)
    return sendVersioned(request, reply, etagOf(category.version), presentCategory(category))
  })

  handle(app, operation.updateCategory, async (request, reply) => {
    const { cell, params, body } = request
    const category = await transaction(cell, (tx) =>
      updateCategory(tx, editorOf(request), params.id, expectedOf(request), body),
    )
    return sendVersioned(request, reply, etagOf(category.version), presentCategory(category))
  })

  handle(app, operation.moveCategory, (request, reply) =>
    createOnce(
      request,
      reply,
      request.cell,
      async (tx) =>
        presentCategory(await moveCategory(tx, request, request.params.id, expectedOf(request), request.body)),
      200,
    ),
  )

  handle(app, operation.deleteCategory, async (request) => {
    await transaction(request.cell, (tx) => deleteCategory(tx, request, request.params.id, expectedOf(request)))
    return { success: true } as const
  })
}
