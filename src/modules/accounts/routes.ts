import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { badRequest, type Detail, invalid, providerNotConfigured, unauthenticated } from '#vocabulary/errors.ts'
import { Email, Success } from '#vocabulary/schemas.ts'
import { mailLimits, registerLimit } from './attempts.ts'
import { resetPassword } from './change-password.ts'
import { confirm } from './confirm.ts'
import { unknownProvider } from './errors.ts'
import { resendConfirmation, sendReset } from './jobs.ts'
import { loginAsGuest, loginWithEmail } from './login.ts'
import { logout } from './logout.ts'
import { finishFlow, loginWithCode, startFlow } from './oauth.ts'
import type { AccountOptions } from './options.ts'
import { pageRoutes } from './page-routes.ts'
import { alsoCheckPassword, checkPassword } from './passwords.ts'
import { profileRoutes } from './profile-routes.ts'
import { refresh } from './refresh.ts'
import { register } from './register.ts'
import * as shape from './schemas.ts'
import { emailKey } from './users.ts'

const success = { success: true } as const

export const accountRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  await app.register(signInRoutes, { ...options, prefix: '/v1/users' })
  await app.register(profileRoutes, { ...options, prefix: '/v1/users' })
  await app.register(pageRoutes, options)

  const Jwk = Type.Object({
    kty: Type.String({ examples: ['EC'] }),
    crv: Type.String({ examples: ['P-256'] }),
    x: Type.String({ examples: ['f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'] }),
    y: Type.String({ examples: ['x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'] }),
    kid: Type.String({ examples: ['key_01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
    alg: Type.String({ examples: ['ES256'] }),
    use: Type.String({ examples: ['sig'] }),
  })
  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: 'public', business: 'none' },
      schema: {
        operationId: 'listSigningKeys',
        tags: ['Accounts'],
        summary: 'Public keys of access tokens',
        response: { 200: Type.Object({ keys: Type.Array(Jwk) }) },
      },
    },
    async (_request, reply) => {
      void reply.header('cache-control', 'public, max-age=300')
      return (await options.keyring.published()) as { keys: Static<typeof Jwk>[] }
    },
  )
}

const signInRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  const { control, tokens, box, attempts, origins, provider } = options
  const needMail = () => {
    if (!options.providers.mail) throw providerNotConfigured('mail')
  }
  const deviceOf = (request: FastifyRequest) => ({ userAgent: request.headers['user-agent'], address: request.ip })
  const open = { access: 'public', business: 'none' } as const
  const knownProvider = onlyProviders('EMAIL', 'OAUTH_IDP', 'GUEST')
  app.addHook('preValidation', async ({ body }) => {
    const fields = (body ?? {}) as { email?: unknown }
    if (typeof fields.email === 'string') fields.email = fields.email.trim()
  })

  app.post(
    '/register',
    {
      config: { ...open, shares: 'passwords', alsoCheck: alsoCheckPassword('password') },
      preValidation: onlyProviders('EMAIL_REGISTER', 'EMAIL'),
      schema: {
        operationId: 'register',
        tags: ['Sign in'],
        summary: 'Register with email and password',
        description:
          'A mail with a link is sent; the account can log in once the link was followed. A guest’s token in the header merges the guest.',
        body: shape.RegisterBody,
        response: { 200: Success },
      },
    },
    async ({ body, caller, ip }) => {
      const linkBase = await origins.linkBase('reserveDomain', body.reserveDomain)
      needMail()
      await attempts.count(registerLimit(ip)) // first: judging a password costs more than refusing to
      checkPassword('password', body.password, body.email) // before the mail counts: a weak one sends none
      await attempts.count(...mailLimits('register', ip, emailKey(body.email)))
      const name = body.name ?? [body.firstName, body.lastName].filter(Boolean).join(' ')
      await register(control, { email: body.email, password: body.password, name, linkBase, caller })
      return success
    },
  )

  app.put(
    '/confirm',
    {
      config: open,
      schema: {
        operationId: 'confirmEmail',
        tags: ['Sign in'],
        summary: 'Confirm an email address',
        body: shape.ConfirmBody,
        response: { 200: Success },
      },
    },
    async ({ body }) => {
      await confirm(control, tokens, body.token)
      return success
    },
  )

  app.post(
    '/resend-confirmation',
    {
      config: open,
      schema: {
        operationId: 'resendConfirmation',
        tags: ['Sign in'],
        summary: 'Send the confirmation mail again',
        description: 'Always succeeds, so that it does not tell who has an account.',
        body: shape.MailBody,
        response: { 200: Success },
      },
    },
    async ({ body, ip }) => {
      const linkBase = await origins.linkBase('reserveDomain', body.reserveDomain)
      needMail()
      await attempts.count(...mailLimits('confirm', ip, emailKey(body.email)))
      await transaction(control, (tx) => enqueue(tx, resendConfirmation, { email: body.email, linkBase }))
      return success
    },
  )

  app.post(
    '/login',
    {
      config: { ...open, isBadRequest: ({ provider }) => provider === 'EMAIL', shares: 'passwords', fails: [403] },
      preValidation: knownProvider,
      schema: {
        operationId: 'login',
        tags: ['Sign in'],
        summary: 'Log in',
        description:
          '`EMAIL`: email, password. `OAUTH_IDP`: code, originUrl. `GUEST`: phoneNumber (optional); each guest login is a new guest. ' +
          'A guest’s token in the header merges the guest into the account.',
        body: shape.LoginBody,
        response: { 200: shape.AuthResult },
      },
    },
    (request) => {
      const { body, caller } = request
      const context = { control, tokens, box, attempts, origins, device: deviceOf(request), caller }
      if (body.provider === 'GUEST') return loginAsGuest(context, body.phoneNumber, options.guestLoginsPerHour)
      if (body.provider === 'OAUTH_IDP')
        return loginWithCode(context, { code: need('code', body.code), originUrl: need('originUrl', body.originUrl) })
      const { email, password } = body
      const details: Detail[] = []
      if (!email) details.push({ field: 'email', error: 'REQUIRED', message: 'Fill in the email address.' })
      else if (!Check(Email, email))
        details.push({
          field: 'email',
          error: 'INVALID',
          message: 'The email address must be one such as ada@example.com.',
        })
      if (!password) details.push({ field: 'password', error: 'PASSWORD_REQUIRED', message: 'Fill in the password.' })
      if (!email || !password || details.length > 0)
        throw badRequest(details[0]?.message ?? 'The body is not valid.', details)
      return loginWithEmail(context, { email, password })
    },
  )

  app.get(
    '/login/url',
    {
      config: open,
      preValidation: onlyProviders('OAUTH_IDP'),
      schema: {
        operationId: 'getLoginUrl',
        tags: ['Sign in'],
        summary: 'Where to send a user to log in',
        description:
          'The identity provider’s address. The browser comes back to `redirectUrl` with a `code` for `POST /v1/users/login`, and the `state`.',
        querystring: shape.LoginUrlQuery,
        response: {
          200: Type.Object({
            url: Type.String({ examples: ['https://idp.example.com/authorize?…'] }),
            state: Type.String({ examples: ['x'] }),
          }),
        },
      },
    },
    ({ query, caller }) => startFlow(options, { ...query, caller }),
  )

  app.get(
    '/login/callback',
    {
      config: { ...open, takesAnyParameter: true },
      schema: {
        operationId: 'loginCallback',
        tags: ['Sign in'],
        summary: 'Where the identity provider sends the browser',
        description: 'Redirects to the `redirectUrl` of the login, with `code` or `error`. Not for clients.',
        querystring: shape.CallbackQuery,
        response: { 302: Type.Null({ 'x-response-description': 'To `redirectUrl`.' }) },
      },
    },
    async (request, reply) => {
      const target = await finishFlow(options, new URL(request.url, options.publicUrl))
      return reply.header('cache-control', 'no-store').redirect(target, 302)
    },
  )

  app.post(
    '/refresh',
    {
      config: { ...open, fails: [401] },
      preValidation: knownProvider,
      schema: {
        operationId: 'refresh',
        tags: ['Sign in'],
        summary: 'Get a new access token',
        description:
          'The refresh token changes each time; the one before it works for 30 more seconds, with the same successor. An older one ends the session.',
        body: shape.RefreshBody,
        response: { 200: shape.AuthResult },
      },
    },
    ({ body }) => refresh(control, tokens, body.refreshToken),
  )

  app.post(
    '/logout',
    {
      config: { ...open, fails: [401] },
      preValidation: async (request) => {
        request.body ??= {} // the header alone will do
        if ((request.body as { provider?: unknown }).provider !== undefined) await knownProvider(request)
      },
      schema: {
        operationId: 'logout',
        tags: ['Sign in'],
        summary: 'Log out',
        description: 'Ends the session behind the token; for OAUTH_IDP also revokes it at the identity provider.',
        body: shape.LogoutBody,
        response: { 200: Success },
      },
    },
    async ({ body, caller }) => {
      if (body.originUrl !== undefined) await origins.origin('originUrl', body.originUrl)
      const claims =
        body.token && ((await tokens.verify('access', body.token)) ?? (await tokens.verify('refresh', body.token)))
      const sessionId = claims ? claims.sid : body.token ? undefined : caller?.sessionId
      if (!sessionId && !body.token)
        throw invalid('token', 'REQUIRED', 'Send the access or refresh token of the session to end.')
      if (!sessionId) throw unauthenticated('This token is not valid, or no longer.')
      await logout({ control, box, provider }, sessionId)
      return success
    },
  )

  app.post(
    '/forgot-password',
    {
      config: open,
      schema: {
        operationId: 'forgotPassword',
        tags: ['Sign in'],
        summary: 'Send a link to choose a new password',
        description: 'Always succeeds, so that it does not tell who has an account.',
        body: shape.MailBody,
        response: { 200: Success },
      },
    },
    async ({ body, ip }) => {
      const linkBase = await origins.linkBase('reserveDomain', body.reserveDomain)
      needMail()
      await attempts.count(...mailLimits('reset', ip, emailKey(body.email)))
      await transaction(control, (tx) => enqueue(tx, sendReset, { email: body.email, linkBase }))
      return success
    },
  )

  app.post(
    '/reset-forgot-password',
    {
      config: { ...open, shares: 'passwords', alsoCheck: alsoCheckPassword('password') },
      schema: {
        operationId: 'resetForgotPassword',
        tags: ['Sign in'],
        summary: 'Choose a new password with a mailed token',
        body: shape.ResetBody,
        response: { 200: Success },
      },
    },
    async ({ body, ip }) => {
      await resetPassword({ control, box, attempts, address: ip }, body)
      return success
    },
  )
}

function need(field: string, value: string | undefined): string {
  if (!value) throw invalid(field, 'REQUIRED', `Fill in ${field}.`)
  return value
}

/** Missing or unknown is 400, whatever else is wrong with the request. */
const onlyProviders =
  (...known: string[]) =>
  async ({ body, query }: FastifyRequest) => {
    const { provider } = (body ?? query ?? {}) as { provider?: unknown }
    if (typeof provider !== 'string' || !known.includes(provider)) throw unknownProvider(known)
  }
