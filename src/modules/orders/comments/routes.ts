import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { transaction } from '#platform/database/transaction.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { holds } from '#vocabulary/permissions.ts'
import { commentNotFound, notYourComment, orderNotFound } from '../errors.ts'
import { findOrder } from '../queries.ts'
import { comment } from './comment.ts'
import * as operation from './operations.ts'
import { findComment, listComments, presentComment, removeComment } from './queries.ts'

export const commentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  handle(app, operation.commentOnOrder, (request, reply) => {
    const { cell, business, params, actor, body } = request
    return createOnce(request, reply, cell, async (tx) =>
      presentComment(await comment(tx, business.id, params.id, { text: body.text, actor })),
    )
  })

  handle(app, operation.listComments, async ({ cell, business, params, query }) => {
    if (!(await findOrder(cell, business.id, params.id))) throw orderNotFound()
    return listComments(cell, business.id, params.id, query)
  })

  handle(app, operation.deleteComment, async ({ cell, business, params, actor, permissions }) => {
    await transaction(cell, async (tx) => {
      const found = await findComment(tx, business.id, params.id, params.commentId)
      if (!found) throw commentNotFound()
      if (found.authorId !== actor.userId && !holds(permissions, 'ADMIN')) throw notYourComment()
      await removeComment(tx, found)
    })
    return { success: true as const }
  })
}
