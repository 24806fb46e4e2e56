import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { logRequests, networkOf, pathOf } from '#platform/http/access-log.ts'
import { createLog } from '#platform/observability/log.ts'
import { createClient } from '../../support/client.ts'
import { createMake } from '../../support/make.ts'
import { startApi } from '../../support/start-api.ts'

/** An API with these settings, and the lines about requests that it has written. */
async function open(env: Record<string, string>) {
  const lines: string[] = []
  const api = await startApi({
    env,
    lines,
    routes: (app) => {
      const config = { access: 'public', business: 'none' } as const
      app.get('/broken', { config }, () => {
        throw new Error('a bug')
      })
    },
  })
  const written = () =>
    lines
      .map((line) => JSON.parse(line))
      .flatMap(({ pid: _pid, hostname: _host, ...line }) => (line.msg === 'request' ? [line] : []))
  return { api, make: createMake(api), text: () => lines.join(''), written, guest: createClient(api.url) }
}

test('a line says who asked for what, how it ended and how long it took', async () => {
  const { api, make, written } = await open({ ACCESS_LOG: 'all', ACCESS_LOG_ADDRESS: 'network' })
  const { id, path, admin } = await make.business()
  const key = await make.apiKey(admin.id, id)
  const agent = `shop/1.0 ${'x'.repeat(300)}`
  const { headers, text } = await admin.get(`${path}/orders?limit=5&sort=createdAt`, { 'user-agent': agent })
  await key.get(path)
  await api.close()
  const [line, ofKey] = written()
  assert.deepEqual(Object.keys(line).sort(), [
    'actor',
    'actorId',
    'agent',
    'businessId',
    'bytes',
    'client',
    'level',
    'method',
    'ms',
    'msg',
    'parameters',
    'path',
    'requestId',
    'route',
    'status',
    'time',
  ])
  const { ms, time, level, ...rest } = line
  assert.ok(ms > 0 && ms < 60_000)
  assert.ok(time !== undefined && level !== undefined)
  assert.deepEqual(rest, {
    msg: 'request',
    requestId: headers.get('x-request-id'),
    method: 'GET',
    route: '/v1/businesses/:businessId/orders',
    path: `/v1/businesses/${id}/orders`,
    parameters: ['limit', 'sort'],
    status: 200,
    bytes: Buffer.byteLength(text),
    businessId: id,
    actor: 'user',
    actorId: admin.id,
    client: '127.0.0.0/24',
    agent: agent.slice(0, 120),
  })
  assert.equal(ofKey.actor, 'api')
  assert.match(ofKey.keyId, /^ak_/)
})

test('nothing of bodies, credentials, addresses or what people looked for is in it', async () => {
  const { api, make, guest, text, written } = await open({ ACCESS_LOG: 'all' })
  const { path, admin } = await make.business()
  const key = await make.apiKey(admin.id)
  const asked = [
    await admin.get(`${path}/orders?query=Secretperson`),
    await admin.get(`${path}/suppressions/secret@example.com`),
    await admin.post(`${path}/collections`, { name: 'Secretname', password: 'Secretword' }),
    await guest.post('/v1/users/login', { provider: 'EMAIL', email: 'secret@example.com', password: 'Secretword' }),
    await guest.get('/v1/users/confirm?token=Secrettoken&email=secret@example.com'),
    await guest.get('/newsletters/open/Secrettoken'),
    await guest.get('/Secretpath/secret@example.com?secret@example.com=1'),
    await guest.get('/v1/businesses/secret%00byte'),
    await guest.get('/v1/users/me', { authorization: 'Bearer Secrettoken', cookie: 'session=Secretcookie' }),
    await key.get('/v1/users/me'),
  ]
  await api.close()
  assert.equal(written().length, asked.length)
  const requests = written()
    .map((line) => JSON.stringify(line))
    .join('\n')
  for (const secret of [/secret/i, new RegExp(admin.token), new RegExp(key.value), /@example/, /127\.0\.0\.1/])
    assert.doesNotMatch(requests, secret)
  assert.doesNotMatch(text(), /Secretword|Secrettoken|Secretcookie/)
})

test('it is off unless told, and then no line is written', async () => {
  const { api, make, guest, written } = await open({})
  const { path, admin } = await make.business()
  await admin.get(path)
  await guest.get('/broken')
  await api.close()
  assert.deepEqual(written(), [])
})

test('`errors` are those that are our fault', async () => {
  const { api, make, guest, written } = await open({ ACCESS_LOG: 'errors' })
  const { path, admin } = await make.business()
  await admin.get(path)
  await guest.get(path)
  await guest.get('/broken')
  await api.close()
  assert.deepEqual(
    written().map(({ route, status }) => [route, status]),
    [['/broken', 500]],
  )
})

test('`sampled` takes a share of all, and every failure of ours; health checks are left out', async () => {
  const none = await open({ ACCESS_LOG: 'sampled', ACCESS_LOG_RATE: '0' })
  const some = await open({ ACCESS_LOG: 'sampled', ACCESS_LOG_RATE: '0.5' })
  for (const { api, make, guest } of [none, some]) {
    const { path, admin } = await make.business()
    for (let count = 0; count < 100; count++) await admin.get(path)
    await guest.get('/broken')
    await guest.get('/healthz')
    await guest.get('/readyz')
    await api.close()
  }
  assert.deepEqual(
    none.written().map(({ route }) => route),
    ['/broken'],
  )
  const routes = some.written().map(({ route }) => route)
  assert.ok(routes.length > 15 && routes.length < 85, `${routes.length} of 101`) // further off once in a million million
  assert.ok(!routes.some((route) => route === '/healthz' || route === '/readyz'))
})

test('it is written whatever LOG_LEVEL leaves out', async () => {
  const lines: string[] = []
  const log = createLog('error', { write: (line: string) => void lines.push(line) })
  const app = Fastify()
  logRequests(app, log, { mode: 'all', rate: 0, address: 'off' })
  app.get('/there', () => 'here')
  await app.inject('/there')
  log.info('not this')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).route),
    ['/there'],
  )
})

test('a path has ids of ours in it, and nothing else that a caller wrote', () => {
  const order = 'ord_01jcq3v7k8f5t9x2m4n6p8r0sw'
  assert.equal(pathOf('/orders/:id/lines/:number', { id: order, number: '3' }), `/orders/${order}/lines/:number`)
  assert.equal(
    pathOf('/go/:token/:link/*', { token: 'x'.repeat(40), link: '1', '*': 'https://a' }),
    '/go/:token/:link/*',
  )
  assert.equal(pathOf('/suppressions/:email', { email: 'bo@example.com' }), '/suppressions/:email')
  assert.equal(pathOf('/a/:id', undefined), '/a/:id')
})

test('a network is what many share', () => {
  assert.equal(networkOf('203.0.113.77'), '203.0.113.0/24')
  assert.equal(networkOf('::ffff:203.0.113.77'), '203.0.113.0/24')
  assert.equal(networkOf('2001:db8:1234:5678:9abc::1'), '2001:db8:1234::/48')
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0::/48')
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0::/48')
  assert.equal(networkOf('::1'), '0:0:0::/48')
  assert.equal(networkOf('secret@example.com'), 'unknown')
})
