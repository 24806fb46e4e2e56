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
import { etagFor, viewerOf } from './viewer.ts'

/** A change is about the collection, however many of its entries are stale. */
const expectedCollection = (request: FastifyRequest) => expectedOf(request)?.map((tag) => tag.replace(/\.\d+"$/, '"'))

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
      const viewer = viewerOf(request)
      const { status } = request.query
      if (!viewer.seesDrafts && status !== undefined && status !== 'PUBLISHED') throw draftsAreHidden()
      const page = await listCollections(request.cell, viewer, request.query)
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
      const viewer = viewerOf(request)
      const { id } = request.params
      const { text, version } = await getCollection(request.cell, viewer, id)
      if (!viewer.seesDrafts)
        return sendVersioned(request, reply, etagFor(version, viewer), sendText<never>(reply, text))
      const staleEntries = await countStale(request.cell, viewer.businessId, id)
      const whole = `${text.slice(0, -1)},"staleEntries":${staleEntries}}`
      const etag = etagFor(`${version}.${staleEntries}`, viewer) // the count has no version, but is its own
      return sendVersioned(request, reply, etag, sendText<never>(reply, whole))
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
        updateCollection(tx, writerOf(request), params.id, expectedCollection(request), body),
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
      await transaction(cell, (tx) => deleteCollection(tx, writerOf(request), params.id, expectedCollection(request)))
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
