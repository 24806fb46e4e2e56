import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { transaction } from '#platform/database/transaction.ts'
import { expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { toPage } from '#vocabulary/paging.ts'
import { BusinessParams, PageOf, RecordParams, Success } from '#vocabulary/schemas.ts'
import { presentPromo } from './promo-code.ts'
import { createPromo, deletePromo, etagOfPromo, getPromo, listPromos, updatePromo } from './promo-codes.ts'
import * as shape from './promo-schemas.ts'

export const promoRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/promo-codes',
    {
      config: { access: 'PROMOS_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'createPromoCode',
        tags: ['Promo codes'],
        summary: 'Create a promo code',
        description: 'A term that is left out or null does not restrict the code.',
        params: BusinessParams,
        body: shape.NewPromoCode,
        response: { 201: shape.PromoCode },
      },
    },
    (request, reply) =>
      createOnce(request, reply, request.cell, async (tx) =>
        presentPromo(await createPromo(tx, request, request.body)),
      ),
  )

  app.get(
    '/promo-codes',
    {
      config: { access: 'PROMOS_WRITE', business: 'path' },
      schema: {
        operationId: 'listPromoCodes',
        tags: ['Promo codes'],
        summary: 'List promo codes',
        description: 'Newest first.',
        params: BusinessParams,
        querystring: shape.PromoCodeQuery,
        response: { 200: PageOf(shape.PromoCode) },
      },
    },
    async ({ cell, params, query }) => {
      const { rows, filters } = await listPromos(cell, params.businessId, query)
      return toPage(rows, query.limit ?? 20, filters, (row) => [row.id], presentPromo)
    },
  )

  app.get(
    '/promo-codes/:id',
    {
      config: { access: 'PROMOS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'getPromoCode',
        tags: ['Promo codes'],
        summary: 'Get a promo code',
        description: 'Its `ETag` changes with the code and with its `redemptions`.',
        params: RecordParams,
        response: { 200: shape.PromoCode },
      },
    },
    async (request, reply) => {
      const promo = await getPromo(request.cell, request.params.businessId, request.params.id)
      return sendVersioned(request, reply, etagOfPromo(promo), presentPromo(promo))
    },
  )

  app.put(
    '/promo-codes/:id',
    {
      config: { access: 'PROMOS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'updatePromoCode',
        tags: ['Promo codes'],
        summary: 'Change a promo code',
        description:
          'Changes what is sent and keeps the rest; null takes a term away. What was redeemed stays redeemed, also above a ' +
          'new limit. `If-Match` does not mind redemptions in the meantime.',
        params: RecordParams,
        body: shape.PromoCodeChanges,
        response: { 200: shape.PromoCode },
      },
    },
    async (request, reply) => {
      const { cell, params, body } = request
      const promo = await transaction(cell, (tx) => updatePromo(tx, request, params.id, expectedOf(request), body))
      return sendVersioned(request, reply, etagOfPromo(promo), presentPromo(promo))
    },
  )

  app.delete(
    '/promo-codes/:id',
    {
      config: { access: 'PROMOS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'deletePromoCode',
        tags: ['Promo codes'],
        summary: 'Delete a promo code',
        description: 'Nobody can use it any more, and its code is free. Orders that used it keep their discount.',
        params: RecordParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      await transaction(request.cell, (tx) => deletePromo(tx, request, request.params.id, expectedOf(request)))
      return { success: true } as const
    },
  )
}
