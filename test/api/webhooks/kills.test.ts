import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startChild } from '../../support/child.ts'
import { runCli } from '../../support/cli.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { happen } from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const LOOPBACK = { OUTGOING_LOOPBACK: 'on' }
const used = useWorld({ own: true, env: LOOPBACK })
const receiver = await startReceiver()
after(() => receiver.close())

test('a worker that is killed loses nothing; what it had sent comes again under the same id', async () => {
  const env = { ...used.api.databases.env, ...LOOPBACK }
  const { admin, path, id } = await used.make.business()
  const { body } = await admin.post(`${path}/webhook-endpoints`, { url: receiver.url, types: ['order.*'] })
  const at = `${path}/webhook-endpoints/${body.id}`
  receiver.answer((received, response) => void response.writeHead(received.event.number === 30 ? 500 : 200).end())
  // Dies when the first answers have come and nothing is written yet, then in the middle of it.
  const first = await startChild('worker', env, { faults: { 'webhooks.sent': 'kill' } })
  await happen(used.api, id, 200)
  await first.exited
  assert.ok(receiver.received.length >= 1)
  const second = await startChild('worker', env)
  await until('it has taken over', () => receiver.received.length > 100, { withinMs: 40_000 })
  await second.kill()
  const third = await startChild('worker', env)
  await until('it is up to date', async () => (await admin.get(at)).body.behind === 0, { withinMs: 40_000 })
  await third.stop()
  const ids = new Map<number, Set<unknown>>()
  for (const { event, headers } of receiver.received)
    ids.set(event.number, (ids.get(event.number) ?? new Set()).add(headers['webhook-id']))
  assert.equal(ids.size, 200)
  for (const same of ids.values()) assert.equal(same.size, 1)
  const failed = (await admin.get(`${at}/deliveries`)).body.items
  assert.deepEqual(
    failed.map(({ number }: { number: number }) => number),
    [30],
  )
  assert.ok(receiver.received.length < 200 + 60, `${receiver.received.length} requests for 200 events`)
})

test('two workers share the businesses, and each endpoint is with one of them', async () => {
  const env = { ...used.api.databases.env, ...LOOPBACK }
  const workers = await Promise.all([startChild('worker', env), startChild('worker', env)])
  const shops = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const business = await used.make.business()
      await business.admin.post(`${business.path}/webhook-endpoints`, {
        url: `${receiver.url}/shared-${index}`,
        types: ['order.*'],
      })
      return business
    }),
  )
  receiver.answer((_received, response) => void response.writeHead(200).end())
  receiver.received.length = 0
  for (let round = 0; round < 3; round++) await Promise.all(shops.map(({ id }) => happen(used.api, id, 40)))
  // The test before has left an event that is tried again.
  const shared = () => receiver.received.filter(({ path }) => path.startsWith('/shared-'))
  await until('all have come', () => shared().length >= 1_200)
  await Promise.all(workers.map((worker) => worker.stop()))
  const seen = shared().map(({ headers }) => headers['webhook-id'])
  assert.deepEqual([seen.length, new Set(seen).size], [1_200, 1_200])
})

test('an endpoint of the operator is told of every business, from when it was added', async () => {
  const env = { ...used.api.databases.env, ...LOOPBACK }
  const earlier = await used.make.business()
  await happen(used.api, earlier.id, 3)
  const worker = await startChild('worker', env)
  await until(
    'they are numbered',
    async () => (await earlier.admin.get(`${earlier.path}/events`)).body.items.length >= 3,
  )
  const added = await runCli(['webhooks', 'operator', 'add', `${receiver.url}/all`, '--type', 'order.*', '--json'], env)
  assert.equal(added.code, 0, added.err)
  assert.match(added.json.secret, /^whsec_/)
  const listed = await runCli(['webhooks', 'operator', 'list', '--json'], env)
  assert.ok(!listed.out.includes(added.json.secret) && listed.out.includes(added.json.id))
  await worker.stop()
  const next = await startChild('worker', env) // knows it from the start
  receiver.received.length = 0
  const shops = [earlier, await used.make.business(), await used.make.business()]
  for (const { id } of shops) await happen(used.api, id, 5)
  await until('all have come', () => receiver.received.length >= 15)
  assert.deepEqual(new Set(receiver.received.map(({ event }) => event.businessId)), new Set(shops.map(({ id }) => id)))
  assert.equal(receiver.received.length, 15)
  assert.equal((await runCli(['webhooks', 'operator', 'remove', added.json.id], env)).code, 0)
  // The worker learns of it, though the business is never quiet.
  const own = `${earlier.path}/webhook-endpoints`
  await earlier.admin.post(own, { url: `${receiver.url}/own`, types: ['order.*'] })
  await until('it is told nothing more', async () => {
    receiver.received.length = 0
    await happen(used.api, earlier.id, 1)
    await until('the other is told', () => receiver.received.some(({ path }) => path === '/own'))
    await until('nothing waits', async () => (await earlier.admin.get(own)).body.items[0].behind === 0)
    return receiver.received.every(({ path }) => path === '/own')
  })
  assert.equal((await runCli(['webhooks', 'operator', 'remove', added.json.id], env)).code, 1)
  await next.stop()
})
