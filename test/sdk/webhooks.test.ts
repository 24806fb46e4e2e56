import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newSigningSecret, signedHeaders } from '#platform/outgoing/signing.ts'
import { verifyWebhook, WebhookError } from '../../packages/sdk/src/index.ts'

const event = { id: 'evt_1', number: 7, type: 'order.paid', businessId: 'biz_1', subject: 'ord_1', data: { total: 1 } }
const body = JSON.stringify(event)
const secret = newSigningSecret()

const sign = (secrets = [secret], at = new Date()) => signedHeaders({ id: event.id, at, body, secrets })
const refused = (...given: Parameters<typeof verifyWebhook>) => assert.rejects(verifyWebhook(...given), WebhookError)

test('what we sign is verified, in whatever form a framework has it', async () => {
  const headers = sign()
  assert.deepEqual(await verifyWebhook(body, headers, secret), event)
  assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret), event)
  const verified = await verifyWebhook(body, headers, secret)
  if (verified.type === 'order.paid') assert.equal(verified.subject, 'ord_1') // each type has its own data
})

test('what others sign by the same standard is verified', async () => {
  const at = new Date()
  const signature = new Webhook(secret).sign(event.id, at, body)
  const headers = {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signature,
  }
  assert.deepEqual(await verifyWebhook(body, headers, secret), event)
})

test('while a secret is being changed, either is right, and a third is not', async () => {
  const old = newSigningSecret()
  const headers = sign([secret, old])
  for (const each of [secret, old]) assert.deepEqual(await verifyWebhook(body, headers, each), event)
  await refused(body, headers, newSigningSecret())
})

test('a byte more, another id, another time or no signature is refused', async () => {
  const headers = sign()
  await refused(`${body} `, headers, secret)
  await refused(body, { ...headers, 'webhook-id': 'evt_2' }, secret)
  const later = String(Number(headers['webhook-timestamp']) + 1)
  await refused(body, { ...headers, 'webhook-timestamp': later }, secret)
  for (const signature of [
    '',
    'v1,',
    'v1',
    'v2,AAAA',
    'v1,%%%',
    String(headers['webhook-signature']).replace('v1,', 'v1a,'),
  ])
    await refused(body, { ...headers, 'webhook-signature': signature }, secret)
  for (const missing of Object.keys(headers)) await refused(body, { ...headers, [missing]: undefined }, secret)
})

test('after five minutes it is refused, unless more is allowed; so is one from the future', async () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000)
  await refused(body, sign([secret], minutes(-6)), secret)
  await refused(body, sign([secret], minutes(6)), secret)
  assert.deepEqual(await verifyWebhook(body, sign([secret], minutes(-4)), secret), event)
  assert.deepEqual(await verifyWebhook(body, sign([secret], minutes(-6)), secret, { toleranceSeconds: 600 }), event)
})
