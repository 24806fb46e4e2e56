import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintResetToken } from '#modules/accounts/sign-in/change-password.ts'
import { hashPassword } from '#modules/accounts/sign-in/passwords.ts'
import { transaction } from '#platform/database/transaction.ts'
import { createClient } from '../../support/client.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ providers: ['mail', 'sms'], worker: 'accounts' })

const OLD = 'harbour lantern teapot'
const NEW = 'an entirely new one'
const control = () => world.api.services.databases.control
const anonymous = () => createClient(world.api.url)

async function withPassword() {
  const user = await world.make.user()
  const passwordHash = await hashPassword(OLD)
  await control().updateTable('accounts.users').set({ passwordHash }).where('id', '=', user.id).execute()
  return { ...user, email: user.email ?? '' }
}
const login = (email: string, password: string) =>
  anonymous().post('/v1/users/login', { provider: 'EMAIL', email, password })

test('a login with the old password that is under way during a reset gains nothing', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, email } = await withPassword()
    const token = await transaction(control(), (tx) => mintResetToken(tx, id))
    const [reset, ...logins] = await Promise.all([
      anonymous().post('/v1/users/reset-forgot-password', { token, password: NEW }),
      ...Array.from({ length: 12 }, () => login(email, OLD)),
    ])
    assert.equal(reset?.status, 200, reset?.text)
    for (const { status, body } of logins) {
      if (status !== 200) continue
      const alive = await createClient(world.api.url, { authorization: `Bearer ${body.accessToken}` }).get(
        '/v1/users/me',
      )
      assert.equal(alive.status, 401, 'it came in before the reset, and ended with it')
    }
    assert.equal((await login(email, OLD)).status, 422)
  }
})

test('of several changes of one password at once, one wins', async () => {
  const { email } = await withPassword()
  const { body } = await login(email, OLD)
  const me = createClient(world.api.url, { authorization: `Bearer ${body.accessToken}` })
  const answers = await Promise.all(
    [1, 2, 3, 4].map((n) =>
      me.post('/v1/users/reset-password', { oldPassword: OLD, newPassword: `${NEW} ${n} of many` }),
    ),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 422, 422, 422],
  )
})

test('a role that is given to somebody who leaves at that moment does not count as an ADMIN', async () => {
  const { id: businessId, admin } = await world.make.business()
  const roleId = (await admin.get(`/v1/businesses/${businessId}/roles`)).body.items[0].id
  for (let round = 0; round < 8; round++) {
    const leaver = await world.make.user()
    const [given, left] = await Promise.all([
      admin.put('/v1/users/set-role', { userId: leaver.id, roleId, businessId }),
      leaver.delete('/v1/users/me'),
    ])
    assert.ok([200, 404].includes(given.status), given.text)
    assert.equal(left.status, 200, left.text)
  }
  const members = await control()
    .selectFrom('access.memberships')
    .select('userId')
    .where('businessId', '=', businessId)
    .execute()
  assert.deepEqual(members, [{ userId: admin.id }])
  const last = await admin.put('/v1/users/set-role', { userId: admin.id, roleId: null, businessId })
  assert.deepEqual([last.status, last.body.details[0].error], [409, 'LAST_ADMIN'])
})

test('whoever is erased while a request of theirs runs is told so, and nothing breaks', async () => {
  const { id, email, token } = await withPassword()
  const me = createClient(world.api.url, { authorization: `Bearer ${token}` })
  const answers = await Promise.all([
    me.delete('/v1/users/me'),
    ...Array.from({ length: 8 }, () => login(email, OLD)),
    ...Array.from({ length: 8 }, () => me.put('/v1/users/update', { apiTokens: [{ name: 'late' }] })),
    ...Array.from({ length: 8 }, (_, n) => me.post('/v1/users/phone-number', { phoneNumber: `+49151123456${10 + n}` })),
  ])
  assert.deepEqual(
    answers.filter(({ status }) => status >= 500).map(({ text }) => text),
    [],
  )
  assert.equal((await me.get('/v1/users/me')).status, 401)
  assert.deepEqual(await control().selectFrom('accounts.sessions').select('id').where('userId', '=', id).execute(), [])
})
