import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSession } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { createClient } from '../../support/client.ts'
import { openStream } from '../../support/event-stream.ts'
import { recordStatements } from '../../support/explain.ts'
import { addPasskey, addTotp, usePasskey } from '../../support/factors.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const PUBLIC = 'http://localhost:3000'
const used = useWorld({ own: true, publicUrl: PUBLIC, streams: { lookMs: 100 } })
const NEEDED = '403 FORBIDDEN  SECOND_FACTOR_REQUIRED'

/** Another login of that user, by password alone. */
async function plainSession(userId: string) {
  const { databases, tokens } = used.api.services
  const { id } = await transaction(databases.control, (tx) => startSession(tx, { userId, provider: 'EMAIL' }))
  const { token } = await tokens.issue('access', { sub: userId, sid: id, provider: 'EMAIL' })
  return createClient(used.api.url, { authorization: `Bearer ${token}` })
}

/** A business that wants a second factor, with an ADMIN who has passed one. */
async function strictBusiness() {
  const business = await used.make.business()
  const { admin, path } = business
  const { secret } = await addTotp(admin)
  const { status, text } = await admin.put(path, { requireSecondFactor: true })
  assert.equal(status, 200, text)
  return { ...business, secret }
}

test('only a session that has passed a second factor can switch it on or off, and no key', async () => {
  const { admin, path } = await used.make.business()
  assert.equal((await admin.get(path)).body.requireSecondFactor, false)
  const REFUSED = '409 CONFLICT requireSecondFactor WRONG_STATE'
  assert.equal(refusal(await admin.put(path, { requireSecondFactor: true })), REFUSED)
  assert.equal((await admin.put(path, { requireSecondFactor: false })).status, 200)
  await addTotp(admin)
  const made = await admin.put('/v1/users/update', { apiTokens: [{ name: 'till' }] })
  const key = createClient(used.api.url, { 'x-api-key': made.body.apiTokens[0].value })
  assert.equal(refusal(await key.put(path, { requireSecondFactor: true })), REFUSED)
  const on = await admin.put(path, { requireSecondFactor: true })
  assert.deepEqual([on.status, on.body.requireSecondFactor], [200, true], on.text)
  assert.equal((await key.put(path, { requireSecondFactor: true, name: 'Renamed' })).status, 200, 'nothing switched')
  assert.equal(refusal(await key.put(path, { requireSecondFactor: false })), REFUSED)
  assert.equal((await admin.put(path, { requireSecondFactor: false })).body.requireSecondFactor, false)
})

test('a role counts in sessions that have passed one, and nobody else has any', async () => {
  const { admin, path, id } = await strictBusiness()
  const member = await used.make.member(id, 'ORDERS_READ')
  const plain = await plainSession(admin.id)
  for (const caller of [member, plain]) {
    assert.equal(refusal(await caller.get(`${path}/orders/counts?by=status`)), NEEDED)
    assert.equal('contactEmail' in (await caller.get(path)).body, false, 'the view of strangers')
    const { body } = await caller.get('/v1/businesses')
    const shown = body.items.find((one: { id: string }) => one.id === id)
    assert.deepEqual(['contactEmail' in shown, shown.needsSecondFactor], [false, true])
    assert.equal('needsSecondFactor' in (await caller.get(path)).body, false)
  }
  const { body: open } = await admin.get('/v1/businesses')
  assert.equal('needsSecondFactor' in open.items[0], false, 'only where it is needed')
  assert.equal((await admin.get(`${path}/orders/counts?by=status`)).status, 200)
  assert.equal('contactEmail' in (await admin.get(path)).body, true)
  const stranger = await used.make.user()
  assert.equal(refusal(await stranger.get(`${path}/orders/counts?by=status`)), '403 FORBIDDEN')

  await addTotp(member)
  await until('it counts', async () => (await member.get(`${path}/orders/counts?by=status`)).status === 200)
  assert.equal(refusal(await member.get(`${path}/roles`)), '403 FORBIDDEN', 'it is no more than the role')
})

test('a passkey is enough, at a login or afterwards, and other businesses ask for nothing', async () => {
  const { path, id } = await strictBusiness()
  const member = await used.make.member(id, 'ORDERS_READ')
  const other = await used.make.business({ owner: member })
  const passkey = await addPasskey(member, PUBLIC)
  const login = await createClient(used.api.url).post('/v1/users/login', {
    provider: 'PASSKEY',
    passkey: await usePasskey(used.api.url, passkey),
  })
  const byPasskey = createClient(used.api.url, { authorization: `Bearer ${login.body.accessToken}` })
  assert.equal((await byPasskey.get(`${path}/orders/counts?by=status`)).status, 200)
  const plain = await plainSession(member.id)
  assert.equal((await plain.get(`${other.path}/orders/counts?by=status`)).status, 200)
  assert.equal(refusal(await plain.get(`${path}/orders/counts?by=status`)), NEEDED)
  const proof = { passkey: await usePasskey(used.api.url, passkey) }
  assert.equal((await plain.post('/v1/users/reauthenticate', proof)).status, 200)
  await until('it counts', async () => (await plain.get(`${path}/orders/counts?by=status`)).status === 200)
})

test('an API key counts if the session that made it has passed one', async () => {
  const { admin, path } = await strictBusiness()
  const made = await admin.put('/v1/users/update', { apiTokens: [{ name: 'till' }] })
  const passed = createClient(used.api.url, { 'x-api-key': made.body.apiTokens[0].value })
  const before = await used.make.apiKey(admin.id)
  assert.equal((await passed.get(`${path}/orders/counts?by=status`)).status, 200)
  assert.equal(refusal(await before.get(`${path}/orders/counts?by=status`)), NEEDED)
  assert.equal(refusal(await before.get(`${path}/orders`)), NEEDED, 'a program would believe that there are none')
  assert.equal((await (await plainSession(admin.id)).get(`${path}/orders`)).status, 200, 'people are customers, too')
  const customers = await used.make.apiKey((await used.make.user()).id)
  assert.equal((await customers.get(`${path}/orders`)).status, 200, 'who has no role here loses none')
})

test('whoever has removed their last factor has no role there any more', async () => {
  const { admin, path } = await strictBusiness()
  assert.equal((await admin.delete('/v1/users/second-factor')).status, 200)
  await until('it is gone', async () => refusal(await admin.get(`${path}/orders/counts?by=status`)) === NEEDED)
})

test('switching it on ends streams of those who have not passed one', async () => {
  const { admin, path, id } = await used.make.business()
  const member = await used.make.member(id, 'ORDERS_READ')
  const stream = await openStream(`${used.api.url}${path}/events/stream`, { authorization: `Bearer ${member.token}` })
  await addTotp(admin)
  assert.equal((await admin.put(path, { requireSecondFactor: true })).status, 200)
  await until('it has ended', () => stream.isOver)
})

test('asking whether somebody has passed one costs no round trip', async () => {
  const { admin, path } = await strictBusiness()
  assert.equal((await admin.get(path)).status, 200)
  await until('all is heard', async () => (await recordStatements(() => admin.get(path))).length === 0)
  assert.deepEqual(await recordStatements(() => admin.get(path)), [])
})
