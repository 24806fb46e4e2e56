import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

const config = { access: 'PRODUCTS_WRITE', business: 'path' } as const
const tags = ['Bulk edits']

export const createBulkEdit = operation({
  method: 'POST',
  url: '/bulk-edits',
  bodyLimit: 8 * 1024 * 1024, // a hundred thousand ids
  config: { ...config, idempotent: true },
  schema: {
    operationId: 'createBulkEdit',
    tags,
    summary: 'Try a bulk edit',
    description:
      `Of ${shape.MAX_PRODUCTS} products at most. A worker makes a dry run, which changes no product: when it is READY, its items ` +
      'show each value before and after. What you tried before and did not apply is thrown away. One of a business is under way ' +
      'at a time (409 `BULK_EDIT_RUNNING`), five are kept, for 30 days.',
    params: BusinessParams,
    body: shape.NewBulkEdit,
    response: { 202: shape.BulkEdit },
  },
})

export const listBulkEdits = operation({
  method: 'GET',
  url: '/bulk-edits',
  config,
  schema: {
    operationId: 'listBulkEdits',
    tags,
    summary: 'List bulk edits',
    description: 'Newest first.',
    params: BusinessParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.BulkEdit) },
  },
})

export const getBulkEdit = operation({
  method: 'GET',
  url: '/bulk-edits/:id',
  config,
  schema: {
    operationId: 'getBulkEdit',
    tags,
    summary: 'Get a bulk edit',
    description: 'Shows how far it is: `done` of `total`.',
    params: RecordParams,
    response: { 200: shape.BulkEdit },
  },
})

export const listBulkEditItems = operation({
  method: 'GET',
  url: '/bulk-edits/:id/items',
  config,
  schema: {
    operationId: 'listBulkEditItems',
    tags,
    summary: 'List the products of a bulk edit',
    description: 'Each with what changes in it, in the order of the selection, as far as the dry run is.',
    params: RecordParams,
    querystring: shape.ItemQuery,
    response: { 200: PageOf(shape.BulkEditItem) },
  },
})

export const applyBulkEdit = operation({
  method: 'POST',
  url: '/bulk-edits/:id/apply',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'applyBulkEdit',
    tags,
    summary: 'Apply a bulk edit',
    description:
      'A worker writes what the dry run showed. A product that somebody changed since is left alone and is SKIPPED. ' +
      'One that was stopped goes on. The event `bulk_edit.finished` tells the end; there is none for each product.',
    params: RecordParams,
    response: { 202: shape.BulkEdit },
  },
})

export const undoBulkEdit = operation({
  method: 'POST',
  url: '/bulk-edits/:id/undo',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'undoBulkEdit',
    tags,
    summary: 'Undo a bulk edit',
    description:
      'A worker puts back what was there before. A product that somebody changed since is left alone and is KEPT. ' +
      'Histories of statuses grow by an entry, and the lowest price of 30 days counts what was asked in between.',
    params: RecordParams,
    response: { 202: shape.BulkEdit },
  },
})

export const cancelBulkEdit = operation({
  method: 'POST',
  url: '/bulk-edits/:id/cancel',
  config,
  schema: {
    operationId: 'cancelBulkEdit',
    tags,
    summary: 'Stop a bulk edit',
    description:
      'What was applied or undone so far stays so, and the bulk edit is DONE: `apply` or `undo` goes on with the rest. A dry run ' +
      'that is stopped is thrown away. Nothing happens if nothing is under way.',
    params: RecordParams,
    response: { 200: shape.BulkEdit },
  },
})

export const discardBulkEdit = operation({
  method: 'POST',
  url: '/bulk-edits/:id/discard',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'discardBulkEdit',
    tags,
    summary: 'Throw a bulk edit away',
    description: 'Only one that has changed no product.',
    params: RecordParams,
    response: { 200: shape.BulkEdit },
  },
})
