import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findCollection } from '#modules/content/index.ts'
import type { Db } from '#platform/database/database.ts'
import { handle } from '#platform/http/operation.ts'
import { getImport, listImportErrors } from '#platform/transfer/report.ts'
import { acceptFiles, receiveFile, sendFile } from '#platform/transfer/routes.ts'
import { collectionNotFound, notANewsletter } from '../errors.ts'
import { exportSubscribers } from './export-subscribers.ts'
import { subscriberImport } from './import-subscribers.ts'
import * as operation from './operations.ts'

export const subscriberImportJobs = subscriberImport.jobs

async function checkNewsletter(cell: Db, businessId: string, id: string): Promise<void> {
  const collection = await findCollection(cell, businessId, id)
  if (!collection) throw collectionNotFound()
  if (collection.type !== 'NEWSLETTER') throw notANewsletter({ field: 'id' })
}

export const subscriberTransferRoutes: FastifyPluginAsyncTypebox = async (app) => {
  acceptFiles(app)

  handle(app, operation.importSubscribers, async (request, reply) => {
    const { cell, business, params } = request
    await checkNewsletter(cell, business.id, params.id)
    return receiveFile(subscriberImport, request, reply, { place: { collectionId: params.id } })
  })

  handle(app, operation.getSubscriberImport, ({ cell, business, params: { id, importId } }) =>
    getImport(subscriberImport, cell, business.id, importId, { collectionId: id }),
  )

  handle(app, operation.listSubscriberImportErrors, ({ cell, business, params: { id, importId }, query }) =>
    listImportErrors(subscriberImport, cell, business.id, importId, { ...query, place: { collectionId: id } }),
  )

  handle(
    app,
    operation.exportSubscribers,
    async ({ cell, business, params: { id }, query: { format = 'csv' } }, reply) => {
      await checkNewsletter(cell, business.id, id)
      return sendFile(reply, 'subscribers', format, exportSubscribers(cell, business.id, id, format))
    },
  )
}
