import { operation } from '#platform/http/operation.ts'
import { BusinessParams } from '#vocabulary/schemas.ts'
import { SlipQuery } from './schemas.ts'

export const getPackingSlips = operation({
  method: 'GET',
  url: '/orders/packing-slips',
  config: { access: 'ORDERS_READ', business: 'path', downloads: ['application/pdf'] },
  schema: {
    operationId: 'getPackingSlips',
    tags: ['Orders'],
    summary: 'Print packing slips',
    description:
      'One PDF, each order on a page of its own, in the order of `ids`. Lists what is left to ship, or everything once all ' +
      'is shipped; no prices. At most 50 orders with 1,000 lines.',
    params: BusinessParams,
    querystring: SlipQuery,
  },
})
