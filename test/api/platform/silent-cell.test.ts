import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { createMake } from '../../support/make.ts'
import { startProxy } from '../../support/proxy.ts'
import { createTestDatabases, type StartOptions, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

/** An API whose second cell can be made silent: it takes connections and requests, and answers nothing. */
async function setUp(t: TestContext, options: StartOptions = {}) {
  const databases = await createTestDatabases()
  const proxy = await startProxy(databases.second.url)
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: proxy.url } }), DATABASE_POOL_SIZE: '4' }
  const api = await startApi({ databases: { ...databases, env }, env: { LOAD_SHEDDING: 'on' }, ...options })
  t.after(async () => {
    proxy.restore()
    await api.close()
    await proxy.close()
    await databases.drop()
  })
  const make = createMake(api)
  const here = await make.business({ cell: 'main' })
  const there = await make.business({ cell: 'second' })
  const timed = async ({ admin, path }: typeof here) => {
    const since = performance.now()
    const answer = await admin.get(`${path}/events`)
    return { ...answer, ms: performance.now() - since }
  }
  return { api, proxy, here, there, timed, client: createClient(api.url) }
}

test('a cell that is silent takes no other with it, and is refused at once until it answers again', async (t) => {
  const { api, proxy, here, there, timed, client } = await setUp(t)
  for (const business of [here, there]) assert.equal((await timed(business)).status, 200)

  proxy.hush()
  const stuck: Promise<{ status: number; ms: number }>[] = []
  const since = performance.now()
  // More than the gate has places for, all the time.
  while (performance.now() - since < 4_000) {
    for (let count = 0; count < 2; count++) stuck.push(timed(there))
    const answer = await timed(here)
    assert.equal(answer.status, 200, `${answer.text} after ${performance.now() - since} ms`)
    await sleep(25)
  }
  const { status, body } = await client.get('/readyz')
  assert.deepEqual([status, body.cells], [200, { main: 'up', second: 'silent' }])

  const refused = await timed(there)
  assertError(refused, 503, 'UNAVAILABLE')
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.ok(refused.ms < 300, `refused after ${refused.ms} ms`)

  proxy.restore()
  await until('it is served again', async () => (await timed(there)).status === 200, { withinMs: 2_500 })
  for (const answer of await Promise.all(stuck)) assert.ok([200, 503].includes(answer.status), String(answer.status))
  assert.equal((await timed(here)).status, 200)
  assert.equal(api.app.phase, 'serving')
})

test('a cell that is asked nothing is not taken for a silent one, however many are inside', async (t) => {
  const held = Promise.withResolvers<void>()
  let inside = 0
  const { there, timed, client } = await setUp(t, {
    routes(app) {
      app.get('/test/:businessId/held', { config: { access: 'public', business: 'path' } }, async () => {
        inside++
        await held.promise
        return { done: true }
      })
    },
  })
  try {
    await sleep(300) // nothing is asked of it meanwhile
    const all = Array.from({ length: 24 }, () => client.get(`/test/${there.id}/held`)) // of 64 places
    await until('they are inside', () => inside === 24, { withinMs: 3_000 })
    await sleep(300)
    assert.equal((await timed(there)).status, 200)
    held.resolve()
    for (const { status } of await Promise.all(all)) assert.equal(status, 200)
  } finally {
    held.resolve()
  }
})

test('whether it is ready is told at once, whatever hangs', async (t) => {
  const { proxy, client } = await setUp(t)
  proxy.hush()
  const since = performance.now()
  while (performance.now() - since < 3_000) {
    const asked = performance.now()
    assert.equal((await client.get('/readyz')).status, 200)
    const took = performance.now() - asked
    assert.ok(took < 300, `it took ${took} ms`)
    await sleep(50)
  }
})

test('asking again and again whether it is ready asks the database next to nothing', async (t) => {
  const { proxy, client } = await setUp(t, { lookEveryMs: 60_000 })
  const said = proxy.said()
  const answers = await Promise.all(Array.from({ length: 200 }, () => client.get('/readyz')))
  for (const { status, body } of answers) assert.deepEqual([status, body.cells.second], [200, 'up'])
  assert.ok(proxy.said() - said <= 3, `asked ${proxy.said() - said} times`)
})

test('log and metrics name the cell', async (t) => {
  const lines: string[] = []
  const { api, proxy, here, there, timed } = await setUp(t, { lines, lookEveryMs: 200 })
  for (const business of [here, there]) assert.equal((await timed(business)).status, 200)
  const metric = (name: string) => api.metrics.registry.getSingleMetricAsString(name)
  assert.match(await metric('kontor_cell_up'), /\{cell="main"\} 1\n.*\{cell="second"\} 1$/)

  proxy.cut()
  assert.equal((await timed(there)).status, 503)
  const line = lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'database unavailable')
  assert.equal(line.cell, 'second')
  await until('it is told', async () => /\{cell="second"\} 0/.test(await metric('kontor_cell_up')))
  assert.match(await metric('kontor_cell_up'), /\{cell="main"\} 1/)
  const requests = await metric('kontor_cell_request_seconds')
  const count = (cell: string, status: string) =>
    new RegExp(`_count\\{cell="${cell}",status="${status}"\\} 1`).test(requests)
  assert.deepEqual([count('main', '2xx'), count('second', '2xx'), count('second', '5xx')], [true, true, true], requests)
  assert.ok(lines.some((text) => text.includes('cell is unhealthy') && text.includes('"cell":"second"')))
})
