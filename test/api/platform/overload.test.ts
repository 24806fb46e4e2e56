import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { openRaw } from '../../support/raw-http.ts'
import { useApi } from '../../support/setup.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

const used = useApi()
// With two connections to a database there are 32 places, and a route has half of them.
const PLACES = 16

/** An API with a route that holds whoever comes until they are let go, and one that answers at once. */
async function startHeld(t: TestContext) {
  const held = Promise.withResolvers<void>()
  let inside = 0
  const api = await startApi({
    databases: used.api.databases,
    env: { LOAD_SHEDDING: 'on', DATABASE_POOL_SIZE: '2' },
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
      app.get('/test/quick', { config }, () => ({ done: true }))
      app.post('/test/told', { config }, () => ({ done: true }))
    },
  })
  t.after(() => {
    held.resolve()
    return api.close()
  })
  return { api, client: createClient(api.url), letGo: held.resolve, inside: () => inside }
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
