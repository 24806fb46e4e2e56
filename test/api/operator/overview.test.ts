import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { VERSION } from '#platform/version.ts'
import { createMake } from '../../support/make.ts'
import { startProxy } from '../../support/proxy.ts'
import { refusal } from '../../support/refusal.ts'
import { createTestDatabases, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

/** A service whose second cell can be made silent. */
async function setUp(t: TestContext) {
  const databases = await createTestDatabases()
  const proxy = await startProxy(databases.second.url)
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: proxy.url } }) }
  const api = await startApi({ databases: { ...databases, env } })
  t.after(async () => {
    proxy.restore()
    await api.close()
    await proxy.close()
    await databases.drop()
  })
  const make = createMake(api)
  return { api, proxy, make, operator: await make.operator() }
}

type Cell = { name: string; state: string; isAnswering: boolean; businesses: number; jobs: object | null }

test('the overview shows processes, cells and providers; a silent cell is said to be so, and holds up no page', async (t) => {
  const { proxy, make, operator } = await setUp(t)
  await make.business({ cell: 'main' })
  const there = await make.business({ cell: 'second' })
  await operator.post(`/v1/operator/businesses/${there.id}/suspend`, { reason: 'Unpaid.' })

  const { status, body, text } = await operator.get('/v1/operator/overview')
  assert.equal(status, 200, text)
  assert.deepEqual([body.version, body.versions], [VERSION, [VERSION]])
  assert.deepEqual(
    body.processes.map(({ kind, cells }: { kind: string; cells: string[] }) => [kind, cells]),
    [['api', ['main', 'second']]],
  )
  const cellsOf = (cells: Cell[]) =>
    cells.map(({ name, state, isAnswering, businesses }) => [name, state, isAnswering, businesses])
  assert.deepEqual(cellsOf(body.cells), [
    ['main', 'up', true, 1],
    ['second', 'up', true, 1],
  ])
  const { businesses, suspended, deadJobs } = body.totals
  assert.deepEqual([businesses, suspended, deadJobs], [2, 1, 0])
  assert.ok(body.cells[1].databaseBytes > 1_000_000)
  const providers = Object.fromEntries(
    body.providers.map((one: { name: string; isConfigured: boolean }) => [one.name, one.isConfigured]),
  )
  assert.equal(providers.sms, false)
  assert.doesNotMatch(text, /postgres:\/\//)
  assert.deepEqual(cellsOf((await operator.get('/v1/operator/cells')).body.items), cellsOf(body.cells))

  proxy.hush()
  const paths = ['overview', 'cells', 'jobs', 'sends', 'businesses']
  const askAll = () =>
    Promise.all(
      paths.map(async (path) => {
        const since = performance.now()
        const answer = await operator.get(`/v1/operator/${path}`)
        return { path, ...answer, ms: performance.now() - since }
      }),
    )
  for (const { path, status, ms } of await askAll()) {
    assert.equal(status, 200, path)
    assert.ok(ms < 4_000, `${path}: ${ms} ms`)
  }
  await until(
    'it is known to be silent',
    async () => (await operator.get('/v1/operator/cells')).body.items[1].state === 'silent',
  )
  const [overview, cells, jobs, sends, list] = await askAll()
  assert.deepEqual(cellsOf(overview?.body.cells), [
    ['main', 'up', true, 1],
    ['second', 'silent', false, 1],
  ])
  assert.deepEqual(cells?.body.items[1].jobs, null)
  for (const answer of [jobs, sends])
    assert.deepEqual(answer?.body.cells[1], { cell: 'second', isAnswering: false, problem: 'The database is silent.' })
  const shown = list?.body.items.find(({ id }: { id: string }) => id === there.id)
  assert.deepEqual([shown.cellState, shown.state], ['silent', 'SUSPENDED'])

  const resumed = await operator.post(`/v1/operator/businesses/${there.id}/resume`, undefined)
  assert.equal(resumed.body.state, 'ACTIVE', 'what is kept in control can be changed nevertheless')
  assert.equal(refusal(await operator.post('/v1/operator/jobs/second:1/retry', undefined)), '503 UNAVAILABLE')
})
