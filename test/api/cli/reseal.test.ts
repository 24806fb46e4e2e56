import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { resealEndpoints } from '#modules/webhooks/index.ts'
import { runCli } from '../../support/cli.ts'
import { createClient } from '../../support/client.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const [OLD, NEW] = ['old', 'new'].map((name) => Buffer.from(name.padEnd(32, '.')).toString('base64')) as [
  string,
  string,
]
const LOOPBACK = { OUTGOING_LOOPBACK: 'on' }
const used = useWorld({ own: true, env: { ...LOOPBACK, SECRET_KEY: OLD } })
const receiver = await startReceiver()
after(() => receiver.close())

/** Who signed the last request. */
function isSignedWith(secret: string): boolean {
  const { body, headers } = receiver.received.at(-1) ?? assert.fail('nothing has come')
  try {
    return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>))
  } catch {
    return false
  }
}

test('after keys rotate, secrets of webhooks and callouts sign under the new SECRET_KEY alone', async (t) => {
  const business = await used.make.business({ cell: 'second' })
  const { admin, path } = business
  const made = await admin.post(`${path}/webhook-endpoints`, { url: receiver.url, types: ['order.*'] })
  const rotated = await admin.post(`${path}/webhook-endpoints/${made.body.id}/rotate`, { keepOldHours: 24 })
  const callout = await admin.put(`${path}/callouts/cart.validate`, { url: receiver.url })
  assert.deepEqual([made.status, rotated.status, callout.status], [201, 200, 200])
  const env = { ...used.api.databases.env, ...LOOPBACK }
  const operator = await runCli(['webhooks', 'operator', 'add', receiver.url, '--json'], { ...env, SECRET_KEY: OLD })
  assert.equal(operator.code, 0, operator.err)
  const { second } = used.api.databases
  for (const args of [
    ['migrate', '--cell', 'second'],
    ['cells', 'set', 'second', '--url', second.url],
  ]) {
    const { code, err } = await runCli(args, { ...env, SECRET_KEY: OLD })
    assert.equal(code, 0, err)
  }

  const blind = await runCli(['keys', 'rotate'], { ...env, SECRET_KEY: NEW })
  assert.notEqual(blind.code, 0, 'without the old key nothing is lost')
  const sealed = await runCli(['keys', 'rotate', '--json'], { ...env, SECRET_KEY: `${NEW},${OLD}` })
  assert.equal(sealed.code, 0, sealed.err)

  const api = await startApi({ databases: used.api.databases, env: { ...LOOPBACK, SECRET_KEY: NEW, CELLS: '{}' } })
  t.after(() => api.close())
  const again = createClient(api.url, { authorization: `Bearer ${admin.token}` })
  const ping = await again.post(`${path}/webhook-endpoints/${made.body.id}/ping`, {})
  assert.equal(ping.status, 200, ping.text)
  assert.ok(isSignedWith(rotated.body.secret), 'the secret is what it was')
  assert.ok(isSignedWith(made.body.secret), 'and the one before signs beside it')
  const tried = await again.post(`${path}/callouts/cart.validate/test`, {})
  assert.equal(tried.status, 200, tried.text)
  assert.ok(isSignedWith(callout.body.secret))

  const row = await api.services.databases.control
    .selectFrom('webhooks.operatorEndpoints')
    .select('secret')
    .executeTakeFirstOrThrow()
  assert.equal(api.services.box.open(row.secret)?.toString(), operator.json.secret)
  await assert.rejects(
    resealEndpoints(business.db, used.api.services.box),
    new RegExp(`No SECRET_KEY given opens the secret of the webhook endpoint ${made.body.id}`),
  )
})
