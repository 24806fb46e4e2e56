import { operation } from '#platform/http/operation.ts'
import { FILE_TYPES, formatQuery, UPLOAD } from '#platform/transfer/routes.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams } from '#vocabulary/schemas.ts'
import { productImport } from './import-products.ts'
import * as shape from './schemas.ts'

const config = { access: 'PRODUCTS_WRITE', business: 'path' } as const
const tags = ['Import and export']

export const importProducts = operation({
  method: 'POST',
  url: '/products/imports',
  ...UPLOAD,
  config: { ...config, uploads: FILE_TYPES },
  schema: {
    operationId: 'importProducts',
    tags,
    summary: 'Import products',
    description:
      'NDJSON (a product a line, shaped as in `POST /products`) or CSV (a row a variant), also as Shopify or WooCommerce export it, 100 MiB at most. Returns when the whole file has arrived; a worker then imports it, and `GET` shows the progress. A row changes the product with its slug or one of its SKUs, or creates one, so you can send the same file again. With `dryRun=true` nothing is written until `apply`.',
    params: BusinessParams,
    querystring: shape.ImportQuery,
    response: { 201: shape.Import },
  },
})

export const listImports = operation({
  method: 'GET',
  url: '/products/imports',
  config,
  schema: {
    operationId: 'listImports',
    tags,
    summary: 'List imports',
    description: 'Those of the last 30 days, newest first.',
    params: BusinessParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.Import) },
  },
})

export const getImport = operation({
  method: 'GET',
  url: '/products/imports/:id',
  config,
  schema: {
    operationId: 'getImport',
    tags,
    summary: 'Get an import',
    description:
      'Shows the progress. A dry run is finished when its status is READY, an import when it is DONE. `created + updated + unchanged + skipped + failed = total` then.',
    params: RecordParams,
    response: { 200: shape.Import },
  },
})

export const applyImport = operation({
  method: 'POST',
  url: '/products/imports/:id/apply',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'applyImport',
    tags,
    summary: 'Apply a dry run',
    description:
      'A worker imports what the dry run has shown. A product that somebody has changed since is SKIPPED, and so is one that was to be created and is there now. Wrong lines are left out. Asking again changes nothing.',
    params: RecordParams,
    response: { 202: shape.Import },
  },
})

export const discardImport = operation({
  method: 'POST',
  url: '/products/imports/:id/discard',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'discardImport',
    tags,
    summary: 'Discard a dry run, or stop an import',
    description:
      'A dry run is thrown away, its report with it. An import that is RUNNING is STOPPED: what it has written by then stays, and can be undone; the other lines are SKIPPED.',
    params: RecordParams,
    response: { 200: shape.Import },
  },
})

export const undoImport = operation({
  method: 'POST',
  url: '/products/imports/:id/undo',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'undoImport',
    tags,
    summary: 'Undo an import',
    description:
      'Of up to 100,000 lines, for 30 days. A worker puts products back as they were, and archives those that the import created. What somebody has changed since stays: these lines are KEPT. Stock is left alone.',
    params: RecordParams,
    response: { 202: shape.Import },
  },
})

export const listImportLines = operation({
  method: 'GET',
  url: '/products/imports/:id/lines',
  config,
  schema: {
    operationId: 'listImportLines',
    tags,
    summary: 'List what the lines of an import do',
    description: 'Field by field, before and after, in the order of the file; of a dry run: what they would do.',
    params: RecordParams,
    querystring: shape.LineQuery,
    response: { 200: PageOf(shape.ImportLine) },
  },
})

export const getImportLine = operation({
  method: 'GET',
  url: '/products/imports/:id/lines/:number',
  config,
  schema: {
    operationId: 'getImportLine',
    tags,
    summary: 'Get a line of an import',
    description: 'With what was sent, for a correction.',
    params: shape.LineParams,
    response: { 200: shape.ImportLineDetails },
  },
})

export const correctImportLine = operation({
  method: 'PUT',
  url: '/products/imports/:id/lines/:number',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'correctImportLine',
    tags,
    summary: 'Correct a line of a dry run',
    description:
      'Puts `product` in the place of the line and looks at it at once: the answer says what it would do, or what is still wrong. Only while the dry run is READY. The file itself is not sent again.',
    params: shape.LineParams,
    body: shape.CorrectedLine,
    response: { 200: shape.ImportLineDetails },
  },
})

export const listImportErrors = operation({
  method: 'GET',
  url: '/products/imports/:id/errors',
  config,
  schema: {
    operationId: 'listImportErrors',
    tags,
    summary: 'List the lines that failed',
    description: 'In the order of the file.',
    params: RecordParams,
    querystring: PageOnly,
    response: { 200: PageOf(productImport.ImportError) },
  },
})

export const exportProducts = operation({
  method: 'GET',
  url: '/products/export',
  config: { ...config, downloads: FILE_TYPES, reads: 'replica' },
  schema: {
    operationId: 'exportProducts',
    tags,
    summary: 'Export all products',
    description: 'NDJSON or CSV, oldest first, as the import reads it. The file is streamed, whatever its size.',
    params: BusinessParams,
    querystring: formatQuery('ndjson'),
  },
})
