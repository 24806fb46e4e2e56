import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import { askForCheck, stopCheck } from './ask.ts'
import * as operation from './operations.ts'
import { readChecks } from './read-checks.ts'
import type { Rule } from './rule.ts'

export const checkRoutes: FastifyPluginAsyncTypebox<{ rules: readonly Rule[] }> = async (app, { rules }) => {
  handle(app, operation.readChecks, ({ cell, business }) => readChecks(cell, business.id, rules))

  handle(app, operation.startChecks, async ({ cell, business }, reply) => {
    await askForCheck(cell, business.id)
    reply.code(202)
    return readChecks(cell, business.id, rules)
  })

  handle(app, operation.stopChecks, async ({ cell, business }) => {
    await stopCheck(cell, business.id)
    return readChecks(cell, business.id, rules)
  })
}
