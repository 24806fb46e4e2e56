import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '#platform/database/transaction.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { addPasskey, addTotp, codeOf, type Passkey, usePasskey } from '../../support/factors.ts'
import { createMake, type Make } from '../../support/make.ts'
import { createPeople, type People } from '../../support/people.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

const PUBLIC = 'https://kontor.example'
const SHOP = 'https://shop.example'
const INVALID = '422 VALIDATION_FAILED passkey PASSKEY_INVALID'

let api: TestApi
let people: People
let make: Make
before(async () => {
  api = await startApi({ publicUrl: PUBLIC, env: { ALLOWED_ORIGINS: SHOP } })
  people = createPeople(api)
  make = createMake(api)
})
after(() => api.close())

function heldClock(t: TestContext) {
  const clock = holdClock()
  t.after(clock.release)
  return clock
}
const anonymous = () => createClient(api.url)
const control = () => api.services.databases.control
const login = (passkey: object, client = anonymous()) =>
  client.post('/v1/users/login', { provider: 'PASSKEY', passkey })
const bearer = (accessToken: string) => createClient(api.url, { authorization: `Bearer ${accessToken}` })

async function personWithPasskey(conduct?: { counter?: number }) {
  const person = await people.person()
  const session = await people.session(person.email)
  return { ...person, session, passkey: await addPasskey(session, PUBLIC, conduct) }
}
const auditOf = async (userId: string) => {
  const rows = await control().selectFrom('access.auditLog').select('action').where('subject', '=', userId).execute()
  return rows.map(({ action }) => action)
}

test('the options are for the host of PUBLIC_URL, and ask who is there', async () => {
  const { id, email } = await people.person()
  const session = await people.session(email)
  const { status, body, text } = await session.post('/v1/users/passkeys/options', undefined)
  assert.equal(status, 200, text)
  assert.deepEqual(body.rp, { id: 'kontor.example', name: 'kontor.example' })
  assert.deepEqual([Buffer.from(body.user.id, 'base64url').toString(), body.user.name], [id, email])
  assert.deepEqual(body.authenticatorSelection, {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  })
  const asked = await anonymous().post('/v1/users/login/passkey-options', undefined)
  assert.equal(asked.status, 200, asked.text)
  assert.deepEqual(
    [asked.body.rpId, asked.body.userVerification, asked.body.allowCredentials],
    ['kontor.example', 'required', []],
  ) // prettier-ignore
})

test('a passkey is added, listed, logs in by itself, and is removed', async () => {
  const { id, session, passkey } = await personWithPasskey()
  const { body: listed } = await session.get('/v1/users/passkeys')
  assert.deepEqual(Object.keys(listed.items[0]).sort(), ['createdAt', 'id', 'lastUsedAt', 'name'])
  assert.deepEqual([listed.items.length, listed.items[0].id, listed.items[0].lastUsedAt], [1, passkey.id, null])

  const answer = await login(await usePasskey(api.url, passkey))
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual([answer.body.userId, answer.body.provider], [id, 'PASSKEY'])
  const second = bearer(answer.body.accessToken)
  assert.equal((await second.get('/v1/users/me')).body.id, id)
  assert.equal(typeof (await second.get('/v1/users/passkeys')).body.items[0].lastUsedAt, 'number')
  const refreshed = await anonymous().post('/v1/users/refresh', {
    provider: 'PASSKEY',
    refreshToken: answer.body.refreshToken,
  })
  assert.equal(refreshed.status, 200, refreshed.text)

  assert.equal((await second.delete(`/v1/users/passkeys/${passkey.id}`)).status, 200)
  assert.equal((await second.delete(`/v1/users/passkeys/${passkey.id}`)).status, 404)
  assert.equal(refusal(await login(await usePasskey(api.url, passkey))), INVALID)
  await until('the other session has ended', async () => (await session.get('/v1/users/me')).status === 401)
  assert.deepEqual((await second.get('/v1/users/second-factor')).body.passedAt, null, 'nothing is left to pass')
})

test('a passkey may be used from any origin of the operator, and from no other', async () => {
  const { session, passkey } = await personWithPasskey()
  assert.equal((await login(await usePasskey(api.url, passkey, { origin: SHOP }))).status, 200)
  for (const origin of ['https://evil.example', 'http://kontor.example', 'https://kontor.example.evil.example', 'null'])
    assert.equal(refusal(await login(await usePasskey(api.url, passkey, { origin }))), INVALID, origin)
  assert.equal(refusal(await login(await usePasskey(api.url, passkey, { crossOrigin: true }))), INVALID)
  const { body: options } = await session.post('/v1/users/passkeys/options', undefined)
  const made = createAuthenticator('https://evil.example').create(options)
  assert.equal(refusal(await session.post('/v1/users/passkeys', { passkey: made.passkey, name: 'x' })), INVALID)
})

test('a passkey for another relying party, or that has verified nobody, is refused', async () => {
  const { session, passkey } = await personWithPasskey()
  assert.equal(refusal(await login(await usePasskey(api.url, passkey, { rpId: 'evil.example' }))), INVALID)
  assert.equal(refusal(await login(await usePasskey(api.url, passkey, { isVerified: false }))), INVALID)
  for (const conduct of [{ rpId: 'evil.example' }, { isVerified: false }]) {
    const { body: options } = await session.post('/v1/users/passkeys/options', undefined)
    const made = createAuthenticator(PUBLIC).create(options, conduct)
    assert.equal(refusal(await session.post('/v1/users/passkeys', { passkey: made.passkey, name: 'x' })), INVALID)
  }
})

test('a challenge is ours, for its purpose, works once and ends after five minutes', async (t) => {
  const clock = heldClock(t)
  const { session, passkey } = await personWithPasskey()
  const used = await usePasskey(api.url, passkey)
  assert.equal((await login(used)).status, 200)
  assert.equal(refusal(await login(used)), INVALID)
  const madeUp = Buffer.from('made up').toString('base64url')
  assert.equal(refusal(await login(await usePasskey(api.url, passkey, { challenge: madeUp }))), INVALID)
  const { body: registering } = await session.post('/v1/users/passkeys/options', undefined)
  const { challenge } = registering
  assert.equal(refusal(await login(await usePasskey(api.url, passkey, { challenge }))), INVALID)
  const late = await usePasskey(api.url, passkey)
  clock.advance(301)
  assert.equal(refusal(await login(late)), INVALID)

  const other = await people.session((await people.person()).email)
  const { body: theirs } = await other.post('/v1/users/passkeys/options', undefined)
  const made = createAuthenticator(PUBLIC).create(theirs)
  const mine = await session.post('/v1/users/passkeys', { passkey: made.passkey, name: 'x' })
  assert.equal(refusal(mine), INVALID, 'the challenge is of another account')
  assert.equal((await other.post('/v1/users/passkeys', { passkey: made.passkey, name: 'x' })).status, 201)
  const again = await other.post('/v1/users/passkeys', { passkey: made.passkey, name: 'x' })
  assert.equal(refusal(again), INVALID)
})

test('of twenty who send the same answer at once, one gets in', async () => {
  const { passkey } = await personWithPasskey()
  const answer = await usePasskey(api.url, passkey)
  const answers = await Promise.all(Array.from({ length: 20 }, () => login(answer)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
})

test('a counter that does not rise tells of a copy: it is refused and audited; a forged answer is only refused', async () => {
  const { id, passkey } = await personWithPasskey({ counter: 5 })
  assert.equal((await login(await usePasskey(api.url, passkey))).status, 200)
  const forged = await usePasskey(api.url, passkey, { counter: 1 })
  forged.response.signature = Buffer.from('forged').toString('base64url')
  assert.equal(refusal(await login(forged)), INVALID)
  assert.ok(!(await auditOf(id)).includes('passkey.copied'))
  for (const counter of [6, 3, 0])
    assert.equal(refusal(await login(await usePasskey(api.url, passkey, { counter }))), INVALID, `${counter}`)
  assert.equal((await auditOf(id)).filter((action) => action === 'passkey.copied').length, 3)
  assert.equal((await login(await usePasskey(api.url, passkey, { counter: 7 }))).status, 200)
})

test('another key, another user’s handle and nonsense are refused alike', async () => {
  const [ada, bo] = [await personWithPasskey(), await personWithPasskey()]
  const swapped: Passkey = { ...ada.passkey, key: { ...ada.passkey.key, privateKey: bo.passkey.key.privateKey } }
  assert.equal(refusal(await login(await usePasskey(api.url, swapped))), INVALID)
  const handle: Passkey = { ...ada.passkey, key: { ...ada.passkey.key, userHandle: bo.passkey.key.userHandle } }
  assert.equal(refusal(await login(await usePasskey(api.url, handle))), INVALID)
  const answer = await usePasskey(api.url, ada.passkey)
  for (const field of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
    for (const value of ['x', 'bm90aGluZw', '%%%']) {
      const broken = { ...answer, response: { ...answer.response, [field]: value } }
      assert.equal(refusal(await login(broken)), INVALID, `${field} ${value}`)
    }
  }
  assert.equal(refusal(await login({ ...answer, id: 'bm9uZQ', rawId: 'bm9uZQ' })), INVALID)
  const without = await anonymous().post('/v1/users/login', { provider: 'PASSKEY' })
  assert.equal(refusal(without), '422 VALIDATION_FAILED passkey REQUIRED')
})

test('a passkey is registered once, whoever has it', async () => {
  const { session, passkey } = await personWithPasskey()
  const other = await people.session((await people.person()).email)
  for (const client of [session, other]) {
    const offered = await client.post('/v1/users/passkeys/options', undefined)
    const same = createAuthenticator(PUBLIC).create(offered.body, { id: passkey.key.id })
    const refused = await client.post('/v1/users/passkeys', { passkey: same.passkey, name: 'Again' })
    assert.equal(refusal(refused), '409 CONFLICT passkey PASSKEY_EXISTS')
  }
  const { body: options } = await session.post('/v1/users/passkeys/options', undefined)
  assert.deepEqual(options.excludeCredentials, [
    { type: 'public-key', id: passkey.key.id.toString('base64url'), transports: ['internal'] },
  ])
})

test('a passkey stands in for the code of a login, if it is of that account', async () => {
  const { id, email, session, passkey } = await personWithPasskey()
  const { secret } = await addTotp(session)
  const stranger = await personWithPasskey()
  const refused = await people.login(email)
  assert.deepEqual([refused.status, refused.body.methods], [403, ['TOTP', 'PASSKEY', 'RECOVERY_CODE']])
  const { challenge } = refused.body
  const asked = await anonymous().post('/v1/users/login/passkey-options', { challenge })
  assert.deepEqual(
    asked.body.allowCredentials.map((known: { id: string }) => known.id),
    [passkey.key.id.toString('base64url')],
  )
  const finish = async (of: Passkey) =>
    anonymous().post('/v1/users/login/second-factor', { challenge, passkey: await usePasskey(api.url, of) })
  assert.equal(refusal(await finish(stranger.passkey)), INVALID)
  const done = await finish(passkey)
  assert.deepEqual([done.status, done.body.userId, done.body.provider], [200, id, 'EMAIL'])
  assert.equal((await login(await usePasskey(api.url, passkey))).status, 200, 'alone it is both factors')
  assert.ok(codeOf(secret))
})

test('a passkey alone changes no other login, and the first one ends other sessions', async () => {
  const { email } = await people.person()
  const [here, elsewhere] = [await people.session(email), await people.session(email)]
  await addPasskey(here, PUBLIC)
  await until('it has ended', async () => (await elsewhere.get('/v1/users/me')).status === 401)
  const third = await people.session(email)
  await addPasskey(here, PUBLIC)
  assert.equal((await third.get('/v1/users/me')).status, 200)
})

test('of two sessions that add the first passkey at once, one is ended by the other and adds none', async () => {
  const { id: userId, email } = await people.person()
  const adding = async () => {
    const session = await people.session(email)
    const options = await session.post('/v1/users/passkeys/options', undefined)
    const { passkey } = createAuthenticator(PUBLIC).create(options.body)
    return () => session.post('/v1/users/passkeys', { passkey, name: 'Phone' })
  }
  const [one, two] = [await adding(), await adding()]
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(control())
    return rows.length
  }
  const { asked } = await transaction(control(), async (tx) => {
    await sql`select from accounts.users where id = ${userId} for update`.execute(tx)
    const both = [one(), two()]
    await until('both wait for the account', async () => (await waiting()) === 2)
    return { asked: both }
  })
  const statuses = (await Promise.all(asked)).map((answer) => refusal(answer)).sort()
  assert.deepEqual(statuses, ['201', '403 FORBIDDEN  REAUTHENTICATION_REQUIRED'])
})

test('a password alone adds nothing to an account that has a passkey', async () => {
  const { email, passkey } = await personWithPasskey()
  const thief = await people.session(email)
  const REFUSED = '403 FORBIDDEN  REAUTHENTICATION_REQUIRED'
  assert.equal(refusal(await thief.post('/v1/users/second-factor', undefined)), REFUSED)
  assert.equal(refusal(await thief.post('/v1/users/passkeys/options', undefined)), REFUSED)
  assert.equal(refusal(await thief.delete(`/v1/users/passkeys/${passkey.id}`)), REFUSED)
  const proven = await thief.post('/v1/users/reauthenticate', { passkey: await usePasskey(api.url, passkey) })
  assert.equal(proven.status, 200, proven.text)
  assert.equal((await thief.post('/v1/users/passkeys/options', undefined)).status, 200)
})

test('a guest becomes the account that the passkey opens; a suspended account stays shut', async () => {
  const { id, passkey } = await personWithPasskey()
  const guest = await make.guest()
  const answer = await login(await usePasskey(api.url, passkey), guest)
  assert.equal(answer.status, 200, answer.text)
  const alias = await control()
    .selectFrom('accounts.guestAliases')
    .select('userId')
    .where('guestId', '=', guest.id)
    .executeTakeFirst()
  assert.equal(alias?.userId, id)
  await people.suspend(id)
  assert.equal(refusal(await login(await usePasskey(api.url, passkey))), '403 FORBIDDEN')
})

test('an account has twenty passkeys at most', async () => {
  const { session } = await personWithPasskey()
  for (let n = 0; n < 19; n++) await addPasskey(session, PUBLIC)
  const { body: options } = await session.post('/v1/users/passkeys/options', undefined)
  const { passkey } = createAuthenticator(PUBLIC).create(options)
  const refused = await session.post('/v1/users/passkeys', { passkey, name: 'One more' })
  assert.equal(refusal(refused), '409 CONFLICT passkey TOO_MANY')
})

test('in development, pages of this machine are as good as the operator’s', async (t) => {
  const local = await startApi({ publicUrl: 'http://localhost:3000' })
  t.after(() => local.close())
  const there = createPeople(local)
  const { email } = await there.person()
  const passkey = await addPasskey(await there.session(email), 'http://localhost:5173')
  const open = async (origin: string) =>
    createClient(local.url).post('/v1/users/login', {
      provider: 'PASSKEY',
      passkey: await usePasskey(local.url, passkey, { origin }),
    })
  assert.equal((await open('http://localhost:4000')).status, 200)
  assert.equal(refusal(await open('https://evil.example')), INVALID)
})
