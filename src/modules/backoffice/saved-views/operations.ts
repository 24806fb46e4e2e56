import { operation } from '#platform/http/operation.ts'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import { BusinessParams, PageOf, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const createSavedView = operation({
  method: 'POST',
  url: '/saved-views',
  config: { access: PERMISSIONS, business: 'path', idempotent: true, fails: [409] },
  schema: {
    operationId: 'createSavedView',
    tags: ['Back office'],
    summary: 'Save a view of a list',
    description: 'For yourself, or with `isShared` for everybody with a role in the business; 100 of your own at most.',
    params: BusinessParams,
    body: shape.NewSavedView,
    response: { 201: shape.SavedView },
  },
})

export const listSavedViews = operation({
  method: 'GET',
  url: '/saved-views',
  config: { access: PERMISSIONS, business: 'path' },
  schema: {
    operationId: 'listSavedViews',
    tags: ['Back office'],
    summary: 'List saved views',
    description: 'Your own and the shared ones, newest first.',
    params: BusinessParams,
    querystring: shape.SavedViewQuery,
    response: { 200: PageOf(shape.SavedView) },
  },
})

export const getSavedView = operation({
  method: 'GET',
  url: '/saved-views/:id',
  config: { access: PERMISSIONS, business: 'path', versioned: true },
  schema: {
    operationId: 'getSavedView',
    tags: ['Back office'],
    summary: 'Get a saved view',
    params: RecordParams,
    response: { 200: shape.SavedView },
  },
})

export const updateSavedView = operation({
  method: 'PUT',
  url: '/saved-views/:id',
  config: { access: PERMISSIONS, business: 'path', versioned: true },
  schema: {
    operationId: 'updateSavedView',
    tags: ['Back office'],
    summary: 'Change a saved view',
    description: 'Your own; an `ADMIN` may change shared ones.',
    params: RecordParams,
    body: shape.SavedViewChanges,
    response: { 200: shape.SavedView },
  },
})

export const deleteSavedView = operation({
  method: 'DELETE',
  url: '/saved-views/:id',
  config: { access: PERMISSIONS, business: 'path', versioned: true },
  schema: {
    operationId: 'deleteSavedView',
    tags: ['Back office'],
    summary: 'Delete a saved view',
    description: 'Your own; an `ADMIN` may delete shared ones.',
    params: RecordParams,
    response: { 200: Success },
  },
})
