import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { hashPassword } from '#modules/accounts/sign-in/passwords.ts'
import { json, openHostileProvider, type TokenAnswer } from '../scenarios/hostile-provider.ts'
import { createClient } from './client.ts'
import { createMake } from './make.ts'
import { startNameServer } from './name-server.ts'
import { PASSWORD } from './people.ts'
import { startApi } from './start-api.ts'

export const PUBLIC = 'http://localhost:3000'
export const SHOP = 'https://shop.example.com'
export const CALLBACK = '/v1/users/login/callback'
export const SECRET = 'hostile-secret-for-tests'

/** An API, name servers and an OpenID provider that says whatever a test wants, for businesses whose staff sign in with it. */
export async function openStaffDesk() {
  const names = await startNameServer()
  const idp = await openHostileProvider()
  const env = { OUTGOING_LOOPBACK: 'on', ALLOWED_ORIGINS: SHOP, ...names.env }
  const api = await startApi({ publicUrl: PUBLIC, env })
  const make = createMake(api)
  const { control } = api.services.databases
  let passwordHash: Promise<string> | undefined
  let count = 0

  const anonymous = () => createClient(api.url)

  /** A business with the role Editors, its provider set, and its domain proven. */
  async function openBusiness({ isProven = true, issuer = idp.issuer, ...more }: Settings = {}) {
    const business = await make.business()
    const domain = `shop${++count}.example`
    const { body: role } = await business.admin.post(`${business.path}/roles`, {
      name: 'Editors',
      permissions: ['CONTENT_WRITE'],
    })
    const provider = `${business.path}/sign-in-provider`
    const roles = [{ value: 'editors', roleId: role.id as string }]
    const sent = { issuer, clientId: 'kontor', clientSecret: SECRET, domains: [domain], roles, ...more }
    const saved = await business.admin.put(provider, sent)
    assert.equal(saved.status, 200, saved.text)
    const desk = { ...business, domain, provider, roleId: role.id as string, saved }
    if (isProven) await prove(desk)
    return desk
  }
  type Desk = Awaited<ReturnType<typeof openBusiness>>

  async function prove({ admin, domain, provider, saved }: Pick<Desk, 'admin' | 'domain' | 'provider' | 'saved'>) {
    const [{ record }] = saved.body.domains
    names.texts.set(record.name, [record.value])
    const checked = await admin.post(`${provider}/check-domain`, { domain })
    assert.equal(checked.body.status, 'PROVEN', checked.text)
  }

  const loginUrl = (businessId: string) =>
    anonymous().get(
      `/v1/users/login/url?${new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: SHOP, redirectUrl: `${SHOP}/after`, businessId }).toString()}`,
    )

  async function start(businessId: string) {
    const { body, status, text } = await loginUrl(businessId)
    assert.equal(status, 200, text)
    const url = new URL(body.url)
    return { state: body.state as string, nonce: url.searchParams.get('nonce') ?? '', url }
  }

  /** The browser arrives at a callback; where is it sent? */
  async function arrive(path: string, parameters: Record<string, string>) {
    const answer = await fetch(`${api.url}${path}?${new URLSearchParams(parameters).toString()}`, {
      redirect: 'manual',
    })
    const back = URL.parse(answer.headers.get('location') ?? '')
    return {
      status: answer.status,
      error: back?.searchParams.get('error') ?? null,
      code: back?.searchParams.get('code') ?? null,
    }
  }

  /** A whole sign-in whose token endpoint answers like this. */
  async function signIn(businessId: string, answer: TokenAnswer) {
    const { state, nonce } = await start(businessId)
    const code = randomBytes(16).toString('hex')
    idp.plan(code, nonce, answer)
    return arrive(`${CALLBACK}/${businessId}`, { code, state })
  }

  /** Honest but for these claims. */
  const claiming =
    (claims: Record<string, unknown>, options?: Parameters<typeof idp.idToken>[1]): TokenAnswer =>
    async (response, { nonce }) =>
      json(response, {
        access_token: randomBytes(8).toString('hex'),
        token_type: 'Bearer',
        id_token: await idp.idToken({ email_verified: true, groups: ['editors'], nonce, ...claims }, options),
      })

  const redeem = (code: string | null) =>
    anonymous().post('/v1/users/login', { provider: 'OAUTH_IDP', code, originUrl: SHOP })

  /** Signs somebody in for good. */
  async function enter(businessId: string, claims: Record<string, unknown>) {
    const { code, error } = await signIn(businessId, claiming(claims))
    assert.equal(error, null)
    const answer = await redeem(code)
    assert.equal(answer.status, 200, answer.text)
    const { accessToken, userId } = answer.body as { accessToken: string; userId: string }
    return { userId, ...createClient(api.url, { authorization: `Bearer ${accessToken}` }) }
  }

  /** A person with a password and an address of that domain, who is ADMIN of a business of their own. */
  async function openClient(domain: string) {
    passwordHash ??= hashPassword(PASSWORD)
    const email = `boss${++count}@${domain}`
    const boss = await make.user()
    const changes = { email, emailKey: email, passwordHash: await passwordHash }
    await control.updateTable('accounts.users').set(changes).where('id', '=', boss.id).execute()
    return { ...(await make.business({ owner: boss })), email, boss }
  }

  return {
    api,
    make,
    openClient,
    idp,
    names,
    env,
    control,
    openBusiness,
    prove,
    loginUrl,
    start,
    arrive,
    signIn,
    claiming,
    redeem,
    enter,
    anonymous,
    async close() {
      await api.close()
      await idp.close()
      names.close()
    },
  }
}

type Settings = { isProven?: boolean; issuer?: string; trustsSecondFactor?: boolean; roles?: object[] }
export type StaffDesk = Awaited<ReturnType<typeof openStaffDesk>>
