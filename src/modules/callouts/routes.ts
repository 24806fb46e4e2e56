import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import * as operation from './operations.ts'
import type { CalloutOptions } from './options.ts'
import { getCallout, presentCallout, presentCallouts, removeCallout, saveCallout } from './settings.ts'
import { testCallout } from './test-callout.ts'

export const calloutRoutes: FastifyPluginAsyncTypebox<CalloutOptions> = async (app, options) => {
  handle(app, operation.listCallouts, ({ business }) => ({ items: presentCallouts(business) }))

  handle(app, operation.getCallout, ({ business, params: { point } }) =>
    presentCallout(point, getCallout(business, point)),
  )

  handle(app, operation.saveCallout, ({ params: { businessId, point }, actor, body }, reply) => {
    void reply.header('cache-control', 'no-store')
    return saveCallout(options, { businessId, point, actor }, body)
  })

  handle(app, operation.removeCallout, async ({ params: { businessId, point }, actor }) => {
    await removeCallout(options.control, { businessId, point, actor })
    return { success: true } as const
  })

  handle(app, operation.testCallout, async (request) => {
    const { business, params, id } = request
    getCallout(business, params.point)
    await options.countTest(business.id)
    return request.whileOutside(() => testCallout(options.services, business, params.point, id))
  })
}
