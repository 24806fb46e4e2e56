import type { Provider } from '../credentials/sessions.ts'
import type { Tokens } from '../credentials/tokens.ts'

/** The response of login and refresh: two tokens of one session. */
export async function authResult(
  tokens: Tokens,
  session: { id: string; refreshId: string },
  user: { id: string; email: string | null },
  provider: Provider,
) {
  const claims = { sub: user.id, sid: session.id, provider, ...(user.email ? { email: user.email } : {}) }
  const access = await tokens.issue('access', claims)
  const refresh = await tokens.issue('refresh', { ...claims, jti: session.refreshId })
  return {
    userId: user.id,
    provider,
    accessToken: access.token,
    refreshToken: refresh.token,
    tokenType: 'Bearer' as const,
    expiresAt: access.claims.exp ?? 0,
    scope: provider === 'GUEST' ? ('guest' as const) : ('user' as const),
    isGuest: provider === 'GUEST',
  }
}
