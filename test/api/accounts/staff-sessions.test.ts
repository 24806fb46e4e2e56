import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Client } from '../../support/client.ts'
import { createClient } from '../../support/client.ts'
import { addTotp, codeOf } from '../../support/factors.ts'
import { PASSWORD } from '../../support/people.ts'
import { refusal } from '../../support/refusal.ts'
import { openStaffDesk, type StaffDesk } from '../../support/staff-desk.ts'

const LIMITED = '403 FORBIDDEN  OWN_SIGN_IN_REQUIRED'
const KEYS = '/v1/users/keys'

let desk: StaffDesk
before(async () => {
  desk = await openStaffDesk()
})
after(() => desk.close())

const newSub = () => `sub-${randomBytes(6).toString('hex')}`

/** An agency with a sign-in provider, and a person of its domain who is ADMIN of another business. */
async function openAgency(settings?: Parameters<StaffDesk['openBusiness']>[0]) {
  const agency = await desk.openBusiness(settings)
  const client = await desk.openClient(agency.domain)
  const claims = { sub: newSub(), email: client.email }
  return { agency, client, claims, enter: (more = {}) => desk.enter(agency.id, { ...claims, ...more }) }
}
const confirm = async (session: Client, proof: object = { password: PASSWORD }) => {
  const answer = await session.post('/v1/users/reauthenticate', proof)
  assert.equal(answer.status, 200, answer.text)
}
async function requireFactor({ admin, path }: Pick<Awaited<ReturnType<StaffDesk['openClient']>>, 'admin' | 'path'>) {
  const session = await desk.make.sessionOf(admin, { proof: 'TOTP' })
  const answer = await session.put(path, { requireSecondFactor: true })
  assert.equal(answer.status, 200, answer.text)
}

const ADDRESS = { street: '1 Harbour Street', city: 'Lübeck', state: 'SH', zip: '23552', country: 'DE' }

/** What concerns the account, and with it all businesses of its person. */
const OF_THE_ACCOUNT: Record<string, (session: Client) => Promise<Parameters<typeof refusal>[0]>> = {
  'change the profile': (session) => session.put('/v1/users/update', { addresses: [ADDRESS] }),
  'replace the keys': (session) => session.put('/v1/users/update', { apiTokens: [] }),
  'change the password': (session) =>
    session.post('/v1/users/reset-password', { oldPassword: PASSWORD, newPassword: 'seven copper kettles sing' }),
  'delete the account': (session) => session.delete('/v1/users/me'),
  'export the account': (session) => session.get('/v1/users/me/export'),
  'request an export': (session) => session.post('/v1/users/me/export', undefined),
  'list exports': (session) => session.get('/v1/users/me/exports'),
  'list sessions': (session) => session.get('/v1/users/sessions'),
  'end sessions': (session) => session.delete('/v1/users/sessions'),
  'add a second factor': (session) => session.post('/v1/users/second-factor', undefined),
  'remove a second factor': (session) => session.delete('/v1/users/second-factor'),
  'add a passkey': (session) => session.post('/v1/users/passkeys/options', undefined),
  'remove a passkey': (session) => session.delete('/v1/users/passkeys/pky_01jcq3v7k8f5t9x2m4n6p8r0sw'),
  'add a phone number': (session) => session.post('/v1/users/phone-number', { phoneNumber: '+4915112345678' }),
  'create a business': (session) => session.post('/v1/businesses', { name: 'Another' }),
  'list invitations': (session) => session.get('/v1/users/invitations'),
  'accept an invitation': (session) => session.post('/v1/users/invitations/accept', { token: 'x' }),
}

describe('session by the provider of a business', () => {
  test('acts in that business only', async () => {
    const { agency, client, enter } = await openAgency()
    const session = await enter()
    const refused = [
      await session.get(`${client.path}/members`),
      await session.get(`${client.path}/customers`),
      await session.post(`${client.path}/roles`, { name: 'Backdoor', permissions: ['ADMIN'] }),
      await session.get(`/v1/users/search?businessId=${client.id}`),
      await session.put('/v1/users/set-role', { userId: session.userId, roleId: null, businessId: client.id }),
      await session.put(`/v1/users/me/businesses/${client.id}`, { settings: {} }),
      await session.post(`${client.path}/orders/checkout`, {}),
    ]
    assert.deepEqual(refused.map(refusal), Array(refused.length).fill(LIMITED))
    assert.match(refused[0]?.body.message, /POST \/v1\/users\/reauthenticate/)

    assert.ok('contactEmail' in (await session.get(agency.path)).body)
    assert.ok(!('contactEmail' in (await session.get(client.path)).body), 'sees what strangers see')
    const businesses = await session.get('/v1/businesses')
    assert.deepEqual(
      businesses.body.items.map(({ id }: { id: string }) => id),
      [agency.id],
    )
    const { body: me } = await session.get('/v1/users/me')
    assert.equal(me.needsConfirmation, true)
    assert.deepEqual(
      me.roles.map(({ businessId }: { businessId: string }) => businessId),
      [agency.id],
    )
  })

  test('shows no addresses or phone numbers of the account until it is confirmed, and its API keys never do', async () => {
    const { client, enter } = await openAgency()
    const phoneNumbers = ['+4915112345678']
    const stored = await client.boss.put('/v1/users/update', { addresses: [ADDRESS], phoneNumbers })
    assert.equal(stored.status, 200, stored.text)
    const session = await enter()
    const { body: key } = await session.post(KEYS, { name: 'Bound' })
    const program = createClient(desk.api.url, { 'x-api-key': key.value })
    const contactOf = async (caller: Client) => {
      const { body } = await caller.get('/v1/users/me')
      return [body.addresses, body.phoneNumbers]
    }
    assert.deepEqual(await contactOf(session), [[], []])

    await confirm(session)
    assert.deepEqual(await contactOf(session), [[ADDRESS], phoneNumbers])
    assert.deepEqual(await contactOf(program), [[], []])
  })

  for (const [what, request] of Object.entries(OF_THE_ACCOUNT))
    test(`cannot ${what}`, async () => {
      const { enter } = await openAgency()
      assert.equal(refusal(await request(await enter())), LIMITED)
    })

  test('acts everywhere once its person confirms it with their password', async () => {
    const { agency, client, enter } = await openAgency()
    const session = await enter()
    const wrong = await session.post('/v1/users/reauthenticate', { password: 'not my password at all' })
    assert.equal(refusal(wrong), '422 VALIDATION_FAILED password PASSWORD_WRONG')
    assert.equal(refusal(await session.get(`${client.path}/members`)), LIMITED)

    await confirm(session)
    assert.equal((await session.get(`${client.path}/members`)).status, 200)
    assert.equal((await session.get('/v1/users/sessions')).status, 200)
    const { body: me } = await session.get('/v1/users/me')
    assert.ok(!('needsConfirmation' in me))
    const businesses = (await session.get('/v1/businesses')).body.items.map(({ id }: { id: string }) => id)
    assert.deepEqual(businesses.sort(), [agency.id, client.id].sort())

    assert.equal(
      refusal(await (await enter()).get(`${client.path}/members`)),
      LIMITED,
      'each session is confirmed alone',
    )
  })

  test('acts everywhere if its person showed their own second factor at the login', async () => {
    const { agency, client, claims } = await openAgency()
    const { secret } = await addTotp(client.boss)
    const { code } = await desk.signIn(agency.id, desk.claiming(claims))
    const { challenge } = (await desk.redeem(code)).body
    const { body } = await desk.anonymous().post('/v1/users/login/second-factor', { challenge, code: codeOf(secret) })
    const session = createClient(desk.api.url, { authorization: `Bearer ${body.accessToken}` })
    assert.equal((await session.get(`${client.path}/members`)).status, 200)
  })

  test('is limited if the provider vouched for the second factor, until the person shows theirs', async () => {
    const { client, claims, agency } = await openAgency({ trustsSecondFactor: true })
    const { secret } = await addTotp(client.boss)
    const mfa = { ...claims, amr: ['mfa'] }
    const { code } = await desk.signIn(agency.id, desk.claiming(mfa))
    const { challenge } = (await desk.redeem(code)).body
    await desk.anonymous().post('/v1/users/login/second-factor', { challenge, code: codeOf(secret) })

    const session = await desk.enter(agency.id, mfa)
    assert.equal(refusal(await session.get(`${client.path}/members`)), LIMITED)
    const byPassword = await session.post('/v1/users/reauthenticate', { password: PASSWORD })
    assert.equal(refusal(byPassword), '403 FORBIDDEN password SECOND_FACTOR_REQUIRED')
    await confirm(session, { code: codeOf(secret, 1) })
    assert.equal((await session.get(`${client.path}/members`)).status, 200)
  })

  test('creates, lists, and deletes only API keys that are bound to its business', async () => {
    const { agency, client, enter } = await openAgency()
    const { body: own } = await client.boss.post(KEYS, { name: 'Own' })
    const session = await enter()
    const { body: key } = await session.post(KEYS, { name: 'Bound' })
    assert.equal(key.businessId, agency.id)
    assert.equal(refusal(await session.post(KEYS, { name: 'Elsewhere', businessId: client.id })), LIMITED)
    const program = createClient(desk.api.url, { 'x-api-key': key.value })
    assert.equal(refusal(await program.get(`${client.path}/members`)), '403 FORBIDDEN')

    const { body: listed } = await session.get(KEYS)
    assert.deepEqual(
      listed.items.map(({ id }: { id: string }) => id),
      [key.id],
    )
    assert.equal(refusal(await session.delete(`${KEYS}/${own.id}`)), '404 NOT_FOUND')
    assert.equal((await session.delete(`${KEYS}/${key.id}`)).status, 200)

    await confirm(session)
    assert.equal((await session.post(KEYS, { name: 'Unbound' })).body.businessId, null)
  })
})

describe('second factor by the word of a provider', () => {
  test('makes no client address a known one', async () => {
    const { client, enter } = await openAgency({ trustsSecondFactor: true })
    const known = () =>
      desk.control.selectFrom('accounts.knownAddresses').select('seenAt').where('userId', '=', client.boss.id).execute()
    await enter({ amr: ['mfa'] })
    assert.deepEqual(await known(), [])
    const login = { provider: 'EMAIL', email: client.email, password: PASSWORD }
    assert.equal((await desk.anonymous().post('/v1/users/login', login)).status, 200)
    assert.equal((await known()).length, 1)
  })

  test('counts in the business of that provider only', async () => {
    const { agency, client, enter } = await openAgency({ trustsSecondFactor: true })
    await requireFactor(client)
    await requireFactor(agency)
    const REFUSED = '403 FORBIDDEN  SECOND_FACTOR_REQUIRED'
    const without = await enter()
    assert.ok(!('contactEmail' in (await without.get(agency.path)).body))

    const session = await enter({ amr: ['mfa'] })
    assert.ok('contactEmail' in (await session.get(agency.path)).body)
    await confirm(session)
    assert.equal(refusal(await session.get(`${client.path}/customers`)), REFUSED)
    const { body } = await session.get('/v1/businesses')
    const shut = Object.fromEntries(
      body.items.map(({ id, needsSecondFactor = false }: Record<string, unknown>) => [id, needsSecondFactor]),
    )
    assert.deepEqual(shut, { [agency.id]: false, [client.id]: true })
    assert.ok('contactEmail' in (await session.get(agency.path)).body, 'still counts there')
  })

  test('passes to API keys that are bound to that business only, and not to another business with them', async () => {
    const { agency, client, enter } = await openAgency({ trustsSecondFactor: true })
    await requireFactor(client)
    const session = await enter({ amr: ['mfa'] })
    await confirm(session)
    const made = []
    for (const businessId of [agency.id, client.id, null])
      made.push((await session.post(KEYS, { name: 'Key', businessId })).body)
    assert.deepEqual(
      made.map(({ passedSecondFactor }) => passedSecondFactor),
      [true, false, false],
    )
    for (const { value } of made.slice(1)) {
      const program = createClient(desk.api.url, { 'x-api-key': value })
      assert.equal(refusal(await program.get(`${client.path}/customers`)), '403 FORBIDDEN  SECOND_FACTOR_REQUIRED')
    }

    const [bound] = made
    const apiTokens = [{ id: bound.id, businessId: client.id }]
    assert.equal((await session.put('/v1/users/update', { apiTokens })).status, 200)
    const program = createClient(desk.api.url, { 'x-api-key': bound.value })
    assert.equal(refusal(await program.get(`${client.path}/customers`)), '403 FORBIDDEN  SECOND_FACTOR_REQUIRED')
  })
})
