import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { storageNotConfigured } from '#platform/storage/refusals.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { decodeCursor, encodeCursor, type Filters, toPage } from '#vocabulary/paging.ts'
import { changeFile } from './change-file.ts'
import { completeUpload } from './complete-upload.ts'
import { deleteFile } from './delete-file.ts'
import { type FileRow, presentFile } from './file.ts'
import { findFiles, keyKindOf, type Place } from './find-files.ts'
import * as operation from './operations.ts'
import { getFile } from './queries.ts'
import { signUpload, startUpload } from './start-upload.ts'
import { listUsages } from './usages.ts'

export type MediaOptions = {
  /** Undefined: this service stores no files. */
  storage: Storage | undefined
  /** Bytes that one business may store. */
  quota: number
}

const editorOf = ({ business, actor }: FastifyRequest) => ({ businessId: business.id, actor })

export const mediaRoutes: FastifyPluginAsyncTypebox<MediaOptions> = async (app, { storage, quota }) => {
  const present = (row: FileRow) => presentFile(row, storage?.publicUrl)
  const needStorage = (): Storage => {
    if (!storage) throw storageNotConfigured()
    return storage
  }

  handle(app, operation.createMedia, async (request, reply) => {
    const { cell, business, body } = request
    const signed = await signUpload(needStorage(), business.id, body)
    return createOnce(
      request,
      reply,
      cell,
      async (tx) => {
        const { row, upload } = await startUpload(
          tx,
          { businessId: business.id, quota: business.limits?.mediaBytes ?? quota },
          signed,
          body,
        )
        return presentFile(row, storage?.publicUrl, upload)
      },
      ({ upload }) => (upload ? 201 : 200),
    )
  })

  handle(app, operation.completeMedia, async ({ cell, business, params }) => {
    needStorage()
    const row = await transaction(cell, (tx) => completeUpload(tx, business.id, params.id))
    await fault('media.completed')
    return present(row)
  })

  handle(app, operation.listMedia, async ({ cell, business, query }) => {
    const { limit = 20, cursor, sort = '-createdAt', ...filters } = query
    const marks: Filters = { list: 'media', businessId: business.id, sort, ...filters }
    const position = decodeCursor(marks, cursor, [keyKindOf(sort), 'string'])
    const after = position && { key: position[0] as string | number, id: String(position[1]) }
    const { rows, stop } = await findFiles(cell, { businessId: business.id, filters, sort, after, limit })
    const toPosition = ({ key, id }: Place) => [key, id]
    const page = toPage(rows, limit, marks, ({ sortKey, id }) => toPosition({ key: sortKey, id }), present)
    return page.cursor === null && stop ? { ...page, cursor: encodeCursor(marks, toPosition(stop)) } : page
  })

  handle(app, operation.getMedia, async (request, reply) => {
    const row = await getFile(request.cell, request.business.id, request.params.id)
    return sendVersioned(request, reply, etagOf(row.version), present(row))
  })

  handle(app, operation.updateMedia, async (request, reply) => {
    const { cell, params, body } = request
    const row = await transaction(cell, (tx) => changeFile(tx, editorOf(request), params.id, expectedOf(request), body))
    return sendVersioned(request, reply, etagOf(row.version), present(row))
  })

  handle(app, operation.deleteMedia, async (request) => {
    const { cell, params, query } = request
    const how = { expected: expectedOf(request), force: query.force ?? false }
    await transaction(cell, (tx) => deleteFile(tx, editorOf(request), params.id, how))
    return { success: true } as const
  })

  handle(app, operation.listMediaUsages, ({ cell, business, params, query }) =>
    listUsages(cell, { businessId: business.id, mediaId: params.id }, query),
  )
}
