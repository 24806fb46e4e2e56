import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { type Db, openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { startProxy } from '../../support/proxy.ts'
import { createTestDatabases } from '../../support/start-api.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

const events: string[] = []

/** Waits for its database, and then tries to do something elsewhere, whatever came of it. */
const waits = defineJob({
  name: 'test.waits',
  on: 'cell',
  payload: Type.Object({ name: Type.String() }),
  async run({ name }, { db, control, attempt }) {
    await sql`select 1`.execute(db) // from here on there is a connection
    events.push(`${name} ${attempt} begins`)
    await sql`select pg_sleep(${attempt === 1 ? 6 : 0})`.execute(db).catch(() => {})
    await sql`insert into effects values (${`${name} ${attempt}`})`.execute(control)
    events.push(`${name} ${attempt} ends`)
  },
})

const quick = defineJob({
  name: 'test.quick',
  on: 'cell',
  payload: Type.Object({ name: Type.String() }),
  run: async ({ name }) => void events.push(name),
})

const stubborn = defineJob({
  name: 'test.stubborn',
  on: 'cell',
  payload: Type.Object({}),
  async run() {
    events.push('stubborn begins')
    await sleep(8_000)
  },
})

async function setUp(t: TestContext) {
  const databases = await createTestDatabases()
  const proxy = await startProxy(databases.second.url)
  const own = openDatabases(
    {
      control: { url: databases.main.url, directUrl: databases.main.url },
      cells: { second: { url: databases.second.url, directUrl: databases.second.url } },
    },
    { max: 2 },
  )
  await sql`create table effects (name text)`.execute(own.control)
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: proxy.url } }) }
  const worker = startTestWorker(env, [waits, quick, stubborn])
  t.after(async () => {
    proxy.restore()
    await worker.stop()
    await own.close()
    await proxy.close()
    await databases.drop()
  })
  events.length = 0
  const [main, second] = ['main', 'second'].map((name) => own.cells.get(name) as Db) as [Db, Db]
  const effects = async () => (await sql<{ name: string }>`select name from effects`.execute(own.control)).rows
  return { proxy, worker, main, second, effects }
}

test('a worker whose cell falls silent gives up its jobs there, goes on elsewhere, and comes back', async (t) => {
  const { proxy, worker, main, second, effects } = await setUp(t)
  await transaction(second, (tx) => enqueue(tx, waits, { name: 'slow' }))
  await until('it runs', () => events.includes('slow 1 begins'))

  proxy.hush()
  for (let count = 0; count < 8; count++) {
    await transaction(main, (tx) => enqueue(tx, quick, { name: `quick ${count}` }))
    await until(`main is served, ${count}`, () => events.includes(`quick ${count}`), { withinMs: 3_000 })
    await sleep(1_000)
  }
  assert.deepEqual(worker.abandoned, [], 'the process goes on')
  assert.deepEqual(await effects(), [], 'what was given up has no effect, wherever it would be')

  proxy.restore()
  await until('another run has done it', async () => (await effects()).length > 0, { withinMs: 30_000 })
  assert.deepEqual(
    (await effects()).map(({ name }) => name),
    ['slow 2'],
  )
  assert.ok(!events.includes('slow 1 ends'))
  await transaction(second, (tx) => enqueue(tx, quick, { name: 'there again' }))
  await until('the cell is served', () => events.includes('there again'))
})

test('a job of a silent cell that does not end is a reason to end the process', async (t) => {
  const { proxy, worker, second } = await setUp(t)
  await transaction(second, (tx) => enqueue(tx, stubborn, {}))
  await until('it runs', () => events.includes('stubborn begins'))
  proxy.hush()
  await until('it wants to end', () => worker.abandoned.includes('second'), { withinMs: 7_500 })
})

test('a worker’s metrics are told within a second while a cell is silent, those of the others too', async (t) => {
  const { proxy, worker } = await setUp(t)
  await until('both are told', async () => {
    const text = await worker.metrics.registry.getSingleMetricAsString('kontor_queue_jobs')
    return /database="main"/.test(text) && /database="second"/.test(text)
  })
  proxy.hush()
  const since = performance.now()
  while (performance.now() - since < 2_500) {
    const asked = performance.now()
    const text = await worker.metrics.registry.getSingleMetricAsString('kontor_queue_jobs')
    const took = performance.now() - asked
    assert.ok(took < 1_000, `it took ${took} ms`)
    assert.match(text, /database="main"/)
  }
})
