import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { linkIn } from '../../support/mail-server.ts'
import { createPeople, PASSWORD, type People } from '../../support/people.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

let world: StartedWorld<'mail' | 'sms'>
let second: TestApi
let people: People
before(async () => {
  world = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts' })
  second = await startApi({ databases: world.api.databases, env: world.env })
  people = createPeople(world.api)
})
after(async () => {
  await second.close()
  await world.close()
})

const NEW_PASSWORD = 'seventeen quiet umbrellas'
const anonymous = () => createClient(world.api.url)
const statusAt = async (url: string, token: string) =>
  (await createClient(url, { authorization: `Bearer ${token}` }).get('/v1/users/me')).status
const refresh = async (refreshToken: string) =>
  (await anonymous().post('/v1/users/refresh', { provider: 'EMAIL', refreshToken })).status
const forgot = (email: string) => anonymous().post('/v1/users/forgot-password', { email })
const reset = (token: string, password = NEW_PASSWORD) =>
  anonymous().post('/v1/users/reset-forgot-password', { token, password })

/** The token in the newest of so many reset mails. */
async function mailedToken(email: string, count = 1): Promise<string> {
  assert.equal((await forgot(email)).status, 200)
  return linkIn(await world.mailServer.mailTo(email, count), '/reset-password').searchParams.get('token') ?? ''
}

/** Resolves with how long it took until that node refuses the token. */
async function refusedAfter(url: string, token: string): Promise<number> {
  const start = performance.now()
  while ((await statusAt(url, token)) !== 401) {
    if (performance.now() - start > 5_000) throw new Error('still accepted after five seconds')
    await sleep(5)
  }
  return performance.now() - start
}

function heldClock(t: TestContext) {
  const clock = holdClock()
  t.after(clock.release)
  return clock
}

test('changing the password needs the old one', async () => {
  const { email } = await people.person()
  const session = await people.session(email)
  const other = await people.session(email)
  const wrong = await session.post('/v1/users/reset-password', { oldPassword: 'not it', newPassword: NEW_PASSWORD })
  assert.deepEqual(
    [wrong.status, wrong.body.error, wrong.body.details[0].field, wrong.body.details[0].error],
    [422, 'VALIDATION_FAILED', 'oldPassword', 'PASSWORD_WRONG'],
  )
  assert.equal((await people.login(email)).status, 200, 'nothing has changed')
  assert.equal((await other.get('/v1/users/me')).status, 200)
  const missing = await session.post('/v1/users/reset-password', { newPassword: NEW_PASSWORD })
  assert.deepEqual([missing.status, missing.body.details[0].field], [422, 'oldPassword'])
})

test('a new password that is weak is refused, and changes nothing', async () => {
  const { email } = await people.person()
  const session = await people.session(email)
  for (const newPassword of ['short', 'password1234', email, 'x'.repeat(300)]) {
    const { status, body } = await session.post('/v1/users/reset-password', { oldPassword: PASSWORD, newPassword })
    assert.deepEqual(
      [status, body.details[0].field, body.details[0].error],
      [422, 'newPassword', 'PASSWORD_WEAK'],
      newPassword,
    )
  }
  assert.equal((await people.login(email)).status, 200)
})

test('changing the password ends all other sessions, here at once and on another node within a second', async () => {
  const { email } = await people.person()
  const mine = await people.session(email)
  const other = await people.session(email)
  const third = await people.session(email)
  for (const url of [world.api.url, second.url])
    for (const { accessToken } of [mine, other, third]) assert.equal(await statusAt(url, accessToken), 200)

  const changed = await mine.post('/v1/users/reset-password', { oldPassword: PASSWORD, newPassword: NEW_PASSWORD })
  assert.deepEqual([changed.status, changed.body], [200, { success: true }], changed.text)

  assert.deepEqual(
    await Promise.all([other, third].map(({ accessToken }) => statusAt(world.api.url, accessToken))),
    [401, 401],
  )
  const waits = await Promise.all([other, third].map(({ accessToken }) => refusedAfter(second.url, accessToken)))
  assert.ok(Math.max(...waits) < 1_000, `it took ${Math.max(...waits)} ms`)
  assert.deepEqual(await Promise.all([other, third].map(({ refreshToken }) => refresh(refreshToken))), [401, 401])

  assert.equal(await statusAt(world.api.url, mine.accessToken), 200)
  assert.equal(await statusAt(second.url, mine.accessToken), 200)
  assert.equal(await refresh(mine.refreshToken), 200)
  assert.equal((await people.login(email)).status, 422)
  assert.equal((await people.login(email, NEW_PASSWORD)).status, 200)
})

test('neither an API key nor a guest nor a stranger can change a password', async () => {
  const { id, email } = await people.person()
  const body = { oldPassword: PASSWORD, newPassword: NEW_PASSWORD }
  const key = await world.make.apiKey(id)
  const asBearer = createClient(world.api.url, { authorization: `Bearer ${key.value}` })
  const guest = await world.make.guest()
  for (const [client, status, error] of [
    [key, 403, 'FORBIDDEN'],
    [asBearer, 403, 'FORBIDDEN'],
    [guest, 403, 'FORBIDDEN'],
    [anonymous(), 401, 'UNAUTHENTICATED'],
  ] as const) {
    const answer = await client.post('/v1/users/reset-password', body)
    assert.deepEqual([answer.status, answer.body.error], [status, error])
  }
  assert.equal((await people.login(email)).status, 200)
})

test('a reset by mail ends every session, on every node', async () => {
  const { email } = await people.person()
  const sessions = await Promise.all([1, 2].map(() => people.session(email)))
  for (const { accessToken } of sessions) assert.equal(await statusAt(second.url, accessToken), 200)
  assert.equal((await reset(await mailedToken(email))).status, 200)
  for (const { accessToken, refreshToken } of sessions) {
    assert.equal(await statusAt(world.api.url, accessToken), 401)
    assert.ok((await refusedAfter(second.url, accessToken)) < 1_000)
    assert.equal(await refresh(refreshToken), 401)
  }
  assert.equal((await people.login(email, NEW_PASSWORD)).status, 200)
})

test('a reset uses up every reset token of the account', async () => {
  const { email } = await people.person()
  const first = await mailedToken(email)
  const latest = await mailedToken(email, 2)
  assert.notEqual(first, latest)
  assert.equal((await reset(latest)).status, 200)
  for (const token of [first, latest]) {
    const { status, body } = await reset(token, 'another umbrella entirely')
    assert.deepEqual([status, body.details[0].field, body.details[0].error], [422, 'token', 'TOKEN_INVALID'])
  }
  assert.equal((await people.login(email, NEW_PASSWORD)).status, 200)
})

test('changing the password kills reset tokens that are still on their way', async () => {
  const { email } = await people.person()
  const session = await people.session(email)
  const token = await mailedToken(email)
  const changed = await session.post('/v1/users/reset-password', { oldPassword: PASSWORD, newPassword: NEW_PASSWORD })
  assert.equal(changed.status, 200)
  assert.equal((await reset(token, 'another umbrella entirely')).body.details[0].error, 'TOKEN_INVALID')
})

test('of twenty resets with the same token at once, one wins', async () => {
  const { email } = await people.person()
  const token = await mailedToken(email)
  const passwords = Array.from({ length: 20 }, (_, index) => `umbrella number ${index} of twenty`)
  const answers = await Promise.all(passwords.map((password) => reset(token, password)))
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join())
  assert.equal(statuses.filter((status) => status === 422).length, 19, statuses.join())
  assert.equal((await people.login(email, passwords[statuses.indexOf(200)])).status, 200)
})

test('a reset token works for an hour', async (t) => {
  const clock = heldClock(t)
  const early = await people.person()
  const late = await people.person()
  const tokens = [await mailedToken(early.email), await mailedToken(late.email)] as const
  clock.advance(3599)
  assert.equal((await reset(tokens[0])).status, 200)
  clock.advance(1)
  const { status, body } = await reset(tokens[1])
  assert.deepEqual([status, body.details[0].error], [422, 'TOKEN_EXPIRED'])
  assert.equal((await people.login(late.email)).status, 200, 'the old password stays')
})

test('a reset confirms an account whose address was never confirmed', async () => {
  const { email } = await people.person({ isConfirmed: false })
  assert.equal((await people.login(email)).body.details[0].error, 'NOT_CONFIRMED')
  assert.equal((await reset(await mailedToken(email))).status, 200)
  const { status, body } = await people.login(email, NEW_PASSWORD)
  assert.equal(status, 200)
  const me = await createClient(world.api.url, { authorization: `Bearer ${body.accessToken}` }).get('/v1/users/me')
  assert.equal(me.body.isConfirmed, true)
})

test('resetting and changing are both written down, without the password', async () => {
  const { id, email } = await people.person()
  await reset(await mailedToken(email))
  const { body } = await people.login(email, NEW_PASSWORD)
  await createClient(world.api.url, { authorization: `Bearer ${body.accessToken}` }).post('/v1/users/reset-password', {
    oldPassword: NEW_PASSWORD,
    newPassword: PASSWORD,
  })
  const rows = await world.api.services.databases.control
    .selectFrom('access.auditLog')
    .select(['action', 'data'])
    .where('subject', '=', id)
    .where('action', 'like', 'password.%')
    .orderBy('id')
    .execute()
  assert.deepEqual(rows, [
    { action: 'password.reset', data: {} },
    { action: 'password.changed', data: {} },
  ])
})
