import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { Type } from 'typebox'
import { METRICS, RUNTIME_METRICS } from '#apps/metrics.ts'
import { transaction } from '#platform/database/transaction.ts'
import { measureFeedLag, readLags } from '#platform/events/measure-lag.ts'
import { record } from '#platform/events/record.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { testEvent } from '../../support/check-events.ts'
import { startChild } from '../../support/child.ts'
import { findSequentialScans, recordStatements } from '../../support/explain.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
/** Everything on that some metric needs. */
const used = useWorld({
  own: true,
  env: {
    LOAD_SHEDDING: 'on',
    RATE_LIMITS: 'on',
    REDIS_URL,
    REDIS_PREFIX: `kontor-test-${process.pid}:`,
    BUSINESS_METRICS: '2',
  },
  lookEveryMs: 200,
  businessesEveryMs: 500,
})

type Exported = { kind: string; labels: Set<string> }

/** By name, what a scrape holds: histograms have several series, and count as one. */
function readScrape(text: string): Map<string, Exported> {
  const found = new Map<string, Exported>()
  for (const [, name = '', kind = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    found.set(name, { kind, labels: new Set() })
  for (const [, series = '', labels = ''] of text.matchAll(/^(\w+)\{([^}]*)\} /gm)) {
    const metric = found.get(series) ?? found.get(series.replace(/_(bucket|sum|count)$/, ''))
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') metric?.labels.add(label)
  }
  return found
}

test('API and worker export what is on the list, and nothing else', async () => {
  const mailServer = await startMailServer()
  const worker = await startChild('worker', { ...used.api.databases.env, ...mailServer.env })
  try {
    const { path: address, admin } = await used.make.business()
    assert.equal((await admin.get(address)).status, 200)
    const scrapes = {
      api: readScrape(await used.api.metrics.registry.metrics()),
      worker: readScrape(await (await fetch(worker.metricsUrl)).text()),
    }
    for (const process of ['api', 'worker'] as const) {
      const exported = [...scrapes[process]].filter(([name]) => !/^(process|nodejs)_/.test(name))
      const listed = METRICS.filter(({ of }) => of === process || of === 'both')
      assert.deepEqual(exported.map(([name]) => name).sort(), listed.map(({ name }) => name).sort(), process)
      for (const { name, kind, labels } of listed) {
        const metric = scrapes[process].get(name)
        assert.equal(metric?.kind, kind, name)
        assert.deepEqual([name, ...(metric?.labels.difference(new Set(Object.keys(labels))) ?? [])], [name])
      }
      for (const name of Object.keys(RUNTIME_METRICS)) assert.ok(scrapes[process].has(name), `${process} has ${name}`)
    }
  } finally {
    await worker.stop()
    await mailServer.close()
  }
})

test('a metric can only be made from its definition', () => {
  const root = path.join(import.meta.dirname, '../../..')
  const files = globSync('src/**/*.ts', { cwd: root })
  const makers = files.filter((file) => readFileSync(path.join(root, file), 'utf8').includes("from 'prom-client'"))
  assert.deepEqual(makers.sort(), [
    'src/platform/observability/define-metric.ts',
    'src/platform/observability/metrics.ts',
  ])
})

test('names say their unit, and labels are bounded by what is known or told', () => {
  assert.equal(new Set(METRICS.map(({ name }) => name)).size, METRICS.length)
  for (const { name, kind, unit, buckets } of METRICS) {
    assert.equal(name.endsWith('_total'), kind === 'counter', name)
    assert.equal(/_seconds(_total)?$/.test(name), unit === 'seconds', name)
    assert.equal((buckets?.length ?? 0) > 0, kind === 'histogram', name)
  }
})

const metricOf = async (name: string, metrics = used.api.metrics) =>
  (await metrics.registry.getSingleMetric(name)?.get())?.values ?? []

test('the busiest businesses have a name, all others are one sum', async () => {
  const shops = await Promise.all(Array.from({ length: 5 }, () => used.make.business()))
  const [loud, second] = shops as [(typeof shops)[0], (typeof shops)[0]]
  const ask = ({ path: address, admin }: typeof loud, count: number) =>
    Promise.all(Array.from({ length: count }, () => admin.get(address)))
  const told = async () =>
    (await metricOf('kontor_business_requests')).map(({ labels, value }) => [labels.business, value] as const)
  const quiet = JSON.stringify([['other', 0]])
  // Until all of it falls into one minute, which is short here.
  await until('the first two are told, and the sum of the rest', async () => {
    await until('a quiet minute', async () => JSON.stringify(await told()) === quiet)
    await Promise.all([...shops.map((shop) => ask(shop, 1)), ask(loud, 20), ask(second, 9)])
    const busy = await until('a busy one', async () => JSON.stringify(await told()) !== quiet && (await told()))
    const expected = [
      [loud.id, 21],
      [second.id, 10],
      ['other', 3],
    ]
    return JSON.stringify(busy) === JSON.stringify(expected)
  })
  assert.ok((await metricOf('kontor_business_seconds')).length <= 3)
})

test('every process shows how many are alive', async () => {
  const kinds = await until('the heartbeat is written', async () => {
    const values = await metricOf('kontor_processes')
    return values.some(({ labels, value }) => labels.kind === 'api' && value > 0) ? values : undefined
  })
  assert.deepEqual(kinds.find(({ labels }) => labels.kind === 'worker')?.value, 0)
})

test('the wait for a connection is counted for each database', async () => {
  const count = async () =>
    (await metricOf('kontor_pool_wait_seconds')).find(
      ({ labels, ...each }) =>
        labels.database === 'second' && 'metricName' in each && each.metricName === 'kontor_pool_wait_seconds_count',
    )?.value ?? 0
  const before = await count()
  await sql`select 1`.execute(used.api.services.databases.cells.get('second') ?? assert.fail())
  assert.equal(await count(), before + 1)
})

test('the queue tells how long its oldest job has waited', async (t) => {
  const job = defineJob({ name: 'test.known', on: 'cell', payload: Type.Object({}), run: async () => {} })
  const worker = startTestWorker(used.api.databases.env, [job])
  t.after(() => worker.stop())
  const client = new pg.Client({ connectionString: used.api.databases.main.url })
  await client.connect()
  // Nobody knows it, so nobody takes it.
  await client.query(
    `select graphile_worker.add_job('test.nobody', '{}'::json, run_at := now() - interval '10 minutes')`,
  )
  await client.query(
    `select graphile_worker.add_job('test.nobody', '{}'::json, run_at := now() + interval '10 minutes')`,
  )
  await client.end()
  const values = await until('it is counted', async () => {
    const found = await metricOf('kontor_queue_oldest_seconds', worker.metrics)
    return found.length === 2 ? found : undefined
  })
  const of = (database: string) => values.find(({ labels }) => labels.database === database)?.value ?? -1
  assert.ok(of('main') >= 600 && of('main') < 660, `${of('main')} s`)
  assert.equal(of('second'), 0)
  const served = await metricOf('kontor_queue_served', worker.metrics)
  assert.deepEqual(
    served.map(({ value }) => value),
    [1, 1],
  )
})

test('the feed tells how far numbering and each follower are behind, and what was skipped', async () => {
  const { db, id } = await used.make.business({ cell: 'second' })
  const metrics = createMetrics()
  const topics = ['behind', 'ahead'].map((topic) => ({ topic, of: 'test' }))
  measureFeedLag(metrics, new Map([['second', db]]), topics)
  const values = async (name: string, unit = 1) =>
    Object.fromEntries(
      (await metricOf(name, metrics)).map(({ labels, value }) => [labels.follower, Math.floor(value / unit)]),
    )
  const lags = () => values('kontor_feed_lag_seconds', 60)
  const process = (topic: string) => sql`delete from cell.followed where topic = ${topic}`.execute(db)
  await until('what others left is numbered', async () => (await sequenceEvents(db)) === 0)
  assert.deepEqual(await lags(), { numbering: 0, behind: 0, ahead: 0 })
  await transaction(db, (tx) => record(tx, testEvent('test.happened')({ businessId: id, subject: 'thing' })))
  await sql`update cell.event_outbox set occurred_at = occurred_at - interval '2 minutes'`.execute(db)
  assert.deepEqual(await lags(), { numbering: 2, behind: 0, ahead: 0 })
  await sequenceEvents(db, topics)
  await sql`update cell.events set sequenced_at = sequenced_at - interval '5 minutes' where business_id = ${id}`.execute(
    db,
  )
  assert.deepEqual(await lags(), { numbering: 0, behind: 5, ahead: 5 })
  await process('ahead')
  assert.deepEqual(await lags(), { numbering: 0, behind: 5, ahead: 0 })
  await process('behind')
  assert.deepEqual(await lags(), { numbering: 0, behind: 0, ahead: 0 })

  const skipped = () => values('kontor_feed_skipped_subjects')
  assert.deepEqual(await skipped(), { behind: 0, ahead: 0 })
  await sql`
    insert into cell.skipped_subjects (business_id, topic, subject, attempts, retry_at)
    select ${id}, topic, subject, 1, now()
      from (values ('behind', 'one'), ('behind', 'two'), ('elsewhere', 'one')) as skipped (topic, subject)`.execute(db)
  assert.deepEqual(await skipped(), { behind: 2, ahead: 0, elsewhere: 1 })
})

test('the lag of a follower is read from the head of its queue, however many wait', async () => {
  const { db, id } = await used.make.business({ cell: 'second' })
  await sql`
    insert into cell.followed (topic, business_id, subject)
    select 'topic-' || n % 3, ${id}, 'thing-' || n from generate_series(1, 20000) as n`.execute(db)
  await sql`analyze cell.followed`.execute(db)
  const statements = await recordStatements(() => readLags(db, ['topic-0', 'topic-1', 'idle']))
  assert.equal(statements.length, 1)
  assert.deepEqual(await findSequentialScans(statements), [])
})
