import assert from 'node:assert/strict'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { openRaw } from '../../support/raw-http.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

/** An API of the test's own, with a request at `/test/held` that runs until it is let go. */
async function startHeld(t: TestContext, options: { drainGraceMs?: number } = {}) {
  const entered = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const api = await startApi({
    ...options,
    databases: used.api.databases,
    routes(app) {
      app.get('/test/held', { config: { access: 'public', business: 'none' } }, async () => {
        entered.resolve()
        await held.promise
        return { done: true }
      })
    },
  })
  t.after(() => {
    held.resolve()
    return api.close()
  })
  const untilPhase = (phase: string) => until(`it is ${phase}`, () => api.app.phase === phase, { everyMs: 5 })
  return { api, client: createClient(api.url), entered: entered.promise, letGo: held.resolve, untilPhase }
}

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

test('while it stops, a running request is answered and a new one on an open connection is 503', async (t) => {
  const { api, client, entered, letGo, untilPhase } = await startHeld(t)
  const running = client.get('/test/held')
  await entered
  const silent = await openRaw(api.url)
  const half = await openRaw(api.url)
  half.write('GET /healthz HTTP/1.1\r\nho')
  await client.get('/healthz') // by now the half request has been read
  const closing = api.app.close()
  await untilPhase('closing')

  silent.write(GET('/healthz'))
  half.write('st: x\r\norigin: https://shop.example.com\r\n\r\n')
  for (const late of [silent, half]) {
    const answer = await late.read()
    assertError(answer, 503, 'UNAVAILABLE')
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    assert.equal(answer.headers.get('connection'), 'close')
    assert.equal(answer.headers.get('access-control-allow-origin'), '*') // a browser's page can read it
    await late.closed
  }
  letGo()
  const answered = await running
  assert.equal(answered.status, 200)
  assert.deepEqual(answered.body, { done: true })
  assert.equal(answered.headers.get('connection'), 'close')
  await closing
})

test('a body that is still coming when it stops is heard out, then refused', async (t) => {
  const { api, client, entered, letGo, untilPhase } = await startHeld(t)
  const running = client.get('/test/held')
  await entered
  const raw = await openRaw(api.url)
  const failures: Error[] = []
  raw.socket.on('error', (error) => failures.push(error)).pause()
  const closing = api.app.close()
  await untilPhase('closing')

  const size = 1024 * 1024
  raw.write(
    `POST /v1/businesses HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`,
  )
  for (let sent = 0; sent < size; sent += 64 * 1024) {
    raw.write(Buffer.alloc(64 * 1024, ' '))
    await new Promise((resolve) => setImmediate(resolve))
  }
  raw.socket.resume()
  assertError(await raw.read(), 503, 'UNAVAILABLE')
  assert.deepEqual(failures, [])
  letGo()
  assert.equal((await running).status, 200)
  await closing
})

test('an idle keep-alive connection ends quietly', async (t) => {
  const { api } = await startHeld(t)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(`${api.url}/healthz`, { agent }, resolve).on('error', reject)
  })
  const { socket } = response
  response.resume()
  const [hadError] = await Promise.all([
    new Promise<boolean>((resolve) => {
      socket.once('close', resolve)
    }),
    new Promise<void>((resolve) => {
      response.once('end', resolve)
    }).then(() => api.app.close()),
  ])
  assert.equal(hadError, false)
})

test('connections on which nothing, or half a request, ever comes do not hold up the stop', async (t) => {
  const { api, client, entered, letGo } = await startHeld(t)
  const running = client.get('/test/held')
  await entered
  const silent = await openRaw(api.url)
  const half = await openRaw(api.url)
  half.write('GET /healthz HTTP/1.1\r\nho')
  await client.get('/healthz')

  const closing = api.app.close()
  letGo()
  assert.equal((await running).status, 200)
  const begin = performance.now()
  await closing
  assert.ok(performance.now() - begin < 3_000)
  silent.destroy()
  half.destroy()
})

test('before it stops it asks everybody to go elsewhere, and still answers', async (t) => {
  const { api, client, untilPhase } = await startHeld(t, { drainGraceMs: 500 })
  const drained = api.app.drain()
  await untilPhase('draining')

  const ready = await client.get('/readyz')
  assertError(ready, 503, 'UNAVAILABLE')
  const alive = await client.get('/healthz')
  assert.equal(alive.status, 200)
  assert.equal(alive.headers.get('connection'), 'close')
  await drained
  await assert.rejects(client.get('/healthz'))
})
