import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { setRole } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { handle } from '#platform/http/operation.ts'
import { ownSignInRequired } from '#platform/http/refusals.ts'
import { fromSeconds } from '#vocabulary/time.ts'
import { listApiKeys } from '../credentials/api-keys.ts'
import { createApiKey } from '../credentials/create-api-key.ts'
import { needFreshProof } from '../credentials/need-proof.ts'
import { removeApiKey, revokeLeakedKey } from '../credentials/remove-api-key.ts'
import { listSessions, revokeSession, revokeSessionsOf } from '../credentials/sessions.ts'
import { keyNotFound, noSms, sessionNotFound, settingsTooLong, userNotFound } from '../errors.ts'
import { mailInvitation } from '../jobs.ts'
import { MAX_SETTINGS } from '../limits.ts'
import type { AccountOptions } from '../options.ts'
import { revokeLimit } from '../sign-in/attempts.ts'
import { changePassword } from '../sign-in/change-password.ts'
import { claimGuest } from '../sign-in/claim-guest.ts'
import { getOwnUser, holdUser } from '../users/queries.ts'
import { confirmPhone, requestPhoneCode } from './confirm-phone.ts'
import { eraseUser } from './erase-user.ts'
import { exportUser } from './export-user.ts'
import { getExport, listExports, openExport, presentExport, requestExport } from './exports.ts'
import * as operation from './operations.ts'
import { searchUsers } from './search-users.ts'
import { updateProfile } from './update-profile.ts'

const success = { success: true } as const

export const profileRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (
  app,
  { control, tokens, box, attempts, providers },
) => {
  handle(app, operation.getMe, ({ actor }) => getOwnUser(control, actor.userId, actor))

  handle(app, operation.updateMe, ({ actor, body }) => updateProfile(control, box, actor, body))

  handle(app, operation.listKeys, async ({ actor }) => ({
    items: await listApiKeys(control, actor.userId, actor.onlyBusinessId),
  }))

  handle(app, operation.createKey, async ({ actor, body }, reply) => {
    await needFreshProof(control, actor, { of: 'those-with-a-factor' })
    const { name, permissions = null, expiresAt = null } = body
    const businessId = body.businessId ?? actor.onlyBusinessId ?? null
    if (actor.onlyBusinessId !== undefined && businessId !== actor.onlyBusinessId) throw ownSignInRequired()
    const wanted = { name, businessId, permissions, expiresAt: expiresAt === null ? null : fromSeconds(expiresAt) }
    const key = await transaction(control, (tx) => createApiKey(tx, box, { userId: actor.userId, actor }, wanted))
    return reply.code(201).send(key)
  })

  handle(app, operation.deleteKey, async ({ actor, params }) => {
    await needFreshProof(control, actor, { of: 'those-with-a-factor' })
    const { userId } = actor
    if (!(await transaction(control, (tx) => removeApiKey(tx, { userId, actor }, params.id)))) throw keyNotFound()
    return success
  })

  handle(app, operation.revokeKey, async ({ body, ip }) => {
    await attempts.count(revokeLimit(ip))
    await transaction(control, (tx) => revokeLeakedKey(tx, box, body.key))
    return success
  })

  handle(app, operation.updateMyBusinessConfig, async ({ actor, business, body }) => {
    const settings = JSON.stringify(body.settings)
    if (settings.length > MAX_SETTINGS) throw settingsTooLong()
    await control
      .insertInto('accounts.businessConfigs')
      .values({ userId: actor.userId, businessId: business.id, settings })
      .onConflict((known) => known.columns(['userId', 'businessId']).doUpdateSet({ settings }))
      .execute()
    return getOwnUser(control, actor.userId, actor)
  })

  handle(app, operation.claimOrder, async ({ actor, body }) => {
    await claimGuest(control, tokens, actor, body.token)
    return success
  })

  handle(app, operation.exportMe, ({ actor }) => exportUser(control, actor.userId))

  handle(app, operation.requestExport, async ({ actor }, reply) => {
    void reply.code(202)
    return presentExport(await requestExport(control, attempts, actor))
  })

  handle(app, operation.listExports, async ({ actor }) => ({
    items: (await listExports(control, actor.userId)).map(presentExport),
  }))

  handle(app, operation.getExport, async ({ actor, params }) =>
    presentExport(await getExport(control, actor.userId, params.id)),
  )

  handle(app, operation.fetchExport, async ({ actor, params }, reply) => {
    const file = await openExport(control, box, actor.userId, params.id)
    void reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('content-disposition', 'attachment; filename="export.json"')
      .header('cache-control', 'no-store')
    return reply.send(Readable.from(file))
  })

  handle(app, operation.eraseMe, async ({ actor }) => {
    await needFreshProof(control, actor, { of: 'those-with-a-factor' })
    await eraseUser(control, actor)
    return success
  })

  handle(app, operation.requestPhoneCode, async ({ actor, body, ip }) => {
    if (!providers.sms) throw noSms()
    await requestPhoneCode(control, attempts, { actor, address: ip }, body.phoneNumber)
    return success
  })

  handle(app, operation.confirmPhone, async ({ actor, body }) => {
    await confirmPhone(control, box, actor, body)
    return success
  })

  handle(app, operation.changePassword, async ({ actor, body, ip }) => {
    await changePassword({ control, box, attempts, address: ip }, actor, body)
    return success
  })

  handle(app, operation.listSessions, async ({ actor }) => ({
    items: await listSessions(control, actor.userId, actor.sessionId),
  }))

  handle(app, operation.endSessions, async ({ actor, query }) => {
    const { userId, sessionId } = actor
    await transaction(control, async (tx) => {
      if (query.id === undefined) return void (await revokeSessionsOf(tx, userId, sessionId))
      const mine = await tx
        .selectFrom('accounts.sessions')
        .select('id')
        .where('id', '=', query.id)
        .where('userId', '=', userId)
        .executeTakeFirst()
      if (!mine || !(await revokeSession(tx, mine.id))) throw sessionNotFound()
    })
    return success
  })

  handle(app, operation.searchUsers, ({ query }) => searchUsers(control, query))

  handle(app, operation.setRole, async ({ actor, business, body }) => {
    const { userId, roleId } = body
    await transaction(control, async (tx) => {
      const user = await holdUser(tx, userId)
      if (!user) throw userNotFound()
      const offer = await setRole(tx, { actor, businessId: business.id, userId, email: user.email, roleId })
      if (offer) await mailInvitation(tx, attempts, { ...offer, email: user.email ?? user.id })
    })
    return success
  })
}
