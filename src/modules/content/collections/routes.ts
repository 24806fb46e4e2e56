import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { transaction } from '#platform/database/transaction.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { sendText } from '#platform/http/text.ts'
import { toPageText } from '#vocabulary/paging.ts'
import { draftsAreHidden } from '../errors.ts'
import { getCollection, listCollections } from '../queries.ts'
import { etagFor, viewerOf } from '../viewer.ts'
import { createCollection, deleteCollection, updateCollection, type Writer } from './change-collection.ts'
import { countStale, listStale } from './check-entries.ts'
import { toDocument } from './collection.ts'
import * as operation from './operations.ts'
import { findImpact } from './schema-impact.ts'

/** Optimistic locking on the collection alone: the part of the ETag that counts stale entries is ignored. */
const expectedCollection = (request: FastifyRequest) => expectedOf(request)?.map((tag) => tag.replace(/\.\d+"$/, '"'))

export const collectionRoutes: FastifyPluginAsyncTypebox<Pick<Writer, 'guard'>> = async (app, { guard }) => {
  const writerOf = ({ business, actor }: FastifyRequest) => ({ businessId: business.id, actor, guard })

  handle(app, operation.createCollection, (request, reply) =>
    createOnce(
      request,
      reply,
      request.cell,
      async (tx) => toDocument(await createCollection(tx, writerOf(request), request.body)) as never,
    ),
  )

  handle(app, operation.listCollections, async (request, reply) => {
    const viewer = viewerOf(request)
    const { status } = request.query
    if (!viewer.seesDrafts && status !== undefined && status !== 'PUBLISHED') throw draftsAreHidden()
    const page = await listCollections(request.cell, viewer, request.query)
    return sendText<never>(reply, toPageText(page))
  })

  handle(app, operation.getCollection, async (request, reply) => {
    const viewer = viewerOf(request)
    const { id } = request.params
    const { text, version } = await getCollection(request.cell, viewer, id)
    if (!viewer.seesDrafts) return sendVersioned(request, reply, etagFor(version, viewer), sendText<never>(reply, text))
    const staleEntries = await countStale(request.cell, viewer.businessId, id)
    const whole = `${text.slice(0, -1)},"staleEntries":${staleEntries}}`
    // The count changes without a new version, so it is part of the tag.
    const etag = etagFor(`${version}.${staleEntries}`, viewer)
    return sendVersioned(request, reply, etag, sendText<never>(reply, whole))
  })

  handle(app, operation.updateCollection, async (request, reply) => {
    const { cell, params, body } = request
    const collection = await transaction(cell, (tx) =>
      updateCollection(tx, writerOf(request), params.id, expectedCollection(request), body),
    )
    return sendVersioned(request, reply, etagOf(collection.version), sendText<never>(reply, toDocument(collection)))
  })

  handle(app, operation.deleteCollection, async (request) => {
    const { cell, params } = request
    await transaction(cell, (tx) => deleteCollection(tx, writerOf(request), params.id, expectedCollection(request)))
    return { success: true } as const
  })

  handle(app, operation.findSchemaImpact, ({ cell, business, params, body }) =>
    findImpact(cell, business.id, params.id, body.blocks),
  )

  handle(app, operation.listStaleEntries, ({ cell, business, params, query }) =>
    listStale(cell, business.id, params.id, query),
  )
}
