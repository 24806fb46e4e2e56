import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HoldMedia } from '#modules/media/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type Expected, expectedOf, isCreation, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { sendText } from '#platform/http/text.ts'
import { holds } from '#vocabulary/permissions.ts'
import type { Resolvers } from '#vocabulary/references.ts'
import { draftsAreHidden } from '../errors.ts'
import { attributeFiltersOf, checkListing } from '../listing/filters.ts'
import { adjustStock } from '../stock/adjust-stock.ts'
import { listMovements } from '../stock/change-stock.ts'
import { createProduct, deleteProduct, updateProduct, type Writer } from './change-product.ts'
import { putPrice, putVariant, removePrice, removeVariant } from './change-variant.ts'
import * as operation from './operations.ts'
import { countProducts, createListReader, createProductReader, type FoundProduct, listFacets } from './queries.ts'

export type CatalogOptions = { resolvers: Resolvers<Db>; media: HoldMedia }

export const catalogRoutes: FastifyPluginAsyncTypebox<CatalogOptions> = async (app, { resolvers, media }) => {
  const getProduct = createProductReader()
  const listProducts = createListReader()
  const writerOf = ({ business, actor }: FastifyRequest) => ({ business, actor, resolvers, media })

  handle(app, operation.createProduct, async (request, reply) => {
    const { cell, body } = request
    return createOnce(
      request,
      reply,
      cell,
      async (tx) => (await createProduct(tx, writerOf(request), body)).text as never,
    )
  })

  /** Who asks for drafts must be allowed to see them. */
  function readerOf(permissions: FastifyRequest['permissions'], status: string | undefined) {
    const seesAll = holds(permissions, 'PRODUCTS_WRITE')
    if (!seesAll && status !== undefined && status !== 'ACTIVE') throw draftsAreHidden()
    return { seesAll }
  }

  handle(app, operation.listProducts, async (request, reply) => {
    const { cell, business, query, permissions } = request
    const reader = readerOf(permissions, query.status)
    checkListing(query, business)
    const attributes = attributeFiltersOf(request)
    return sendText<never>(reply, await listProducts(cell, business.id, { ...query, attributes }, reader))
  })

  handle(app, operation.listFacets, async (request) => {
    const { cell, business, query, permissions } = request
    const reader = readerOf(permissions, query.status)
    checkListing(query, business)
    return listFacets(cell, business.id, { ...query, attributes: attributeFiltersOf(request) }, reader)
  })

  handle(app, operation.countProducts, async (request) => {
    const { cell, business, query } = request
    checkListing(query, business)
    return countProducts(cell, business.id, { ...query, attributes: attributeFiltersOf(request) })
  })

  handle(app, operation.getProduct, async (request, reply) => {
    const { cell, business, params, permissions } = request
    const seesAll = holds(permissions, 'PRODUCTS_WRITE')
    const { text, etag } = await getProduct(cell, business.id, params.id, seesAll)
    return sendVersioned(request, reply, etag, sendText<never>(reply, text))
  })

  /** Changes a product in a transaction, and answers it as it then is. */
  async function change(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Tx, writer: Writer, expected: Expected) => Promise<FoundProduct>,
  ) {
    const { text, etag } = await transaction(request.cell, (tx) => work(tx, writerOf(request), expectedOf(request)))
    return sendVersioned(request, reply, etag, sendText<never>(reply, text))
  }

  handle(app, operation.updateProduct, (request, reply) =>
    change(request, reply, (tx, writer, expected) =>
      updateProduct(tx, writer, request.params.id, expected, request.body),
    ),
  )

  handle(app, operation.putVariant, (request, reply) =>
    change(request, reply, (tx, writer, expected) =>
      putVariant(tx, writer, { ...request.params, isNew: isCreation(request), expected }, request.body),
    ),
  )

  handle(app, operation.deleteVariant, (request, reply) =>
    change(request, reply, (tx, writer, expected) => removeVariant(tx, writer, request.params, expected)),
  )

  handle(app, operation.putPrice, (request, reply) =>
    change(request, reply, (tx, writer, expected) => putPrice(tx, writer, request.params, expected, request.body)),
  )

  handle(app, operation.deletePrice, (request, reply) =>
    change(request, reply, (tx, writer, expected) =>
      removePrice(tx, writer, request.params, expected, request.query.validFrom),
    ),
  )

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
