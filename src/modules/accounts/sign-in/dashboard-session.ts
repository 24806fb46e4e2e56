import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { nowMs } from '#platform/clock.ts'
import { isLoopback } from '#vocabulary/origins.ts'
import { Success } from '#vocabulary/schemas.ts'
import type { AccountOptions } from '../options.ts'
import { AuthResult, LoginBody } from '../schemas.ts'
import { finishLogin } from '../second-factor/login-challenge.ts'
import { LoginFactorBody } from '../second-factor/schemas.ts'
import { login, onlyProviders, trimEmail } from './login-request.ts'
import { logout } from './logout.ts'
import { refresh } from './refresh.ts'

const ADDRESS = '/admin/session'
const MAX_AGE_SECONDS = 30 * 24 * 3_600 // since the login, whoever holds the token

const SessionResult = Type.Omit(AuthResult, ['refreshToken'])
/** A login, or its second half, or nothing. */
const SessionBody = Type.Object({ ...Type.Partial(LoginFactorBody).properties, ...LoginBody.properties })

/**
 * The dashboard's session: the refresh token is in a cookie that no script can read, and the access token stays in
 * memory. No other route reads the cookie, so it opens nothing by itself; only pages of this service may call these
 * two, so no other site can use it.
 */
export const dashboardSessionRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  const { control, tokens, publicUrl } = options
  const cookie = createCookie(publicUrl)
  const knownProvider = onlyProviders('EMAIL', 'OAUTH_IDP', 'PASSKEY')
  const config = { access: 'public', business: 'none', isOwnPage: true } as const

  app.addHook('onRequest', async (_request, reply) => {
    void reply.header('cache-control', 'no-store').removeHeader('access-control-allow-origin')
  })

  async function endSession(refreshToken: string): Promise<void> {
    const claims = await tokens.verify('refresh', refreshToken)
    if (claims) await logout(options, claims.sid)
  }

  // With a body it logs in, with a challenge it finishes a login; without one the cookie is refreshed.
  const logsIn = ({ body }: FastifyRequest) => Object.keys(body ?? {}).length > 0
  const challengeOf = ({ body }: FastifyRequest) => (body as Static<typeof SessionBody>).challenge

  async function enter(request: FastifyRequest, endsAt: Date) {
    const challenge = challengeOf(request)
    if (challenge === undefined) return login(options, request, endsAt)
    const { code, recoveryCode, passkey } = request.body as Static<typeof LoginFactorBody>
    const shown = {
      ...(code === undefined ? {} : { code }),
      ...(recoveryCode === undefined ? {} : { recoveryCode }),
      ...(passkey === undefined ? {} : { passkey }),
    }
    const device = { userAgent: request.headers['user-agent'], address: request.ip }
    return finishLogin({ ...options, device }, { challenge, ...shown }, endsAt)
  }
  app.post(
    ADDRESS,
    {
      config: { ...config, shares: 'passwords', isBadRequest: ({ provider }) => provider === 'EMAIL' },
      schema: { body: SessionBody, response: { 200: SessionResult } },
      preValidation: async (request) => {
        request.body ??= {}
        await trimEmail(request)
        if (logsIn(request) && challengeOf(request) === undefined) await knownProvider(request)
      },
    },
    async (request, reply) => {
      const held = cookie.read(request.headers.cookie)
      const endsAt = new Date(nowMs() + MAX_AGE_SECONDS * 1_000)
      const { refreshToken, ...result } = logsIn(request)
        ? await enter(request, endsAt)
        : await refresh(control, tokens, held, { isShared: true, endsAt })
      if (logsIn(request)) await endSession(held) // its cookie is gone, so nobody else could
      void reply.header('set-cookie', cookie.write(refreshToken, MAX_AGE_SECONDS))
      return result satisfies Static<typeof SessionResult>
    },
  )

  app.delete(ADDRESS, { config, schema: { response: { 200: Success } } }, async (request, reply) => {
    await endSession(cookie.read(request.headers.cookie))
    void reply.header('set-cookie', cookie.write('', 0))
    return { success: true } as const
  })
}

/** On plain http, which is for development, browsers take neither `Secure` nor the prefix that asks for it. */
function createCookie(publicUrl: string) {
  const isPlain = publicUrl.startsWith('http:') && isLoopback(publicUrl)
  const name = isPlain ? 'kontor' : '__Host-kontor'
  return {
    /** Its value; empty if there is none. */
    read(header = ''): string {
      const pairs = header.split(';').map((pair) => pair.trim())
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
    },
    write: (value: string, maxAgeSeconds: number) =>
      `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isPlain ? '' : '; Secure'}`,
  }
}
