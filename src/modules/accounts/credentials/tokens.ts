import { CompactSign, compactVerify, decodeProtectedHeader } from 'jose'
import { nowMs } from '#platform/clock.ts'
import { newId } from '#vocabulary/ids.ts'
import { ALGORITHM, type Keyring } from './signing-keys.ts'

/** The kinds of signed token. Each has its own type and audience, and a verifier accepts only its own kind. */
const KINDS = {
  access: { typ: 'at+jwt', audience: 'kontor/access', ttlSeconds: 3600 },
  refresh: { typ: 'kontor-refresh+jwt', audience: 'kontor/refresh', ttlSeconds: null },
  confirm: { typ: 'kontor-confirm+jwt', audience: 'kontor/confirm', ttlSeconds: 3600 },
  claim: { typ: 'kontor-claim+jwt', audience: 'kontor/claim', ttlSeconds: 30 * 86_400 },
} as const
export type TokenKind = keyof typeof KINDS

export type Claims = {
  sub: string
  email?: string
  provider: string
  sid: string
  jti: string
  /** Seconds; null for refresh tokens, which live as long as their session. */
  exp: number | null
}

export type Tokens = {
  issue(
    kind: TokenKind,
    claims: Omit<Claims, 'exp' | 'jti'> & { jti?: string },
  ): Promise<{ token: string; claims: Claims }>
  /** The claims of a valid token of that kind; undefined for everything else. */
  verify(kind: TokenKind, token: string): Promise<Claims | undefined>
  /** `verify` that tells expired tokens from invalid ones. */
  check(kind: TokenKind, token: string): Promise<Claims | 'expired' | 'invalid'>
}

const CLOCK_SKEW_SECONDS = 60

export function createTokens(keyring: Keyring, issuer: string): Tokens {
  return {
    async issue(kind, given) {
      const { typ, audience, ttlSeconds } = KINDS[kind]
      const { kid, key } = await keyring.signer()
      const iat = Math.floor(nowMs() / 1000)
      const claims: Claims = {
        ...given,
        jti: given.jti ?? newId('tok'),
        exp: ttlSeconds === null ? null : iat + ttlSeconds,
      }
      const payload = JSON.stringify({ ...claims, iss: issuer, aud: audience, iat })
      const token = await new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: ALGORITHM, kid, typ })
        .sign(key)
      return { token, claims }
    },
    async verify(kind, token) {
      const claims = await check(kind, token)
      return typeof claims === 'string' ? undefined : claims
    },
    check,
  }

  async function check(kind: TokenKind, token: string): Promise<Claims | 'expired' | 'invalid'> {
    const { typ, audience, ttlSeconds } = KINDS[kind]
    const payload = await readSigned(keyring, typ, token)
    if (!payload || payload.iss !== issuer || payload.aud !== audience) return 'invalid'
    const { sub, email, provider, sid, jti, exp, iat } = payload
    const nowSeconds = nowMs() / 1000
    if (typeof sub !== 'string' || typeof sid !== 'string' || typeof jti !== 'string') return 'invalid'
    if (typeof provider !== 'string' || typeof iat !== 'number' || iat > nowSeconds + CLOCK_SKEW_SECONDS)
      return 'invalid'
    if (ttlSeconds === null ? exp !== null : typeof exp !== 'number') return 'invalid'
    if (typeof exp === 'number' && exp <= nowSeconds) return 'expired'
    return { sub, provider, sid, jti, exp: exp as number | null, ...(typeof email === 'string' ? { email } : {}) }
  }
}

// The library's decoder accepts more, such as padding.
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Claims are checked by hand after the signature, because JWT libraries refuse the contract's `exp: null`. */
async function readSigned(keyring: Keyring, typ: string, token: string): Promise<Record<string, unknown> | undefined> {
  if (!COMPACT.test(token)) return undefined
  try {
    const header = decodeProtectedHeader(token)
    if (header.alg !== ALGORITHM || header.typ !== typ || typeof header.kid !== 'string' || 'crit' in header)
      return undefined
    const key = await keyring.verifier(header.kid)
    if (!key) return undefined
    const { payload } = await compactVerify(token, key, { algorithms: [ALGORITHM] })
    const claims: unknown = JSON.parse(Buffer.from(payload).toString())
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined
  } catch (error) {
    if (error instanceof Error && isOfToken(error)) return undefined
    throw error // the database, not the token
  }
}

const isOfToken = (error: Error & { code?: unknown }) =>
  (typeof error.code === 'string' && error.code.startsWith('ERR_J')) ||
  error instanceof SyntaxError ||
  error instanceof TypeError
