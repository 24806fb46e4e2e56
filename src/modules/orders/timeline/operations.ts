import { operation } from '#platform/http/operation.ts'
import { RecordParams } from '#vocabulary/schemas.ts'
import { MAX_ITEMS, Timeline } from './schemas.ts'

export const getTimeline = operation({
  method: 'GET',
  url: '/orders/:id/timeline',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'getOrderTimeline',
    tags: ['Orders'],
    summary: 'Get an order’s timeline',
    description: `Its events and the comments on it, newest first, ${MAX_ITEMS} at most. Events follow within a second.`,
    params: RecordParams,
    response: { 200: Timeline },
  },
})
