import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { toSeconds } from '#vocabulary/time.ts'
import * as operation from './operations.ts'
import { returnLines } from './return-pieces.ts'

export const returnRoutes: FastifyPluginAsyncTypebox = async (app) => {
  handle(app, operation.returnOrderLines, (request, reply) => {
    const { cell, business, params, actor, body } = request
    return createOnce(request, reply, cell, async (tx) => {
      const { order, returned } = await returnLines(tx, business.id, params.id, body, actor)
      const { id: orderId, updatedAt } = order
      return { orderId, lines: returned, reason: body.reason ?? null, createdAt: toSeconds(updatedAt) }
    })
  })
}
