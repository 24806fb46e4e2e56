import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { runCli } from '../../support/cli.ts'
import { PACKED_FLAGS } from '../../support/packed.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { happen } from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const BIN = path.join(import.meta.dirname, '../../../bin/kontor.js')
const used = useWorld()
const receiver = await startReceiver((_received, response) => void response.writeHead(202).end())
after(() => receiver.close())

test('listen sends what happens to this machine, signed, and says what was answered', async (t) => {
  const { id, admin } = await used.make.business({ cell: 'main' })
  const key = await used.make.apiKey(admin.id, id, ['ORDERS_READ'])
  const env = { ...used.api.databases.env, KONTOR_API_KEY: key.value }
  const args = ['listen', '--business', id, '--url', used.api.url, '--forward', `${receiver.url}/here`, '--json']
  const child = spawn(process.execPath, [...PACKED_FLAGS, BIN, 'cli', ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test', ...env },
  })
  t.after(() => child.kill('SIGKILL'))
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => void (said.out += String(chunk)))
  child.stderr.on('data', (chunk) => void (said.err += String(chunk)))
  await until('it listens', () => said.err.includes('Listening'))
  await happen(used.api, id, 2)
  await happen(used.api, id, 1, 'product.created') // not for this key
  const cell = used.api.services.databases.cells.get('main') ?? assert.fail()
  await sequenceEvents(cell)
  await until('both have come', () => receiver.received.length === 2)
  const lines = await until('it says so', () => {
    const all = said.out.trim().split('\n')
    return all.length === 3 ? all.map((line) => JSON.parse(line)) : undefined
  })
  const [{ secret }, ...results] = lines
  assert.deepEqual(
    results.map(({ number, type, status }) => [number, type, status]),
    [
      [1, 'order.commented', '202'],
      [2, 'order.commented', '202'],
    ],
  )
  for (const { body, headers, path: at } of receiver.received) {
    assert.equal(at, '/here')
    assert.ok(new Webhook(secret).verify(body, headers as Record<string, string>))
  }
})

test('listen says what is missing or wrong', async () => {
  const run = (args: string[], env: Record<string, string> = {}) =>
    runCli(['listen', ...args], { ...used.api.databases.env, ...env })
  assert.equal((await run(['--business', 'biz_1', '--forward', 'nonsense', '--key', 'k'])).code, 2)
  assert.match((await run(['--business', 'biz_1', '--forward', receiver.url])).err, /KONTOR_API_KEY/)
  const refused = await run(['--business', 'biz_1', '--forward', receiver.url, '--url', used.api.url, '--key', 'wrong'])
  assert.deepEqual([refused.code, /401/.test(refused.err)], [1, true])
})
