import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { transaction } from '#platform/database/transaction.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { sendText } from '#platform/http/text.ts'
import { toPageText } from '#vocabulary/paging.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import { countStale, listStale } from './check-entries.ts'
import { toDocument } from './collection.ts'
import { createCollection, deleteCollection, updateCollection, type Writer } from './collections.ts'
import { draftsAreHidden } from './errors.ts'
import { getCollection, listCollections } from './queries.ts'
import * as shape from './schemas.ts'
import { viewerOf } from './viewer.ts'

export const collectionRoutes: FastifyPluginAsyncTypebox<Pick<Writer, 'guard'>> = async (app, { guard }) => {
  const writerOf = ({ business, actor }: FastifyRequest) => ({ businessId: business.id, actor, guard })

  app.post(
    '/collections',
    {
      config: { access: 'CONTENT_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'createCollection',
        tags: ['Collections'],
        summary: 'Create a collection',
        description:
          'Only `name` is required. Without `slug` one is made from the name; without `statuses` it is a DRAFT. ' +
          '`blocks` is the schema of its entries: blocks without values.',
        params: BusinessParams,
        body: shape.NewCollection,
        response: { 201: shape.Collection },
      },
    },
    (request, reply) =>
      createOnce(
        request,
        reply,
        request.cell,
        async (tx) => toDocument(await createCollection(tx, writerOf(request), request.body)) as never,
      ),
  )

  app.get(
    '/collections',
    {
      config: { access: 'guest', business: 'path', fails: [403] },
      schema: {
        operationId: 'listCollections',
        tags: ['Collections'],
        summary: 'List collections',
        description:
          'Newest first; a page may be shorter than `limit` where collections are large. Without `CONTENT_READ_DRAFTS` or ' +
          '`CONTENT_WRITE`: PUBLISHED ones only.',
        params: BusinessParams,
        querystring: shape.CollectionQuery,
        response: { 200: PageOf(shape.Collection) },
      },
    },
    async (request, reply) => {
      const { businessId, seesDrafts } = viewerOf(request)
      const { status } = request.query
      if (!seesDrafts && status !== undefined && status !== 'PUBLISHED') throw draftsAreHidden()
      const page = await listCollections(request.cell, businessId, request.query, seesDrafts)
      return sendText<never>(reply, toPageText(page))
    },
  )

  app.get(
    '/collections/:id',
    {
      config: { access: 'guest', business: 'path', versioned: true },
      schema: {
        operationId: 'getCollection',
        tags: ['Collections'],
        summary: 'Get a collection',
        params: RecordParams,
        response: { 200: shape.Collection },
      },
    },
    async (request, reply) => {
      const { businessId, seesDrafts } = viewerOf(request)
      const { id } = request.params
      const { text, version } = await getCollection(request.cell, businessId, id, seesDrafts)
      if (!seesDrafts) return sendVersioned(request, reply, etagOf(version), sendText<never>(reply, text))
      const staleEntries = await countStale(request.cell, businessId, id)
      return sendText<never>(
        reply.header('etag', etagOf(version)).header('vary', 'Authorization, X-API-Key'), // the count has no version
        `${text.slice(0, -1)},"staleEntries":${staleEntries}}`,
      )
    },
  )

  app.put(
    '/collections/:id',
    {
      config: { access: 'CONTENT_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'updateCollection',
        tags: ['Collections'],
        summary: 'Change a collection',
        description:
          'Changes what is sent and keeps the rest; arrays are replaced whole. Entries stay what they are when `blocks` ' +
          'changes: they are checked again when next written, and `staleEntries` counts those that no longer fit.',
        params: RecordParams,
        body: shape.CollectionChanges,
        response: { 200: shape.Collection },
      },
    },
    async (request, reply) => {
      const { cell, params, body } = request
      const collection = await transaction(cell, (tx) =>
        updateCollection(tx, writerOf(request), params.id, expectedOf(request), body),
      )
      return sendVersioned(request, reply, etagOf(collection.version), sendText<never>(reply, toDocument(collection)))
    },
  )

  app.delete(
    '/collections/:id',
    {
      config: { access: 'CONTENT_WRITE', business: 'path', versioned: true, fails: [409] },
      schema: {
        operationId: 'deleteCollection',
        tags: ['Collections'],
        summary: 'Delete a collection',
        description: 'One that has entries is 409 `IN_USE`.',
        params: RecordParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { cell, params } = request
      await transaction(cell, (tx) => deleteCollection(tx, writerOf(request), params.id, expectedOf(request)))
      return { success: true } as const
    },
  )

  app.get(
    '/collections/:id/stale-entries',
    {
      config: { access: 'CONTENT_WRITE', business: 'path' },
      schema: {
        operationId: 'listStaleEntries',
        tags: ['Collections'],
        summary: 'List entries that no longer fit the schema',
        description:
          'Newest first, each with what is wrong with it today. In a large collection it takes a while to find all.',
        params: RecordParams,
        querystring: PageOnly,
        response: { 200: PageOf(shape.StaleEntry) },
      },
    },
    ({ cell, params, query }) => listStale(cell, params.businessId, params.id, query),
  )
}
