import { blockText, blockValue } from './blocks.ts'
import { misuse } from './errors.ts'
import { createOperations, type Operations } from './operations.ts'
import { formatPrice, priceOf } from './prices.ts'
import { createResources, type Resources } from './resources.ts'
import { type CallOptions, type Outgoing, type Settings, send, unlessEnded } from './send.ts'
import { createSessions, isUnauthenticated, type Sessions } from './session.ts'
import type { KontorStorage } from './store.ts'

export type KontorOptions = {
  /** Where the service is, such as `https://api.example.com`. */
  baseUrl: string
  /** The business that calls are about, unless they name another. */
  businessId?: string
  /** The market of quotes, checkouts, subscriptions and prices, unless they name another. */
  market?: string
  /** The language of texts and prices, unless another is named. */
  locale?: string
  /** Keeps the session: `() => localStorage`, for one. Default: memory. */
  storage?: KontorStorage | (() => KontorStorage)
  /** For servers: calls are made with this key, and there is no session. */
  apiKey?: string
  /**
   * For pages that keep the session themselves: calls are made with this token. It is asked again, with the token that
   * the service refused, and fails if there is none to be had.
   */
  accessToken?: (refused?: string) => Promise<string>
  fetch?: typeof fetch
  /** How long one attempt of a call may take; 15,000 unless told. */
  timeoutMs?: number
  /** How often a call is tried again that may be; 2 unless told. */
  retries?: number
  /** Whether the console says which fields of a body the service did not know. Unless told: if NODE_ENV is not production. */
  warnings?: boolean
}

export type Kontor = Resources & {
  session: Sessions['api']
  operations: Operations
  /** `blockValue`, `blockText`, `priceOf` and `formatPrice` with the locale and the market of this client. */
  blockValue: typeof blockValue
  blockText: typeof blockText
  priceOf: (variant: Parameters<typeof priceOf>[0], market?: string) => ReturnType<typeof priceOf>
  formatPrice: typeof formatPrice
}

export function createKontor(options: KontorOptions): Kontor {
  const { businessId, market, locale, apiKey, accessToken, storage, timeoutMs = 15_000, retries = 2 } = options
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const settings: Settings = {
    fetch: options.fetch ?? ((...given) => fetch(...given)),
    timeoutMs,
    retries,
    onIgnored: (options.warnings ?? isDevelopment()) ? createWarning() : () => {},
  }

  const sendAs = (call: Outgoing, headers: Record<string, string>, how: CallOptions) =>
    send({ ...call, headers: { ...call.headers, ...headers } }, settings, how)
  const bearer = (token: string | undefined): Record<string, string> =>
    token ? { authorization: `Bearer ${token}` } : {}

  /** Operations for the session itself, as the guest whose token it is, or as nobody. */
  const authAs = (token?: string, repeatable = false) => {
    if (apiKey !== undefined) throw misuse('A client with an apiKey has no session. Make another one without it.')
    return createOperations(baseUrl, businessId, (_, call, how) =>
      sendAs({ ...call, repeatable: repeatable || call.repeatable }, bearer(token), how),
    )
  }
  const sessions = createSessions(
    {
      // A code of the identity provider works once; a lost answer to anything else leaves a session that nobody uses.
      login: async (body, as) => authAs(as, body.provider !== 'OAUTH_IDP').login({ body }),
      register: async (body, as) => authAs(as).register({ body: { provider: 'EMAIL_REGISTER', ...body } }),
      refresh: async (body) => authAs().refresh({ body }),
      logout: async (token) => authAs().logout({ body: { token } }),
      loginUrl: async (query, as) => authAs(as).getLoginUrl({ query: { provider: 'OAUTH_IDP', ...query } }),
    },
    `kontor:${baseUrl}`,
    apiKey === undefined ? storage : undefined,
    businessId,
  )

  const operations = createOperations(baseUrl, businessId, (needsToken, call, how) => {
    if (!needsToken) return sendAs(call, {}, how)
    if (apiKey !== undefined) return sendAs(call, { 'x-api-key': apiKey }, how)
    how.signal?.throwIfAborted()
    const run = (token: string) => sendAs(call, bearer(token), how)
    return unlessEnded(accessToken ? withGiven(accessToken, run) : sessions.withToken(run), how.signal)
  })
  return {
    ...createResources(operations, { businessId, market, locale }),
    session: sessions.api,
    operations,
    blockValue: (blocks, id, other = locale) => blockValue(blocks, id, other),
    blockText: (blocks, id, other = locale) => blockText(blocks, id, other),
    priceOf: (variant, other = market) => (other === undefined ? undefined : priceOf(variant, other)),
    formatPrice: (amount, currency, other = locale) => formatPrice(amount, currency, other),
  }
}

/** Runs a call with a token that the page has; once more with a new one if the service does not know the first any longer. */
async function withGiven<Answer>(give: (refused?: string) => Promise<string>, run: (token: string) => Promise<Answer>) {
  const token = await give()
  try {
    return await run(token)
  } catch (error) {
    if (!isUnauthenticated(error)) throw error
    return run(await give(token))
  }
}

declare const process: { env: { NODE_ENV?: string } }

/** Bundlers put the value in the place of the name. A page without one has no `process`, and is left in peace. */
function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production'
  } catch {
    return false
  }
}

/** Once for each operation and fields: the same call is often made again and again. */
function createWarning(): Settings['onIgnored'] {
  const said = new Set<string>()
  return (operation, fields) => {
    const text = `Kontor: ${operation} ignored ${fields}. The service has no such fields: a typo, or a newer SDK?`
    if (said.has(text)) return
    said.add(text)
    console.warn(text)
  }
}
