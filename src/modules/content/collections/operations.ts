import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from '../schemas.ts'

export const createCollection = operation({
  method: 'POST',
  url: '/collections',
  config: { access: 'CONTENT_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createCollection',
    tags: ['Collections'],
    summary: 'Create a collection',
    description:
      'Only `name` is required. Without `slug` one is made from the name; without `statuses` it is a DRAFT. ' +
      '`blocks` is the schema of its entries: blocks without values.',
    params: BusinessParams,
    body: shape.NewCollection,
    response: { 201: shape.Collection },
  },
})

export const listCollections = operation({
  method: 'GET',
  url: '/collections',
  config: { access: 'guest', business: 'path', keys: 'strangers', fails: [403] },
  schema: {
    operationId: 'listCollections',
    tags: ['Collections'],
    summary: 'List collections',
    description:
      'Newest first; a page may be shorter than `limit` where collections are large. Without `CONTENT_READ_DRAFTS` or ' +
      '`CONTENT_WRITE`: PUBLISHED ones only.',
    params: BusinessParams,
    querystring: shape.CollectionQuery,
    response: { 200: PageOf(shape.Collection) },
  },
})

export const getCollection = operation({
  method: 'GET',
  url: '/collections/:id',
  config: { access: 'guest', business: 'path', keys: 'strangers', versioned: true },
  schema: {
    operationId: 'getCollection',
    tags: ['Collections'],
    summary: 'Get a collection',
    params: RecordParams,
    response: { 200: shape.Collection },
  },
})

export const updateCollection = operation({
  method: 'PUT',
  url: '/collections/:id',
  config: { access: 'CONTENT_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateCollection',
    tags: ['Collections'],
    summary: 'Change a collection',
    description:
      'Changes what is sent and keeps the rest; arrays are replaced whole. Entries stay what they are when `blocks` ' +
      'changes: they are checked again when next written, and `staleEntries` counts those that no longer fit.',
    params: RecordParams,
    body: shape.CollectionChanges,
    response: { 200: shape.Collection },
  },
})

export const deleteCollection = operation({
  method: 'DELETE',
  url: '/collections/:id',
  config: { access: 'CONTENT_WRITE', business: 'path', versioned: true, fails: [409] },
  schema: {
    operationId: 'deleteCollection',
    tags: ['Collections'],
    summary: 'Delete a collection',
    description: 'Returns 409 `IN_USE` while it has entries.',
    params: RecordParams,
    response: { 200: Success },
  },
})

export const findSchemaImpact = operation({
  method: 'POST',
  url: '/collections/:id/schema-impact',
  config: { access: 'CONTENT_WRITE', business: 'path' },
  schema: {
    operationId: 'findSchemaImpact',
    tags: ['Collections'],
    summary: 'Find entries that would no longer fit a schema',
    description:
      'Changes nothing. Looks at PUBLISHED entries first, the newest first, for two seconds at most; entries that do ' +
      'not fit the schema of today either are left out.',
    params: RecordParams,
    body: shape.SchemaDraft,
    response: { 200: shape.SchemaImpact },
  },
})

export const listStaleEntries = operation({
  method: 'GET',
  url: '/collections/:id/stale-entries',
  config: { access: 'CONTENT_WRITE', business: 'path' },
  schema: {
    operationId: 'listStaleEntries',
    tags: ['Collections'],
    summary: 'List entries that no longer fit the schema',
    description: 'Newest first, each with its problems. In a large collection it takes a while until all are found.',
    params: RecordParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.StaleEntry) },
  },
})
