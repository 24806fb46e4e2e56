import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { FILE_TYPES, formatQuery, UPLOAD } from '#platform/transfer/routes.ts'
import { BusinessId, Id, PageOf, PageOnly, RecordParams } from '#vocabulary/schemas.ts'
import { subscriberImport } from './import-subscribers.ts'

const ImportParams = Type.Object({ businessId: BusinessId, id: Id, importId: Id })

export const importSubscribers = operation({
  method: 'POST',
  url: '/collections/:id/subscribers/import',
  ...UPLOAD,
  config: { access: 'NEWSLETTER_SEND', business: 'path', uploads: FILE_TYPES, fails: [409] },
  schema: {
    operationId: 'importSubscribers',
    tags: ['Newsletters'],
    summary: 'Import subscribers',
    description:
      'CSV (the columns `email`, `name`, `planId`, `status`; commas or semicolons) or NDJSON, 100 MiB at most. Returns when the whole file has arrived; a worker then imports it, and `GET` shows the progress. Nobody is asked to confirm: have ' +
      'their consent. `planId` must be a free one; `status` is ACTIVE (default) or CANCELLED, for those who must not get mail. ' +
      'Subscribers who have left, or pay, stay as they are, so the same file can be sent again.',
    params: RecordParams,
    response: { 201: subscriberImport.Import },
  },
})

export const getSubscriberImport = operation({
  method: 'GET',
  url: '/collections/:id/subscribers/imports/:importId',
  config: { access: 'NEWSLETTER_SEND', business: 'path' },
  schema: {
    operationId: 'getSubscriberImport',
    tags: ['Newsletters'],
    summary: 'Get an import of subscribers',
    description: 'Shows the progress. The import is finished when its status is DONE.',
    params: ImportParams,
    response: { 200: subscriberImport.Import },
  },
})

export const listSubscriberImportErrors = operation({
  method: 'GET',
  url: '/collections/:id/subscribers/imports/:importId/errors',
  config: { access: 'SUBSCRIBERS_READ', business: 'path' },
  schema: {
    operationId: 'listSubscriberImportErrors',
    tags: ['Newsletters'],
    summary: 'List the lines that failed',
    description: 'In the order of the file.',
    params: ImportParams,
    querystring: PageOnly,
    response: { 200: PageOf(subscriberImport.ImportError) },
  },
})

export const exportSubscribers = operation({
  method: 'GET',
  url: '/collections/:id/subscribers/export',
  config: { access: 'SUBSCRIBERS_READ', business: 'path', downloads: FILE_TYPES, fails: [409], reads: 'replica' },
  schema: {
    operationId: 'exportSubscribers',
    tags: ['Newsletters'],
    summary: 'Export all subscribers',
    description:
      'CSV or NDJSON, oldest first, whatever their status. The file is streamed, whatever its size. A cell of the CSV that a ' +
      'spreadsheet would take for a formula begins with an apostrophe, which the import takes away.',
    params: RecordParams,
    querystring: formatQuery('csv'),
  },
})
