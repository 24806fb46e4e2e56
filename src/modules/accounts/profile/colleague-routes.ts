import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ControlDb } from '#platform/database/database.ts'
import { handle } from '#platform/http/operation.ts'
import { listColleagues } from './list-colleagues.ts'
import * as operation from './operations.ts'

/** Below the business, where its people look. */
export const colleagueRoutes: FastifyPluginAsyncTypebox<{ control: ControlDb }> = async (app, { control }) => {
  handle(app, operation.listColleagues, ({ business }) => listColleagues(control, business.id))
}
