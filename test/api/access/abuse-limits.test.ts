import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true, env: { RATE_LIMITS: 'on', BUSINESSES_PER_DAY: '3' } })

const DAY = 86_400
let addresses = 0
const newAddress = () => `invited${++addresses}-${process.pid}@example.com`

function assertLimited({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.error], [429, 'RATE_LIMITED'])
  const wait = Number(headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= DAY, `Retry-After is ${wait}`)
}

async function makeBusiness() {
  const business = await used.make.business()
  const { admin, path } = business
  const { body: role } = await admin.post(`${path}/roles`, { name: 'Helpers', permissions: ['ORDERS_READ'] })
  const invite = (email: string, key?: string) =>
    admin.post(`${path}/invitations`, { email, roleId: role.id }, key ? { 'idempotency-key': key } : {})
  return { ...business, role: role as { id: string }, invite }
}

test('a business mails one address three invitations a day, however it is written', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const { admin, path, invite } = await makeBusiness()
  const email = newAddress()
  for (const to of [email, email.toUpperCase(), email]) assert.equal((await invite(to)).status, 201)
  assertLimited(await invite(email))
  assert.equal((await admin.get(`${path}/invitations`)).body.items.length, 1, 'the last one stays')
  assert.equal((await invite(newAddress())).status, 201, 'another address is not concerned')
})

test('all businesses together mail one address five invitations a day', async () => {
  const email = newAddress()
  for (const times of [3, 2]) {
    const { invite } = await makeBusiness()
    for (let count = 0; count < times; count++) assert.equal((await invite(email)).status, 201)
  }
  assertLimited(await (await makeBusiness()).invite(email))
})

test('a repeated request counts once, and a refused one not at all', async () => {
  const { admin, path, invite } = await makeBusiness()
  const email = newAddress()
  for (let count = 0; count < 5; count++) {
    assert.equal((await invite(email, 'same')).status, 201)
    assert.equal((await admin.post(`${path}/invitations`, { email, roleId: 'role_nowhere' })).status, 422)
  }
  for (let count = 0; count < 2; count++) assert.equal((await invite(email)).status, 201)
  assertLimited(await invite(email))
})

test('a business mails two hundred invitations a day', async () => {
  const { id, invite } = await makeBusiness()
  const { control } = used.api.services.databases
  assert.equal((await invite(newAddress())).status, 201)
  const counted = control.updateTable('accounts.attempts').set({ count: 200 }).where('key', '=', `invite-by:${id}`)
  assert.equal((await counted.executeTakeFirst()).numUpdatedRows, 1n)
  assertLimited(await invite(newAddress()))
})

test('a role that is offered to an account counts like an invitation to its address', async () => {
  const { admin, id, role } = await makeBusiness()
  const bo = await used.make.user()
  const offer = async () => {
    const given = await admin.put('/v1/users/set-role', { userId: bo.id, roleId: role.id, businessId: id })
    const { body } = await bo.get('/v1/users/invitations')
    for (const waiting of body.items) await bo.delete(`/v1/users/invitations/${waiting.id}`)
    return given
  }
  for (let count = 0; count < 3; count++) assert.equal((await offer()).status, 200)
  assertLimited(await offer())
})

test('one account creates so many businesses a day', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const ada = await used.make.user()
  const create = (headers = {}) => ada.post('/v1/businesses', { name: 'One of many' }, headers)
  const key = { 'idempotency-key': 'first' }
  for (let count = 0; count < 3; count++) assert.equal((await create(key)).status, 201)
  assert.equal((await ada.post('/v1/businesses', { name: '' })).status, 422, 'what is refused does not count')
  for (let count = 0; count < 2; count++) assert.equal((await create()).status, 201)
  assertLimited(await create())
  assert.equal((await create(key)).status, 201, 'a repeat is answered')
  assert.equal((await (await used.make.user()).post('/v1/businesses', { name: 'Another’s' })).status, 201)
})
