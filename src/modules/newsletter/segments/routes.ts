import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import { getNewsletter } from '../subscriptions/newsletter.ts'
import { countMatching } from './count-matching.ts'
import type { MarkCustomers } from './matching-readers.ts'
import * as operation from './operations.ts'
import { readConditions } from './read-conditions.ts'

export type SegmentOptions = { markCustomers: MarkCustomers }

export const segmentRoutes: FastifyPluginAsyncTypebox<SegmentOptions> = async (app, { markCustomers }) => {
  handle(app, operation.countMatchingReaders, async ({ cell, business, params, body, permissions }) => {
    const newsletter = await getNewsletter(cell, business.id, params.id)
    const conditions = await readConditions(cell, { business, newsletter, permissions }, body.conditions)
    return countMatching(cell, { businessId: business.id, collectionId: newsletter.id, conditions }, markCustomers)
  })
}
