import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { transaction } from '#platform/database/transaction.ts'
import { BusinessId, BusinessParams, PageOf, PageOnly, Success } from '#vocabulary/schemas.ts'
import { Suppression } from './schemas.ts'
import { deleteSuppression, listSuppressions } from './suppressions.ts'

const SuppressionParams = Type.Object({
  businessId: BusinessId,
  email: Type.String({ minLength: 1, maxLength: 254, examples: ['ada@example.com'] }),
})

export const suppressionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/suppressions',
    {
      config: { access: 'SUBSCRIBERS_READ', business: 'path' },
      schema: {
        operationId: 'listSuppressions',
        tags: ['Newsletters'],
        summary: 'List addresses that get no newsletters',
        description: 'Mail to them bounced for good, or they complained about it. By address, in lower case.',
        params: BusinessParams,
        querystring: PageOnly,
        response: { 200: PageOf(Suppression) },
      },
    },
    ({ cell, params, query }) => listSuppressions(cell, params.businessId, query),
  )

  app.delete(
    '/suppressions/:email',
    {
      config: { access: 'NEWSLETTER_SEND', business: 'path' },
      schema: {
        operationId: 'deleteSuppression',
        tags: ['Newsletters'],
        summary: 'Let an address get newsletters again',
        description: 'For one that works again. Case does not matter. Sends that left it out already stay as they are.',
        params: SuppressionParams,
        response: { 200: Success },
      },
    },
    async ({ cell, params, actor }) => {
      const { businessId, email } = params
      await transaction(cell, (tx) => deleteSuppression(tx, { businessId, actor }, email))
      return { success: true } as const
    },
  )
}
