import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Liquid } from 'liquidjs'
import { Provider } from 'oidc-provider'

type Person = { sub: string; email: string; email_verified: true; name: string }

const PEOPLE: readonly Person[] = ['Ada Lovelace', 'Grace Hopper', 'Katherine Johnson'].map((name) => {
  const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
  return { sub: email, email, email_verified: true, name }
})
const engine = new Liquid({ root: import.meta.dirname, extname: '.liquid', outputEscape: 'escape', cache: true })

/** An OpenID provider for development: it accepts any identity without a password. */
export async function startIdentityProvider(port: number, callbackUrls: string[]) {
  const issuer = `http://127.0.0.1:${port}`
  const clientSecret = randomBytes(24).toString('base64url')
  const known = new Map(PEOPLE.map((person) => [person.sub, person]))
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const provider: Provider = quietly(
    () =>
      new Provider(issuer, {
        clients: [
          {
            client_id: 'kontor',
            client_secret: clientSecret,
            redirect_uris: callbackUrls,
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'dev', use: 'sig', alg: 'RS256' }] },
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        conformIdTokenClaims: false,
        features: { revocation: { enabled: true }, devInteractions: { enabled: false } },
        cookies: { keys: [randomBytes(24).toString('base64url')] },
        pkce: { required: () => true },
        ttl: { Interaction: 3_600, Session: 10, Grant: 86_400, AccessToken: 3_600, IdToken: 3_600 },
        interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/login/${uid}` },
        async findAccount(_context: unknown, sub: string) {
          return { accountId: sub, claims: async () => known.get(sub) ?? personOf(sub) }
        },
        // Skips the consent page: the only client is ours.
        async loadExistingGrant(context: { oidc: { client: { clientId: string }; session: { accountId: string } } }) {
          const { client, session } = context.oidc
          const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
          grant.addOIDCScope('openid email profile offline_access')
          await grant.save()
          return grant
        },
      } as unknown as ConstructorParameters<typeof Provider>[1]),
  )
  const handle = provider.callback()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Every login asks again: developers want to log in as somebody else the next time.
    if (request.url?.startsWith('/auth?')) delete request.headers.cookie
    if (!/^\/login\/[\w-]+$/.test(request.url ?? '')) return void handle(request, response)
    const { prompt } = await provider.interactionDetails(request, response)
    if (prompt.name !== 'login' || request.method !== 'POST') return show(response, '')
    const form = new URLSearchParams((await text(request)).slice(0, 10_000))
    const email = (form.get('person') ?? form.get('email') ?? '').trim().toLowerCase()
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) return show(response, 'Please enter an email address.')
    if (!known.has(email)) known.set(email, personOf(email, form.get('name')?.trim()))
    await provider.interactionFinished(request, response, { login: { accountId: email, remember: false } })
  }
  async function show(response: ServerResponse, problem: string): Promise<void> {
    const page = String(await engine.renderFile('identity', { people: PEOPLE, problem }))
    response.writeHead(problem ? 400 : 200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    response.end(page)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy()
      const why = (error as Error).message
      response.writeHead(400, { 'content-type': 'text/plain' }).end(`This login is over. Start again. (${why})`)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    issuer,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'kontor', OIDC_CLIENT_SECRET: clientSecret },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const personOf = (email: string, name?: string): Person => ({
  sub: email,
  email,
  email_verified: true,
  name: name || (email.split('@')[0] ?? email),
})

/** Suppresses the warning that everything is lost at a restart: here that is fine. */
function quietly<Result>(work: () => Result): Result {
  const { warn } = console
  console.warn = () => {}
  try {
    return work()
  } finally {
    console.warn = warn
  }
}
