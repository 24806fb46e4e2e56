import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../support/client.ts'
import { linkIn } from '../../support/mail-server.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ providers: ['mail', 'sms'], worker: 'accounts' })

const PASSWORD = 'harbour lantern teapot'
let count = 0
const newEmail = () => `Ada${++count}.${process.pid}@Example.com`
const anonymous = () => createClient(world.api.url)
const register = (email: string, more: object = {}) =>
  anonymous().post('/v1/users/register', { provider: 'EMAIL_REGISTER', email, password: PASSWORD, ...more })
const login = (email: string, password = PASSWORD) =>
  anonymous().post('/v1/users/login', { provider: 'EMAIL', email, password })

async function confirmed() {
  const email = newEmail()
  await register(email, { firstName: 'Ada', lastName: 'Lovelace' })
  const link = linkIn(await world.mailServer.mailTo(email), '/confirm')
  await anonymous().put('/v1/users/confirm', { token: link.searchParams.get('token') })
  return email
}

test('register, follow the link, log in, refresh, me', async () => {
  const email = newEmail()
  const registered = await register(email, { firstName: 'Ada', lastName: 'Lovelace' })
  assert.deepEqual([registered.status, registered.body], [200, { success: true }], registered.text)

  const early = await login(email)
  assert.deepEqual([early.status, early.body.details[0]?.error], [422, 'NOT_CONFIRMED'])

  const mail = await world.mailServer.mailTo(email)
  assert.ok(mail.html && mail.text, 'real multipart')
  const link = linkIn(mail, '/confirm')
  const token = link.searchParams.get('token')
  for (const round of [1, 2]) {
    const done = await anonymous().put('/v1/users/confirm', { token })
    assert.deepEqual([done.status, done.body], [200, { success: true }], `round ${round}`)
  }

  const { status, body } = await login(email.toUpperCase())
  assert.equal(status, 200)
  assert.deepEqual([body.tokenType, body.scope, body.isGuest, body.provider], ['Bearer', 'user', false, 'EMAIL'])
  const me = await createClient(world.api.url, { authorization: `Bearer ${body.accessToken}` }).get('/v1/users/me')
  assert.deepEqual([me.body.name, me.body.email, me.body.isConfirmed], ['Ada Lovelace', email, true])

  const again = await anonymous().post('/v1/users/refresh', { provider: 'EMAIL', refreshToken: body.refreshToken })
  assert.equal(again.status, 200, again.text)
  assert.notEqual(again.body.refreshToken, body.refreshToken)
})

test('a link that a person follows leads to a page with one button, which confirms', async () => {
  const email = newEmail()
  await register(email, { reserveDomain: world.api.config.publicUrl })
  const link = linkIn(await world.mailServer.mailTo(email), '/confirm')
  const page = await fetch(`${world.api.url}${link.pathname}${link.search}`)
  const html = await page.text()
  assert.match(html, /<form method="post" action="\/confirm">/)
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const pressed = await fetch(`${world.api.url}/confirm`, { method: 'POST', body: new URLSearchParams({ token }) })
  assert.match(await pressed.text(), /confirmed/)
  assert.equal((await login(email)).status, 200)
})

test('mailed links › lead to working plain pages by default', async () => {
  const email = newEmail()
  await register(email)
  const confirmation = linkIn(await world.mailServer.mailTo(email), '/confirm')
  await anonymous().post('/v1/users/resend-confirmation', { email })
  const again = linkIn(await world.mailServer.mailTo(email, 2), '/confirm')
  for (const { origin, pathname } of [confirmation, again])
    assert.equal(origin + pathname, `${world.api.config.publicUrl}/confirm`)
  const confirmed = await press(again, {})
  assert.match(confirmed, /confirmed/)
  assert.equal((await login(email)).status, 200)

  await anonymous().post('/v1/users/forgot-password', { email })
  const reset = linkIn(await world.mailServer.mailTo(email, 3), '/reset-password')
  assert.equal(reset.origin + reset.pathname, `${world.api.config.publicUrl}/reset-password`)
  const password = 'an entirely new one'
  assert.match(await press(reset, { password }), /changed/)
  assert.equal((await login(email, password)).status, 200)
})

test('mailed links › lead into the dashboard when it asks for them', async () => {
  const email = newEmail()
  const reserveDomain = `${world.api.config.publicUrl}/admin`
  await register(email, { reserveDomain })
  const first = linkIn(await world.mailServer.mailTo(email), '/confirm')
  await anonymous().post('/v1/users/resend-confirmation', { email, reserveDomain })
  const again = linkIn(await world.mailServer.mailTo(email, 2), '/confirm')
  await anonymous().post('/v1/users/forgot-password', { email, reserveDomain })
  const links = [first, again, linkIn(await world.mailServer.mailTo(email, 3), '/reset-password')]
  assert.deepEqual(
    links.map(({ origin, pathname }) => origin + pathname),
    [`${reserveDomain}/confirm`, `${reserveDomain}/confirm`, `${reserveDomain}/reset-password`],
  )
  // The page of the dashboard, or where that is not built the plain one.
  for (const { pathname, search } of links) {
    const page = await fetch(`${world.api.url}${pathname}${search}`)
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  }
})

/** Opens a mailed link and presses the button of its page. Returns the page after it. */
async function press(link: URL, fields: Record<string, string>): Promise<string> {
  const html = await (await fetch(`${world.api.url}${link.pathname}${link.search}`)).text()
  const action = /<form method="post" action="([^"]+)">/.exec(html)?.[1] ?? ''
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const body = new URLSearchParams({ token, ...fields })
  return (await fetch(`${world.api.url}${action}`, { method: 'POST', body })).text()
}

test('registering an address twice is 400 with EMAIL_EXISTS, whatever its case', async () => {
  const email = await confirmed()
  const { status, body } = await register(email.toLowerCase())
  assert.deepEqual([status, body.error, body.details[0].error], [400, 'BAD_REQUEST', 'EMAIL_EXISTS'])
})

test('a weak password, an invalid address and a missing password are 422', async () => {
  const send = (body: object) => anonymous().post('/v1/users/register', { provider: 'EMAIL_REGISTER', ...body })
  for (const [body, field, error] of [
    [{ email: newEmail(), password: 'short' }, 'password', 'PASSWORD_WEAK'],
    [{ email: newEmail(), password: 'password1234' }, 'password', 'PASSWORD_WEAK'],
    [{ email: 'nobody', password: PASSWORD }, 'email', 'INVALID'],
    [{ email: newEmail() }, 'password', 'PASSWORD_REQUIRED'],
  ] as const) {
    const { status, body: answer } = await send(body)
    assert.deepEqual(
      [status, answer.error, answer.details[0].field, answer.details[0].error],
      [422, 'VALIDATION_FAILED', field, error],
    )
  }
})

test('a login that fails validation is 400, a wrong one 422, and both unknown and wrong look the same', async () => {
  const email = await confirmed()
  const bad = await anonymous().post('/v1/users/login', { provider: 'EMAIL', email: 5, password: PASSWORD })
  assert.deepEqual([bad.status, bad.body.error], [400, 'BAD_REQUEST'])
  const missing = await anonymous().post('/v1/users/login', { provider: 'EMAIL', email })
  assert.deepEqual([missing.status, missing.body.details[0].error], [400, 'PASSWORD_REQUIRED'])
  const provider = await anonymous().post('/v1/users/login', { provider: 'CARRIER_PIGEON', email })
  assert.equal(provider.status, 400)

  const wrong = await login(email, 'wrong horse battery')
  const unknown = await login(newEmail(), 'wrong horse battery')
  assert.deepEqual([wrong.status, wrong.body.details[0].error], [422, 'PASSWORD_WRONG'])
  assert.deepEqual({ ...unknown.body, requestId: '' }, { ...wrong.body, requestId: '' })
})

test('forgetting a password: one link, one use, all sessions end', async () => {
  const email = await confirmed()
  const { body: session } = await login(email)
  const known = await anonymous().post('/v1/users/forgot-password', { email })
  const unknown = await anonymous().post('/v1/users/forgot-password', { email: newEmail() })
  assert.deepEqual([known.text, known.status], [unknown.text, unknown.status])

  const link = linkIn(await world.mailServer.mailTo(email, 2), '/reset-password')
  const token = link.searchParams.get('token')
  const weak = await anonymous().post('/v1/users/reset-forgot-password', { token, password: 'password1234' })
  assert.equal(weak.status, 422)
  const reset = await anonymous().post('/v1/users/reset-forgot-password', { token, password: 'an entirely new one' })
  assert.equal(reset.status, 200, reset.text)
  const twice = await anonymous().post('/v1/users/reset-forgot-password', { token, password: 'an entirely new one' })
  assert.deepEqual([twice.status, twice.body.details[0].error], [422, 'TOKEN_INVALID'])

  const me = await createClient(world.api.url, { authorization: `Bearer ${session.accessToken}` }).get('/v1/users/me')
  assert.equal(me.status, 401)
  assert.equal((await login(email)).status, 422)
  assert.equal((await login(email, 'an entirely new one')).status, 200)
})
