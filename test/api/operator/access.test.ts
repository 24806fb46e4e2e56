import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeOperator, revokeSession } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { useHeldClock } from '../../support/clock.ts'
import { addTotp, codeOf } from '../../support/factors.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

// The actor matrix meets every operator route with everybody else. Here is what changes with time.

const clock = useHeldClock()
const used = useWorld({ own: true, publicUrl: 'http://localhost:3000' })
const PATH = '/v1/operator/businesses'
const control = () => used.api.services.databases.control

test('an operator without a second factor is told to set one up, and gets in with it', async () => {
  const operator = await used.make.operator({})
  assert.equal(refusal(await operator.get(PATH)), '403 FORBIDDEN  SECOND_FACTOR_REQUIRED')
  await addTotp(operator)
  await until('it counts', async () => (await operator.get(PATH)).status === 200)
})

test('an operator is told so by the own account, a key of theirs and anybody else is not', async () => {
  const operator = await used.make.operator({})
  const key = await used.make.apiKey(operator.id)
  const somebody = await used.make.user()
  assert.equal((await operator.get('/v1/users/me')).body.isOperator, true)
  assert.equal('isOperator' in (await key.get('/v1/users/me')).body, false)
  assert.equal('isOperator' in (await somebody.get('/v1/users/me')).body, false)
})

test('whoever is no operator is told nothing of second factors', async () => {
  const { admin } = await used.make.business()
  assert.equal(refusal(await admin.get(PATH)), '403 FORBIDDEN')
  await addTotp(admin)
  assert.equal(refusal(await admin.get(PATH)), '403 FORBIDDEN')
})

test('a change needs a proof of the last ten minutes, reading does not', async () => {
  const operator = await used.make.operator()
  const { secret } = await addTotp(operator)
  const { id } = await used.make.business()
  const suspend = () => operator.post(`${PATH}/${id}/suspend`, { reason: 'Unpaid.' })
  clock.advance(601)
  assert.equal((await operator.get(`${PATH}/${id}`)).body.state, 'ACTIVE')
  assert.equal(refusal(await suspend()), '403 FORBIDDEN  REAUTHENTICATION_REQUIRED')
  assert.equal((await operator.get(`${PATH}/${id}`)).body.state, 'ACTIVE')
  const proven = await operator.post('/v1/users/reauthenticate', { code: codeOf(secret) })
  assert.equal(proven.status, 200, proven.text)
  assert.equal((await suspend()).body.state, 'SUSPENDED')
})

test('a removed operator, and an ended session, are refused from the next request on', async () => {
  const [removed, ended] = [await used.make.operator(), await used.make.operator()]
  for (const operator of [removed, ended]) assert.equal((await operator.get(PATH)).status, 200)
  await transaction(control(), (tx) => removeOperator(tx, removed.id))
  await transaction(control(), (tx) => revokeSession(tx, ended.sessionId))
  assert.equal(refusal(await removed.get(PATH)), '403 FORBIDDEN')
  assert.equal(refusal(await ended.get(PATH)), '401 UNAUTHENTICATED')
})

test('nobody becomes an operator by what the provider of a business says of them', async () => {
  const { id } = await used.make.business()
  const operator = await used.make.operator({ proof: 'PROVIDER_FACTOR', staffOf: id })
  assert.equal(refusal(await operator.get(PATH)), '403 FORBIDDEN')
})

test('an operator has no permission in any business', async () => {
  const operator = await used.make.operator()
  const { path } = await used.make.business()
  assert.equal(refusal(await operator.get(`${path}/roles`)), '403 FORBIDDEN')
  assert.equal(refusal(await operator.get(`${path}/orders`)), '200', 'their own orders: none')
  assert.equal('contactEmail' in (await operator.get(path)).body, false)
})

test('a new key of an operator, and a tool of a language model, open none of it', async () => {
  const operator = await used.make.operator()
  const key = await used.make.apiKey(operator.id)
  assert.equal(refusal(await key.get(PATH)), '403 FORBIDDEN')
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const { text } = await operator.post('/mcp?write=on&tags=Operator', asked)
  assert.doesNotMatch(text, /OperatorBusinesses|suspendBusiness/)
})
