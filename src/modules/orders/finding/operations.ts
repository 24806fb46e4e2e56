import { operation } from '#platform/http/operation.ts'
import { FILE_TYPES } from '#platform/transfer/routes.ts'
import { BusinessParams, PageOf } from '#vocabulary/schemas.ts'
import { Order } from '../schemas.ts'
import * as shape from './schemas.ts'

export const listOrders = operation({
  method: 'GET',
  url: '/orders',
  config: { access: 'guest', business: 'path', keys: 'strangers' },
  schema: {
    operationId: 'listOrders',
    tags: ['Orders'],
    summary: 'List orders',
    description:
      'Newest first, unless sorted otherwise. Without `ORDERS_READ`: only your own, and only `status` and `customerId` as filters. A page may be short, even empty, before the last: go on while there is a `cursor`.',
    params: BusinessParams,
    querystring: shape.OrderQuery,
    response: { 200: PageOf(Order) },
  },
})

export const countOrders = operation({
  method: 'GET',
  url: '/orders/counts',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'countOrders',
    tags: ['Orders'],
    summary: 'Count orders',
    description: 'How many of the orders that match have each value: of the newest 20,000.',
    params: BusinessParams,
    querystring: shape.CountQuery,
    response: { 200: shape.OrderCounts },
  },
})

export const exportOrders = operation({
  method: 'GET',
  url: '/orders/export',
  config: { access: 'ORDERS_READ', business: 'path', downloads: FILE_TYPES, reads: 'replica' },
  schema: {
    operationId: 'exportOrders',
    tags: ['Import and export'],
    summary: 'Export orders',
    description:
      'All that match, oldest first, streamed: CSV (a row an order line) or NDJSON (an order a line, as it is read). Each export is noted in the audit log, with its filters.',
    params: BusinessParams,
    querystring: shape.ExportQuery,
  },
})
