import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export type Person = { sub: string; email?: string; email_verified?: boolean; name?: string }

type At = { host: string; port: number }

/**
 * A real OpenID provider on loopback, with people who log in by name. `through`: where it is reached, if not where it listens.
 * `logoutUrl`: where it tells of logouts.
 */
export async function openIdentityProvider(callbackUrl: string, through?: (at: At) => Promise<At>, logoutUrl?: string) {
  const people = new Map<string, Person>()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  const at = (await through?.(own)) ?? own
  const issuer = `http://${at.host}:${at.port}`
  const revoked: string[] = []
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'kontor',
        client_secret: 'kontor-secret-for-tests',
        redirect_uris: [callbackUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        ...(logoutUrl ? { backchannel_logout_uri: logoutUrl } : {}),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    features: {
      revocation: { enabled: true },
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: logoutUrl !== undefined },
    },
    cookies: { keys: ['test'] },
    // Without its own guard: whom it tells of logouts is on this machine.
    fetch: (url: string, options: RequestInit) => fetch(url, { ...options, dispatcher: undefined }),
    pkce: { required: () => true },
    async findAccount(_context: unknown, sub: string) {
      return { accountId: sub, claims: async () => people.get(sub) ?? { sub } }
    },
  } as unknown as ConstructorParameters<typeof Provider>[1])
  provider.on('grant.revoked', () => revoked.push('grant'))
  provider.on('access_token.destroyed', () => revoked.push('access_token'))
  const handle = provider.callback()
  server.on('request', (request, response) => void handle(request, response))

  return {
    issuer,
    people,
    revoked,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'kontor', OIDC_CLIENT_SECRET: 'kontor-secret-for-tests' },
    /** Tells us that a person has logged out everywhere. */
    async tellLogout(sub: string) {
      const client = (await provider.Client.find('kontor')) as unknown as {
        backchannelLogout(sub: string, sid: string): Promise<unknown>
      }
      await client.backchannelLogout(sub, 'any')
    },
    /** Walks through the provider's pages as a browser would. Answers where it is sent in the end, outside the provider. */
    logIn: (url: string, sub: string) => browse(issuer, url, sub),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function browse(issuer: string, start: string, sub: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let request: { url: URL; form?: URLSearchParams } = { url: new URL(start) }
  for (let steps = 0; steps < 20; steps++) {
    if (request.url.origin !== issuer) return request.url
    const response: Response = await fetch(request.url, {
      method: request.form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(request.form ? { body: request.form } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location) {
      request = { url: new URL(location, request.url) }
      continue
    }
    const html = await response.text()
    const action = /action="([^"]+)"/.exec(html)?.[1]
    if (!action) throw new Error(`The provider showed no form at ${request.url.href}: ${html.slice(0, 500)}`)
    const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1] ?? 'login'
    request = {
      url: new URL(action, request.url),
      form: new URLSearchParams(prompt === 'login' ? { prompt, login: sub, password: 'any' } : { prompt }),
    }
  }
  throw new Error('The provider sent the browser round in circles')
}
