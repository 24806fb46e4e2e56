import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from '../schemas.ts'

export const createEntry = operation({
  method: 'POST',
  url: '/entries',
  config: { access: 'CONTENT_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createEntry',
    tags: ['Entries'],
    summary: 'Create an entry',
    description:
      'It belongs to the collection `collectionId`, or to `owner`. Its blocks are checked against the collection’s: a DRAFT may be incomplete, an entry that is PUBLISHED or has a `publishAt` may not. Entries of orders and reservations have free blocks, ' +
      'and need `ORDERS_READ`. Without `statuses` it is a DRAFT, without `locale` it has the business’s.',
    params: BusinessParams,
    body: shape.EntryChanges,
    response: { 201: shape.Entry },
  },
})

export const listEntries = operation({
  method: 'GET',
  url: '/entries',
  config: { access: 'guest', business: 'path', keys: 'strangers', fails: [403], parameterPrefix: 'block.' },
  schema: {
    operationId: 'listEntries',
    tags: ['Entries'],
    summary: 'List and search entries',
    description:
      'Newest first; with `query` the best match first. Of one collection, or across all. `block.<id>=value` (up to five) ' +
      'keeps those whose block holds that value: a text of up to 200 characters in any of its locales, a number, true or ' +
      'false, a date, an id, a choice. Without `CONTENT_READ_DRAFTS` or `CONTENT_WRITE`: PUBLISHED ones of PUBLISHED ' +
      'collections, and of newsletters that have a paid plan those which the caller pays for. A page of more than about ' +
      '4 MB ends early: it may be shorter than `limit` and still have a `cursor`.',
    params: BusinessParams,
    querystring: shape.EntryQuery,
    response: { 200: shape.EntryPage },
  },
})

export const getEntry = operation({
  method: 'GET',
  url: '/entries/:id',
  config: { access: 'guest', business: 'path', keys: 'strangers', versioned: true },
  schema: {
    operationId: 'getEntry',
    tags: ['Entries'],
    summary: 'Get an entry',
    params: RecordParams,
    querystring: shape.OneEntryQuery,
    response: { 200: shape.EntryWithRelations },
  },
})

export const updateEntry = operation({
  method: 'PUT',
  url: '/entries/:id',
  config: { access: 'CONTENT_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateEntry',
    tags: ['Entries'],
    summary: 'Change an entry',
    description:
      'Changes what is sent and keeps the rest; `blocks` is replaced whole and checked against the schema of today. ' +
      '`publishAt: null` cancels a planned publication. Every change of blocks, locale, status or owner is kept as a version.',
    params: RecordParams,
    body: shape.EntryChanges,
    response: { 200: shape.Entry },
  },
})

export const deleteEntry = operation({
  method: 'DELETE',
  url: '/entries/:id',
  config: { access: 'CONTENT_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'deleteEntry',
    tags: ['Entries'],
    summary: 'Delete an entry',
    description: 'Its versions go with it.',
    params: RecordParams,
    response: { 200: Success },
  },
})

export const createPreviewToken = operation({
  method: 'POST',
  url: '/entries/:id/preview-token',
  config: { access: ['CONTENT_READ_DRAFTS', 'CONTENT_WRITE'], business: 'path' },
  schema: {
    operationId: 'createPreviewToken',
    tags: ['Entries'],
    summary: 'Make a link that shows an entry before it is published',
    description:
      'Whoever holds the token reads this one entry of a collection as the shop would show it, for an hour: ' +
      '`GET /v1/storefront/{business}/entries/{id}?preview=…`. No cache keeps the answer.',
    params: RecordParams,
    response: { 201: shape.PreviewToken },
  },
})

export const listEntryVersions = operation({
  method: 'GET',
  url: '/entries/:id/versions',
  config: { access: 'CONTENT_WRITE', business: 'path' },
  schema: {
    operationId: 'listEntryVersions',
    tags: ['Entries'],
    summary: 'List an entry’s versions',
    description: 'Newest first, without their blocks. The last 100 are kept.',
    params: RecordParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.EntryVersion) },
  },
})

export const getEntryVersion = operation({
  method: 'GET',
  url: '/entries/:id/versions/:number',
  config: { access: 'CONTENT_WRITE', business: 'path' },
  schema: {
    operationId: 'getEntryVersion',
    tags: ['Entries'],
    summary: 'Get a version of an entry',
    params: shape.VersionParams,
    response: { 200: shape.FullEntryVersion },
  },
})

export const restoreEntryVersion = operation({
  method: 'POST',
  url: '/entries/:id/versions/:number/restore',
  config: { access: 'CONTENT_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'restoreEntryVersion',
    tags: ['Entries'],
    summary: 'Restore a version of an entry',
    description:
      'Blocks and locale become what they were; the status stays. It is a change like any other: the schema of today ' +
      'applies, and a new version is made.',
    params: shape.VersionParams,
    response: { 200: shape.Entry },
  },
})
