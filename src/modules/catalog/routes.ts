import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { sendText } from '#platform/http/text.ts'
import { holds } from '#vocabulary/permissions.ts'
import type { Resolvers } from '#vocabulary/references.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import { adjustStock } from './adjust-stock.ts'
import { draftsAreHidden } from './errors.ts'
import { createProduct, deleteProduct, updateProduct } from './products.ts'
import { createListReader, createProductReader } from './queries.ts'
import * as shape from './schemas.ts'
import { listMovements } from './stock.ts'

export type CatalogOptions = { resolvers: Resolvers<Db> }

export const catalogRoutes: FastifyPluginAsyncTypebox<CatalogOptions> = async (app, { resolvers }) => {
  const getProduct = createProductReader()
  const listProducts = createListReader()
  const writerOf = ({ business, actor }: FastifyRequest) => ({ business, actor, resolvers })

  app.post(
    '/products',
    {
      config: { access: 'PRODUCTS_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'createProduct',
        tags: ['Products'],
        summary: 'Create a product',
        description:
          'Only `name` is required. Without `slug` one is made from the name; without `statuses` it is a DRAFT. ' +
          'A variant without `inventory` is tracked and has no stock.',
        params: BusinessParams,
        body: shape.NewProduct,
        response: { 201: shape.Product },
      },
    },
    async (request, reply) => {
      const { cell, body } = request
      return createOnce(
        request,
        reply,
        cell,
        async (tx) => (await createProduct(tx, writerOf(request), body)).text as never,
      )
    },
  )

  app.get(
    '/products',
    {
      config: { access: 'guest', business: 'path', fails: [403] },
      schema: {
        operationId: 'listProducts',
        tags: ['Products'],
        summary: 'List and search products',
        description: 'Newest first; with `query` the best match first. Without `PRODUCTS_WRITE`: ACTIVE ones only.',
        params: BusinessParams,
        querystring: shape.ProductQuery,
        response: { 200: PageOf(shape.Product) },
      },
    },
    async ({ cell, params, query, permissions }, reply) => {
      const seesAll = holds(permissions, 'PRODUCTS_WRITE')
      if (!seesAll && query.status !== undefined && query.status !== 'ACTIVE') throw draftsAreHidden()
      return sendText<never>(reply, await listProducts(cell, params.businessId, query, seesAll))
    },
  )

  app.get(
    '/products/:id',
    {
      config: { access: 'guest', business: 'path', versioned: true },
      schema: {
        operationId: 'getProduct',
        tags: ['Products'],
        summary: 'Get a product',
        description: 'Its `ETag` changes with the product and with its stock.',
        params: RecordParams,
        response: { 200: shape.Product },
      },
    },
    async (request, reply) => {
      const { cell, params, permissions } = request
      const seesAll = holds(permissions, 'PRODUCTS_WRITE')
      const { text, etag } = await getProduct(cell, params.businessId, params.id, seesAll)
      return sendVersioned(request, reply, etag, sendText<never>(reply, text))
    },
  )

  app.put(
    '/products/:id',
    {
      config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'updateProduct',
        tags: ['Products'],
        summary: 'Change a product',
        description:
          'Changes what is sent and keeps the rest; arrays are replaced whole. Inside `variants` an element with a known id ' +
          'keeps what it does not send; a variant left out is removed. Stock changes only if `inventory.quantity` is sent: ' +
          'then `If-Match` also compares the stock, so that no sale in between is lost.',
        params: RecordParams,
        body: shape.ProductChanges,
        response: { 200: shape.Product },
      },
    },
    async (request, reply) => {
      const { cell, params, body } = request
      const { text, etag } = await transaction(cell, (tx) =>
        updateProduct(tx, writerOf(request), params.id, expectedOf(request), body),
      )
      return sendVersioned(request, reply, etag, sendText<never>(reply, text))
    },
  )

  app.delete(
    '/products/:id',
    {
      config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'deleteProduct',
        tags: ['Products'],
        summary: 'Delete a product',
        description: 'It is not found any more and its slug is free. Orders keep what they have.',
        params: RecordParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      await transaction(request.cell, (tx) => deleteProduct(tx, request, request.params.id, expectedOf(request)))
      return { success: true } as const
    },
  )

  app.post(
    '/products/:id/variants/:variantId/stock',
    {
      config: { access: 'PRODUCTS_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'changeStock',
        tags: ['Stock'],
        summary: 'Add to stock or take from it',
        description: 'Relative, so that no sale in between is lost. Less than nothing is 409 `OUT_OF_STOCK`.',
        params: shape.VariantParams,
        body: shape.NewStockMovement,
        response: { 201: shape.StockMovement },
      },
    },
    (request, reply) => {
      const { actor, params, body } = request
      return createOnce(request, reply, request.cell, (tx) => adjustStock(tx, params, actor, body))
    },
  )

  app.get(
    '/products/:id/variants/:variantId/stock',
    {
      config: { access: 'PRODUCTS_WRITE', business: 'path' },
      schema: {
        operationId: 'listStockMovements',
        tags: ['Stock'],
        summary: 'List a variant’s stock movements',
        description: 'The ledger, newest first. The stock is the sum of its deltas.',
        params: shape.VariantParams,
        querystring: PageOnly,
        response: { 200: PageOf(shape.StockMovement) },
      },
    },
    ({ cell, params, query }) => listMovements(cell, params, query),
  )
}
