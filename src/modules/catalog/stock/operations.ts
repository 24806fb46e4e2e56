import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const listStock = operation({
  method: 'GET',
  url: '/stock',
  config: { access: 'PRODUCTS_WRITE', business: 'path' },
  schema: {
    operationId: 'listStock',
    tags: ['Stock'],
    summary: 'List stock',
    description:
      'Every variant whose stock is tracked, the lowest first. On the shelf are `quantity` + `committed`. A `query` looks ' +
      'at the best 500 products that it finds.',
    params: BusinessParams,
    querystring: shape.StockQuery,
    response: { 200: shape.StockPage },
  },
})

export const createStocktake = operation({
  method: 'POST',
  url: '/stocktakes',
  config: { access: 'PRODUCTS_WRITE', business: 'path', idempotent: true, fails: [409] },
  schema: {
    operationId: 'createStocktake',
    tags: ['Stock'],
    summary: 'Take stock',
    description:
      'Up to 500 variants, all or none, while they sell. Send what you `counted` with `committed` and `number` as they were at ' +
      'that moment: the ledger gets `counted − committed − (the quantity at that number)`, and whatever was sold, sent or came ' +
      'back since stays. With 10 on the shelf, 3 of them sold and not sent, and a `quantity` of 7, that is 0. Or send a ' +
      '`delta`. What would fall below zero returns 409 `OUT_OF_STOCK`, what somebody else has counted since 409 `COUNTED_SINCE`; ' +
      'the details name each.',
    params: BusinessParams,
    body: shape.NewStocktake,
    response: { 201: shape.Stocktake },
  },
})

export const listStocktakes = operation({
  method: 'GET',
  url: '/stocktakes',
  config: { access: 'PRODUCTS_WRITE', business: 'path' },
  schema: {
    operationId: 'listStocktakes',
    tags: ['Stock'],
    summary: 'List stocktakes',
    description: 'Newest first, without their items.',
    params: BusinessParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.StocktakeSummary) },
  },
})

export const getStocktake = operation({
  method: 'GET',
  url: '/stocktakes/:id',
  config: { access: 'PRODUCTS_WRITE', business: 'path' },
  schema: {
    operationId: 'getStocktake',
    tags: ['Stock'],
    summary: 'Get a stocktake',
    params: RecordParams,
    response: { 200: shape.Stocktake },
  },
})
