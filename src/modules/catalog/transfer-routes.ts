import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { badRequest, payloadTooLarge } from '#vocabulary/errors.ts'
import { BusinessParams, OneOf, PageOf, PageOnly, RecordParams } from '#vocabulary/schemas.ts'
import { exportProducts } from './export-products.ts'
import { IMPORT_FORMATS, type ImportFormat, MAX_BYTES, stageFile } from './import-file.ts'
import { importProducts } from './import-job.ts'
import { beginImport, dropImport, getImport, Import, ImportError, listImportErrors, sealImport } from './imports.ts'

const TYPES: Record<string, ImportFormat> = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' }
const CONTENT_TYPES = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' }

const notAFile = () => badRequest(`Send ${Object.keys(TYPES).join(' or ')}.`)

function formatOf({ headers }: FastifyRequest): ImportFormat {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (!format) throw notAFile()
  return format
}

export const transferRoutes: FastifyPluginAsyncTypebox = async (app) => {
  // Not read into memory: the handler takes it as it comes.
  app.addContentTypeParser(Object.keys(TYPES), (_request, payload, done) => done(null, payload))

  app.post(
    '/products/imports',
    {
      bodyLimit: Number.MAX_SAFE_INTEGER, // counted as it arrives
      onRequest: async (request) => void formatOf(request), // before anything else could be read into memory
      config: { access: 'PRODUCTS_WRITE', business: 'path', uploads: Object.keys(TYPES) },
      schema: {
        operationId: 'importProducts',
        tags: ['Import and export'],
        summary: 'Import products',
        description:
          'NDJSON (a product a line, shaped as in `POST /products`) or CSV (a row a variant), 100 MiB at most. Answers when ' +
          'everything has arrived; a worker then imports it, and `GET` tells how far it is. A row changes the product that has ' +
          'its slug or one of its SKUs, else it creates one, so the same file can be sent again.',
        params: BusinessParams,
        response: { 201: Import },
      },
    },
    async (request, reply) => {
      const { cell, business, actor, body } = request
      const format = formatOf(request)
      if (!(body instanceof Readable)) throw notAFile()
      void reply.header('connection', 'close') // taken back when all has been read: what is refused is never read to its end
      if (Number(request.headers['content-length']) > MAX_BYTES) throw payloadTooLarge('100 MiB')
      const id = await beginImport(cell, business.id, actor)
      try {
        const total = await stageFile(cell, business, id, body, { format })
        const made = await transaction(cell, async (tx) => {
          const sealed = await sealImport(tx, business.id, id, total)
          if (total > 0) await enqueue(tx, importProducts, { businessId: business.id, importId: id })
          return sealed
        })
        void reply.code(201).removeHeader('connection')
        return made
      } catch (error) {
        await dropImport(cell, business.id, id)
        throw error
      }
    },
  )

  app.get(
    '/products/imports/:id',
    {
      config: { access: 'PRODUCTS_WRITE', business: 'path' },
      schema: {
        operationId: 'getImport',
        tags: ['Import and export'],
        summary: 'Get an import',
        description: 'How far it is. It is finished when its status is DONE.',
        params: RecordParams,
        response: { 200: Import },
      },
    },
    ({ cell, params }) => getImport(cell, params.businessId, params.id),
  )

  app.get(
    '/products/imports/:id/errors',
    {
      config: { access: 'PRODUCTS_WRITE', business: 'path' },
      schema: {
        operationId: 'listImportErrors',
        tags: ['Import and export'],
        summary: 'List the lines that failed',
        description: 'In the order of the file.',
        params: RecordParams,
        querystring: PageOnly,
        response: { 200: PageOf(ImportError) },
      },
    },
    ({ cell, params, query }) => listImportErrors(cell, params.businessId, params.id, query),
  )

  app.get(
    '/products/export',
    {
      config: { access: 'PRODUCTS_WRITE', business: 'path', downloads: Object.keys(TYPES) },
      schema: {
        operationId: 'exportProducts',
        tags: ['Import and export'],
        summary: 'Export all products',
        description: 'NDJSON or CSV, oldest first, as the import reads it. Sent as it is read, whatever the size.',
        params: BusinessParams,
        querystring: Type.Object({ format: Type.Optional(OneOf(IMPORT_FORMATS, { default: 'ndjson' })) }),
      },
    },
    ({ cell, business, query: { format = 'ndjson' } }, reply) => {
      void reply
        .header('content-type', CONTENT_TYPES[format])
        .header('content-disposition', `attachment; filename="products.${format}"`)
      return Readable.from(exportProducts(cell, business, format)) // sent as it comes
    },
  )
}
