import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { setRole } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { invalid, notFound, providerNotConfigured } from '#vocabulary/errors.ts'
import { BusinessId, Id, PageOf, Success } from '#vocabulary/schemas.ts'
import { changePassword } from './change-password.ts'
import { eraseUser } from './erase-user.ts'
import { exportUser } from './export-user.ts'
import { mailInvitation } from './jobs.ts'
import type { AccountOptions } from './options.ts'
import { alsoCheckPassword } from './passwords.ts'
import { confirmPhone, requestPhoneCode } from './phone.ts'
import * as shape from './schemas.ts'
import { searchUsers } from './search-users.ts'
import { listSessions, revokeSession, revokeSessionsOf } from './sessions.ts'
import { updateProfile } from './update-profile.ts'
import { getOwnUser, holdUser } from './users.ts'

const success = { success: true } as const
const MAX_SETTINGS = 16_384

export const profileRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (
  app,
  { control, box, attempts, providers },
) => {
  const own = { access: 'guest', business: 'none' } as const
  const account = { access: 'signed-in', business: 'none' } as const

  app.get(
    '/me',
    {
      config: own,
      schema: { operationId: 'getMe', tags: ['Accounts'], summary: 'Who am I?', response: { 200: shape.User } },
    },
    ({ actor }) => getOwnUser(control, actor.userId, actor.onlyBusinessId),
  )

  app.put(
    '/update',
    {
      config: { ...own, keys: 'unbound' },
      schema: {
        operationId: 'updateMe',
        tags: ['Accounts'],
        summary: 'Change my profile',
        description:
          'Changes what is sent. `apiTokens` is the whole list of keys: one that is left out is deleted, one sent with its mask is kept, one without a value is made by the service and shown this once.',
        body: shape.UpdateBody,
        response: { 200: shape.User },
      },
    },
    ({ actor, body }) => updateProfile(control, box, actor, body),
  )

  app.put(
    '/me/businesses/:businessId',
    {
      config: { access: 'signed-in', business: 'path' },
      schema: {
        operationId: 'updateMyBusinessConfig',
        tags: ['Accounts'],
        summary: 'Keep my settings for a business',
        params: Type.Object({ businessId: BusinessId }),
        body: shape.ConfigBody,
        response: { 200: shape.User },
      },
    },
    async ({ actor, business, body }) => {
      const settings = JSON.stringify(body.settings)
      if (settings.length > MAX_SETTINGS)
        throw invalid('settings', 'TOO_LONG', `settings is longer than ${MAX_SETTINGS} characters.`)
      await control
        .insertInto('accounts.businessConfigs')
        .values({ userId: actor.userId, businessId: business.id, settings })
        .onConflict((known) => known.columns(['userId', 'businessId']).doUpdateSet({ settings }))
        .execute()
      return getOwnUser(control, actor.userId, actor.onlyBusinessId)
    },
  )

  app.get(
    '/me/export',
    {
      config: { ...account, keys: 'unbound' },
      schema: {
        operationId: 'exportMe',
        tags: ['Accounts'],
        summary: 'Everything that is stored about me',
        response: {
          200: Type.Unsafe<unknown>({
            type: 'object',
            additionalProperties: true,
            examples: [{ user: { id: 'usr_01jcq3v7k8f5t9x2m4n6p8r0sw' } }],
          }),
        },
      },
    },
    ({ actor }) => exportUser(control, actor.userId),
  )

  app.delete(
    '/me',
    {
      config: { ...account, keys: 'refused', fails: [409] },
      schema: {
        operationId: 'eraseMe',
        tags: ['Accounts'],
        summary: 'Delete my account',
        description: 'At once and for good. The last ADMIN of a business must hand it over first (409).',
        response: { 200: Success },
      },
    },
    async ({ actor }) => {
      await eraseUser(control, actor)
      return success
    },
  )

  app.post(
    '/phone-number',
    {
      config: { ...own, keys: 'unbound' },
      schema: {
        operationId: 'requestPhoneCode',
        tags: ['Accounts'],
        summary: 'Send a code to a phone number',
        body: shape.PhoneBody,
        response: { 200: Success },
      },
    },
    async ({ actor, body, ip }) => {
      if (!providers.sms) throw providerNotConfigured('SMS')
      await requestPhoneCode(control, attempts, { actor, address: ip }, body.phoneNumber)
      return success
    },
  )

  app.post(
    '/phone-number/confirm',
    {
      config: { ...own, keys: 'unbound' },
      schema: {
        operationId: 'confirmPhone',
        tags: ['Accounts'],
        summary: 'Confirm a phone number',
        description:
          'With the code from the SMS. A guest who verified the number earlier is merged into the caller; an account that has it: 409 `PHONE_IN_USE`.',
        body: shape.PhoneConfirmBody,
        response: { 200: Success },
      },
    },
    async ({ actor, body }) => {
      await confirmPhone(control, box, actor, body)
      return success
    },
  )

  app.post(
    '/reset-password',
    {
      config: { ...account, keys: 'refused', shares: 'passwords', alsoCheck: alsoCheckPassword('newPassword') },
      schema: {
        operationId: 'changePassword',
        tags: ['Accounts'],
        summary: 'Change my password',
        description: 'All other sessions end at once.',
        body: shape.ChangePasswordBody,
        response: { 200: Success },
      },
    },
    async ({ actor, body, ip }) => {
      await changePassword({ control, box, attempts, address: ip }, actor, body)
      return success
    },
  )

  app.get(
    '/sessions',
    {
      config: { ...account, keys: 'unbound' },
      schema: {
        operationId: 'listSessions',
        tags: ['Accounts'],
        summary: 'Where am I logged in?',
        response: { 200: Type.Object({ items: Type.Array(shape.Session) }) },
      },
    },
    async ({ actor }) => ({ items: await listSessions(control, actor.userId, actor.sessionId) }),
  )

  app.delete(
    '/sessions',
    {
      config: { ...account, keys: 'refused', fails: [404] },
      schema: {
        operationId: 'endSessions',
        tags: ['Accounts'],
        summary: 'Log out elsewhere',
        description: 'Ends one session (`id`), or all but this one.',
        querystring: Type.Object({ id: Type.Optional(Id) }),
        response: { 200: Success },
      },
    },
    async ({ actor, query }) => {
      const { userId, sessionId } = actor
      await transaction(control, async (tx) => {
        if (query.id === undefined) return void (await revokeSessionsOf(tx, userId, sessionId))
        const mine = await tx
          .selectFrom('accounts.sessions')
          .select('id')
          .where('id', '=', query.id)
          .where('userId', '=', userId)
          .executeTakeFirst()
        if (!mine || !(await revokeSession(tx, mine.id))) throw notFound('session')
      })
      return success
    },
  )

  app.get(
    '/search',
    {
      config: { access: 'ADMIN', business: 'query' },
      schema: {
        operationId: 'searchUsers',
        tags: ['Accounts'],
        summary: 'Search the members and customers of a business',
        querystring: shape.SearchQuery,
        response: { 200: PageOf(shape.User) },
      },
    },
    ({ query }) => searchUsers(control, query),
  )

  app.put(
    '/set-role',
    {
      config: { access: 'ADMIN', business: 'body' },
      schema: {
        operationId: 'setRole',
        tags: ['Accounts'],
        summary: 'Give a user a role',
        description:
          'Adds the role to the user in that business; repeating it changes nothing. Somebody who has neither joined nor bought ' +
          'anything there is asked by mail, and has the role once they accept it; so is whoever is to become ADMIN. ' +
          '`roleId: null` takes the user’s roles and open invitations there away.',
        body: shape.SetRoleBody,
        response: { 200: Success },
      },
    },
    async ({ actor, business, body }) => {
      const { userId, roleId } = body
      await transaction(control, async (tx) => {
        const user = await holdUser(tx, userId)
        if (!user) throw notFound('user')
        const offer = await setRole(tx, { actor, businessId: business.id, userId, email: user.email, roleId })
        if (offer) await mailInvitation(tx, attempts, { ...offer, email: user.email ?? user.id })
      })
      return success
    },
  )
}
