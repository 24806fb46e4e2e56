import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('a query parameter that a route does not know is 422, with those that it knows and the nearest of them', async () => {
  const { admin, path } = await used.make.business()
  const answer = await admin.get(`${path}/products?statsu=ACTIVE&limit=5`)
  const { message, details } = assertError(answer, 422, 'VALIDATION_FAILED')
  assert.deepEqual(
    details.map(({ field, error }) => [field, error]),
    [['statsu', 'UNKNOWN_PARAMETER']],
  )
  assert.match(
    message,
    /^Unknown query parameter "statsu"\. Did you mean "status"\? Accepted parameters: limit, cursor, .*status/,
  )
  const both = assertError(await admin.get(`${path}/roles?page=2&offset=20`), 422, 'VALIDATION_FAILED')
  assert.deepEqual(
    both.details.map(({ field }) => field),
    ['page', 'offset'],
  )
  assert.equal(both.message, 'Unknown query parameter "page". Accepted parameters: limit, cursor.')
})

test('a route without parameters says so, whatever its method', async () => {
  const { admin, path } = await used.make.business()
  for (const answer of [await admin.get(`${path}?expand=roles`), await admin.put(`${path}?expand=roles`, {})]) {
    const { details } = assertError(answer, 422, 'VALIDATION_FAILED')
    assert.deepEqual(details, [
      { field: 'expand', error: 'UNKNOWN_PARAMETER', message: 'Unknown query parameter "expand". Remove it.' },
    ])
  }
  assert.equal((await admin.get(`${path}?`)).status, 200)
})

test('who may not call learns nothing of parameters', async () => {
  const { path } = await used.make.business()
  assertError(await used.make.anonymous().get(`${path}/roles?x=1`), 401, 'UNAUTHENTICATED')
  assertError(await (await used.make.user()).get(`${path}/roles?x=1`), 403, 'FORBIDDEN')
})

test('a hostile parameter is answered in few words', async () => {
  const { admin, path } = await used.make.business()
  const answer = await admin.get(`${path}/roles?${'x'.repeat(5_000)}=1&__proto__=1&constructor=1&a%0d%0ab=1`)
  const { details } = assertError(answer, 422, 'VALIDATION_FAILED')
  assert.equal(details.length, 4)
  for (const { message } of details) assert.ok(message.length <= 200, message)
  const many = Array.from({ length: 500 }, (_, index) => `p${index}=1`).join('&')
  assert.ok(assertError(await admin.get(`${path}/roles?${many}`), 422, 'VALIDATION_FAILED').details.length <= 20)
})

test('filters by blocks are parameters of a list of entries, whatever their ids', async () => {
  const { admin, path } = await used.make.business()
  assert.equal((await admin.get(`${path}/entries?block.color=red`)).status, 200)
  assertError(await admin.get(`${path}/entries?blocks.color=red`), 422, 'VALIDATION_FAILED')
})

test('pages, callbacks, webhooks and health checks take whatever others append to their addresses', async () => {
  const anonymous = used.make.anonymous()
  for (const page of [
    '/confirm',
    '/reset-password',
    '/invitation',
    '/claim',
    '/newsletters/unsubscribe',
    '/checkout/result',
  ]) {
    const plain = await anonymous.get(`${page}?token=x`)
    const tracked = await anonymous.get(`${page}?token=x&utm_source=mail&fbclid=1`)
    assert.equal(tracked.status, plain.status, page)
    assert.doesNotMatch(tracked.text, /UNKNOWN_PARAMETER/)
  }
  const callback = await anonymous.get('/v1/users/login/callback?state=x&code=y&iss=https%3A%2F%2Fidp&session_state=z')
  assert.doesNotMatch(callback.text, /UNKNOWN_PARAMETER/)
  const webhook = await anonymous.post('/v1/payments/webhooks/stripe?live=1', {})
  assert.doesNotMatch(webhook.text, /UNKNOWN_PARAMETER/)
  assert.equal((await anonymous.get('/healthz?from=balancer')).status, 200)
})
