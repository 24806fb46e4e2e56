import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

const access = ['CONTENT_WRITE', 'PRODUCTS_WRITE'] as const

export const createMedia = operation({
  method: 'POST',
  url: '/media',
  config: { access, business: 'path', idempotent: true, fails: [409] },
  schema: {
    operationId: 'createMedia',
    tags: ['Media'],
    summary: 'Upload a file',
    description:
      'Answers where to send the bytes: one `PUT` to `upload.url` with `upload.headers`, within 10 minutes, then ' +
      '`…/complete`. 200 instead of 201, without `upload`: the business has this file already, and this is it. ' +
      '`size` counts against the quota from here on; a file that is not completed within a day is deleted. ' +
      '413: larger than 50 MB. 503 `PROVIDER_NOT_CONFIGURED`: this service stores no files.',
    params: BusinessParams,
    body: shape.NewFile,
    response: { 200: shape.MediaFile, 201: shape.MediaFile },
  },
})

export const completeMedia = operation({
  method: 'POST',
  url: '/media/:id/complete',
  config: { access, business: 'path' },
  schema: {
    operationId: 'completeMedia',
    tags: ['Media'],
    summary: 'Say that a file is uploaded',
    description:
      'It is then checked and its renditions are made, which takes seconds: read it until it is READY or REJECTED, or ' +
      'wait for the event `media.ready` or `media.rejected`. Calling it again changes nothing.',
    params: RecordParams,
    response: { 200: shape.MediaFile },
  },
})

export const listMedia = operation({
  method: 'GET',
  url: '/media',
  config: { access, business: 'path' },
  schema: {
    operationId: 'listMedia',
    tags: ['Media'],
    summary: 'List files',
    description: 'A page may be short, even empty, before the last: go on while there is a `cursor`.',
    params: BusinessParams,
    querystring: shape.FileQuery,
    response: { 200: PageOf(shape.MediaFile) },
  },
})

export const getMedia = operation({
  method: 'GET',
  url: '/media/:id',
  config: { access, business: 'path', versioned: true },
  schema: {
    operationId: 'getMedia',
    tags: ['Media'],
    summary: 'Get a file',
    params: RecordParams,
    response: { 200: shape.MediaFile },
  },
})

export const updateMedia = operation({
  method: 'PUT',
  url: '/media/:id',
  config: { access, business: 'path', versioned: true },
  schema: {
    operationId: 'updateMedia',
    tags: ['Media'],
    summary: 'Describe a file',
    description:
      '`alt` and `tags` as a whole. Records that show the file get the new `alt` and `focalPoint` soon after.',
    params: RecordParams,
    body: shape.FileChanges,
    response: { 200: shape.MediaFile },
  },
})

export const deleteMedia = operation({
  method: 'DELETE',
  url: '/media/:id',
  config: { access, business: 'path', versioned: true, fails: [409] },
  schema: {
    operationId: 'deleteMedia',
    tags: ['Media'],
    summary: 'Delete a file',
    description:
      '409 `IN_USE` while records show it, with a detail for each of the first 20. `force=true` deletes it anyway.',
    params: RecordParams,
    querystring: shape.DeleteQuery,
    response: { 200: Success },
  },
})

export const listMediaUsages = operation({
  method: 'GET',
  url: '/media/:id/usages',
  config: { access, business: 'path' },
  schema: {
    operationId: 'listMediaUsages',
    tags: ['Media'],
    summary: 'List where a file is shown',
    params: RecordParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.Usage) },
  },
})
