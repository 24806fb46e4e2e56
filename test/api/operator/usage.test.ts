import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { jobs } from '#apps/jobs.ts'
import type { Cell } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { countUsage } from '#platform/usage/count-usage.ts'
import { useHeldClock } from '../../support/clock.ts'
import { recordStatements } from '../../support/explain.ts'
import type { Make } from '../../support/make.ts'
import { refusal } from '../../support/refusal.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const clock = useHeldClock()
let operator: Awaited<ReturnType<Make['operator']>>
const used = useWorld({ own: true }, async ({ make }) => {
  operator = await make.operator()
})
const log = pino({ level: 'silent' })
const cellOf = (name: string) => used.api.services.databases.cells.get(name) as Cell
const flush = () => used.api.services.usage.flush()

type Day = {
  day: string
  requests: number
  mails: number
  jobs: number
  rows: number | null
  mediaBytes: number | null
}
const daysOf = async (id: string, query = ''): Promise<Day[]> => {
  const { status, body, text } = await operator.get(`/v1/operator/businesses/${id}/usage${query}`)
  assert.equal(status, 200, text)
  return body.items
}

test('requests of a business are counted in the process, and written together', async () => {
  const { id, admin, path } = await used.make.business({ cell: 'second' })
  const stranger = await used.make.user()
  await flush()
  const requests = await recordStatements(async () => {
    for (let count = 0; count < 5; count++) await admin.get(`${path}/roles`)
  })
  assert.ok(!requests.some(({ text }) => text.includes('cell.usage')), 'nothing more is asked of the database')
  assert.equal((await stranger.get(`${path}/roles`)).status, 403)
  assert.deepEqual(await daysOf(id), [])
  await flush()
  const [day, ...others] = await daysOf(id)
  assert.deepEqual([day?.requests, day?.mails, day?.jobs, day?.rows, others], [5, 0, 0, null, []])
  await admin.get(`${path}/roles`)
  await flush()
  assert.equal((await daysOf(id))[0]?.requests, 6)
})

test('processes that write at once lose nothing', async () => {
  const { id } = await used.make.business({ cell: 'main' })
  const { id: other } = await used.make.business({ cell: 'main' })
  const cells = new Map([['main', cellOf('main')]])
  const processes = Array.from({ length: 6 }, () => countUsage(cells, { log }))
  for (let turn = 0; turn < 10; turn++) {
    for (const [index, one] of processes.entries()) {
      for (const businessId of index % 2 ? [id, other] : [other, id]) one.note('main', businessId, 'requests', 3)
    }
    await Promise.all(processes.map((one) => one.flush()))
  }
  await Promise.all(processes.map((one) => one.stop()))
  for (const businessId of [id, other]) assert.equal((await daysOf(businessId))[0]?.requests, 180)
})

test('memory stays bounded, and what a cell that is away was not told is told later', async () => {
  const { id } = await used.make.business({ cell: 'main' })
  let isAway = true
  const main = cellOf('main')
  const db = new Proxy(main, {
    get(target, name) {
      if (name === 'getExecutor' && isAway) throw new Error('away')
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const usage = countUsage(new Map([['main', db]]), { log, most: 3 })
  for (const businessId of [id, 'biz_a', 'biz_b', 'biz_c', 'biz_d']) usage.note('main', businessId, 'jobs')
  usage.note('elsewhere', id, 'jobs')
  await assert.rejects(usage.flush(), /away/)
  usage.note('main', id, 'jobs')
  isAway = false
  await usage.stop()
  assert.equal((await daysOf(id))[0]?.jobs, 2)
  const { rows } = await sql<{ businessId: string }>`
    select business_id from cell.usage where business_id = any ('{biz_a,biz_b,biz_c,biz_d}') order by 1`.execute(main)
  assert.deepEqual(
    rows.map(({ businessId }) => businessId),
    ['biz_a', 'biz_b'],
  )
})

test('what was counted for a cell that is no more takes up no memory, and keeps nobody from being counted', async () => {
  const { id } = await used.make.business({ cell: 'main' })
  const cells = new Map([
    ['main', cellOf('main')],
    ['second', cellOf('second')],
  ])
  const usage = countUsage(cells, { log, most: 2 })
  for (const businessId of ['biz_e', 'biz_f']) usage.note('second', businessId, 'requests')
  cells.delete('second')
  await usage.flush()
  usage.note('main', id, 'requests')
  await usage.stop()
  assert.equal((await daysOf(id))[0]?.requests, 1)
})

test('a noisy neighbour is first in the list of the last hour, and of the day', async () => {
  const loud = await used.make.business({ cell: 'second' })
  const quiet = await used.make.business({ cell: 'main' })
  const { usage } = used.api.services
  usage.note('main', quiet.id, 'requests', 90_000)
  await flush()
  clock.advance(2 * 3_600)
  usage.note('second', loud.id, 'requests', 50_000)
  usage.note('main', quiet.id, 'mails', 7)
  await flush()
  const first = async (query: string) => {
    const { body } = await operator.get(`/v1/operator/usage?${query}`)
    return [body.items[0].businessId, body.items[0].businessName, body.items[0].requests]
  }
  const fresh = await used.make.operator() // the clock went on: no matter for reading, but tokens end
  operator = fresh
  assert.deepEqual(await first('window=hour'), [loud.id, loud.name, 50_000])
  assert.deepEqual(await first('window=day'), [quiet.id, quiet.name, 90_000])
  assert.deepEqual((await first('window=hour&by=mails'))[0], quiet.id)
  assert.equal(refusal(await operator.get('/v1/operator/usage?window=week')), '422 VALIDATION_FAILED window INVALID')
})

test('the worker tells control what businesses use and have, and what troubles them', async () => {
  const business = await used.make.shop({ cell: 'second' })
  for (let count = 0; count < 3; count++) await used.make.product(business)
  const other = await used.make.business({ cell: 'second' })
  used.api.services.usage.note('second', business.id, 'mails', 12)
  await flush()
  const cell = cellOf('second')
  await sql`
    select graphile_worker.add_job('test.dead', payload => ${JSON.stringify({ businessId: business.id })}::json, max_attempts => 1)`.execute(
    cell,
  )
  await sql`update graphile_worker._private_jobs set attempts = 1 where payload ->> 'businessId' = ${business.id}`.execute(
    cell,
  )

  const unbalanced = await used.make.business({ cell: 'second' })
  await sql`insert into checks.businesses (business_id, finished_at) values (${unbalanced.id}, to_timestamp(1790000000))`.execute(
    cell,
  )
  await sql`
    insert into checks.broken (business_id, rule, count, examples, since)
    values (${unbalanced.id}, 'stock-ledger', 3, '[]', now())`.execute(cell)

  const ours = jobs.filter(({ name }) => name.startsWith('operator.'))
  const worker = startTestWorker(used.api.databases.env, ours)
  try {
    const before = await operator.get(`/v1/operator/businesses/${business.id}`)
    assert.equal(before.body.measuredAt, null)
    await transaction(cell, async (tx) => {
      for (const job of ours) if (job.on === 'cell') await enqueue(tx, job, {})
    })
    await until('it was measured', async () => {
      const { body } = await operator.get(`/v1/operator/businesses/${business.id}`)
      return body.measuredAt !== null && body.size.rows > 0
    })
  } finally {
    await worker.stop()
  }
  const { body } = await operator.get(`/v1/operator/businesses/${business.id}`)
  assert.deepEqual([body.health, body.deadJobs, body.lastDay.mails], ['TROUBLED', 1, 12])
  assert.ok(body.lastDay.requests >= 4, String(body.lastDay.requests))
  assert.ok(body.size.rows > 9, 'products, variants, stock, events …')
  const [day] = await daysOf(business.id)
  assert.equal(day?.rows, body.size.rows)
  const { body: broken } = await operator.get(`/v1/operator/businesses/${unbalanced.id}`)
  assert.deepEqual([broken.health, broken.lastCheck], ['TROUBLED', { checkedAt: 1_790_000_000, broken: 1 }])
  const { body: untouched } = await operator.get(`/v1/operator/businesses/${other.id}`)
  assert.deepEqual(
    [untouched.health, untouched.lastCheck, untouched.lastDay.requests, untouched.size.rows],
    ['GOOD', null, 0, 0],
  )
})

test('days are kept after their slices are forgotten, and a range is asked for within bounds', async () => {
  const { id } = await used.make.business({ cell: 'main' })
  const main = cellOf('main')
  await sql`
    insert into cell.usage_days (business_id, day, requests, rows) values
      (${id}, date_trunc('day', now(), 'UTC') - interval '90 days', 5, 10),
      (${id}, date_trunc('day', now(), 'UTC') - interval '5 days', 7, 11)`.execute(main)
  const seconds = (days: number) => Math.floor(Date.now() / 1000) - days * 86_400
  assert.deepEqual(
    (await daysOf(id)).map(({ requests }) => requests),
    [7],
  )
  assert.deepEqual(
    (await daysOf(id, `?from=${seconds(91)}`)).map(({ requests }) => requests),
    [5, 7],
  )
  assert.deepEqual(
    (await daysOf(id, `?from=${seconds(91)}&to=${seconds(60)}`)).map(({ rows }) => rows),
    [10],
  )
  const path = `/v1/operator/businesses/${id}/usage`
  assert.equal(refusal(await operator.get(`${path}?from=20&to=10`)), '422 VALIDATION_FAILED to INVALID')
  assert.equal(refusal(await operator.get(`${path}?from=0`)), '422 VALIDATION_FAILED from TOO_LARGE')
  assert.equal(refusal(await operator.get('/v1/operator/businesses/biz_000000000000/usage')), '404 NOT_FOUND')
})
