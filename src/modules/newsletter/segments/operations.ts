import { operation } from '#platform/http/operation.ts'
import { RecordParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const countMatchingReaders = operation({
  method: 'POST',
  url: '/collections/:id/subscribers/matching',
  config: { access: 'SUBSCRIBERS_READ', business: 'path', fails: [409] },
  schema: {
    operationId: 'countMatchingReaders',
    tags: ['Newsletters'],
    summary: 'Count the readers for whom conditions hold',
    description:
      'Changes nothing. A send with the same `conditions` goes to these readers, as they are when it starts. A reader is a ' +
      'customer by the id or by the email address that they subscribed with. `tag` and `bought` also need ORDERS_READ, here ' +
      'and in a send.',
    params: RecordParams,
    body: shape.Matching,
    response: { 200: shape.MatchingCount },
  },
})
