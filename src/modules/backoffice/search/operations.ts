import { operation } from '#platform/http/operation.ts'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import { BusinessParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const search = operation({
  method: 'GET',
  url: '/search',
  config: { access: PERMISSIONS, business: 'path' },
  schema: {
    operationId: 'search',
    tags: ['Back office'],
    summary: 'Search everything',
    description:
      'Orders, products, customers and entries, five of each at most, by what you may see: orders and customers with `ORDERS_READ`, products and entries that are not public with `PRODUCTS_WRITE` and `CONTENT_READ_DRAFTS`. What you may not see is an empty list.',
    params: BusinessParams,
    querystring: shape.SearchQuery,
    response: { 200: shape.SearchResult },
  },
})
