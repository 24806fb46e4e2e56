import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { useFaults } from '#platform/faults.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { onServer } from '../../support/database.ts'
import { linkIn } from '../../support/mail-server.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

const lines: string[] = []
let world: StartedWorld<'mail' | 'sms'>
before(async () => {
  world = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts', lines })
})
after(async () => {
  useFaults(undefined)
  await world.close()
})

/** A secret that occurs nowhere by chance. */
const canary = (length = 40) => `cnry${randomBytes(40).toString('base64url').replace(/[-_]/g, 'x')}`.slice(0, length)

/** Everything that rests in the database, as text. */
async function dump(url: string): Promise<string> {
  return onServer(async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`)
    const parts: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      parts.push(`${name}\n${rows.map(({ row }) => row).join('\n')}`)
    }
    return parts.join('\n')
  }, url)
}

/** Jobs that have not been tried yet, or are being tried. */
const jobsLeft = (url: string) =>
  onServer(async (client) => {
    const { rows } = await client.query<{ count: number }>(`
      select count(*)::int as count from graphile_worker._private_jobs where attempts = 0 or locked_at is not null`)
    return rows[0]?.count ?? 0
  }, url)

/** As it is, and as it looks in bytea columns and in base64. */
const formsOf = (secret: string) => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  encodeURIComponent(secret),
]

test('no secret that passes through the API is found in logs, jobs, tables or errors', async () => {
  const secrets = new Map<string, string>()
  const secret = (name: string, value: string) => {
    assert.ok(value.length >= 20, `${name} is too short to look for: ${value}`)
    secrets.set(name, value)
    return value
  }
  const refusals: Answer[] = []
  const keepRefusal = (answer: Answer) => {
    assert.ok(answer.status >= 400, `${answer.status} ${answer.text}`)
    refusals.push(answer)
  }
  const anonymous = createClient(world.api.url)
  const post = (path: string, body: object) => anonymous.post(`/v1/users/${path}`, body)
  const email = `canary-${process.pid}@example.com`
  const provider = 'EMAIL'

  // registering, also when it goes wrong
  const password = secret('password', canary())
  const registration = { provider: 'EMAIL_REGISTER', email, password }
  useFaults((name) => {
    if (name === 'register.before-commit') throw new Error('a fault in the middle of registering')
  })
  const crashed = await post('register', registration)
  useFaults(undefined)
  assert.equal(crashed.status, 500)
  keepRefusal(crashed)
  assert.equal((await post('register', registration)).status, 200)
  keepRefusal(await post('register', { ...registration, password: secret('password for a taken address', canary()) }))
  keepRefusal(
    await post('register', { ...registration, email: 'nobody', password: secret('password, bad email', canary()) }),
  )
  keepRefusal(
    await post('register', {
      ...registration,
      email: `b${email}`,
      password: secret('long password', `${canary()}${'é'.repeat(140)}`),
    }),
  )
  keepRefusal(
    await post('register', {
      ...registration,
      email: `c${email}`,
      password: [secret('password of a wrong type', canary())],
    }),
  )
  keepRefusal(
    await anonymous.send('POST', '/v1/users/register', { raw: `{"password": "${secret('broken JSON', canary())}"` }),
  )
  keepRefusal(
    await anonymous.post('/v1/users/register', { ...registration, email: `d${email}\u0000@example.com`, password }),
  )

  // confirming and logging in
  const confirmToken = linkIn(await world.mailServer.mailTo(email), '/confirm').searchParams.get('token') ?? ''
  secret('confirmation token', confirmToken)
  keepRefusal(await anonymous.put('/v1/users/confirm', { token: secret('wrong confirmation token', canary()) }))
  assert.equal((await anonymous.put('/v1/users/confirm', { token: confirmToken })).status, 200)
  keepRefusal(await post('login', { provider, email, password: secret('wrong password', canary()) }))
  keepRefusal(await post('login', { provider, email: `x${email}`, password: secret('password of nobody', canary()) }))
  keepRefusal(await post('login', { provider, email, password: { is: secret('password in an object', canary()) } }))
  keepRefusal(
    await post('login', { provider: 'OAUTH_IDP', code: secret('code', canary()), originUrl: 'http://localhost:3000' }),
  )
  const { body: session } = await post('login', { provider, email, password })
  secret('access token', session.accessToken)
  secret('refresh token', session.refreshToken)
  const me = createClient(world.api.url, { authorization: `Bearer ${session.accessToken}` })

  // tokens and keys
  keepRefusal(await post('refresh', { provider, refreshToken: secret('wrong refresh token', canary()) }))
  const { body: refreshed } = await post('refresh', { provider, refreshToken: session.refreshToken })
  secret('second access token', refreshed.accessToken)
  secret('second refresh token', refreshed.refreshToken)
  keepRefusal(await post('logout', { provider, token: secret('wrong token to log out', canary()) }))
  const wrongKey = secret('wrong API key', canary())
  keepRefusal(await createClient(world.api.url, { 'x-api-key': wrongKey }).get('/v1/users/me'))
  keepRefusal(await createClient(world.api.url, { authorization: `Bearer ${wrongKey}` }).get('/v1/users/me'))
  const basic = Buffer.from(`ada:${secret('basic password', canary())}`).toString('base64')
  keepRefusal(await createClient(world.api.url, { authorization: `Basic ${basic}` }).get('/v1/users/me'))
  const ownKey = secret('API key', canary(60))
  const keys = await me.put('/v1/users/update', {
    apiTokens: [{ id: 'mine', name: 'mine', value: ownKey, provider: 'API' }, { id: 'made' }],
  })
  assert.equal(keys.status, 200, keys.text)
  assert.ok(!keys.text.includes(ownKey), 'what the caller chose is not repeated')
  const made = keys.body.apiTokens.find(({ id }: { id: string }) => id === 'made').value
  secret('API key made by the service', made)
  for (const value of [ownKey, made]) {
    const seen = await createClient(world.api.url, { 'x-api-key': value }).get('/v1/users/me')
    assert.equal(seen.status, 200)
    for (const [name, hidden] of secrets) assert.ok(!seen.text.includes(hidden), `${name} is shown`)
  }
  keepRefusal(await me.put('/v1/users/update', { apiTokens: [{ value: secret('weak key', `${canary(20)}\t`) }] }))
  keepRefusal(await me.put('/v1/users/update', { apiTokens: [{ value: secret('long key', canary(44).repeat(4)) }] }))
  keepRefusal(
    await me.put('/v1/users/update', { apiTokens: [{ value: secret('very long key', canary(44).repeat(9)) }] }),
  )
  const other = await world.make.user()
  keepRefusal(await other.put('/v1/users/update', { apiTokens: [{ value: ownKey }] }))

  // phone codes
  const phoneNumber = '+4915112400001'
  assert.equal((await me.post('/v1/users/phone-number', { phoneNumber })).status, 200)
  await world.sms.codeTo(phoneNumber)
  const confirmPhone = (code: string) => me.post('/v1/users/phone-number/confirm', { phoneNumber, code })
  keepRefusal(await confirmPhone(secret('code by SMS', canary(20))))
  keepRefusal(await confirmPhone(secret('long code by SMS', canary(40))))

  // changing and resetting the password
  const change = (oldPassword: string, newPassword: string) =>
    me.post('/v1/users/reset-password', { oldPassword, newPassword })
  const newPassword = secret('new password', canary())
  keepRefusal(await change(secret('wrong old password', canary()), newPassword))
  keepRefusal(await change(password, secret('new password, too long', canary().repeat(8))))
  assert.equal((await change(password, newPassword)).status, 200)
  await post('forgot-password', { email })
  const resetToken = linkIn(await world.mailServer.mailTo(email, 2), '/reset-password').searchParams.get('token') ?? ''
  secret('reset token', resetToken)
  const resetTo = secret('password after a reset', canary())
  keepRefusal(await post('reset-forgot-password', { token: secret('wrong reset token', canary()), password: resetTo }))
  keepRefusal(
    await post('reset-forgot-password', {
      token: resetToken,
      password: secret('reset to a long one', canary().repeat(8)),
    }),
  )
  assert.equal((await post('reset-forgot-password', { token: resetToken, password: resetTo })).status, 200)
  keepRefusal(await post('reset-forgot-password', { token: resetToken, password: resetTo }))

  // a mail that cannot be delivered: its job stays, with an error
  useFaults((name) => {
    if (name === 'send-confirmation.before-send') throw new Error('a fault while sending')
  })
  const lost = `lost-${email}`
  const lostPassword = secret('password of the undelivered', canary())
  assert.equal((await post('register', { ...registration, email: lost, password: lostPassword })).status, 200)

  const { url } = world.api.databases.main
  for (let tries = 0; (await jobsLeft(url)) > 0; tries++) {
    assert.ok(tries < 1_000, 'the worker does not come to rest')
    await sleep(10)
  }
  const jobs = await onServer(async (client) => {
    const { rows } = await client.query<{ text: string }>(
      "select payload::text || ' ' || coalesce(last_error, '') as text from graphile_worker._private_jobs",
    )
    return rows.map(({ text }) => text).join('\n')
  }, url)
  assert.match(jobs, /a fault while sending/)

  const places = {
    'the log': lines.join('\n'),
    'a job': jobs,
    'the main database': await dump(url),
    'the second database': await dump(world.api.databases.second.url),
    'an error answer': refusals.map(({ text, headers }) => `${text} ${JSON.stringify([...headers])}`).join('\n'),
  }
  // The net holds: each place is really looked at.
  assert.match(places['the log'], /a fault in the middle of registering/)
  for (const word of [email, 'password.changed', 'accounts.send-confirmation', '$argon2id$'])
    assert.ok(places['the main database'].includes(word), word)
  assert.ok(refusals.length > 20 && secrets.size > 30)

  for (const [place, text] of Object.entries(places)) {
    for (const [name, value] of secrets) {
      for (const form of formsOf(value)) assert.ok(!text.includes(form), `${name} is found in ${place}`)
    }
  }
})
