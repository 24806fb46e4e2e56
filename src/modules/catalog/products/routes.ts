import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { sendText } from '#platform/http/text.ts'
import { holds } from '#vocabulary/permissions.ts'
import type { Resolvers } from '#vocabulary/references.ts'
import { draftsAreHidden } from '../errors.ts'
import { adjustStock } from '../stock/adjust-stock.ts'
import { listMovements } from '../stock/change-stock.ts'
import { createProduct, deleteProduct, updateProduct } from './change-product.ts'
import * as operation from './operations.ts'
import { createListReader, createProductReader } from './queries.ts'

export type CatalogOptions = { resolvers: Resolvers<Db> }

export const catalogRoutes: FastifyPluginAsyncTypebox<CatalogOptions> = async (app, { resolvers }) => {
  const getProduct = createProductReader()
  const listProducts = createListReader()
  const writerOf = ({ business, actor }: FastifyRequest) => ({ business, actor, resolvers })

  handle(app, operation.createProduct, async (request, reply) => {
    const { cell, body } = request
    return createOnce(
      request,
      reply,
      cell,
      async (tx) => (await createProduct(tx, writerOf(request), body)).text as never,
    )
  })

  handle(app, operation.listProducts, async ({ cell, business, query, permissions }, reply) => {
    const seesAll = holds(permissions, 'PRODUCTS_WRITE')
    if (!seesAll && query.status !== undefined && query.status !== 'ACTIVE') throw draftsAreHidden()
    return sendText<never>(reply, await listProducts(cell, business.id, query, seesAll))
  })

  handle(app, operation.getProduct, async (request, reply) => {
    const { cell, business, params, permissions } = request
    const seesAll = holds(permissions, 'PRODUCTS_WRITE')
    const { text, etag } = await getProduct(cell, business.id, params.id, seesAll)
    return sendVersioned(request, reply, etag, sendText<never>(reply, text))
  })

  handle(app, operation.updateProduct, async (request, reply) => {
    const { cell, params, body } = request
    const { text, etag } = await transaction(cell, (tx) =>
      updateProduct(tx, writerOf(request), params.id, expectedOf(request), body),
    )
    return sendVersioned(request, reply, etag, sendText<never>(reply, text))
  })

  handle(app, operation.deleteProduct, async (request) => {
    await transaction(request.cell, (tx) => deleteProduct(tx, request, request.params.id, expectedOf(request)))
    return { success: true } as const
  })

  handle(app, operation.changeStock, (request, reply) => {
    const { actor, params, body } = request
    return createOnce(request, reply, request.cell, (tx) => adjustStock(tx, params, actor, body))
  })

  handle(app, operation.listStockMovements, ({ cell, params, query }) => listMovements(cell, params, query))
}
