import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { transaction } from '#platform/database/transaction.ts'
import { handle } from '#platform/http/operation.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { logoutRefused, noMail, tokenRequired } from '../errors.ts'
import { resendConfirmation, sendReset } from '../jobs.ts'
import type { AccountOptions } from '../options.ts'
import { passkeyRoutes } from '../passkeys/routes.ts'
import { profileRoutes } from '../profile/routes.ts'
import type { SigningKey } from '../schemas.ts'
import { secondFactorRoutes } from '../second-factor/routes.ts'
import { staffRoutes } from '../staff/routes.ts'
import { emailKey } from '../users/queries.ts'
import { mailLimits, registerLimit } from './attempts.ts'
import { resetPassword } from './change-password.ts'
import { confirm } from './confirm-address.ts'
import { dashboardSessionRoutes } from './dashboard-session.ts'
import { login, onlyProviders, trimEmail } from './login-request.ts'
import { logout } from './logout.ts'
import { finishFlow, startFlow } from './oauth.ts'
import * as operation from './operations.ts'
import { pageRoutes } from './page-routes.ts'
import { checkPassword } from './passwords.ts'
import { refresh } from './refresh.ts'
import { register } from './register.ts'

const success = { success: true } as const

export const accountRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  await app.register(signInRoutes, { ...options, prefix: '/v1/users' })
  await app.register(profileRoutes, { ...options, prefix: '/v1/users' })
  await app.register(secondFactorRoutes, { ...options, prefix: '/v1/users' })
  await app.register(passkeyRoutes, { ...options, prefix: '/v1/users' })
  await app.register(pageRoutes, options)
  await app.register(staffRoutes, options)
  if (options.hasDashboard) await app.register(dashboardSessionRoutes, options)

  handle(app, operation.listSigningKeys, async (_request, reply) => {
    void reply.header('cache-control', 'public, max-age=300')
    return (await options.keyring.published()) as { keys: SigningKey[] }
  })
}

const signInRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  const { control, tokens, box, attempts, origins, provider } = options
  const needMail = () => {
    if (!options.providers.mail) throw noMail()
  }
  const knownProvider = onlyProviders('EMAIL', 'OAUTH_IDP', 'GUEST', 'PASSKEY')
  app.addHook('preValidation', trimEmail)

  handle(
    app,
    operation.register,
    async ({ body, caller, ip }) => {
      const linkBase = await origins.linkBase('reserveDomain', body.reserveDomain)
      needMail()
      await attempts.count(registerLimit(ip)) // first, because judging a password costs more than refusing
      // Before mails are counted, because a weak password sends none.
      checkPassword('password', body.password, body.email)
      await attempts.count(...mailLimits('register', ip, emailKey(body.email)))
      const name = body.name ?? [body.firstName, body.lastName].filter(Boolean).join(' ')
      await register(control, { email: body.email, password: body.password, name, linkBase, caller })
      return success
    },
    { preValidation: onlyProviders('EMAIL_REGISTER', 'EMAIL') },
  )

  handle(app, operation.confirmEmail, async ({ body }) => {
    await confirm(control, tokens, body.token)
    return success
  })

  handle(app, operation.resendConfirmation, async ({ body, ip }) => {
    const linkBase = await origins.linkBase('reserveDomain', body.reserveDomain)
    needMail()
    await attempts.count(...mailLimits('confirm', ip, emailKey(body.email)))
    await transaction(control, (tx) => enqueue(tx, resendConfirmation, { email: body.email, linkBase }))
    return success
  })

  handle(app, operation.login, (request) => login(options, request), { preValidation: knownProvider })

  handle(app, operation.getLoginUrl, ({ query, caller }) => startFlow(options, { ...query, caller }), {
    preValidation: onlyProviders('OAUTH_IDP'),
  })

  handle(app, operation.loginCallback, async (request, reply) => {
    const target = await finishFlow(options, new URL(request.url, options.publicUrl))
    return reply.header('cache-control', 'no-store').redirect(target, 302)
  })

  handle(app, operation.refresh, ({ body }) => refresh(control, tokens, body.refreshToken), {
    preValidation: knownProvider,
  })

  handle(
    app,
    operation.logout,
    async ({ body, caller }) => {
      if (body.originUrl !== undefined) await origins.origin('originUrl', body.originUrl)
      const claims =
        body.token && ((await tokens.verify('access', body.token)) ?? (await tokens.verify('refresh', body.token)))
      const sessionId = claims ? claims.sid : body.token ? undefined : caller?.sessionId
      if (!sessionId && !body.token) throw tokenRequired()
      if (!sessionId) throw logoutRefused()
      await logout({ control, box, provider }, sessionId)
      return success
    },
    {
      preValidation: async (request) => {
        request.body ??= {} // the header alone is enough
        if ((request.body as { provider?: unknown }).provider !== undefined) await knownProvider(request)
      },
    },
  )

  handle(app, operation.forgotPassword, async ({ body, ip }) => {
    const linkBase = await origins.linkBase('reserveDomain', body.reserveDomain)
    needMail()
    await attempts.count(...mailLimits('reset', ip, emailKey(body.email)))
    await transaction(control, (tx) => enqueue(tx, sendReset, { email: body.email, linkBase }))
    return success
  })

  handle(app, operation.resetForgotPassword, async ({ body, ip }) => {
    await resetPassword({ control, box, attempts, address: ip }, body)
    return success
  })
}
