import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success, UnixSeconds } from '#vocabulary/schemas.ts'
import { ATTRIBUTE_PREFIX, BY_ATTRIBUTE, Facets, ProductCounts } from '../listing/schemas.ts'
import * as shape from '../schemas.ts'

export const createProduct = operation({
  method: 'POST',
  url: '/products',
  config: { access: 'PRODUCTS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createProduct',
    tags: ['Products'],
    summary: 'Create a product',
    description:
      'Only `name` is required. Without `slug` one is made from the name; without `statuses` it is a DRAFT. ' +
      'A variant without `inventory` is tracked and has no stock.',
    params: BusinessParams,
    body: shape.NewProduct,
    response: { 201: shape.Product },
  },
})

export const listProducts = operation({
  method: 'GET',
  url: '/products',
  config: { access: 'guest', business: 'path', keys: 'strangers', fails: [403], parameterPrefix: ATTRIBUTE_PREFIX },
  schema: {
    operationId: 'listProducts',
    tags: ['Products'],
    summary: 'List and search products',
    description:
      'Newest first; with `query` the best match first. An `id` that is unknown, or not for the caller, is left out. ' +
      'Without `PRODUCTS_WRITE`: ACTIVE ones only. ' +
      `${BY_ATTRIBUTE} A page looks at 20,000 products at most: one that is short and has a \`cursor\` goes on. ` +
      'An unknown `market` or `categoryId` returns 422.',
    params: BusinessParams,
    querystring: shape.ProductQuery,
    response: { 200: PageOf(shape.Product) },
  },
})

export const listFacets = operation({
  method: 'GET',
  url: '/products/facets',
  config: { access: 'guest', business: 'path', keys: 'strangers', fails: [403], parameterPrefix: ATTRIBUTE_PREFIX },
  schema: {
    operationId: 'listProductFacets',
    tags: ['Products'],
    summary: 'Count what products can be filtered by',
    description: `Takes the filters of the list, \`${ATTRIBUTE_PREFIX}<Name>\`, too; each facet ignores its own.`,
    params: BusinessParams,
    querystring: shape.FacetQuery,
    response: { 200: Facets },
  },
})

export const countProducts = operation({
  method: 'GET',
  url: '/products/counts',
  config: { access: 'PRODUCTS_WRITE', business: 'path', parameterPrefix: ATTRIBUTE_PREFIX },
  schema: {
    operationId: 'countProducts',
    tags: ['Products'],
    summary: 'Count products',
    description: `How many of the products that match have each status. Takes the filters of the list, \`${ATTRIBUTE_PREFIX}<Name>\`, too.`,
    params: BusinessParams,
    querystring: shape.CountQuery,
    response: { 200: ProductCounts },
  },
})

export const getProduct = operation({
  method: 'GET',
  url: '/products/:id',
  config: { access: 'guest', business: 'path', keys: 'strangers', versioned: true },
  schema: {
    operationId: 'getProduct',
    tags: ['Products'],
    summary: 'Get a product',
    description: 'Its `ETag` changes with the product and with its stock.',
    params: RecordParams,
    response: { 200: shape.Product },
  },
})

export const updateProduct = operation({
  method: 'PUT',
  url: '/products/:id',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateProduct',
    tags: ['Products'],
    summary: 'Change a product',
    description:
      'Changes what is sent and keeps the rest; arrays are replaced whole. Inside `variants` an element with a known id ' +
      'keeps what it does not send; a variant left out is removed. Stock changes only if `inventory.quantity` is sent: ' +
      'then `If-Match` also compares the stock, so that no sale in between is lost.',
    params: RecordParams,
    body: shape.ProductChanges,
    response: { 200: shape.Product },
  },
})

export const deleteProduct = operation({
  method: 'DELETE',
  url: '/products/:id',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'deleteProduct',
    tags: ['Products'],
    summary: 'Delete a product',
    description: 'It is not found any more and its slug is free. Orders keep what they have.',
    params: RecordParams,
    response: { 200: Success },
  },
})

const ONE_BY_ONE = 'The rest of the product stays as it is, also what somebody else changes at the same moment.'

export const putVariant = operation({
  method: 'PUT',
  url: '/products/:id/variants/:variantId',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true, creates: true },
  schema: {
    operationId: 'putVariant',
    tags: ['Products'],
    summary: 'Update or create a variant',
    description: `Updates the fields that are sent. Returns 404 if the product has no such variant. With \`If-None-Match: *\`, creates the variant after the others, and returns 412 if it already exists. ${ONE_BY_ONE}`,
    params: shape.VariantParams,
    body: shape.VariantChanges,
    response: { 200: shape.Product },
  },
})

export const deleteVariant = operation({
  method: 'DELETE',
  url: '/products/:id/variants/:variantId',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'deleteVariant',
    tags: ['Products'],
    summary: 'Remove a variant',
    description: `Orders and the ledger of its stock keep what they have. ${ONE_BY_ONE}`,
    params: shape.VariantParams,
    response: { 200: shape.Product },
  },
})

export const putPrice = operation({
  method: 'PUT',
  url: '/products/:id/variants/:variantId/prices/:marketId',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'putPrice',
    tags: ['Products'],
    summary: 'Set a price',
    description: `What the variant costs in this market: the plain price, or with \`validFrom\` or \`validTo\` a planned one, in the place of the one that begins at the same moment. ${ONE_BY_ONE}`,
    params: shape.PriceParams,
    body: shape.NewPrice,
    response: { 200: shape.Product },
  },
})

export const deletePrice = operation({
  method: 'DELETE',
  url: '/products/:id/variants/:variantId/prices/:marketId',
  config: { access: 'PRODUCTS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'deletePrice',
    tags: ['Products'],
    summary: 'Remove a price',
    description: `All prices of this market, or with \`validFrom\` the planned one that begins then. Without a price the variant cannot be bought there. ${ONE_BY_ONE}`,
    params: shape.PriceParams,
    querystring: Type.Object({ validFrom: Type.Optional(UnixSeconds) }),
    response: { 200: shape.Product },
  },
})

export const changeStock = operation({
  method: 'POST',
  url: '/products/:id/variants/:variantId/stock',
  config: { access: 'PRODUCTS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'changeStock',
    tags: ['Stock'],
    summary: 'Adjust stock',
    description:
      'The change is relative, so that no sale in between is lost. Going below zero returns 409 `OUT_OF_STOCK`.',
    params: shape.VariantParams,
    body: shape.NewStockMovement,
    response: { 201: shape.StockMovement },
  },
})

export const listStockMovements = operation({
  method: 'GET',
  url: '/products/:id/variants/:variantId/stock',
  config: { access: 'PRODUCTS_WRITE', business: 'path' },
  schema: {
    operationId: 'listStockMovements',
    tags: ['Stock'],
    summary: 'List a variant’s stock movements',
    description: 'The ledger, newest first. The stock is the sum of its deltas.',
    params: shape.VariantParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.StockMovement) },
  },
})
