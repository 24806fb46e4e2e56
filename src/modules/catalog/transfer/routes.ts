import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import { getImport, listImportErrors } from '#platform/transfer/report.ts'
import { acceptFiles, receiveFile, sendFile } from '#platform/transfer/routes.ts'
import { exportProducts } from './export-products.ts'
import { productImport } from './import-products.ts'
import * as operation from './operations.ts'

export const importJobs = productImport.jobs

export const transferRoutes: FastifyPluginAsyncTypebox = async (app) => {
  acceptFiles(app)

  handle(app, operation.importProducts, (request, reply) => receiveFile(productImport, request, reply))

  handle(app, operation.getImport, ({ cell, business, params }) =>
    getImport(productImport, cell, business.id, params.id),
  )

  handle(app, operation.listImportErrors, ({ cell, business, params, query }) =>
    listImportErrors(productImport, cell, business.id, params.id, query),
  )

  handle(app, operation.exportProducts, ({ cell, business, query: { format = 'ndjson' } }, reply) =>
    sendFile(reply, 'products', format, exportProducts(cell, business, format)),
  )
}
