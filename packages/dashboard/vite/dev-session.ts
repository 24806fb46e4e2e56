import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Connect, Plugin } from 'vite'

type Tokens = { refreshToken: string; provider: string; [field: string]: unknown }
type Answer = { status: number; body: unknown; cookie?: string }

const NAME = 'kontor-dev-session'

/**
 * Stands in for `/admin/session` where the service has none: a refresh token in a cookie, the rest in the answer. For
 * development and for tests of the built page; the service has its own.
 */
export function devSession(serviceUrl: string): Plugin {
  const answer = createAnswer(serviceUrl)
  const middleware: Connect.NextHandleFunction = (request, response, next) => {
    if (request.url?.replace(/\?.*/, '') !== '/admin/session') return next()
    answer(request).then(
      (given) => send(response, given),
      (error: Error) => send(response, { status: 502, body: { error: 'UNAVAILABLE', message: error.message } }),
    )
  }
  return {
    name: 'dev-session',
    configureServer: ({ middlewares }) => void middlewares.use(middleware),
    configurePreviewServer: ({ middlewares }) => void middlewares.use(middleware),
  }
}

function createAnswer(serviceUrl: string) {
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(serviceUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Tokens }
  }
  return async (request: IncomingMessage): Promise<Answer> => {
    const kept = readCookie(request)
    if (request.method === 'DELETE') {
      if (kept) await post('/v1/users/logout', { token: kept.refreshToken })
      return { status: 200, body: { success: true }, cookie: cookieOf('', 0) }
    }
    const asked = await text(request)
    if (!asked && !kept) return { status: 401, body: { error: 'UNAUTHENTICATED', message: 'Log in first.' } }
    const { status, body } = asked
      ? await post('/v1/users/login', JSON.parse(asked))
      : await post('/v1/users/refresh', kept)
    if (status !== 200) return { status, body, ...(asked ? {} : { cookie: cookieOf('', 0) }) }
    const { refreshToken, ...rest } = body
    const value = JSON.stringify({ provider: rest.provider, refreshToken })
    return { status, body: rest, cookie: cookieOf(encodeURIComponent(value), 2_592_000) }
  }
}

const cookieOf = (value: string, seconds: number) =>
  `${NAME}=${value}; HttpOnly; SameSite=Strict; Path=/admin; Max-Age=${seconds}`

function readCookie({ headers }: IncomingMessage): Tokens | undefined {
  const value = new RegExp(`(?:^|; )${NAME}=([^;]+)`).exec(headers.cookie ?? '')?.[1]
  return value ? (JSON.parse(decodeURIComponent(value)) as Tokens) : undefined
}

function send(response: ServerResponse, { status, body, cookie }: Answer): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, cookie ? { ...headers, 'set-cookie': cookie } : headers).end(JSON.stringify(body))
}
