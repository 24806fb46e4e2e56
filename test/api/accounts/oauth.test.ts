import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CALLBACK_PATH } from '#modules/accounts/sign-in/oauth.ts'
import { createClient } from '../../support/client.ts'
import { addTotp, codeOf } from '../../support/factors.ts'
import { openIdentityProvider } from '../../support/identity-provider.ts'
import { createMake } from '../../support/make.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

const SHOP = 'https://shop.example.com'
const PUBLIC = 'http://localhost:3000'
let api: TestApi
let idp: Awaited<ReturnType<typeof openIdentityProvider>>
before(async () => {
  idp = await openIdentityProvider(PUBLIC + CALLBACK_PATH)
  api = await startApi({ publicUrl: PUBLIC, env: { ...idp.env, ALLOWED_ORIGINS: SHOP } })
})
after(async () => {
  await api.close()
  await idp.close()
})

const anonymous = () => createClient(api.url)
const loginUrl = (more: Record<string, string> = {}) =>
  anonymous().get(
    `/v1/users/login/url?${new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: SHOP, redirectUrl: `${SHOP}/after?lang=de`, ...more }).toString()}`,
  )

/** From the login address to the code that arrives at the shop. */
async function walk(sub: string) {
  const { body } = await loginUrl()
  const callback = await idp.logIn(body.url, sub)
  assert.equal(callback.origin + callback.pathname, PUBLIC + CALLBACK_PATH)
  const answer = await fetch(api.url + callback.pathname + callback.search, { redirect: 'manual' })
  return { state: body.state, callback, back: new URL(answer.headers.get('location') ?? '') }
}
const redeem = (code: string | null, originUrl = SHOP) =>
  anonymous().post('/v1/users/login', { provider: 'OAUTH_IDP', code, originUrl })

test('a user logs in through the provider, and comes back with a code that works once', async () => {
  idp.people.set('grace', { sub: 'grace', email: 'grace@example.com', email_verified: true, name: 'Grace Hopper' })
  const { back, state } = await walk('grace')

  assert.equal(back.origin + back.pathname, `${SHOP}/after`)
  assert.equal(back.searchParams.get('lang'), 'de')
  assert.equal(back.searchParams.get('state'), state)
  const { status, body } = await redeem(back.searchParams.get('code'))
  assert.equal(status, 200)
  assert.deepEqual([body.provider, body.scope, body.isGuest], ['OAUTH_IDP', 'user', false])
  const me = await createClient(api.url, { authorization: `Bearer ${body.accessToken}` }).get('/v1/users/me')
  assert.deepEqual([me.body.name, me.body.email, me.body.isConfirmed], ['Grace Hopper', 'grace@example.com', true])

  const again = await redeem(back.searchParams.get('code'))
  assert.deepEqual([again.status, again.body.details[0].error], [422, 'TOKEN_INVALID'])
  const second = await walk('grace')
  assert.equal((await redeem(second.back.searchParams.get('code'))).body.userId, body.userId)
})

test('logging out revokes at the provider as well', async () => {
  idp.people.set('mary', { sub: 'mary', email: 'mary@example.com', email_verified: true })
  const { back } = await walk('mary')
  const { body } = await redeem(back.searchParams.get('code'))
  const before = idp.revoked.length
  const out = await anonymous().post('/v1/users/logout', {
    provider: 'OAUTH_IDP',
    token: body.accessToken,
    originUrl: SHOP,
  })
  assert.equal(out.status, 200)
  assert.ok(idp.revoked.length > before)
  assert.equal(
    (await createClient(api.url, { authorization: `Bearer ${body.accessToken}` }).get('/v1/users/me')).status,
    401,
  )
})

test('an address that the provider does not call verified joins no account', async () => {
  const ada = await createMake(api).user()
  idp.people.set('mallory', { sub: 'mallory', email: ada.email ?? '', email_verified: false })
  const { back } = await walk('mallory')
  const { body } = await redeem(back.searchParams.get('code'))
  assert.notEqual(body.userId, ada.id)

  idp.people.set('ada', { sub: 'ada', email: ada.email?.toUpperCase() ?? '', email_verified: true })
  const honest = await walk('ada')
  assert.equal((await redeem(honest.back.searchParams.get('code'))).body.userId, ada.id)
})

test('origin and redirect must be the operator’s', async () => {
  const origin = await loginUrl({ originUrl: 'https://evil.example.com' })
  assert.deepEqual([origin.status, origin.body.details[0].error], [422, 'INVALID_ORIGIN_URI'])
  const redirect = await loginUrl({ redirectUrl: 'https://shop.example.com.evil.example/after' })
  assert.deepEqual([redirect.status, redirect.body.details[0].error], [422, 'INVALID_REDIRECT_URI'])
})

test('a callback with a foreign state logs nobody in', async () => {
  const answer = await fetch(`${api.url}${CALLBACK_PATH}?state=forged&code=x`, { redirect: 'manual' })
  assert.equal(answer.status, 422)
})

test('an address that only looks like somebody’s joins nothing, however verified', async () => {
  const mike = await createMake(api).user()
  const key = `mike-${process.pid}@example.com`
  const { control } = api.services.databases
  await control.updateTable('accounts.users').set({ email: key, emailKey: key }).where('id', '=', mike.id).execute()
  idp.people.set('kelvin', { sub: 'kelvin', email: key.replace('k', '\u212A'), email_verified: true })
  const { back } = await walk('kelvin')
  assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('code')], ['email_invalid', null])
  const joined = control.selectFrom('accounts.identities').select('userId')
  assert.deepEqual(await joined.where('subject', '=', 'kelvin').execute(), [])
})

test('an email address that requests refuse makes no account, and the error says why', async () => {
  const accounts = () =>
    api.services.databases.control
      .selectFrom('accounts.users')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
  for (const [index, email] of [
    '"q"@b.de',
    '"bob@example.com"@e.test',
    'a@[127.0.0.1]',
    'a@b',
    'a@localhost',
  ].entries()) {
    const before = await accounts()
    const sub = `odd-${index}`
    idp.people.set(sub, { sub, email, email_verified: true })
    const { back } = await walk(sub)
    assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('code')], ['email_invalid', null], email)
    assert.deepEqual(await accounts(), before)

    idp.people.set(sub, { sub, email, email_verified: false })
    const unverified = await redeem((await walk(sub)).back.searchParams.get('code'))
    assert.equal(unverified.status, 200, 'an address that is not used is not judged')
    const me = await createClient(api.url, { authorization: `Bearer ${unverified.body.accessToken}` }).get(
      '/v1/users/me',
    )
    assert.equal('email' in me.body, false)

    idp.people.set(sub, { sub, email, email_verified: true })
    assert.equal((await walk(sub)).back.searchParams.get('error'), null, 'a known identity goes on signing in')
  }
})

test('with a second factor the code of the flow gives a challenge, and a new identity joins only after the factor', async () => {
  const ada = await createMake(api).user()
  const { secret } = await addTotp(ada)
  idp.people.set('adele', { sub: 'adele', email: ada.email ?? '', email_verified: true })
  const identities = () =>
    api.services.databases.control
      .selectFrom('accounts.identities')
      .select('subject')
      .where('userId', '=', ada.id)
      .execute()
  const { back } = await walk('adele')
  const refused = await redeem(back.searchParams.get('code'))
  assert.deepEqual([refused.status, refused.body.details[0].error], [403, 'SECOND_FACTOR_REQUIRED'])
  assert.deepEqual(await identities(), [])
  const again = await redeem(back.searchParams.get('code'))
  assert.equal(again.status, 422, 'the code of the flow is used up')

  const finish = (challenge: string, code: string) =>
    anonymous().post('/v1/users/login/second-factor', { challenge, code })
  const done = await finish(refused.body.challenge, codeOf(secret))
  assert.deepEqual([done.status, done.body.userId, done.body.provider], [200, ada.id, 'OAUTH_IDP'], done.text)
  assert.deepEqual(await identities(), [{ subject: 'adele' }])
  const second = await redeem((await walk('adele')).back.searchParams.get('code'))
  assert.equal(second.status, 403, 'a known identity needs the factor, too')
  const before = idp.revoked.length
  const out = await anonymous().post('/v1/users/logout', { provider: 'OAUTH_IDP', token: done.body.accessToken })
  assert.equal(out.status, 200)
  assert.ok(idp.revoked.length > before, 'the provider’s token came along')
})
