import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { transaction } from '#platform/database/transaction.ts'
import { handle } from '#platform/http/operation.ts'
import { deleteSuppression, listSuppressions } from './suppress.ts'
import * as operation from './suppression-operations.ts'

export const suppressionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  handle(app, operation.listSuppressions, ({ cell, business, query }) => listSuppressions(cell, business.id, query))

  handle(app, operation.deleteSuppression, async ({ cell, params, actor }) => {
    const { businessId, email } = params
    await transaction(cell, (tx) => deleteSuppression(tx, { businessId, actor }, email))
    return { success: true } as const
  })
}
