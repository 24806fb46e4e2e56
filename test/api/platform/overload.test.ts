import assert from 'node:assert/strict'
import net from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { openRaw } from '../../support/raw-http.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
// With two connections to a database there are 32 places, and a route has half of them.
const PLACES = 16
const READER_PATIENCE_MS = 1_500
const LARGE = Buffer.alloc(12 * 1024 * 1024, 'x') // more than the system takes off our hands
const MAX_UNREAD_BYTES = 128 * 1024 * 1024

function* chunksOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

/** Asks, and does not read the answer. */
async function askWithoutReading(url: string, path: string, times = 1) {
  const { hostname, port } = new URL(url)
  const socket = net.connect({ host: hostname, port: Number(port) }).pause()
  let failure: string | undefined
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    failure = code
  })
  const closed = new Promise<string | undefined>((resolve) => void socket.once('close', () => resolve(failure)))
  await new Promise((resolve) => void socket.once('connect', resolve))
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(times))
  return { socket, closed }
}

/** An API with a route that holds whoever comes until they are let go, and one that answers at once. */
async function startHeld(t: TestContext) {
  const held = Promise.withResolvers<void>()
  let inside = 0
  let outside = 0
  let streams = 0
  const api = await startApi({
    databases: used.api.databases,
    env: { LOAD_SHEDDING: 'on', DATABASE_POOL_SIZE: '2' },
    readerPatienceMs: READER_PATIENCE_MS,
    routes(app) {
      const config = { access: 'public', business: 'none' } as const
      app.get('/test/held', { config }, async () => {
        inside++
        await held.promise
        return { done: true }
      })
      app.post('/test/held', { config }, async () => {
        inside++
        await held.promise
        return { done: true }
      })
      app.get('/test/outside', { config }, async (request) => {
        outside++
        await request.whileOutside(() => held.promise)
        return { done: true }
      })
      app.get('/test/quick', { config }, () => ({ done: true }))
      app.post('/test/told', { config }, () => ({ done: true }))
      app.get('/test/large', { config }, (_request, reply) => reply.type('application/octet-stream').send(LARGE))
      app.get('/test/streamed', { config }, (_request, reply) => {
        streams++
        const chunks = Readable.from(chunksOf(LARGE)).once('close', () => void streams--)
        return reply.type('application/octet-stream').send(chunks)
      })
    },
  })
  t.after(() => {
    held.resolve()
    return api.close()
  })
  return {
    api,
    client: createClient(api.url),
    letGo: held.resolve,
    inside: () => inside,
    outside: () => outside,
    streams: () => streams,
  }
}

test('more than can be done is refused soon, as any error is, and nothing else suffers', async (t) => {
  const { api, client, letGo, inside } = await startHeld(t)
  const since = performance.now()
  const all = Array.from({ length: 3 * PLACES }, () => client.get('/test/held'))
  await until('all places are taken', () => inside() === PLACES)
  assert.equal((await client.get('/test/quick')).status, 200)
  assert.equal((await client.get('/healthz')).status, 200)
  assert.equal((await client.get('/readyz')).status, 200)

  let refused = 0
  for (const answer of all) void answer.then(({ status }) => void (refused += status === 503 ? 1 : 0))
  await until('the others are refused', () => refused === 2 * PLACES)
  assert.ok(performance.now() - since < 3_000)
  const late = await client.get('/test/held', { origin: 'https://shop.example.com' })
  assertError(late, 503, 'UNAVAILABLE')
  assert.ok(Number(late.headers.get('retry-after')) >= 1)
  assert.equal(late.headers.get('x-request-id'), late.body.requestId)
  assert.equal(late.headers.get('access-control-allow-origin'), '*') // a browser's page can read it
  assert.equal(inside(), PLACES)

  letGo()
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, PLACES)
  assert.equal((await client.get('/test/held')).status, 200)
  assert.equal(api.app.phase, 'serving')
})

test('whoever has left still counts while we work for them', async (t) => {
  const { api, client, letGo, inside } = await startHeld(t)
  const callers = await Promise.all(Array.from({ length: PLACES }, () => openRaw(api.url)))
  for (const caller of callers) caller.write('GET /test/held HTTP/1.1\r\nhost: x\r\n\r\n')
  await until('all places are taken', () => inside() === PLACES)
  for (const caller of callers) caller.destroy()
  assertError(await client.get('/test/held'), 503, 'UNAVAILABLE')
  letGo()
  await until('there is room again', async () => (await client.get('/test/held')).status === 200)
})

test('who waits for somebody else’s server takes up no place, and is counted right, whether they stay or leave', async (t) => {
  const { api, client, letGo, outside } = await startHeld(t)
  const placesTaken = async () =>
    /^kontor_http_gate_requests{state="inside"} (\d+)/m.exec(await api.metrics.registry.metrics())?.[1]
  const callers = await Promise.all(Array.from({ length: PLACES }, () => openRaw(api.url)))
  for (const caller of callers) caller.write('GET /test/outside HTTP/1.1\r\nhost: x\r\n\r\n')
  const all = Array.from({ length: 2 * PLACES }, () => client.get('/test/outside'))
  await until('all of them wait', () => outside() === 3 * PLACES)
  assert.equal(await placesTaken(), '0')
  for (const caller of callers) caller.destroy()
  letGo()
  assert.deepEqual(new Set((await Promise.all(all)).map(({ status }) => status)), new Set([200]))
  await until('nobody is counted any more', async () => (await placesTaken()) === '0')
  assert.equal((await client.get('/test/held')).status, 200)
})

test('in a short burst everybody is answered, with a body or without', async (t) => {
  const { client, letGo, inside } = await startHeld(t)
  const all = Array.from({ length: PLACES + 4 }, () => client.post('/test/held', { some: 'body' }))
  await until('all places are taken', () => inside() === PLACES)
  letGo()
  for (const { status } of await Promise.all(all)) assert.equal(status, 200)
})

test('who sends slowly takes up nobody’s place', async (t) => {
  const { api, client } = await startHeld(t)
  const slow = await Promise.all(Array.from({ length: 10 * PLACES }, () => openRaw(api.url)))
  const head = 'POST /test/told HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{'
  for (const [index, { write }] of slow.entries()) write(index % 2 === 0 ? head : 'GET /test/told HT')
  await client.get('/healthz') // by now the others have been read
  for (let count = 0; count < 20; count++) assert.equal((await client.post('/test/told', {})).status, 200)
  for (const { destroy } of slow) destroy()
})

for (const path of ['/test/large', '/test/streamed', '/docs/js/scalar.js', '/openapi.json']) {
  test(`who does not read the answer of ${path} takes up nobody’s place`, async (t) => {
    const { api, client } = await startHeld(t)
    const readers = await Promise.all(Array.from({ length: 2 * PLACES }, () => askWithoutReading(api.url, path)))
    t.after(() => readers.forEach(({ socket }) => void socket.destroy()))
    await client.get('/healthz') // by now they have been answered
    await until('all places are free', async () => {
      const gate = await api.metrics.registry.getSingleMetric('kontor_http_gate_requests')?.get()
      return gate?.values.find(({ labels }) => labels.state === 'inside')?.value === 0
    })
    for (let count = 0; count < 20; count++) {
      assert.equal((await client.get('/test/quick')).status, 200)
      const { socket } = await askWithoutReading(api.url, path)
      socket.destroy()
    }
  })
}

test('a connection on which nobody reads the answer is ended, also that of a stream', async (t) => {
  const { api, streams } = await startHeld(t)
  const readers = await Promise.all(['/test/large', '/test/streamed'].map((path) => askWithoutReading(api.url, path)))
  await until('the stream has begun', () => streams() === 1)
  const since = performance.now()
  await until('both are ended', () => openConnections(api.app.server).then((count) => count === 0), { withinMs: 6_000 })
  assert.ok(performance.now() - since > READER_PATIENCE_MS / 2, 'they had the time to read')
  await until('the stream has ended', () => streams() === 0)
  // Closed politely, the system would keep what is unread until somebody reads it.
  for (const { socket, closed } of readers) {
    socket.resume()
    assert.equal(await closed, 'ECONNRESET')
  }
})

test('who reads slowly, but reads, gets all of it', async (t) => {
  const { api } = await startHeld(t)
  for (const path of ['/test/large', '/test/streamed']) {
    const { socket, closed } = await askWithoutReading(api.url, path)
    let received = 0
    const since = performance.now()
    while (received < LARGE.length && performance.now() - since < 20_000 && !socket.readableEnded) {
      const chunk = socket.read() as Buffer | null
      received += chunk?.length ?? 0
      await sleep(received < LARGE.length / 4 ? 60 : 0) // a quarter of it slowly: longer than who reads nothing may take
    }
    assert.ok(received >= LARGE.length, `${received} bytes of ${path}`)
    socket.destroy()
    await closed
  }
})

test('answers that nobody reads have an end to their memory: those that wait longest go first', async (t) => {
  const { api, client } = await startHeld(t)
  const readers: Awaited<ReturnType<typeof askWithoutReading>>[] = []
  t.after(() => readers.forEach(({ socket }) => void socket.destroy()))
  const count = Math.ceil((1.5 * MAX_UNREAD_BYTES) / LARGE.length)
  const since = performance.now()
  for (let number = 0; number < count; number++) readers.push(await askWithoutReading(api.url, '/test/large'))
  await client.get('/healthz')
  const open = await openConnections(api.app.server)
  assert.ok(performance.now() - since < READER_PATIENCE_MS, 'before their time was up')
  assert.ok(open * LARGE.length < MAX_UNREAD_BYTES + 3 * LARGE.length, `${open} of ${count} are open`)
  assert.ok(open > 4)
})

test('answers to requests that came in one go count one by one', async (t) => {
  const { api } = await startHeld(t)
  const count = Math.ceil((1.5 * MAX_UNREAD_BYTES) / LARGE.length)
  const since = performance.now()
  const { socket, closed } = await askWithoutReading(api.url, '/test/large', count)
  await until('it is hung up on', () => openConnections(api.app.server).then((open) => open === 0))
  assert.ok(performance.now() - since < READER_PATIENCE_MS, 'before its time was up')
  socket.resume()
  assert.equal(await closed, 'ECONNRESET')
})

const openConnections = (server: net.Server) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
