import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findCollection } from '#modules/content/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { badRequest, notFound, payloadTooLarge } from '#vocabulary/errors.ts'
import { BusinessId, Id, OneOf, PageOf, PageOnly, RecordParams } from '#vocabulary/schemas.ts'
import { notANewsletter } from './errors.ts'
import { exportSubscribers } from './export-subscribers.ts'
import { FILE_FORMATS, type FileFormat, MAX_BYTES, stageFile } from './subscriber-file.ts'
import { importSubscribers } from './subscriber-import-job.ts'
import * as imports from './subscriber-imports.ts'

const TYPES: Record<string, FileFormat> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' }
const CONTENT_TYPES = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' }
const ImportParams = Type.Object({ businessId: BusinessId, id: Id, importId: Id })

const notAFile = () => badRequest(`Send ${Object.keys(TYPES).join(' or ')}.`)

function formatOf({ headers }: FastifyRequest): FileFormat {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (!format) throw notAFile()
  return format
}

async function checkNewsletter(cell: Db, businessId: string, id: string): Promise<void> {
  const collection = await findCollection(cell, businessId, id)
  if (!collection) throw notFound('collection')
  if (collection.type !== 'NEWSLETTER') throw notANewsletter('id')
}

export const subscriberTransferRoutes: FastifyPluginAsyncTypebox = async (app) => {
  // Not read into memory: the handler takes it as it comes.
  app.addContentTypeParser(Object.keys(TYPES), (_request, payload, done) => done(null, payload))

  app.post(
    '/collections/:id/subscribers/import',
    {
      bodyLimit: Number.MAX_SAFE_INTEGER, // counted as it arrives
      onRequest: async (request) => void formatOf(request), // before anything else could be read into memory
      config: { access: 'NEWSLETTER_SEND', business: 'path', uploads: Object.keys(TYPES), fails: [409] },
      schema: {
        operationId: 'importSubscribers',
        tags: ['Newsletters'],
        summary: 'Import subscribers',
        description:
          'CSV (the columns `email`, `name`, `planId`, `status`; commas or semicolons) or NDJSON, 100 MiB at most. Answers when ' +
          'everything has arrived; a worker then imports it, and `GET` tells how far it is. Nobody is asked to confirm: have ' +
          'their consent. `planId` must be a free one; `status` is ACTIVE (default) or CANCELLED, for who must not get mail. ' +
          'Whoever has left, or pays, is left alone, so the same file can be sent again.',
        params: RecordParams,
        response: { 201: imports.SubscriberImport },
      },
    },
    async (request, reply) => {
      const { cell, params, actor, body } = request
      const { businessId, id: collectionId } = params
      const format = formatOf(request)
      if (!(body instanceof Readable)) throw notAFile()
      void reply.header('connection', 'close') // taken back when all has been read: what is refused is never read to its end
      if (Number(request.headers['content-length']) > MAX_BYTES) throw payloadTooLarge('100 MiB')
      await checkNewsletter(cell, businessId, collectionId)
      const id = await imports.beginImport(cell, { businessId, collectionId }, actor)
      try {
        const total = await stageFile(cell, businessId, id, body, format)
        const made = await transaction(cell, async (tx) => {
          const sealed = await imports.sealImport(tx, businessId, id, total)
          if (total > 0) await enqueue(tx, importSubscribers, { businessId, importId: id })
          return sealed
        })
        void reply.code(201).removeHeader('connection')
        return made
      } catch (error) {
        await imports.dropImport(cell, businessId, id)
        throw error
      }
    },
  )

  app.get(
    '/collections/:id/subscribers/imports/:importId',
    {
      config: { access: 'NEWSLETTER_SEND', business: 'path' },
      schema: {
        operationId: 'getSubscriberImport',
        tags: ['Newsletters'],
        summary: 'Get an import of subscribers',
        description: 'How far it is. It is finished when its status is DONE.',
        params: ImportParams,
        response: { 200: imports.SubscriberImport },
      },
    },
    ({ cell, params: { businessId, id, importId } }) =>
      imports.getImport(cell, { businessId, collectionId: id }, importId),
  )

  app.get(
    '/collections/:id/subscribers/imports/:importId/errors',
    {
      config: { access: 'SUBSCRIBERS_READ', business: 'path' },
      schema: {
        operationId: 'listSubscriberImportErrors',
        tags: ['Newsletters'],
        summary: 'List the lines that failed',
        description: 'In the order of the file.',
        params: ImportParams,
        querystring: PageOnly,
        response: { 200: PageOf(imports.SubscriberImportError) },
      },
    },
    ({ cell, params: { businessId, id, importId }, query }) =>
      imports.listImportErrors(cell, { businessId, collectionId: id }, importId, query),
  )

  app.get(
    '/collections/:id/subscribers/export',
    {
      config: { access: 'SUBSCRIBERS_READ', business: 'path', downloads: Object.keys(TYPES), fails: [409] },
      schema: {
        operationId: 'exportSubscribers',
        tags: ['Newsletters'],
        summary: 'Export all subscribers',
        description:
          'CSV or NDJSON, oldest first, whatever their status. Sent as it is read, whatever the size. A cell of the CSV that a ' +
          'spreadsheet would take for a formula begins with an apostrophe, which the import takes away.',
        params: RecordParams,
        querystring: Type.Object({ format: Type.Optional(OneOf(FILE_FORMATS, { default: 'csv' })) }),
      },
    },
    async ({ cell, params: { businessId, id }, query: { format = 'csv' } }, reply) => {
      await checkNewsletter(cell, businessId, id)
      void reply
        .header('content-type', CONTENT_TYPES[format])
        .header('content-disposition', `attachment; filename="subscribers.${format}"`)
      return reply.send(Readable.from(exportSubscribers(cell, businessId, id, format))) // as it comes
    },
  )
}
