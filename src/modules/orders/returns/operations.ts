import { operation } from '#platform/http/operation.ts'
import { RecordParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const returnOrderLines = operation({
  method: 'POST',
  url: '/orders/:id/returns',
  config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true, strict: true },
  schema: {
    operationId: 'returnOrderLines',
    tags: ['Orders'],
    summary: 'Take goods back',
    description:
      'Puts pieces back into stock, of any order, whatever becomes of the money: a refund is asked for by itself. Never ' +
      'more than were ordered.',
    params: RecordParams,
    body: shape.NewReturn,
    response: { 201: shape.Return },
  },
})
