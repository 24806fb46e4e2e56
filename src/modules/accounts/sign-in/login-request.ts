import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { isEmail } from '#vocabulary/email.ts'
import { badFields, type Detail } from '#vocabulary/errors.ts'
import { emailInvalid, emailRequired, passwordRequired, unknownProvider, valueRequired } from '../errors.ts'
import type { AccountOptions } from '../options.ts'
import { loginWithPasskey } from '../passkeys/login-with-passkey.ts'
import type { LoginBody } from '../schemas.ts'
import { loginAsGuest, loginWithEmail } from './login.ts'
import { loginWithCode } from './oauth.ts'

/** A login by whichever provider the body names. `endsAt`: when its session ends, if it does by itself. */
export async function login(options: AccountOptions, request: FastifyRequest, endsAt?: Date) {
  const body = request.body as Static<typeof LoginBody>
  const device = { userAgent: request.headers['user-agent'], address: request.ip }
  const context = { ...options, device, endsAt, caller: request.caller }
  if (body.provider === 'GUEST') return loginAsGuest(context, body, options.guestLoginsPerHour)
  if (body.provider === 'PASSKEY') {
    if (!body.passkey) throw valueRequired({ field: 'passkey' })
    return loginWithPasskey(context, body.passkey)
  }
  if (body.provider === 'OAUTH_IDP')
    return loginWithCode(context, { code: need('code', body.code), originUrl: need('originUrl', body.originUrl) })
  const { email, password } = body
  const details: Detail[] = []
  if (!email) details.push(emailRequired.asDetail())
  else if (!isEmail(email)) details.push(emailInvalid.asDetail())
  if (!password) details.push(passwordRequired.asDetail())
  if (!email || !password || details.length > 0) throw badFields(details)
  return loginWithEmail(context, { email, password })
}

function need(field: string, value: string | undefined): string {
  if (!value) throw valueRequired({ field })
  return value
}

/** A hook that runs before validation. */
export async function trimEmail({ body }: FastifyRequest): Promise<void> {
  const fields = (body ?? {}) as { email?: unknown }
  if (typeof fields.email === 'string') fields.email = fields.email.trim()
}

/** 400 for a missing or unknown provider, whatever else is wrong with the request. */
export const onlyProviders =
  (...known: string[]) =>
  async ({ body, query }: FastifyRequest) => {
    const { provider } = (body ?? query ?? {}) as { provider?: unknown }
    if (typeof provider !== 'string' || !known.includes(provider)) throw unknownProvider({ known: known.join(' or ') })
  }
