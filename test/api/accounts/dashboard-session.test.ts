import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { CALLBACK_PATH } from '#modules/accounts/sign-in/oauth.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { addPasskey, addTotp, codeOf, usePasskey, wrongCodeOf } from '../../support/factors.ts'
import { openIdentityProvider } from '../../support/identity-provider.ts'
import { createPeople, decodeToken, PASSWORD } from '../../support/people.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

const PUBLIC = 'http://localhost:3000'
const SESSION = '/admin/session'

let api: TestApi
let idp: Awaited<ReturnType<typeof openIdentityProvider>>
before(async () => {
  idp = await openIdentityProvider(PUBLIC + CALLBACK_PATH)
  api = await startApi({ publicUrl: PUBLIC, env: { ...idp.env } })
})
after(async () => {
  await api.close()
  await idp.close()
})

/** A browser with the dashboard open: sends its origin, and keeps the one cookie. */
function openBrowser(origin: string | undefined = PUBLIC, url = api.url) {
  let cookie = ''
  const send = async (method: 'POST' | 'DELETE', body?: object): Promise<Answer> => {
    const headers = { ...(origin ? { origin } : {}), ...(cookie ? { cookie: `theme=dark; ${cookie}` } : {}) }
    const answer = await createClient(url, headers).send(method, SESSION, { body })
    const [set] = answer.headers.getSetCookie()
    if (set) cookie = set.split(';')[0] ?? ''
    return answer
  }
  return {
    logIn: (email: string, password = PASSWORD) => send('POST', { provider: 'EMAIL', email, password }),
    refresh: () => send('POST'),
    logOut: () => send('DELETE'),
    send,
    get token() {
      return cookie.split('=')[1] ?? ''
    },
    set cookie(value: string) {
      cookie = value
    },
    get cookie() {
      return cookie
    },
  }
}

async function signedIn() {
  const person = await createPeople(api).person()
  const browser = openBrowser()
  const { status, body, text } = await browser.logIn(person.email)
  assert.equal(status, 200, text)
  return { person, browser, body }
}

function heldClock(t: TestContext) {
  const clock = holdClock()
  t.after(clock.release)
  return clock
}

const me = (accessToken: string) =>
  createClient(api.url, { authorization: `Bearer ${accessToken}` }).get('/v1/users/me')
const jti = (token: string) => decodeToken(token).jti

test('a login answers the access token alone; the refresh token is in a cookie that scripts cannot read', async () => {
  const { email, id } = await createPeople(api).person()
  const answer = await openBrowser().logIn(` ${email} `)

  assert.equal(answer.status, 200, answer.text)
  const { accessToken, expiresAt, ...rest } = answer.body
  assert.deepEqual(rest, { userId: id, provider: 'EMAIL', tokenType: 'Bearer', scope: 'user', isGuest: false })
  assert.ok(expiresAt > Date.now() / 1000)
  assert.equal((await me(accessToken)).body.id, id)
  const [cookie = ''] = answer.headers.getSetCookie()
  assert.match(cookie, /^kontor=ey[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('access-control-allow-origin'), null)
})

test('without a body the cookie is refreshed; what ends the session ends the cookie', async (t) => {
  const clock = heldClock(t)
  const { browser, person } = await signedIn()
  const first = browser.token
  clock.advance(3_600)
  const { status, body } = await browser.refresh()
  assert.deepEqual([status, body.userId, 'refreshToken' in body], [200, person.id, false])
  assert.notEqual(jti(browser.token), jti(first))

  const out = await browser.logOut()
  assert.deepEqual([out.status, out.body, browser.token], [200, { success: true }, ''])
  assert.match(out.headers.getSetCookie()[0] ?? '', /^kontor=; Path=\/; Max-Age=0; HttpOnly/)
  assert.equal((await me(body.accessToken)).status, 401)
  assert.equal(refusal(await browser.refresh()), '401 UNAUTHENTICATED')
  browser.cookie = `kontor=${first}`
  assert.equal(refusal(await browser.refresh()), '401 UNAUTHENTICATED')
  assert.equal((await browser.logOut()).status, 200, 'ending twice is no error')
})

test('the session ends 30 days after the login, however often it was refreshed, and wherever its token goes', async (t) => {
  const clock = heldClock(t)
  const { browser, person } = await signedIn()
  const DAY = 86_400
  for (let day = 0; day < 29; day += 7) {
    clock.advance(7 * DAY - 60)
    if (day < 28) assert.equal((await browser.refresh()).status, 200)
  }
  const copied = browser.token
  const shopper = await createClient(api.url).post('/v1/users/login', {
    provider: 'EMAIL',
    email: person.email,
    password: PASSWORD,
  })
  assert.equal(refusal(await browser.refresh()), '401 UNAUTHENTICATED')
  const elsewhere = await createClient(api.url).post('/v1/users/refresh', { provider: 'EMAIL', refreshToken: copied })
  assert.equal(refusal(elsewhere), '401 UNAUTHENTICATED')
  const { action } = await api.services.databases.control
    .selectFrom('access.auditLog')
    .select('action')
    .where('subject', '=', person.id)
    .where('action', 'like', 'session.%')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  assert.equal(action, 'session.ended', 'it is not taken for a stolen one')

  clock.advance(100 * DAY)
  const { refreshToken } = shopper.body
  const other = await createClient(api.url).post('/v1/users/refresh', { provider: 'EMAIL', refreshToken })
  assert.equal(other.status, 200, 'refresh tokens of other logins do not expire')
})

test('whoever signs in over a session ends it: its cookie is gone, so nobody else could', async () => {
  const { browser, person, body: before } = await signedIn()
  const stolen = browser.cookie
  assert.equal((await browser.logIn(person.email)).status, 200)
  assert.equal((await me(before.accessToken)).status, 401)
  const thief = openBrowser()
  thief.cookie = stolen
  assert.equal(refusal(await thief.refresh()), '401 UNAUTHENTICATED')
  assert.equal((await browser.refresh()).status, 200)
})

test('pages of other origins, and whoever names none, are refused', async () => {
  const { browser, person } = await signedIn()
  for (const origin of ['https://evil.example', `${PUBLIC}.evil.example`, 'http://localhost:3001', 'null', '']) {
    const other = openBrowser(origin || undefined)
    if (!origin) {
      const anonymous = createClient(api.url, { cookie: browser.cookie })
      assert.equal(refusal(await anonymous.send('POST', SESSION)), '403 FORBIDDEN')
      assert.equal(refusal(await anonymous.delete(SESSION)), '403 FORBIDDEN')
      continue
    }
    other.cookie = browser.cookie
    assert.equal(refusal(await other.refresh()), '403 FORBIDDEN', origin)
    assert.equal(refusal(await other.logIn(person.email)), '403 FORBIDDEN', origin)
    assert.equal(refusal(await other.logOut()), '403 FORBIDDEN', origin)
  }
  assert.equal((await browser.refresh()).status, 200, 'nothing of this ended the session')
})

test('no other route reads the cookie', async () => {
  const { browser } = await signedIn()
  const headers = { cookie: browser.cookie, origin: PUBLIC }
  const client = createClient(api.url, headers)
  assert.equal((await client.get('/v1/users/me')).status, 401)
  assert.equal((await client.post('/v1/users/refresh', { provider: 'EMAIL' })).status, 422)
  assert.equal((await client.post('/v1/users/logout', {})).status, 422)
})

test('wrong passwords are refused and limited as at the login; guests and unknown providers are not for here', async () => {
  const { email } = await createPeople(api).person()
  const browser = openBrowser()
  assert.equal(refusal(await browser.logIn(email, 'wrong')), '422 VALIDATION_FAILED password PASSWORD_WRONG')
  assert.equal(
    refusal(await browser.send('POST', { provider: 'EMAIL', email })),
    '400 BAD_REQUEST password PASSWORD_REQUIRED',
  )
  for (const body of [{ provider: 'GUEST' }, { provider: 'MAGIC' }, { email, password: PASSWORD }])
    assert.equal(refusal(await browser.send('POST', body)), '400 BAD_REQUEST')
  for (let guess = 1; guess < 10; guess++) await browser.logIn(email, `wrong ${guess}`)
  assert.equal((await browser.logIn(email)).status, 429)
  assert.equal((await createPeople(api).login(email)).status, 429, 'it is the same limit')
  assert.equal(browser.cookie, '')
})

test('tabs that start together all stay signed in, also those whose answers come late', async (t) => {
  const clock = heldClock(t)
  const { browser, person } = await signedIn()
  const { cookie } = browser
  const tab = (held: string) => {
    const opened = openBrowser()
    opened.cookie = held
    return opened
  }
  const tabs = Array.from({ length: 10 }, () => tab(cookie))
  const answers = await Promise.all(tabs.map((each) => each.refresh()))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(tabs.map(({ token }) => jti(token))).size, 1)

  // A tab that has the new cookie refreshes before one that still has the old one.
  const early = tab((tabs[0] as ReturnType<typeof tab>).cookie)
  assert.equal((await early.refresh()).status, 200)
  const late = tab(cookie)
  assert.equal((await late.refresh()).status, 200)
  assert.equal(jti(late.token), jti(early.token))

  clock.advance(31)
  assert.equal((await late.refresh()).status, 200)
  assert.notEqual(jti(late.token), jti(early.token))
  const sessions = await api.services.databases.control
    .selectFrom('accounts.sessions')
    .select('revokedAt')
    .where('userId', '=', person.id)
    .execute()
  assert.deepEqual(sessions, [{ revokedAt: null }])
})

test('who lost the answer in a tunnel is still signed in minutes later', async (t) => {
  const clock = heldClock(t)
  const { browser } = await signedIn()
  const held = browser.cookie
  await browser.refresh()
  const got = jti(browser.token)
  browser.cookie = held
  clock.advance(240)
  assert.equal((await browser.refresh()).status, 200)
  assert.equal(jti(browser.token), got)
})

test('a cookie that was replaced more than five minutes ago is a stolen one: the session ends', async (t) => {
  const clock = heldClock(t)
  const { browser, person } = await signedIn()
  const stolen = browser.cookie
  await browser.refresh()
  clock.advance(301)
  const thief = openBrowser()
  thief.cookie = stolen
  assert.equal(refusal(await thief.refresh()), '401 UNAUTHENTICATED')
  assert.equal(refusal(await browser.refresh()), '401 UNAUTHENTICATED')
  const noted = await api.services.databases.control
    .selectFrom('access.auditLog')
    .select('action')
    .where('subject', '=', person.id)
    .where('action', '=', 'session.reuse-detected')
    .execute()
  assert.equal(noted.length, 1)
})

test('the owner who comes after a thief ends the session, too', async (t) => {
  const clock = heldClock(t)
  const { browser } = await signedIn()
  await browser.refresh()
  const thief = openBrowser()
  thief.cookie = browser.cookie
  clock.advance(31)
  assert.equal((await thief.refresh()).status, 200)
  clock.advance(301)
  assert.equal(refusal(await browser.refresh()), '401 UNAUTHENTICATED')
  assert.equal(refusal(await thief.refresh()), '401 UNAUTHENTICATED')
})

test('a login by identity provider ends in the same session', async () => {
  idp.people.set('grace', { sub: 'grace', email: 'grace@example.com', email_verified: true })
  const query = new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: PUBLIC, redirectUrl: `${PUBLIC}/admin/login` })
  const { body } = await createClient(api.url).get(`/v1/users/login/url?${query.toString()}`)
  const callback = await idp.logIn(body.url, 'grace')
  const answer = await fetch(api.url + callback.pathname + callback.search, { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  assert.equal(back.origin + back.pathname, `${PUBLIC}/admin/login`)
  assert.equal(back.searchParams.get('state'), body.state)

  const browser = openBrowser()
  const login = { provider: 'OAUTH_IDP', code: back.searchParams.get('code'), originUrl: PUBLIC }
  const result = await browser.send('POST', login)
  assert.deepEqual([result.status, result.body.provider], [200, 'OAUTH_IDP'])
  assert.equal((await browser.refresh()).status, 200)
  assert.equal((await openBrowser().send('POST', login)).status, 422, 'a code works once')
})

test('over https the cookie is for this host alone; with DASHBOARD=off there is no session', async (t) => {
  const publicUrl = 'https://shop.example.com'
  const secure = await startApi({ publicUrl, databases: api.databases })
  const off = await startApi({ publicUrl, databases: api.databases, env: { DASHBOARD: 'off' } })
  t.after(() => Promise.all([secure.close(), off.close()]))
  const { email } = await createPeople(api).person()

  const browser = openBrowser(publicUrl, secure.url)
  const [cookie = ''] = (await browser.logIn(email)).headers.getSetCookie()
  assert.match(cookie, /^__Host-kontor=ey[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/)
  browser.cookie = browser.cookie.replace('__Host-', '')
  assert.equal((await browser.refresh()).status, 401, 'another host could set a cookie of that name')
  assert.equal((await openBrowser(publicUrl, off.url).logIn(email)).status, 404)
})

test('with a second factor the first half sets no cookie, and the second half does', async () => {
  const people = createPeople(api)
  const { id, email } = await people.person()
  const { secret } = await addTotp(await people.session(email))
  const browser = openBrowser()
  const refused = await browser.logIn(email)
  assert.equal(refusal(refused), '403 FORBIDDEN  SECOND_FACTOR_REQUIRED')
  assert.deepEqual(refused.headers.getSetCookie(), [])
  const { challenge, methods } = refused.body
  assert.deepEqual(methods, ['TOTP', 'RECOVERY_CODE'])
  const wrong = await browser.send('POST', { challenge, code: wrongCodeOf(secret) })
  assert.equal(refusal(wrong), '422 VALIDATION_FAILED code CODE_WRONG')
  const foreign = await openBrowser('https://evil.example').send('POST', { challenge, code: codeOf(secret) })
  assert.equal(foreign.status, 403)
  const done = await browser.send('POST', { challenge, code: codeOf(secret) })
  assert.equal(done.status, 200, done.text)
  assert.deepEqual([done.body.userId, done.body.provider, 'refreshToken' in done.body], [id, 'EMAIL', false])
  assert.match(done.headers.getSetCookie()[0] ?? '', /^kontor=ey.*HttpOnly; SameSite=Strict$/)
  assert.equal((await browser.refresh()).status, 200)
  const sessions = await api.services.databases.control
    .selectFrom('accounts.sessions')
    .select(['endsAt', 'provenWith'])
    .where('userId', '=', id)
    .orderBy('id', 'desc')
    .execute()
  assert.deepEqual([sessions[0]?.endsAt !== null, sessions[0]?.provenWith], [true, 'TOTP'])
  const again = await browser.send('POST', { challenge, code: codeOf(secret, 1) })
  assert.equal(refusal(again), '422 VALIDATION_FAILED challenge CHALLENGE_INVALID')
})

test('a passkey opens the dashboard by itself', async () => {
  const people = createPeople(api)
  const { id, email } = await people.person()
  const session = await people.session(email)
  const passkey = await addPasskey(session, PUBLIC)
  await addTotp(session)
  const browser = openBrowser()
  const answer = await browser.send('POST', { provider: 'PASSKEY', passkey: await usePasskey(api.url, passkey) })
  assert.deepEqual([answer.status, answer.body.userId, answer.body.provider], [200, id, 'PASSKEY'], answer.text)
  assert.equal((await browser.refresh()).status, 200)
})

test('a challenge of the API, finished at the dashboard, makes a session that ends', async () => {
  const people = createPeople(api)
  const { id, email } = await people.person()
  const { secret } = await addTotp(await people.session(email))
  const { body } = await people.login(email)
  const done = await openBrowser().send('POST', { challenge: body.challenge, code: codeOf(secret) })
  assert.equal(done.status, 200, done.text)
  const { endsAt } = await api.services.databases.control
    .selectFrom('accounts.sessions')
    .select('endsAt')
    .where('userId', '=', id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  assert.ok(endsAt)
})
