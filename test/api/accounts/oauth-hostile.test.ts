import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import { sql } from 'kysely'
import { CALLBACK_PATH } from '#modules/accounts/sign-in/oauth.ts'
import { json, openHostileProvider, type TokenAnswer } from '../../scenarios/hostile-provider.ts'
import { type Client, createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { createMake } from '../../support/make.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

const PUBLIC = 'http://localhost:3000'
const SHOP = 'https://shop.example.com'
const BLOG = 'https://blog.example.com'
const BACK = `${SHOP}/after?lang=de`
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Kontor <hello@kontor.example>' } // never spoken to: there is no worker here
const PASSWORD = 'harbour lantern teapot'

let api: TestApi
let idp: Awaited<ReturnType<typeof openHostileProvider>>
before(async () => {
  idp = await openHostileProvider()
  api = await startApi({ publicUrl: PUBLIC, env: { ...idp.env, ...MAIL, ALLOWED_ORIGINS: `${SHOP},${BLOG}` } })
})
after(async () => {
  await api.close()
  await idp.close()
})

const anonymous = () => createClient(api.url)
const loginUrl = (caller: Client = anonymous(), more: Record<string, string> = {}) =>
  caller.get(
    `/v1/users/login/url?${new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: SHOP, redirectUrl: BACK, ...more }).toString()}`,
  )
const redeem = (code: string | null, originUrl = SHOP) =>
  anonymous().post('/v1/users/login', { provider: 'OAUTH_IDP', code, originUrl })
const newCode = () => randomBytes(16).toString('hex')

async function start() {
  const { body, status, text } = await loginUrl()
  assert.equal(status, 200, text)
  return { state: body.state as string, nonce: new URL(body.url).searchParams.get('nonce') ?? '' }
}
/** The browser arrives at our callback; where is it sent? */
async function arrive(parameters: Record<string, string>) {
  const answer = await fetch(`${api.url}${CALLBACK_PATH}?${new URLSearchParams(parameters).toString()}`, {
    redirect: 'manual',
  })
  return { status: answer.status, back: URL.parse(answer.headers.get('location') ?? ''), text: await answer.text() }
}
/** A whole sign-in whose token endpoint answers like this. */
async function signIn(answer: TokenAnswer) {
  const { state, nonce } = await start()
  const code = newCode()
  idp.plan(code, nonce, answer)
  return { state, ...(await arrive({ code, state })) }
}
const tokens = (idToken: string) => ({ access_token: newCode(), token_type: 'Bearer', id_token: idToken })
/** Honest but for these claims. */
const claiming =
  (claims: Record<string, unknown>, options?: Parameters<typeof idp.idToken>[1]): TokenAnswer =>
  async (response, { nonce }) =>
    json(
      response,
      tokens(
        await idp.idToken(
          { sub: 'somebody', email: 'somebody@example.com', email_verified: true, nonce, ...claims },
          options,
        ),
      ),
    )

/** All that a sign-in could leave behind. */
async function traces() {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from accounts.users) as users, (select count(*) from accounts.sessions) as sessions,
           (select count(*) from accounts.identities) as identities,
           (select count(*) from accounts.oauth_flows where code_hash is not null) as codes,
           (select count(*) from accounts.attempts) as attempts,
           (select count(*) from graphile_worker._private_jobs) as jobs`.execute(api.services.databases.control)
  return rows[0]
}
const flows = async () =>
  (await api.services.databases.control.selectFrom('accounts.oauthFlows').select('stateHash').execute()).length

const HOSTILE = [
  'https://evil.example',
  'https://shop.example.com@evil.example',
  'https://shop.example.com:x@evil.example',
  'https://shop.example.com:443@evil.example',
  'https://user:password@shop.example.com',
  'https://user@shop.example.com',
  'https://@shop.example.com',
  'https://:@shop.example.com',
  'https://shop.example.com%40evil.example',
  'https://evil.example#@shop.example.com',
  'https://evil.example?shop.example.com',
  'https://evil.example/https://shop.example.com',
  'https://evil.example;shop.example.com',
  'https://evil.example&shop.example.com',
  'https://shop.example.com.evil.example',
  'https://shop.example.com-evil.example',
  'https://evilshop.example.com',
  'https://sub.shop.example.com',
  'https://example.com',
  'https://shop.example',
  'http://shop.example.com',
  'ftp://shop.example.com',
  'wss://shop.example.com',
  'hTTpS://EVIL.example',
  'https://shop.example.com:8443',
  'https://shop.example.com:80',
  'https://shop.example.com:99999',
  'https://sh\u043ep.example.com',
  'https://xn--shp-8cd.example.com',
  'https://shop\u3002example\u3002com',
  'https://\uff53hop.example.com',
  'https://shop.example.com\uff0fevil.example',
  'https://shop\u00ad.example.com',
  'https:\\\\shop.example.com',
  'https://evil.example\\@shop.example.com',
  'https://shop.example.com\\@evil.example',
  'https://shop.example.com\\.evil.example',
  'https:/\\evil.example',
  'https:/shop.example.com',
  'https:shop.example.com',
  'https:///evil.example',
  '////evil.example',
  '//evil.example',
  '//shop.example.com',
  '/after',
  'https://shop.example.com\r\nSet-Cookie: a=b',
  'https://shop.example.com/\r\nLocation: https://evil.example',
  'https://shop.example.com\t.evil.example',
  'ht\ntps://shop.example.com',
  ' https://shop.example.com',
  'https://shop.example.com ',
  'https://shop.example.com\u0001',
  'https://shop.example.com/\u007f',
  'https://shop.example.com\u2028',
  'https://shop.example.com.',
  'https://shop.example.com./after',
  'https://.shop.example.com',
  'javascript:alert(1)',
  'javascript://shop.example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://shop.example.com/1',
  'view-source:https://shop.example.com',
  'file:///etc/passwd',
  'https://[::1]',
  'http://[::ffff:127.0.0.1]:3000',
  'https://[shop.example.com]',
  'http://127.0.0.1:3000',
  'http://2130706433:3000',
  'http://localhost:3001',
  'https://localhost:3000',
  'http://localhost.:3000',
  'https://shop%2eexample%2ecom',
  'https://%73hop.example.com',
  'https://shop.example.com%2f@evil.example',
  'https://shop.example.com%00.evil.example',
  'https://shop.example.com%0d%0a.evil.example',
  'https://*',
  'https://*.example.com',
  '*',
  'null',
  'undefined',
  `https://${'shop.example.com.'.repeat(100)}evil.example`,
]

test('no hostile address gets past the allow list, and nothing else happens before it is refused', async () => {
  assert.ok(HOSTILE.length >= 50)
  const before = [await traces(), await flows()]
  const email = 'nobody@example.com'
  for (const address of HOSTILE) {
    const post = (path: string, body: object) => anonymous().post(`/v1/users/${path}`, body)
    const answers = await Promise.all([
      loginUrl(anonymous(), { originUrl: address }),
      loginUrl(anonymous(), { redirectUrl: address }),
      post('login', { provider: 'OAUTH_IDP', code: 'x', originUrl: address }),
      post('register', { provider: 'EMAIL_REGISTER', email, password: PASSWORD, reserveDomain: address }),
      post('resend-confirmation', { email, reserveDomain: address }),
      post('forgot-password', { email, reserveDomain: address }),
    ])
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.details[0]?.field, body.details[0]?.error]),
      [
        [422, 'originUrl', 'INVALID_ORIGIN_URI'],
        [422, 'redirectUrl', 'INVALID_REDIRECT_URI'],
        [422, 'originUrl', 'INVALID_ORIGIN_URI'],
        [422, 'reserveDomain', 'INVALID_ORIGIN_URI'],
        [422, 'reserveDomain', 'INVALID_ORIGIN_URI'],
        [422, 'reserveDomain', 'INVALID_ORIGIN_URI'],
      ],
      JSON.stringify(address),
    )
  }
  assert.deepEqual([await traces(), await flows()], before)
})

test('an address that is too long, given twice or not text is 422 as well', async () => {
  const long = `${SHOP}/${'a'.repeat(2_001)}`
  assert.equal((await loginUrl(anonymous(), { redirectUrl: long })).status, 422)
  const query = new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: SHOP, redirectUrl: BACK })
  query.append('redirectUrl', 'https://evil.example')
  assert.equal((await anonymous().get(`/v1/users/login/url?${query.toString()}`)).status, 422)
  const body = { email: 'nobody@example.com', reserveDomain: [SHOP] }
  assert.equal((await anonymous().post('/v1/users/forgot-password', body)).status, 422)
})

test('an honest answer logs in, so what follows is refused for its own sake', async () => {
  const { back, state, status } = await signIn(claiming({ sub: 'honest', email: 'honest@example.com' }))
  assert.deepEqual([status, back?.searchParams.get('error'), back?.searchParams.get('state')], [302, null, state])
  assert.equal((await redeem(back?.searchParams.get('code') ?? null)).status, 200)
})

const unsigned = (claims: object) =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`
const now = () => Math.floor(Date.now() / 1000)
const LIES: Record<string, TokenAnswer> = {
  'another nonce': claiming({ nonce: 'another' }),
  'no nonce': claiming({ nonce: undefined }),
  'another issuer': claiming({ iss: 'https://evil.example' }),
  'another audience': claiming({ aud: 'another-client' }),
  'two audiences, issued to the other': claiming({ aud: ['kontor', 'another-client'], azp: 'another-client' }),
  'no subject': claiming({ sub: undefined }),
  'an empty subject': claiming({ sub: '' }),
  'a subject that is no text': claiming({ sub: 5 }),
  'an expired token': claiming({ iat: now() - 7_200, exp: now() - 3_600 }),
  'no expiry': claiming({ exp: undefined }),
  'a token from the future': claiming({ iat: now() + 3_600, exp: now() + 7_200 }),
  'a token that is not valid yet': claiming({ nbf: now() + 3_600 }),
  'another key’s signature': (response, context) => claiming({}, { key: idp.foreignKey })(response, context),
  'a key nobody published': (response, context) => claiming({}, { key: idp.foreignKey, kid: 'x' })(response, context),
  'no signature': (response, { nonce }) =>
    json(response, tokens(unsigned({ iss: idp.issuer, aud: 'kontor', sub: 'x', nonce, iat: now(), exp: now() + 300 }))),
  'a signature with the client’s secret': async (response, { nonce, clientSecret }) => {
    const claims = { iss: idp.issuer, aud: 'kontor', sub: 'x', nonce, iat: now(), exp: now() + 300 }
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret))
    json(response, tokens(token))
  },
  'no id_token': (response) => json(response, { access_token: 'x', token_type: 'Bearer' }),
  'an id_token that is none': (response) => json(response, tokens('not.a.token')),
  'an error': (response) => json(response, { error: 'invalid_grant' }, 400),
  'a breakdown': (response) => void response.writeHead(500).end(),
  'text instead of JSON': (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{"access'),
  'a web page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  'JSON that is no object': (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
  'a redirect': (response) => void response.writeHead(307, { location: 'https://evil.example' }).end(),
  'a hung-up line': (response) => void response.destroy(),
  'another token type': async (response, { nonce }) =>
    json(response, { ...tokens(await idp.idToken({ sub: 'x', nonce })), token_type: 'mac' }),
  'no access token': async (response, { nonce }) =>
    json(response, { token_type: 'Bearer', id_token: await idp.idToken({ sub: 'x', nonce }) }),
}

test('a provider’s answer that is not right in every part logs nobody in', async () => {
  assert.ok(Object.keys(LIES).length >= 20)
  for (const [lie, answer] of Object.entries(LIES)) {
    const before = await traces()
    const { status, back, state } = await signIn(answer)
    assert.equal(status, 302, lie)
    assert.equal(back && back.origin + back.pathname, `${SHOP}/after`, lie)
    assert.deepEqual(
      ['error', 'code', 'state', 'lang'].map((name) => back?.searchParams.get(name)),
      ['login_failed', null, state, 'de'],
      lie,
    )
    assert.deepEqual(await traces(), before, lie)
  }
})

test('userinfo about somebody else logs nobody in', async () => {
  const before = await traces()
  idp.setUserInfo({ sub: 'somebody-else', email: 'victim@example.com', email_verified: true })
  const { back } = await signIn(claiming({ sub: 'mallory', email: undefined, email_verified: undefined }))
  assert.equal(back?.searchParams.get('error'), 'login_failed')
  assert.deepEqual(await traces(), before)

  idp.setUserInfo({ sub: 'quiet', email: 'quiet@example.com', email_verified: true, name: 'Quiet One' })
  const honest = await signIn(claiming({ sub: 'quiet', email: undefined, email_verified: undefined }))
  const { body } = await redeem(honest.back?.searchParams.get('code') ?? null)
  const me = await createClient(api.url, { authorization: `Bearer ${body.accessToken}` }).get('/v1/users/me')
  assert.deepEqual([me.body.email, me.body.name], ['quiet@example.com', 'Quiet One'])
})

test('an address joins an account only if the provider says true, not something like it', async () => {
  const ada = await createMake(api).user()
  for (const [index, verified] of ['true', 1, 'yes', {}, [true], null].entries()) {
    const { back } = await signIn(claiming({ sub: `almost-${index}`, email: ada.email, email_verified: verified }))
    const { body } = await redeem(back?.searchParams.get('code') ?? null)
    assert.notEqual(body.userId, ada.id)
    const me = await createClient(api.url, { authorization: `Bearer ${body.accessToken}` }).get('/v1/users/me')
    assert.ok(!('email' in me.body))
  }
})

test('a provider that does not answer is given up after five seconds', async () => {
  const before = await traces()
  const started = performance.now()
  const { back } = await signIn(() => {})
  assert.equal(back?.searchParams.get('error'), 'login_failed')
  assert.ok(performance.now() - started < 10_000)
  assert.deepEqual(await traces(), before)
})

test('a user who cancels comes back with access_denied; unknown words of the provider do not come through', async () => {
  const before = await traces()
  for (const [said, heard] of [
    ['access_denied', 'access_denied'],
    ['login_required', 'login_required'],
    ['<script>alert(1)</script>', 'login_failed'],
    ['server_error', 'login_failed'],
  ] as const) {
    const { state } = await start()
    const { back, status } = await arrive({ state, error: said, error_description: 'secret details' })
    assert.deepEqual([status, back?.searchParams.get('error'), back?.searchParams.get('code')], [302, heard, null])
    assert.ok(!back?.href.includes('secret'))
  }
  const { state } = await start()
  assert.equal((await arrive({ state })).back?.searchParams.get('error'), 'login_failed', 'neither code nor error')
  assert.deepEqual(await traces(), before)
})

test('an answer for one sign-in is worth nothing in another', async () => {
  const before = await traces()
  const [mine, theirs] = [await start(), await start()]
  const code = newCode()
  idp.plan(code, theirs.nonce, claiming({}))
  const swapped = await arrive({ code, state: mine.state })
  assert.equal(swapped.back?.searchParams.get('error'), 'login_failed')
  const replayed = await arrive({ code, state: theirs.state }) // the provider knows that code no more
  assert.equal(replayed.back?.searchParams.get('error'), 'login_failed')
  const forged = await arrive({ code, state: `${mine.state}x` })
  assert.deepEqual([forged.status, forged.back], [422, null])
  assert.equal((await arrive({ code })).status, 422)
  assert.deepEqual(await traces(), before)
})

test('a state is good for one callback, also for ten at once', async () => {
  const { state, nonce } = await start()
  const code = newCode()
  idp.plan(code, nonce, claiming({ sub: 'once' }))
  const answers = await Promise.all(Array.from({ length: 10 }, () => arrive({ code, state })))
  assert.deepEqual(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [302, ...Array(9).fill(422)],
  )
  assert.equal((await arrive({ code, state })).status, 422)
})

test('our code works once, from the origin that started, for a minute', async (t) => {
  const clock = holdClock()
  t.after(() => clock.release())
  const codeFor = async (sub: string) =>
    (await signIn(claiming({ sub, email: undefined, email_verified: undefined }))).back?.searchParams.get('code') ?? ''
  const refused = async (code: string, originUrl?: string) => {
    const { status, body } = await redeem(code, originUrl)
    return [status, body.details[0].error]
  }
  idp.setUserInfo({ sub: 'bound' })
  const bound = await codeFor('bound')
  assert.deepEqual(await refused(bound, BLOG), [422, 'TOKEN_INVALID'])
  assert.deepEqual(await refused(bound), [422, 'TOKEN_INVALID'], 'tried is used up')

  idp.setUserInfo({ sub: 'racer' })
  const raced = await codeFor('racer')
  const racers = await Promise.all(Array.from({ length: 10 }, () => redeem(raced)))
  assert.deepEqual(
    racers.map(({ status }) => status).sort((a, b) => a - b),
    [200, ...Array(9).fill(422)],
  )

  idp.setUserInfo({ sub: 'intime' })
  const intime = await codeFor('intime')
  clock.advance(59)
  assert.equal((await redeem(intime)).status, 200)
  idp.setUserInfo({ sub: 'late' })
  const late = await codeFor('late')
  clock.advance(61)
  assert.deepEqual(await refused(late), [422, 'TOKEN_EXPIRED'])
})

test('a sign-in waits ten minutes for its browser', async (t) => {
  const clock = holdClock()
  t.after(() => clock.release())
  const [intime, late] = [await start(), await start()]
  clock.advance(599)
  const code = newCode()
  idp.plan(code, intime.nonce, claiming({ sub: 'slow-reader', iat: now() }))
  assert.equal((await arrive({ code, state: intime.state })).back?.searchParams.get('error'), null)
  clock.advance(2)
  const expired = await arrive({ code: newCode(), state: late.state })
  assert.deepEqual([expired.status, expired.back], [422, null])
})

test('whoever registered somebody else’s address beforehand keeps nothing of it', async () => {
  const make = createMake(api)
  const victim = `victim.${process.pid}@example.com`
  const registered = await anonymous().post('/v1/users/register', {
    provider: 'EMAIL_REGISTER',
    email: victim,
    password: PASSWORD,
  })
  assert.equal(registered.status, 200, registered.text)
  // Should a hijacker ever hold a session or a key of an account that was never confirmed: these end, too.
  const { control } = api.services.databases
  const hijacker = await make.user()
  const key = await make.apiKey(hijacker.id)
  for (const caller of [hijacker, key]) assert.equal((await caller.get('/v1/users/me')).status, 200) // now it is remembered
  const prepared = await control
    .deleteFrom('accounts.users')
    .where('emailKey', '=', victim)
    .returning('passwordHash')
    .executeTakeFirstOrThrow()
  await control
    .updateTable('accounts.users')
    .set({ email: victim, emailKey: victim, confirmedAt: null, passwordHash: prepared.passwordHash })
    .where('id', '=', hijacker.id)
    .execute()

  const { back } = await signIn(claiming({ sub: 'victim', email: victim.toUpperCase() }))
  const { body } = await redeem(back?.searchParams.get('code') ?? null)
  assert.equal(body.userId, hijacker.id, 'the account is the owner’s now')
  for (const caller of [hijacker, key]) assert.equal((await caller.get('/v1/users/me')).status, 401)
  const old = await anonymous().post('/v1/users/login', { provider: 'EMAIL', email: victim, password: PASSWORD })
  assert.deepEqual([old.status, old.body.details[0].error], [422, 'PASSWORD_WRONG'])
  const me = await createClient(api.url, { authorization: `Bearer ${body.accessToken}` }).get('/v1/users/me')
  assert.deepEqual([me.body.isConfirmed, me.body.apiTokens], [true, []])
})

test('a suspended account comes back with access_denied', async () => {
  const make = createMake(api)
  const ada = await make.user()
  const { control } = api.services.databases
  await control.updateTable('accounts.users').set({ suspendedAt: new Date() }).where('id', '=', ada.id).execute()
  const { back } = await signIn(claiming({ sub: 'suspended', email: ada.email }))
  assert.deepEqual([back?.searchParams.get('error'), back?.searchParams.get('code')], ['access_denied', null])
})

test('without a provider a login is 503, and a bad origin is still told first', async (t) => {
  const bare = await startApi({ publicUrl: PUBLIC, databases: api.databases })
  t.after(() => bare.close())
  const caller = createClient(bare.url)
  const { status, body } = await loginUrl(caller, { originUrl: PUBLIC, redirectUrl: PUBLIC })
  assert.deepEqual([status, body.error], [503, 'PROVIDER_NOT_CONFIGURED'])
  assert.equal((await loginUrl(caller, { originUrl: 'https://evil.example', redirectUrl: PUBLIC })).status, 422)
})

test('a provider that is away, silent or somebody else is 502 within ten seconds, and names no secret', async (t) => {
  const silent = createServer(() => {}) // takes the call and says nothing
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const closed = createServer()
  closed.listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const closedUrl = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
  await new Promise((resolve) => closed.close(resolve))
  const issuers = [closedUrl, silentUrl, idp.issuer.replace('127.0.0.1', 'localhost')]
  await Promise.all(
    issuers.map(async (issuer) => {
      const away = await startApi({
        publicUrl: PUBLIC,
        databases: api.databases,
        env: { ...idp.env, OIDC_ISSUER: issuer },
      })
      t.after(() => away.close())
      const started = performance.now()
      const { status, body, text } = await loginUrl(createClient(away.url), { originUrl: PUBLIC, redirectUrl: PUBLIC })
      assert.deepEqual([status, body.error], [502, 'PROVIDER_FAILED'], issuer)
      assert.ok(performance.now() - started < 10_000)
      assert.ok(!text.includes('hostile-secret'))
    }),
  )
  silent.close()
})
