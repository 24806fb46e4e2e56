import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const createCategory = operation({
  method: 'POST',
  url: '/categories',
  config: { access: 'PRODUCTS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createCategory',
    tags: ['Categories'],
    summary: 'Create a category',
    description:
      'Only `name` is required. Without `slug` one is made from the name. ' +
      `At most ${shape.MAX_DEPTH} levels, and ${shape.MAX_CATEGORIES} categories in a business.`,
    params: BusinessParams,
    body: shape.NewCategory,
    response: { 201: shape.Category },
  },
})

export const listCategories = operation({
  method: 'GET',
  url: '/categories',
  config: { access: 'guest', business: 'path', keys: 'strangers' },
  schema: {
    operationId: 'listCategories',
    tags: ['Categories'],
    summary: 'List categories',
    description: 'Newest first; `parentId` and `position` say where each has its place.',
    params: BusinessParams,
    querystring: shape.CategoryQuery,
    response: { 200: PageOf(shape.Category) },
  },
})

export const getCategoryTree = operation({
  method: 'GET',
  url: '/categories/tree',
  config: { access: 'PRODUCTS_WRITE', business: 'path' },
  schema: {
    operationId: 'getCategoryTree',
    tags: ['Categories'],
    summary: 'Get all categories at once',
    description: 'What a tree of them shows, with how many products each has.',
    params: BusinessParams,
    response: { 200: shape.CategoryTree },
  },
})

export const getCategory = operation({
  method: 'GET',
  url: '/categories/:id',
  config: { access: 'guest', business: 'path', keys: 'strangers', versioned: true },
  schema: {
    operationId: 'getCategory',
    tags: ['Categories'],
    summary: 'Get a category',
    params: RecordParams,
    response: { 200: shape.Category },
  },
})

export const updateCategory = operation({
  method: 'PUT',
  url: '/categories/:id',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateCategory',
    tags: ['Categories'],
    summary: 'Change or move a category',
    description:
      'Changes what is sent and keeps the rest; `seo` and `translations` are replaced whole. Another `parentId` moves it ' +
      'with all that is below it. A `slug` that products name cannot be changed: 409 `IN_USE`.',
    params: RecordParams,
    body: shape.CategoryChanges,
    response: { 200: shape.Category },
  },
})

export const moveCategory = operation({
  method: 'POST',
  url: '/categories/:id/move',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true, idempotent: true },
  schema: {
    operationId: 'moveCategory',
    tags: ['Categories'],
    summary: 'Move a category',
    description:
      'Below `parentId`, in front of `beforeId`, with all that is below it. Gives it a `position`; where there is no room ' +
      'between two, the others of this parent get new ones, too.',
    params: RecordParams,
    body: shape.CategoryMove,
    response: { 200: shape.Category },
  },
})

export const deleteCategory = operation({
  method: 'DELETE',
  url: '/categories/:id',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true, fails: [409] },
  schema: {
    operationId: 'deleteCategory',
    tags: ['Categories'],
    summary: 'Delete a category',
    description: 'One that products name, or that others are below, cannot be deleted: 409 `IN_USE`.',
    params: RecordParams,
    response: { 200: Success },
  },
})
