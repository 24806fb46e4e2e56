import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { idsOf } from '#modules/accounts/index.ts'
import { CALLBACK_PATH } from '#modules/accounts/sign-in/oauth.ts'
import { createClient } from '../../support/client.ts'
import { openIdentityProvider } from '../../support/identity-provider.ts'
import { linkIn } from '../../support/mail-server.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

const PUBLIC = 'http://localhost:3000'
const PASSWORD = 'harbour lantern teapot'
let world: StartedWorld<'mail' | 'sms'>
let idp: Awaited<ReturnType<typeof openIdentityProvider>>
before(async () => {
  idp = await openIdentityProvider(PUBLIC + CALLBACK_PATH)
  world = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts', publicUrl: PUBLIC, env: idp.env })
})
after(async () => {
  await world.close()
  await idp.close()
})

let count = 0
const newEmail = () => `guest${++count}.${process.pid}@example.com`
const newNumber = () => `+49151${String(10_000_000 + ++count)}`
const anonymous = () => createClient(world.api.url)
const sorted = (ids: string[]) => ids.toSorted()
const control = () => world.api.services.databases.control

async function enter(more: object = {}) {
  const { status, body, text } = await anonymous().post('/v1/users/login', { provider: 'GUEST', ...more })
  assert.equal(status, 200, text)
  return { ...body, ...createClient(world.api.url, { authorization: `Bearer ${body.accessToken}` }) }
}
type Guest = Awaited<ReturnType<typeof enter>>

async function registered(guest?: Guest) {
  const email = newEmail()
  const { status, text } = await (guest ?? anonymous()).post('/v1/users/register', {
    provider: 'EMAIL_REGISTER',
    email,
    password: PASSWORD,
  })
  assert.equal(status, 200, text)
  const token = linkIn(await world.mailServer.mailTo(email), '/confirm').searchParams.get('token')
  assert.equal((await anonymous().put('/v1/users/confirm', { token })).status, 200)
  return email
}
const login = (email: string, guest?: Guest) =>
  (guest ?? anonymous()).post('/v1/users/login', { provider: 'EMAIL', email, password: PASSWORD })
async function verifyPhone(caller: Guest, phoneNumber: string) {
  const earlier = world.sms.messages.filter(({ to }) => to === phoneNumber).length
  await world.forgetAttempts()
  assert.equal((await caller.post('/v1/users/phone-number', { phoneNumber })).status, 200)
  const code = await world.sms.codeTo(phoneNumber, earlier + 1)
  const { status, text } = await caller.post('/v1/users/phone-number/confirm', { phoneNumber, code })
  assert.equal(status, 200, text)
}
const aliases = () => control().selectFrom('accounts.guestAliases').selectAll().orderBy('guestId').execute()

test('a guest logs in with or without a phone number, and every login is a new guest', async () => {
  const phoneNumber = newNumber()
  const [plain, named, again] = [await enter(), await enter({ phoneNumber }), await enter({ phoneNumber })]
  const guests = [plain, named, again]
  for (const guest of guests) {
    assert.deepEqual([guest.provider, guest.isGuest, guest.scope, guest.tokenType], ['GUEST', true, 'guest', 'Bearer'])
    const me = await guest.get('/v1/users/me')
    assert.equal(me.body.id, guest.userId)
    assert.ok(!('email' in me.body))
  }
  assert.equal(new Set(guests.map(({ userId }) => userId)).size, 3)
  assert.deepEqual((await plain.get('/v1/users/me')).body.phoneNumbers, [])
  assert.deepEqual((await named.get('/v1/users/me')).body.phoneNumbers, [phoneNumber])
})

test('a guest’s session can be refreshed and ended', async () => {
  const guest = await enter()
  const { body } = await anonymous().post('/v1/users/refresh', { provider: 'GUEST', refreshToken: guest.refreshToken })
  assert.deepEqual([body.userId, body.isGuest, body.scope], [guest.userId, true, 'guest'])
  assert.equal((await guest.post('/v1/users/logout', { provider: 'GUEST' })).status, 200)
  assert.equal((await guest.get('/v1/users/me')).status, 401)
})

test('a number that is none is 422, and no guest is made', async () => {
  const before = await control().selectFrom('accounts.users').select('id').execute()
  for (const phoneNumber of ['', '12', '+1', 'call me', '+4915112345678901234', '0151 1234567', '+491511234567ö']) {
    const { status, body } = await anonymous().post('/v1/users/login', { provider: 'GUEST', phoneNumber })
    assert.deepEqual([status, body.details[0].field], [422, 'phoneNumber'], phoneNumber)
  }
  const wrongType = await anonymous().post('/v1/users/login', { provider: 'GUEST', phoneNumber: 49 })
  assert.equal(wrongType.status, 422)
  assert.deepEqual(await control().selectFrom('accounts.users').select('id').execute(), before)
})

test('two guests who name the same number see nothing of each other', async () => {
  const phoneNumber = newNumber()
  const [first, second] = [await enter({ phoneNumber }), await enter({ phoneNumber })]
  await first.put('/v1/users/update', {
    name: 'First Guest',
    addresses: [{ street: '1 Harbour Street', city: 'Lübeck', state: 'SH', zip: '23552', country: 'DE' }],
  })
  const { body } = await second.get('/v1/users/me')
  assert.deepEqual([body.name, body.addresses], ['', []])
  assert.deepEqual(await idsOf(control(), second.userId), [second.userId])
  assert.deepEqual(await idsOf(control(), first.userId), [first.userId])
})

test('a guest may change name, phone and addresses, and do nothing else with the profile', async () => {
  const guest = await enter()
  const changed = await guest.put('/v1/users/update', { name: 'Grace', phoneNumbers: [newNumber()], addresses: [] })
  assert.equal(changed.status, 200, changed.text)
  const business = await world.make.business()
  const answers = await Promise.all([
    guest.put('/v1/users/update', { apiTokens: [] }),
    guest.put(`/v1/users/me/businesses/${business.id}`, { settings: {} }),
    guest.post('/v1/users/reset-password', { oldPassword: 'x', newPassword: PASSWORD }),
    guest.get('/v1/users/me/export'),
    guest.delete('/v1/users/me'),
    guest.get('/v1/users/sessions'),
    guest.delete('/v1/users/sessions'),
    guest.get(`/v1/users/search?businessId=${business.id}`),
    guest.put('/v1/users/set-role', { userId: guest.userId, roleId: null, businessId: business.id }),
    guest.post('/v1/businesses', { name: 'Mine' }),
    guest.post('/v1/users/invitations/accept', { token: 'x' }),
  ])
  for (const { status, body } of answers) assert.deepEqual([status, body.error], [403, 'FORBIDDEN'])
})

test('registering with the guest’s token makes the guest part of the account, and ends its session', async () => {
  const guest = await enter()
  const email = await registered(guest)
  assert.equal((await guest.get('/v1/users/me')).status, 401)
  const { body } = await login(email)
  assert.deepEqual(await idsOf(control(), body.userId), [body.userId, guest.userId])
  const refused = await anonymous().post('/v1/users/refresh', { provider: 'GUEST', refreshToken: guest.refreshToken })
  assert.equal(refused.status, 401)
})

test('logging in with the guest’s token does the same, each time with another guest', async () => {
  const email = await registered()
  const [first, second] = [await enter(), await enter()]
  const { body } = await login(email, first)
  await login(email, second)
  assert.deepEqual(sorted(await idsOf(control(), body.userId)), sorted([body.userId, first.userId, second.userId]))
  for (const guest of [first, second]) assert.equal((await guest.get('/v1/users/me')).status, 401)
})

test('so does a login at the identity provider, with the token sent at either end of it', async () => {
  idp.people.set('grace', { sub: 'grace', email: newEmail(), email_verified: true })
  const atStart = await enter()
  const atEnd = await enter()
  const query = new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: PUBLIC, redirectUrl: `${PUBLIC}/after` })
  const logIn = async (starting: Pick<Guest, 'get'>, ending: Pick<Guest, 'post'>) => {
    const { body } = await starting.get(`/v1/users/login/url?${query.toString()}`)
    const callback = await idp.logIn(body.url, 'grace')
    const answer = await fetch(world.api.url + callback.pathname + callback.search, { redirect: 'manual' })
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code')
    return ending.post('/v1/users/login', { provider: 'OAUTH_IDP', code, originUrl: PUBLIC })
  }
  const { body } = await logIn(atStart, anonymous())
  assert.deepEqual(await idsOf(control(), body.userId), [body.userId, atStart.userId])
  await logIn(anonymous(), atEnd)
  assert.deepEqual(sorted(await idsOf(control(), body.userId)), sorted([body.userId, atStart.userId, atEnd.userId]))
})

test('a failed login, and a failed registration, merge nobody', async () => {
  const email = await registered()
  const guest = await enter()
  await guest.post('/v1/users/login', { provider: 'EMAIL', email, password: 'wrong horse battery' })
  await guest.post('/v1/users/register', { provider: 'EMAIL_REGISTER', email, password: PASSWORD })
  assert.equal((await guest.get('/v1/users/me')).status, 200)
  assert.ok(!(await aliases()).some(({ guestId }) => guestId === guest.userId))
})

test('an account’s token merges nothing: accounts stay apart', async () => {
  const [first, second] = [await registered(), await registered()]
  const { body } = await login(first)
  const account = { ...body, ...createClient(world.api.url, { authorization: `Bearer ${body.accessToken}` }) }
  const { body: other } = await login(second, account)
  assert.deepEqual(await idsOf(control(), other.userId), [other.userId])
  assert.deepEqual(await idsOf(control(), body.userId), [body.userId])
  assert.equal((await account.get('/v1/users/me')).status, 200)
})

test('guests that became a guest that became a user all belong to that user, and to nobody else', async () => {
  const phoneNumber = newNumber()
  const [first, second, third] = [await enter(), await enter(), await enter()]
  for (const guest of [first, second, third]) await verifyPhone(guest, phoneNumber)
  assert.deepEqual(
    sorted(await idsOf(control(), third.userId)),
    sorted([first, second, third].map(({ userId }) => userId)),
  )
  const email = await registered()
  const { body } = await login(email, third)
  assert.deepEqual(
    sorted(await idsOf(control(), body.userId)),
    sorted([body.userId, first.userId, second.userId, third.userId]),
  )
  assert.deepEqual(await idsOf(control(), third.userId), [third.userId])

  const stranger = await enter()
  await assert.rejects(verifyPhone(stranger, phoneNumber), /PHONE_IN_USE/) // what a guest had verified is the account's now
  assert.deepEqual(await idsOf(control(), stranger.userId), [stranger.userId])
  assert.equal((await idsOf(control(), body.userId)).length, 4)
  const merges = await control()
    .selectFrom('access.auditLog')
    .select('id')
    .where('action', '=', 'guest.merged')
    .where('subject', '=', stranger.userId)
    .execute()
  assert.deepEqual(merges, [], 'nor does the audit log claim it')
})
