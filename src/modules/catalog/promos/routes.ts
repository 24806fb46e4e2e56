import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { transaction } from '#platform/database/transaction.ts'
import { expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { toPage } from '#vocabulary/paging.ts'
import { createPromo, deletePromo, etagOfPromo, getPromo, updatePromo } from './change-promo-code.ts'
import { countPromos, listPromos } from './list-promo-codes.ts'
import * as operation from './operations.ts'
import { presentPromo } from './promo-code.ts'

export const promoRoutes: FastifyPluginAsyncTypebox = async (app) => {
  handle(app, operation.createPromoCode, (request, reply) =>
    createOnce(request, reply, request.cell, async (tx) => presentPromo(await createPromo(tx, request, request.body))),
  )

  handle(app, operation.listPromoCodes, async ({ cell, business, query }) => {
    const { rows, filters } = await listPromos(cell, business.id, query)
    return toPage(rows, query.limit ?? 20, filters, (row) => [row.id], presentPromo)
  })

  handle(app, operation.countPromoCodes, async ({ cell, business, query }) => ({
    items: await countPromos(cell, business.id, query),
  }))

  handle(app, operation.getPromoCode, async (request, reply) => {
    const promo = await getPromo(request.cell, request.business.id, request.params.id)
    return sendVersioned(request, reply, etagOfPromo(promo), presentPromo(promo))
  })

  handle(app, operation.updatePromoCode, async (request, reply) => {
    const { cell, params, body } = request
    const promo = await transaction(cell, (tx) => updatePromo(tx, request, params.id, expectedOf(request), body))
    return sendVersioned(request, reply, etagOfPromo(promo), presentPromo(promo))
  })

  handle(app, operation.deletePromoCode, async (request) => {
    await transaction(request.cell, (tx) => deletePromo(tx, request, request.params.id, expectedOf(request)))
    return { success: true } as const
  })
}
