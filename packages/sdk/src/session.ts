import { KontorError, misuse } from './errors.ts'
import type { AuthResult } from './generated/types.gen.ts'
import { createStore, type KontorStorage } from './store.ts'
import { createTurns } from './turns.ts'

/** Who the calls are made as. */
export type Session = Pick<AuthResult, 'userId' | 'isGuest' | 'provider' | 'expiresAt'>

type Stored = AuthResult & {
  /** By this machine's clock, in ms: when to ask for new tokens. */
  freshUntil: number
}

/** How tokens are got from the service. A token in `as` is a guest's, who becomes who logs in. */
export type Auth = {
  login(body: Record<string, string>, as?: string): Promise<AuthResult>
  register(body: Registration, as?: string): Promise<unknown>
  refresh(body: Pick<AuthResult, 'provider' | 'refreshToken'>): Promise<AuthResult>
  logout(token: string): Promise<unknown>
  loginUrl(query: { originUrl: string; redirectUrl: string }, as?: string): Promise<{ url: string; state: string }>
}

export type Registration = { email: string; password: string; name?: string; reserveDomain?: string }

const REFRESH_BEFORE_MS = 60_000

export type Sessions = ReturnType<typeof createSessions>

/** Keeps the tokens: a guest's from the first call that needs one, an account's after a login. */
export function createSessions(
  auth: Auth,
  key: string,
  storage: KontorStorage | (() => KontorStorage) | undefined,
  businessId?: string,
) {
  // Guest logins are limited for each address and shop.
  const asGuest = { provider: 'GUEST', ...(businessId !== undefined && { businessId }) }
  const store = createStore(storage, key)
  const stateStore = createStore(storage, `${key}:state`)
  const inTurn = createTurns(key, store.isShared)
  const listeners = new Set<(session: Session | undefined) => void>()
  let lastSeen: string | undefined
  let renewal: Promise<Stored> | undefined

  /** Always from the store, so that tabs see each other's logins. */
  async function find(): Promise<Stored | undefined> {
    const found = parse(await store.read())
    tell(found)
    return found
  }

  async function keep(result: AuthResult): Promise<Stored> {
    const endMs = result.expiresAt * 1000 - REFRESH_BEFORE_MS
    // A clock that runs ahead takes every new token for an old one. It learns of the end from a 401 then.
    const stored = { ...result, freshUntil: endMs > Date.now() ? endMs : Number.MAX_SAFE_INTEGER }
    await store.write(JSON.stringify(stored))
    tell(stored)
    return stored
  }

  async function forget(): Promise<void> {
    await store.write(undefined)
    tell(undefined)
  }

  function tell(session: Stored | undefined): void {
    if (session?.userId === lastSeen) return
    lastSeen = session?.userId
    const told = session && present(session)
    // Later, so that one who throws is reported as usual and breaks no call.
    for (const listener of listeners) queueMicrotask(() => listener(told))
  }

  /** New tokens for these; one flight, however many wait for it. */
  function renew(stale: string | undefined): Promise<Stored> {
    renewal ??= inTurn(async () => {
      const found = await find()
      if (!found) return keep(await auth.login(asGuest))
      if (found.accessToken !== stale && isFresh(found)) return found // another tab was faster
      try {
        return await keep(await auth.refresh({ provider: found.provider, refreshToken: found.refreshToken }))
      } catch (error) {
        if (!isUnauthenticated(error)) throw error
        await forget()
        // A guest has nothing to lose but what they did. An account has to know that it is signed out.
        if (found.isGuest) return keep(await auth.login(asGuest))
        throw error
      }
    }).finally(() => {
      renewal = undefined
    })
    return renewal
  }

  /** The same, and never somebody else's: what an account began is not done in another name. */
  async function renewAs(before: Stored | undefined): Promise<Stored> {
    const isSame = (now: Stored | undefined) => !before || before.isGuest || now?.userId === before.userId
    const now = isSame(await find()) ? await renew(before?.accessToken) : undefined
    if (now && isSame(now)) return now
    const message = 'The session has ended. Log in again.'
    throw new KontorError({ status: 401, code: 'UNAUTHENTICATED', message })
  }

  /** Runs a call with a token; once more with a new one if the service does not know the first any longer. */
  async function withToken<Answer>(call: (accessToken: string) => Promise<Answer>): Promise<Answer> {
    const found = await find()
    const used = found && isFresh(found) ? found : await renewAs(found)
    try {
      return await call(used.accessToken)
    } catch (error) {
      if (!isUnauthenticated(error)) throw error
      return call((await renewAs(used)).accessToken)
    }
  }

  /** The token of the guest who is about to become an account. */
  async function guestToken(): Promise<string | undefined> {
    const found = await find()
    if (!found?.isGuest) return undefined
    // With a stale token nobody would be merged, and nothing would tell.
    return (isFresh(found) ? found : await renew(found.accessToken)).accessToken
  }

  async function logIn(body: Record<string, string>): Promise<Session> {
    const as = await guestToken()
    return inTurn(async () => present(await keep(await auth.login(body, as))))
  }

  return {
    withToken,
    api: {
      /** Who is signed in, as far as is known here: the service is not asked. */
      current: async (): Promise<Session | undefined> => {
        const found = await find()
        return found && present(found)
      },
      login: ({ email, password }: { email: string; password: string }) =>
        logIn({ provider: 'EMAIL', email, password }),
      /** Mails a link to confirm the address; nobody is signed in yet. */
      register: async (registration: Registration): Promise<void> => {
        const as = await guestToken()
        await auth.register(registration, as)
        if (as !== undefined) await inTurn(forget) // that guest is the account now
      },
      /** Where to send the browser, for a login with the identity provider. */
      loginUrl: async (query: { originUrl: string; redirectUrl: string }): Promise<{ url: string; state: string }> => {
        const answer = await auth.loginUrl(query, await guestToken())
        await stateStore.write(answer.state)
        return answer
      },
      /** With `code` and `state` from the address to which the browser came back. */
      finishLogin: async ({ code, originUrl, state }: { code: string; originUrl: string; state: string }) => {
        const expected = await stateStore.read()
        await stateStore.write(undefined)
        if (!state || state !== expected) {
          throw misuse('This login was not begun here (another state). Begin again with session.loginUrl().')
        }
        return logIn({ provider: 'OAUTH_IDP', code, originUrl })
      },
      /** Signed out here in any case; it fails if the service could not be told. */
      logout: async (): Promise<void> => {
        const found = await inTurn(async () => {
          const found = await find()
          await forget()
          return found
        })
        if (!found) return
        await auth.logout(found.refreshToken).catch((error: unknown) => {
          if (!isUnauthenticated(error)) throw error // it had ended already
        })
      },
      /** Calls back when another user, or nobody, is signed in. Answers a function that ends it. */
      onChange: (listener: (session: Session | undefined) => void): (() => void) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
  }
}

/** Not by the status: a 401 of a proxy says nothing about the session. */
export const isUnauthenticated = (error: unknown) => error instanceof KontorError && error.code === 'UNAUTHENTICATED'

const isFresh = ({ freshUntil }: Stored) => Date.now() < freshUntil

const present = ({ userId, isGuest, provider, expiresAt }: Stored): Session => ({
  userId,
  isGuest,
  provider,
  expiresAt,
})

function parse(text: string | undefined): Stored | undefined {
  try {
    const stored = JSON.parse(text ?? '') as Stored
    return typeof stored.accessToken === 'string' && typeof stored.refreshToken === 'string' ? stored : undefined
  } catch {
    return undefined
  }
}
