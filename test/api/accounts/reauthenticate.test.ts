import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { addTotp, codeOf, personWithTotp, wrongCodeOf } from '../../support/factors.ts'
import { createPeople, PASSWORD, type People } from '../../support/people.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

const REFUSED = '403 FORBIDDEN  REAUTHENTICATION_REQUIRED'
const LATER = 601

let api: TestApi
let people: People
before(async () => {
  api = await startApi()
  people = createPeople(api)
})
after(() => api.close())

function heldClock(t: TestContext) {
  const clock = holdClock()
  t.after(clock.release)
  return clock
}
type Session = Awaited<ReturnType<People['session']>>
const prove = (session: Session, body: object) => session.post('/v1/users/reauthenticate', body)

/** What changes the ways into an account. */
const OF_EVERYBODY = [
  (session: Session) => session.post('/v1/users/second-factor', undefined),
  (session: Session) => session.post('/v1/users/second-factor/confirm', { code: '000000' }),
  (session: Session) => session.post('/v1/users/second-factor/recovery-codes', undefined),
  (session: Session) => session.delete('/v1/users/second-factor'),
  (session: Session) => session.post('/v1/users/passkeys/options', undefined),
  (session: Session) => session.delete('/v1/users/passkeys/pky_01jcq3v7k8f5t9x2m4n6p8r0sw'),
]
/** What only those with a second factor have to prove themselves for. */
const OF_THOSE_WITH_A_FACTOR = [
  (session: Session) => session.put('/v1/users/update', { apiTokens: [{ name: 'till' }] }),
  (session: Session) =>
    session.post('/v1/users/reset-password', { oldPassword: PASSWORD, newPassword: 'seven copper kettles sing' }),
  (session: Session) => session.delete('/v1/users/me'),
]

test('what changes the ways into an account wants a proof of the last ten minutes', async (t) => {
  const clock = heldClock(t)
  const { email } = await people.person()
  const session = await people.session(email)
  clock.advance(LATER)
  for (const call of OF_EVERYBODY) assert.equal(refusal(await call(session)), REFUSED)
  const wrong = await prove(session, { password: 'not my password at all' })
  assert.equal(refusal(wrong), '422 VALIDATION_FAILED password PASSWORD_WRONG')
  assert.equal(refusal(await OF_EVERYBODY[0]!(session)), REFUSED) // oxlint-disable-line typescript/no-non-null-assertion
  assert.equal((await prove(session, { password: PASSWORD })).status, 200)
  for (const call of OF_EVERYBODY) assert.notEqual(refusal(await call(session)), REFUSED)
})

test('who has no second factor changes password and keys, and leaves, as ever', async (t) => {
  const clock = heldClock(t)
  const { email } = await people.person()
  const session = await people.session(email)
  clock.advance(LATER)
  for (const call of OF_THOSE_WITH_A_FACTOR) assert.equal((await call(session)).status, 200)
})

test('who has one shows it for these, too, and no password will do', async (t) => {
  const clock = heldClock(t)
  const { secret, session } = await personWithTotp(people)
  clock.advance(LATER)
  for (const call of [...OF_EVERYBODY, ...OF_THOSE_WITH_A_FACTOR]) assert.equal(refusal(await call(session)), REFUSED)
  assert.equal((await session.put('/v1/users/update', { name: 'Ada' })).status, 200, 'nothing but keys is guarded')
  const password = await prove(session, { password: PASSWORD })
  assert.equal(refusal(password), '403 FORBIDDEN password SECOND_FACTOR_REQUIRED')
  assert.equal(refusal(await prove(session, { code: wrongCodeOf(secret) })), '422 VALIDATION_FAILED code CODE_WRONG')
  const code = codeOf(secret)
  assert.equal((await prove(session, { code })).status, 200)
  assert.equal((await prove(session, { code })).status, 422, 'a code works once')
  for (const call of OF_THOSE_WITH_A_FACTOR) assert.equal((await call(session)).status, 200)
})

test('a proof counts for ten minutes, in its own session only, and a refresh does not renew it', async (t) => {
  const clock = heldClock(t)
  const { email } = await people.person()
  const [here, elsewhere] = [await people.session(email), await people.session(email)]
  clock.advance(LATER)
  assert.equal((await prove(here, { password: PASSWORD })).status, 200)
  assert.equal(refusal(await elsewhere.post('/v1/users/second-factor', undefined)), REFUSED)
  clock.advance(599)
  assert.equal((await here.post('/v1/users/second-factor', undefined)).status, 200)
  clock.advance(2)
  assert.equal(refusal(await here.post('/v1/users/second-factor', undefined)), REFUSED)
  const refreshed = await createClient(api.url).post('/v1/users/refresh', {
    provider: 'EMAIL',
    refreshToken: here.refreshToken,
  })
  assert.equal(refreshed.status, 200, refreshed.text)
  const after = createClient(api.url, { authorization: `Bearer ${refreshed.body.accessToken}` })
  assert.equal(refusal(await after.post('/v1/users/second-factor', undefined)), REFUSED)
})

test('a refresh keeps that the session has passed the factor', async () => {
  const { email } = await people.person()
  const session = await people.session(email)
  await addTotp(session)
  const { body: before } = await session.get('/v1/users/second-factor')
  const { body } = await createClient(api.url).post('/v1/users/refresh', {
    provider: 'EMAIL',
    refreshToken: session.refreshToken,
  })
  const after = createClient(api.url, { authorization: `Bearer ${body.accessToken}` })
  assert.deepEqual((await after.get('/v1/users/second-factor')).body, before)
})

test('exactly one proof is sent', async () => {
  const session = await people.session((await people.person()).email)
  const WRONG = '422 VALIDATION_FAILED password REQUIRED'
  assert.equal(refusal(await prove(session, {})), WRONG)
  assert.equal(refusal(await prove(session, { password: PASSWORD, code: '000000' })), WRONG)
})

test('a session of the version before counts as proven at its login', async () => {
  const { id, email } = await people.person()
  const session = await people.session(email)
  const { control } = api.services.databases
  const before = { provenAt: null, provenWith: null, secondFactorAt: null }
  await control.updateTable('accounts.sessions').set(before).where('userId', '=', id).execute()
  assert.equal((await session.post('/v1/users/second-factor', undefined)).status, 200)
})

test('passwords that prove somebody are limited like those that log in', async () => {
  const session = await people.session((await people.person()).email)
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) statuses.push((await prove(session, { password: `wrong number ${n}` })).status)
  assert.deepEqual(statuses, [...Array<number>(10).fill(422), 429, 429])
})
