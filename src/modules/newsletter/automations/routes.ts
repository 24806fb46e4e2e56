import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { transaction } from '#platform/database/transaction.ts'
import { expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { presentAutomation } from './automation.ts'
import { createAutomation, deleteAutomation, etagOfAutomation, updateAutomation } from './change-automation.ts'
import * as operation from './operations.ts'
import { readAutomation, readAutomations } from './queries.ts'
import { makeWish, withdrawWish } from './wishes.ts'

export const automationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  handle(app, operation.createAutomation, (request, reply) => {
    const { cell, business, params, actor, body } = request
    const { collectionId } = params
    return createOnce(request, reply, cell, async (tx) => {
      const { id } = await createAutomation(tx, { businessId: business.id, actor }, collectionId, body)
      return presentAutomation(await readAutomation(tx, business.id, collectionId, id))
    })
  })

  handle(app, operation.listAutomations, async ({ cell, business, params }) => ({
    items: (await readAutomations(cell, business.id, params.collectionId)).map(presentAutomation),
  }))

  handle(app, operation.getAutomation, async (request, reply) => {
    const { cell, business, params } = request
    const automation = await readAutomation(cell, business.id, params.collectionId, params.id)
    return sendVersioned(request, reply, etagOfAutomation(automation), presentAutomation(automation))
  })

  handle(app, operation.updateAutomation, async (request, reply) => {
    const { cell, business, params, actor, body } = request
    const automation = await transaction(cell, async (tx) => {
      await updateAutomation(tx, { businessId: business.id, actor }, params, expectedOf(request), body)
      return readAutomation(tx, business.id, params.collectionId, params.id)
    })
    return sendVersioned(request, reply, etagOfAutomation(automation), presentAutomation(automation))
  })

  handle(app, operation.deleteAutomation, async (request) => {
    const { cell, business, params, actor } = request
    await transaction(cell, (tx) =>
      deleteAutomation(tx, { businessId: business.id, actor }, params, expectedOf(request)),
    )
    return { success: true } as const
  })

  handle(app, operation.makeWish, async ({ cell, business, params, actor, body }) => {
    await transaction(cell, (tx) => makeWish(tx, { businessId: business.id, actor }, params.collectionId, body))
    return { success: true } as const
  })

  handle(app, operation.withdrawWish, async ({ cell, business, params, actor, query }) => {
    await withdrawWish(cell, { businessId: business.id, actor }, params.collectionId, query)
    return { success: true } as const
  })
}
