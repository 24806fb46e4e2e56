import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { BusinessId, BusinessParams, PageOf, PageOnly, Success } from '#vocabulary/schemas.ts'
import { Suppression } from '../schemas.ts'

const SuppressionParams = Type.Object({
  businessId: BusinessId,
  email: Type.String({ minLength: 1, maxLength: 254, examples: ['ada@example.com'] }),
})

export const listSuppressions = operation({
  method: 'GET',
  url: '/suppressions',
  config: { access: 'SUBSCRIBERS_READ', business: 'path' },
  schema: {
    operationId: 'listSuppressions',
    tags: ['Newsletters'],
    summary: 'List suppressions',
    description:
      'Addresses that get no newsletters, because mail to them bounced for good or they complained. Sorted by address, in lower case.',
    params: BusinessParams,
    querystring: PageOnly,
    response: { 200: PageOf(Suppression) },
  },
})

export const deleteSuppression = operation({
  method: 'DELETE',
  url: '/suppressions/:email',
  config: { access: 'NEWSLETTER_SEND', business: 'path' },
  schema: {
    operationId: 'deleteSuppression',
    tags: ['Newsletters'],
    summary: 'Remove a suppression',
    description: 'For an address that works again; case does not matter. Sends that have skipped it do not change.',
    params: SuppressionParams,
    response: { 200: Success },
  },
})
