import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export type TokenAnswer = (response: ServerResponse, context: { nonce: string; clientSecret: string }) => unknown

/** An OpenID provider on loopback that answers each code with whatever a test makes up: how far is an answer believed? */
export async function openHostileProvider() {
  const [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }
  const answers = new Map<string, () => { answer: TokenAnswer; nonce: string }>()
  let userInfo: object = {}
  const clientSecret = 'hostile-secret-for-tests'

  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/.well-known/openid-configuration') {
      return json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
        code_challenge_methods_supported: ['S256'],
      })
    }
    if (path === '/jwks') return json(response, { keys: [jwk] })
    if (path === '/userinfo') return json(response, userInfo)
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const made = answers.get(new URLSearchParams(text).get('code') ?? '')?.()
      if (!made) return json(response, { error: 'invalid_grant' }, 400)
      void made.answer(response, { nonce: made.nonce, clientSecret })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  /** An id_token as an honest provider would make it, but for what is given; undefined takes a claim out. */
  async function idToken(claims: Record<string, unknown>, { key = own.privateKey, kid = 'own' } = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: issuer, aud: 'kontor', iat: now, exp: now + 300, ...claims }
    return new SignJWT(JSON.parse(JSON.stringify(all))).setProtectedHeader({ alg: 'RS256', kid }).sign(key)
  }

  return {
    issuer,
    foreignKey: foreign.privateKey,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'kontor', OIDC_CLIENT_SECRET: clientSecret },
    idToken,
    /** From now on the token endpoint answers this code so, once. */
    plan(code: string, nonce: string, answer: TokenAnswer) {
      answers.set(code, () => {
        answers.delete(code)
        return { answer, nonce }
      })
    },
    setUserInfo(info: object) {
      userInfo = info
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const json = (response: ServerResponse, body: object, status = 200) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
