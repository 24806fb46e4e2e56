import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ControlDb } from '#platform/database/database.ts'
import { handle } from '#platform/http/operation.ts'
import type { AnyJob } from '#platform/jobs/define.ts'
import { storageNotConfigured } from '#platform/storage/refusals.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { listImportErrors } from '#platform/transfer/report.ts'
import { acceptFiles, receiveFile, sendFile } from '#platform/transfer/routes.ts'
import { correctLine } from './correct-line.ts'
import { exportProducts } from './export-products.ts'
import { howToRead } from './formats.ts'
import { productImport } from './import-products.ts'
import * as operation from './operations.ts'
import { getImport, listImports } from './read-imports.ts'
import { getLine, listLines } from './read-lines.ts'
import { applyImport, clearImport, discardImport, undoImport } from './steer-import.ts'
import { undoImportJob } from './undo-import.ts'

export const importJobs = [...productImport.jobs, clearImport, undoImportJob] as readonly AnyJob[]

export type TransferOptions = { control: ControlDb; storage: Storage | undefined }

export const transferRoutes: FastifyPluginAsyncTypebox<TransferOptions> = async (app, { control, storage }) => {
  acceptFiles(app)

  handle(app, operation.importProducts, async (request, reply) => {
    const { cell, business, query } = request
    if (query.pictures === 'fetch' && !storage) throw storageNotConfigured()
    const { id } = await receiveFile(productImport, request, reply, howToRead(request, business, query))
    return getImport(cell, business.id, id)
  })

  handle(app, operation.listImports, ({ cell, business, query }) => listImports(cell, business.id, query))

  handle(app, operation.getImport, ({ cell, business, params }) => getImport(cell, business.id, params.id))

  handle(app, operation.applyImport, ({ cell, business, actor, params }, reply) => {
    void reply.code(202)
    return applyImport(cell, business.id, params.id, actor)
  })

  handle(app, operation.discardImport, ({ cell, business, params }) => discardImport(cell, business.id, params.id))

  handle(app, operation.undoImport, ({ cell, business, actor, params }, reply) => {
    void reply.code(202)
    return undoImport(cell, business.id, params.id, actor)
  })

  handle(app, operation.listImportLines, ({ cell, business, params, query }) =>
    listLines(cell, business.id, params.id, query),
  )

  handle(app, operation.getImportLine, ({ cell, business, params: { id, number } }) =>
    getLine(cell, business.id, id, number),
  )

  handle(app, operation.correctImportLine, ({ cell, business, params: { id, number }, body }) =>
    correctLine({ control, db: cell, storage }, business.id, id, number, body),
  )

  handle(app, operation.listImportErrors, ({ cell, business, params, query }) =>
    listImportErrors(productImport, cell, business.id, params.id, query),
  )

  handle(app, operation.exportProducts, ({ cell, business, query: { format = 'ndjson' } }, reply) =>
    sendFile(reply, 'products', format, exportProducts(cell, business, format)),
  )
}
