import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { guessCodes } from '../../scenarios/guess-codes.ts'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { addTotp, codeOf, personWithTotp, wrongCodeOf } from '../../support/factors.ts'
import { createPeople, PASSWORD, type People } from '../../support/people.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

let world: StartedWorld<'mail' | 'sms'>
let proxied: TestApi
let people: People
before(async () => {
  world = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts', env: { RATE_LIMITS: 'off' } })
  proxied = await startApi({ databases: world.api.databases, env: { ...world.env, TRUST_PROXY: '127.0.0.1' } })
  people = createPeople(world.api)
})
after(async () => {
  await proxied.close()
  await world.close()
})

function heldClock(t: TestContext) {
  const clock = holdClock()
  t.after(clock.release)
  return clock
}
const control = () => world.api.services.databases.control
const bearer = (accessToken: string) => createClient(world.api.url, { authorization: `Bearer ${accessToken}` })
const finish = (body: object, headers: Record<string, string> = {}, url = world.api.url) =>
  createClient(url).post('/v1/users/login/second-factor', body, headers)

const subjectsTo = (email: string) =>
  world.mailServer.mails.filter(({ to }) => to?.[0]?.address === email).map(({ subject }) => subject)

async function challengeOf(email: string): Promise<string> {
  const { status, body, text } = await people.login(email)
  assert.equal(status, 403, text)
  return body.challenge
}

test('setting up a factor answers a secret, and ten recovery codes once a code of it is right', async () => {
  const { email } = await people.person()
  const session = await people.session(email)
  assert.deepEqual((await session.get('/v1/users/second-factor')).body, {
    isOn: false,
    since: null,
    recoveryCodesLeft: 0,
    passedAt: null,
  })
  const begun = await session.post('/v1/users/second-factor', undefined)
  assert.equal(begun.status, 200, begun.text)
  const { secret, uri } = begun.body
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const address = new URL(uri)
  assert.deepEqual([address.protocol, address.searchParams.get('secret')], ['otpauth:', secret])
  assert.ok(decodeURIComponent(address.pathname).endsWith(email))
  assert.equal((await people.login(email)).status, 200, 'it does not count yet')

  const wrong = await session.post('/v1/users/second-factor/confirm', { code: wrongCodeOf(secret) })
  assert.equal(refusal(wrong), '422 VALIDATION_FAILED code CODE_WRONG')
  const confirmed = await session.post('/v1/users/second-factor/confirm', { code: codeOf(secret) })
  assert.equal(confirmed.status, 200, confirmed.text)
  assert.equal(new Set(confirmed.body.recoveryCodes).size, 10)
  for (const code of confirmed.body.recoveryCodes) assert.match(code, /^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){3}$/)
  const { body } = await session.get('/v1/users/second-factor')
  assert.deepEqual([body.isOn, body.recoveryCodesLeft, typeof body.passedAt], [true, 10, 'number'])

  assert.equal(
    refusal(await session.post('/v1/users/second-factor', undefined)),
    '409 CONFLICT secondFactor WRONG_STATE',
  )
  const again = await session.post('/v1/users/second-factor/confirm', { code: codeOf(secret) })
  assert.equal(refusal(again), '409 CONFLICT secondFactor WRONG_STATE')
})

test('neither secret nor recovery codes are stored as they are', async () => {
  const { id, secret, recoveryCodes } = await personWithTotp(people)
  const factor = await control().selectFrom('accounts.secondFactors').selectAll().where('userId', '=', id).execute()
  const codes = await control().selectFrom('accounts.recoveryCodes').selectAll().where('userId', '=', id).execute()
  const stored = [factor[0]?.sealedSecret, ...codes.map(({ codeHash }) => codeHash)].map(String).join()
  assert.equal(codes.length, 10)
  for (const text of [secret, ...recoveryCodes]) assert.ok(!stored.includes(text))
})

test('a login gives a challenge instead of tokens, and the code gives the tokens', async () => {
  const { id, email, secret } = await personWithTotp(people)
  const refused = await people.login(email)
  assert.equal(refusal(refused), '403 FORBIDDEN  SECOND_FACTOR_REQUIRED')
  assert.deepEqual(refused.body.methods, ['TOTP', 'RECOVERY_CODE'])
  assert.deepEqual(Object.keys(refused.body).sort(), [
    'challenge',
    'details',
    'error',
    'message',
    'methods',
    'requestId',
  ])
  const { status, body, text } = await finish({ challenge: refused.body.challenge, code: codeOf(secret) })
  assert.equal(status, 200, text)
  assert.deepEqual([body.userId, body.provider, body.scope, body.isGuest], [id, 'EMAIL', 'user', false])
  assert.equal((await bearer(body.accessToken).get('/v1/users/me')).body.id, id)
})

test('a code works once, and so does a challenge', async () => {
  const { email, secret } = await personWithTotp(people)
  const code = codeOf(secret)
  const challenge = await challengeOf(email)
  assert.equal((await finish({ challenge, code })).status, 200)
  assert.equal(
    refusal(await finish({ challenge, code: codeOf(secret, 1) })),
    '422 VALIDATION_FAILED challenge CHALLENGE_INVALID',
  )
  assert.equal(
    refusal(await finish({ challenge: await challengeOf(email), code })),
    '422 VALIDATION_FAILED code CODE_WRONG',
  )
  assert.equal(
    refusal(await finish({ challenge: 'made-up', code })),
    '422 VALIDATION_FAILED challenge CHALLENGE_INVALID',
  )
})

test('a clock that is half a minute off is no problem, one of a whole minute is', async (t) => {
  const clock = heldClock(t)
  const { email, secret } = await personWithTotp(people)
  clock.advance(120)
  const give = async (steps: number) => {
    const { status } = await finish({ challenge: await challengeOf(email), code: codeOf(secret, steps) })
    return status
  }
  assert.equal(await give(-2), 422)
  assert.equal(await give(2), 422)
  assert.equal(await give(-1), 200)
  assert.equal(await give(0), 200)
  assert.equal(await give(1), 200)
  assert.equal(await give(0), 422, 'a later one was used')
})

test('a challenge ends after five minutes, and after five tries', async (t) => {
  const clock = heldClock(t)
  const { email, secret } = await personWithTotp(people)
  const late = await challengeOf(email)
  clock.advance(301)
  assert.equal(
    refusal(await finish({ challenge: late, code: codeOf(secret) })),
    '422 VALIDATION_FAILED challenge CHALLENGE_INVALID',
  )
  const challenge = await challengeOf(email)
  for (let tries = 0; tries < 5; tries++)
    assert.equal((await finish({ challenge, code: wrongCodeOf(secret) })).status, 422)
  const sixth = await finish({ challenge, code: codeOf(secret) })
  assert.deepEqual([sixth.status, sixth.body.error], [429, 'RATE_LIMITED'])
  assert.match(sixth.headers.get('retry-after') ?? '', /^\d+$/)
})

test('whoever has the password and no code is written down', async () => {
  const { id, email, secret } = await personWithTotp(people)
  assert.equal((await finish({ challenge: await challengeOf(email), code: wrongCodeOf(secret) })).status, 422)
  const rows = await control().selectFrom('access.auditLog').select('action').where('subject', '=', id).execute()
  assert.deepEqual(
    rows.map(({ action }) => action).filter((action) => action.startsWith('login.')),
    ['login.succeeded', 'login.factor-failed'],
  )
})

test('exactly one thing is shown: a code, a recovery code or a passkey', async () => {
  const { email, secret, recoveryCodes } = await personWithTotp(people)
  const challenge = await challengeOf(email)
  const REFUSED = '422 VALIDATION_FAILED code REQUIRED'
  assert.equal(refusal(await finish({ challenge })), REFUSED)
  assert.equal(refusal(await finish({ challenge, code: codeOf(secret), recoveryCode: recoveryCodes[0] })), REFUSED)
})

test('a recovery code works once, however it is typed, and its use is mailed', async () => {
  const { email, recoveryCodes, session } = await personWithTotp(people)
  const [first = ''] = recoveryCodes
  const typed = first.toLowerCase().replaceAll('-', ' ')
  assert.equal((await finish({ challenge: await challengeOf(email), recoveryCode: typed })).status, 200)
  const again = await finish({ challenge: await challengeOf(email), recoveryCode: first })
  assert.equal(refusal(again), '422 VALIDATION_FAILED recoveryCode CODE_WRONG')
  assert.equal((await session.get('/v1/users/second-factor')).body.recoveryCodesLeft, 9)
  await until('the mail', async () => subjectsTo(email).includes('A recovery code of your account was used'))
})

test('of fifty who use one recovery code at once, one gets in', async () => {
  const { email, recoveryCodes } = await personWithTotp(people)
  const challenges: string[] = []
  for (let n = 0; n < 10; n++) challenges.push(await challengeOf(email))
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => finish({ challenge: challenges[n % 10], recoveryCode: recoveryCodes[0] })),
  )
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join())
  assert.ok(statuses.every((status) => [200, 422, 429].includes(status)))
})

test('new recovery codes take the place of those before', async () => {
  const { email, session, recoveryCodes } = await personWithTotp(people)
  const renewed = await session.post('/v1/users/second-factor/recovery-codes', undefined)
  assert.equal(renewed.status, 200, renewed.text)
  assert.equal(renewed.body.recoveryCodes.length, 10)
  const old = await finish({ challenge: await challengeOf(email), recoveryCode: recoveryCodes[0] })
  assert.equal(old.status, 422)
  const fresh = await finish({ challenge: await challengeOf(email), recoveryCode: renewed.body.recoveryCodes[0] })
  assert.equal(fresh.status, 200)
  const plain = await people.session((await people.person()).email)
  const none = await plain.post('/v1/users/second-factor/recovery-codes', undefined)
  assert.equal(refusal(none), '409 CONFLICT secondFactor WRONG_STATE')
})

test('adding and removing it end all other sessions, and are mailed', async () => {
  const { email } = await people.person()
  const [here, elsewhere] = [await people.session(email), await people.session(email)]
  const { secret } = await addTotp(here)
  await until('the other has ended', async () => (await elsewhere.get('/v1/users/me')).status === 401)
  const { body } = await finish({ challenge: await challengeOf(email), code: codeOf(secret) })
  const second = bearer(body.accessToken)
  assert.equal((await here.delete('/v1/users/second-factor')).status, 200)
  await until('the second has ended', async () => (await second.get('/v1/users/me')).status === 401)
  assert.equal((await here.get('/v1/users/me')).status, 200)
  assert.equal((await people.login(email)).status, 200)
  assert.equal(refusal(await here.delete('/v1/users/second-factor')), '409 CONFLICT secondFactor WRONG_STATE')
  await until('both mails', async () => subjectsTo(email).length >= 2)
  assert.deepEqual(
    subjectsTo(email).toSorted((a = '', b = '') => a.localeCompare(b)),
    ['A second factor was added to your account', 'The second factor of your account was removed'],
  )
})

test('guessed codes are limited to ten an hour per account, without locking out its owner at a known address', async (t) => {
  const size = { guesses: 30, addresses: 30, perLogin: 1, atOnce: 1, everySeconds: 61, hours: 1 }
  assert.deepEqual(await guessCodes(proxied, heldClock(t), size), {
    inAnHour: 10,
    inADay: 10,
    elsewhere: 429,
    atKnownAddress: 200,
    byPasskey: 200,
    anHourLater: 200,
  })
})

test('a guest becomes the account only with the factor', async () => {
  const { id, email, secret } = await personWithTotp(people)
  const guest = await world.make.guest()
  const refused = await guest.post('/v1/users/login', { provider: 'EMAIL', email, password: PASSWORD })
  assert.equal(refused.status, 403)
  const aliases = () =>
    control().selectFrom('accounts.guestAliases').select('userId').where('guestId', '=', guest.id).execute()
  assert.deepEqual(await aliases(), [])
  assert.equal((await guest.get('/v1/users/me')).status, 200)
  const { status } = await finish({ challenge: refused.body.challenge, code: codeOf(secret) })
  assert.equal(status, 200)
  assert.deepEqual(await aliases(), [{ userId: id }])
})

test('a new password leaves the factor as it is, and ends logins that wait for it', async () => {
  const { email, secret, session } = await personWithTotp(people)
  const waiting = await challengeOf(email)
  const newPassword = 'seven copper kettles sing'
  const changed = await session.post('/v1/users/reset-password', { oldPassword: PASSWORD, newPassword })
  assert.equal(changed.status, 200, changed.text)
  const late = await finish({ challenge: waiting, code: codeOf(secret) })
  assert.equal(refusal(late), '422 VALIDATION_FAILED challenge CHALLENGE_INVALID')
  const login = await people.login(email, newPassword)
  assert.equal(login.status, 403)
  assert.equal((await finish({ challenge: login.body.challenge, code: codeOf(secret) })).status, 200)
})

test('a suspended account gets no session for a challenge from before', async () => {
  const { id, email, secret } = await personWithTotp(people)
  const challenge = await challengeOf(email)
  await people.suspend(id)
  assert.equal(refusal(await finish({ challenge, code: codeOf(secret) })), '403 FORBIDDEN')
})

test('API keys and guests may call nothing of it', async () => {
  const { id } = await people.person()
  const key = await world.make.apiKey(id)
  const guest = await world.make.guest()
  const calls = [
    ['GET', '/v1/users/second-factor'],
    ['POST', '/v1/users/second-factor'],
    ['DELETE', '/v1/users/second-factor'],
    ['POST', '/v1/users/second-factor/confirm'],
    ['POST', '/v1/users/second-factor/recovery-codes'],
    ['POST', '/v1/users/reauthenticate'],
    ['POST', '/v1/users/passkeys/options'],
    ['POST', '/v1/users/passkeys'],
    ['GET', '/v1/users/passkeys'],
    ['DELETE', '/v1/users/passkeys/pky_01jcq3v7k8f5t9x2m4n6p8r0sw'],
  ] as const
  for (const [method, path] of calls) {
    assert.equal((await key.send(method, path)).status, 403, `${method} ${path}`)
    assert.equal((await guest.send(method, path)).status, 403, `${method} ${path}`)
  }
})
