import { hash } from 'node:crypto'
import { createCache } from '#platform/cache.ts'
import { nowMs } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Listener } from '#platform/database/listener.ts'
import type { Credential } from '#platform/http/access.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { findApiKeyActor, isJwtShaped } from './api-keys.ts'
import { findSessionActor } from './sessions.ts'
import type { Tokens } from './tokens.ts'

const MAX_CREDENTIALS = 50_000
const MAX_LENGTH = 4_096
// Revocations are heard at once; this bounds what a lost message could cost.
const TTL_MS = 60_000

/**
 * Turns a credential into an actor. Checking a signature costs more than reading a product, so what was verified is kept, by
 * hash, until it expires; whether its session lives is kept apart, by session, and dropped at once when it is revoked.
 */
export function createAuthenticator(options: {
  control: ControlDb
  tokens: Tokens
  box: SecretBox
  listener: Listener
}) {
  const { control, tokens, box, listener } = options
  const trusted = () => listener.connected
  const verified = createCache<{ sessionId: string; expiresMs: number }>({ max: MAX_CREDENTIALS, ttlMs: 3_600_000 })
  const sessions = createCache<Actor>({ max: MAX_CREDENTIALS, ttlMs: TTL_MS, trusted })
  const apiKeys = createCache<Actor>({ max: MAX_CREDENTIALS, ttlMs: TTL_MS, trusted })
  listener.on('session', (id) => sessions.drop(id))
  listener.on('api-keys', (userId) => apiKeys.dropWhere((_key, actor) => actor.userId === userId))
  listener.onGap(() => {
    sessions.clear()
    apiKeys.clear()
  })

  async function verify(token: string) {
    const claims = await tokens.verify('access', token)
    return claims && { sessionId: claims.sid, expiresMs: (claims.exp ?? 0) * 1000 }
  }

  async function authenticateToken(token: string, key: string): Promise<Actor | undefined> {
    const known = await verified.get(key, () => verify(token))
    if (!known || known.expiresMs <= nowMs()) return undefined
    return sessions.get(known.sessionId, () => findSessionActor(control, known.sessionId))
  }

  return ({ kind, value }: Credential): Actor | undefined | Promise<Actor | undefined> => {
    if (value === '' || value.length > MAX_LENGTH) return undefined
    const key = hash('sha256', value, 'binary')
    const known = kind === 'bearer' ? verified.peek(key) : undefined
    const actor = known && known.expiresMs > nowMs() ? sessions.peek(known.sessionId) : undefined
    if (actor) return actor
    if (kind === 'bearer' && isJwtShaped(value)) return authenticateToken(value, key)
    return apiKeys.peek(key) ?? apiKeys.get(key, () => findApiKeyActor(control, box, value))
  }
}
