import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintInvitationToken } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { createClient } from '../../support/client.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ providers: ['mail', 'sms'], worker: 'accounts', env: { RATE_LIMITS: 'on' } })

const anonymous = () => createClient(world.api.url)
const fieldsOf = (details: { field: string; error: string }[]) =>
  details.map(({ field, error }) => `${field} ${error}`).sort()

test('spaces around an email address do not matter', async () => {
  const sent = await anonymous().post('/v1/users/forgot-password', { email: '  Ada@example.com ' })
  assert.equal(sent.status, 200, sent.text)
  const login = await anonymous().post('/v1/users/login', {
    provider: 'EMAIL',
    email: ' ada@example.com ',
    password: 'x y z',
  })
  assert.equal(login.status, 422)
})

test('an email login tells everything that is wrong with it at once', async () => {
  const { status, body } = await anonymous().post('/v1/users/login', { provider: 'EMAIL', email: 'nobody' })
  assert.deepEqual([status, fieldsOf(body.details)], [400, ['email INVALID', 'password PASSWORD_REQUIRED']])
})

test('registering with a wrong email address and a weak password tells of both at once', async () => {
  const register = async (fields: object) => {
    const { status, body } = await anonymous().post('/v1/users/register', { provider: 'EMAIL_REGISTER', ...fields })
    return [status, fieldsOf(body.details)]
  }
  const both = ['email INVALID', 'password PASSWORD_WEAK']
  assert.deepEqual(await register({ email: 'nobody', password: 'short' }), [422, both])
  assert.deepEqual(await register({ password: 'short' }), [422, ['email REQUIRED', 'password PASSWORD_WEAK']])
  assert.deepEqual(await register({ email: 5, password: 5 }), [422, ['email INVALID', 'password INVALID']])
  assert.deepEqual(await register({ email: 'nobody' }), [422, ['email INVALID', 'password PASSWORD_REQUIRED']])
  assert.deepEqual(await register({ email: 'nobody', password: 'x'.repeat(1_001), name: 5 }), [
    422,
    ['email INVALID', 'name INVALID', 'password TOO_LONG'],
  ])
})

test('a field of the wrong type is 400 in an email login and 422 in any other', async () => {
  const login = async (fields: object) => (await anonymous().post('/v1/users/login', fields)).status
  assert.equal(await login({ provider: 'EMAIL', email: 5, password: 'harbour lantern teapot' }), 400)
  assert.equal(await login({ provider: 'GUEST', phoneNumber: 5 }), 422)
  assert.equal(await login({ provider: 'OAUTH_IDP', code: 5, originUrl: 'https://shop.example.com' }), 422)
  assert.equal(await login({ provider: 'OAUTH_IDP', code: 'x', originUrl: ['https://shop.example.com'] }), 422)
  for (const provider of [undefined, 'PIGEON', 5, null]) assert.equal(await login({ provider, phoneNumber: 5 }), 400)
})

test('refreshing and logging out name a provider that there is', async () => {
  const refreshed = await anonymous().post('/v1/users/refresh', { provider: 'PIGEON', refreshToken: 'x' })
  assert.deepEqual([refreshed.status, refreshed.body.error], [400, 'BAD_REQUEST'])
  assert.equal((await anonymous().post('/v1/users/refresh', { refreshToken: 'x' })).status, 400)
  assert.equal((await anonymous().post('/v1/users/logout', { provider: 'PIGEON', token: 'x' })).status, 400)
})

test('the Authorization header alone is enough to log out', async () => {
  const user = await world.make.user()
  assert.equal((await user.send('POST', '/v1/users/logout')).status, 200)
  assert.equal((await user.get('/v1/users/me')).status, 401)
})

test('weak passwords do not use up the mails of an address', async () => {
  const email = `weak.${process.pid}@example.com`
  const register = (password: string) =>
    anonymous().post('/v1/users/register', { provider: 'EMAIL_REGISTER', email, password })
  for (let count = 0; count < 6; count++) assert.equal((await register('password1234')).status, 422)
  assert.equal((await register('harbour lantern teapot')).status, 200)
})

test('one caller cannot have codes sent to ever new numbers', async () => {
  const guest = await world.make.guest()
  const ask = (n: number) => guest.post('/v1/users/phone-number', { phoneNumber: `+4915112345${600 + n}` })
  for (let count = 0; count < 10; count++) assert.equal((await ask(count)).status, 200)
  const more = await ask(11)
  assert.deepEqual([more.status, more.body.error], [429, 'RATE_LIMITED'])
})

test('a key can be bound to a business afterwards, and then reaches nothing else of its user', async () => {
  const { id: businessId, admin } = await world.make.business()
  const made = await admin.put('/v1/users/update', { apiTokens: [{ id: 'k', name: 'script' }] })
  const key = createClient(world.api.url, { 'x-api-key': made.body.apiTokens[0].value })
  const elsewhere = await world.make.business({ owner: admin })
  assert.equal((await key.get('/v1/users/me')).body.roles.length, 2)

  const unknown = await admin.put('/v1/users/update', { apiTokens: [{ id: 'k', businessId: 'biz_nope' }] })
  assert.deepEqual([unknown.status, unknown.body.details[0].error], [422, 'NOT_FOUND'])
  assert.equal((await admin.put('/v1/users/update', { apiTokens: [{ id: 'k', businessId }] })).status, 200)

  assert.equal((await key.get('/v1/users/me')).body.roles.length, 1)
  assert.equal((await key.get(`/v1/businesses/${businessId}/roles`)).status, 200)
  assert.equal((await key.get(`/v1/businesses/${elsewhere.id}/roles`)).status, 403)
  for (const [method, path] of [
    ['PUT', '/v1/users/update'],
    ['GET', '/v1/users/me/export'],
    ['GET', '/v1/users/sessions'],
    ['DELETE', '/v1/users/sessions'],
  ] as const) {
    assert.equal((await key.send(method, path, method === 'PUT' ? { body: { name: 'x' } } : {})).status, 403, path)
  }
})

test('an invitation does not outlive its inviter’s power', async () => {
  const { id: businessId, admin, path } = await world.make.business()
  const deputy = await world.make.member(businessId, 'ADMIN')
  const ally = await world.make.user()
  const roleId = (await admin.get(`${path}/roles`)).body.items.at(-1).id
  const invited = await deputy.post(`${path}/invitations`, { email: ally.email, roleId })
  assert.equal(invited.status, 201, invited.text)
  const token = await transaction(world.api.services.databases.control, (tx) =>
    mintInvitationToken(tx, businessId, invited.body.id),
  )
  assert.equal((await admin.put('/v1/users/set-role', { userId: deputy.id, roleId: null, businessId })).status, 200)

  const accepted = await ally.post('/v1/users/invitations/accept', { token })
  assert.deepEqual([accepted.status, accepted.body.details[0].error], [422, 'TOKEN_INVALID'])
})

test('settings for a business are small', async () => {
  const { id, admin } = await world.make.business()
  const { status, body } = await admin.put(`/v1/users/me/businesses/${id}`, { settings: { text: 'x'.repeat(20_000) } })
  assert.deepEqual([status, body.details[0].error], [422, 'TOO_LONG'])
})
