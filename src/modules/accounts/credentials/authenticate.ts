import { hash } from 'node:crypto'
import { createCache } from '#platform/cache.ts'
import { nowMs } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Listener } from '#platform/database/listener.ts'
import type { Credential } from '#platform/http/access.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type FoundKey, findApiKey } from './api-keys.ts'
import { createKeyUses } from './key-uses.ts'
import { isJwtShaped } from './key-values.ts'
import { ALL_SESSIONS, findSessionActor } from './sessions.ts'
import type { Tokens } from './tokens.ts'

const MAX_CREDENTIALS = 50_000
const MAX_LENGTH = 4_096
// Revocations arrive at once; this bounds the damage of a lost notification.
const TTL_MS = 60_000
const VERIFIED_MS = 3_600_000

/**
 * Turns a credential into an actor. Verifying a signature costs more than reading a product, so verified credentials
 * are cached by hash until they expire; whether the session is alive is cached separately, and dropped at once when it
 * is revoked.
 */
type FindSession = (sessionId: string) => Promise<Actor | undefined>

export function createAuthenticator(options: {
  control: ControlDb
  tokens: Tokens
  box: SecretBox
  listener: Listener
}) {
  const { control, tokens, box, listener } = options
  const trusted = () => listener.connected
  const lostAtMs = () => listener.lost?.atMs
  const verified = createCache<{ sessionId: string; expiresMs: number }>({
    max: MAX_CREDENTIALS,
    ttlMs: VERIFIED_MS,
    trusted,
    lostAtMs,
  })
  const sessions = createCache<Actor>({ max: MAX_CREDENTIALS, ttlMs: TTL_MS, trusted, lostAtMs })
  const apiKeys = createCache<FoundKey>({ max: MAX_CREDENTIALS, ttlMs: TTL_MS, trusted })
  // Never used to grant access, only to tell likely callers from floods: keys that were valid within the hour, and
  // recently refused ones.
  const seenKeys = createCache<true>({ max: MAX_CREDENTIALS, ttlMs: VERIFIED_MS })
  const refused = createCache<true>({ max: MAX_CREDENTIALS, ttlMs: TTL_MS })
  const noteUse = createKeyUses(control)
  const note = (cache: typeof refused, key: string) => void cache.get(key, async () => true)
  listener.on('session', (id) => (id === ALL_SESSIONS ? sessions.clear() : sessions.drop(id)))
  listener.on('signing-keys', () => verified.clear()) // one of them may have been revoked
  listener.on('api-keys', (userId) => apiKeys.dropWhere((_key, found) => found.userId === userId))
  listener.onGap((when) => {
    if (when === 'lost') return // `trusted` and `kept` know
    verified.clear()
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
    const actor = await sessions.get(known.sessionId, () => findSessionActor(control, known.sessionId))
    if (!actor) note(refused, key)
    return actor
  }

  async function authenticateKey(value: string, key: string): Promise<Actor | undefined> {
    const actor = use(await apiKeys.get(key, () => findApiKey(control, box, value)))
    note(actor ? seenKeys : refused, key)
    return actor
  }

  /** A key that is remembered ends at its time nevertheless. */
  function use(found: FoundKey | undefined): Actor | undefined {
    if (!found || found.expiresMs <= nowMs()) return undefined
    noteUse(found)
    return found.actor
  }

  const hashOf = (value: string) => hash('sha256', value, 'binary')
  const isReadable = (value: string) => value !== '' && value.length <= MAX_LENGTH
  const isToken = ({ kind, value }: Credential) => kind === 'bearer' && isJwtShaped(value)

  return {
    peek(credential: Credential): Actor | undefined {
      if (!isReadable(credential.value)) return undefined
      const key = hashOf(credential.value)
      if (!isToken(credential)) return use(apiKeys.peek(key))
      const known = verified.peek(key)
      return known && known.expiresMs > nowMs() ? sessions.peek(known.sessionId) : undefined
    },
    async authenticate(credential: Credential): Promise<Actor | undefined> {
      const { value } = credential
      if (!isReadable(value)) return undefined
      const key = hashOf(value)
      return isToken(credential) ? authenticateToken(value, key) : authenticateKey(value, key)
    },
    /**
     * Whether a credential is worth checking: signed by us, or a key that was valid before, and not refused a moment
     * ago.
     */
    async recognises(credential: Credential): Promise<boolean> {
      const { value } = credential
      const key = hashOf(value)
      if (!isReadable(value) || refused.peek(key)) return false
      if (!isToken(credential)) return seenKeys.peek(key) === true
      const known = verified.kept(key) ?? (await verified.get(key, () => verify(value)))
      return known !== undefined && known.expiresMs > nowMs()
    },
    /**
     * Whose token this is, as was known when control was lost; undefined if it was not, for keys, and for operators: what may do much
     * is not let in on old news. `find` looks elsewhere for a session.
     */
    async known(credential: Credential, find: FindSession = async () => undefined): Promise<Actor | undefined> {
      if (!isReadable(credential.value) || !isToken(credential)) return undefined
      const key = hashOf(credential.value)
      const token = verified.kept(key) ?? (await verify(credential.value).catch(() => undefined))
      if (!token || token.expiresMs <= nowMs()) return undefined
      const actor = sessions.kept(token.sessionId) ?? (await find(token.sessionId))
      return actor?.isOperator ? undefined : actor
    },
  }
}
