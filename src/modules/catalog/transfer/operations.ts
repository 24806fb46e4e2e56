import { operation } from '#platform/http/operation.ts'
import { FILE_TYPES, formatQuery, UPLOAD } from '#platform/transfer/routes.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams } from '#vocabulary/schemas.ts'
import { productImport } from './import-products.ts'

export const importProducts = operation({
  method: 'POST',
  url: '/products/imports',
  ...UPLOAD,
  config: { access: 'PRODUCTS_WRITE', business: 'path', uploads: FILE_TYPES },
  schema: {
    operationId: 'importProducts',
    tags: ['Import and export'],
    summary: 'Import products',
    description:
      'NDJSON (a product a line, shaped as in `POST /products`) or CSV (a row a variant), 100 MiB at most. Returns when the whole file has arrived; a worker then imports it, and `GET` shows the progress. A row changes the product with its slug or one of its SKUs, or creates one, so you can send the same file again.',
    params: BusinessParams,
    response: { 201: productImport.Import },
  },
})

export const getImport = operation({
  method: 'GET',
  url: '/products/imports/:id',
  config: { access: 'PRODUCTS_WRITE', business: 'path' },
  schema: {
    operationId: 'getImport',
    tags: ['Import and export'],
    summary: 'Get an import',
    description: 'Shows the progress. The import is finished when its status is DONE.',
    params: RecordParams,
    response: { 200: productImport.Import },
  },
})

export const listImportErrors = operation({
  method: 'GET',
  url: '/products/imports/:id/errors',
  config: { access: 'PRODUCTS_WRITE', business: 'path' },
  schema: {
    operationId: 'listImportErrors',
    tags: ['Import and export'],
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
  config: { access: 'PRODUCTS_WRITE', business: 'path', downloads: FILE_TYPES },
  schema: {
    operationId: 'exportProducts',
    tags: ['Import and export'],
    summary: 'Export all products',
    description: 'NDJSON or CSV, oldest first, as the import reads it. The file is streamed, whatever its size.',
    params: BusinessParams,
    querystring: formatQuery('ndjson'),
  },
})
