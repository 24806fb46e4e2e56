import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSigningSecret, signedHeaders } from './signing.ts'

test('signs as the example of Standard Webhooks does', () => {
  const headers = signedHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  })
  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('signs with both secrets while one is being changed', () => {
  const [secrets, id, at, body] = [[newSigningSecret(), newSigningSecret()], 'evt_1', new Date(1_614_265_330_000), '{}']
  const each = secrets.map((secret) => signedHeaders({ id, at, body, secrets: [secret] })['webhook-signature'])
  assert.equal(signedHeaders({ id, at, body, secrets })['webhook-signature'], each.join(' '))
  assert.notEqual(each[0], each[1])
})
