import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { setMemberRoles } from '#modules/access/index.ts'
import type { Control } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { handle } from '#platform/http/operation.ts'
import { mailInvitation } from '../jobs.ts'
import type { Attempts } from '../sign-in/attempts.ts'
import { holdUser } from '../users/queries.ts'
import { listColleagues } from './list-colleagues.ts'
import { listMembers } from './list-members.ts'
import * as operation from './operations.ts'

type Options = { control: Control; attempts: Attempts }

/** Below the business, where its people look. */
export const memberRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { control, attempts }) => {
  handle(app, operation.listColleagues, ({ business }) => listColleagues(control, business.id))

  handle(app, operation.listMembers, ({ business, query }) => listMembers(control, business.id, query))

  handle(app, operation.setMemberRoles, async ({ actor, business, params, body }) => {
    const { id: userId } = params
    await transaction(control, async (tx) => {
      const email = (await holdUser(tx, userId))?.email ?? null
      const setting = { businessId: business.id, actor, userId, email, roleIds: body.roleIds }
      for (const offer of await setMemberRoles(tx, setting))
        await mailInvitation(tx, attempts, { ...offer, email: email ?? userId })
    })
    return { success: true } as const
  })
}
