import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { type Child, runKontor, startChild } from '../../support/child.ts'
import { onServer, urlOf } from '../../support/database.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { happen } from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

let worker: Child
const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Kontor <mail@example.com>' }
const used = useWorld({ own: true, env: { OUTGOING_LOOPBACK: 'on' } }, async ({ api }) => {
  worker = await startChild('worker', { ...api.databases.env, ...mail, OUTGOING_LOOPBACK: 'on' })
})
after(() => worker.kill())

const cellOf = (name: string) => used.api.services.databases.cells.get(name) as Db
const second = () => used.api.databases.second.name

/** Connections of the worker to the second cell, in which nothing happens unless a test does it. */
const connections = () =>
  onServer(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select application_name as name from pg_stat_activity where datname = $1 and application_name like 'kontor worker%'",
      [second()],
    )
    return rows.map(({ name }) => name)
  })

/** Until the worker has let go of all connections but the one on which it looks. */
const atRest = () =>
  until('it rests', async () => (await connections()).join() === 'kontor worker heartbeat', { withinMs: 30_000 })

async function transactionsIn(ms: number): Promise<number> {
  const count = () =>
    onServer(async (client) => {
      const { rows } = await client.query<{ count: string }>(
        'select xact_commit + xact_rollback as count from pg_stat_database where datname = $1',
        [second()],
      )
      return Number(rows[0]?.count)
    })
  const from = await count()
  const since = performance.now()
  await until('the time is over', () => performance.now() - since >= ms, { withinMs: ms + 1_000 })
  return (await count()) - from
}

const isNumbered = async (businessId: string) => {
  const { rows } = await sql`select from cell.events where business_id = ${businessId}`.execute(cellOf('second'))
  return rows.length > 0
}

async function timeUntil(what: string, ask: () => boolean | Promise<boolean>, withinMs: number): Promise<number> {
  const since = performance.now()
  await until(what, ask, { withinMs, everyMs: 5 })
  return performance.now() - since
}

test('a worker keeps one connection to a cell at rest, and asks it next to nothing', async () => {
  await atRest()
  // Once a minute there are recurring jobs, which are not meant: five seconds without them are found.
  await until('it asks little', async () => (await transactionsIn(5_000)) <= 12, { withinMs: 40_000 })
})

test('what somebody does in a cell at rest is in its feed at once', async () => {
  const shop = await used.make.shop({ cell: 'second' })
  const businessId = shop.id
  await atRest()
  await used.make.product(shop) // straight through the API: it tells the worker
  const ms = await timeUntil('it is numbered', () => isNumbered(businessId), 5_000)
  assert.ok(ms < 1_500, `it took ${ms} ms`)
})

test('what nobody told of is found within the next look', async () => {
  const { id: businessId } = await used.make.business({ cell: 'second' })
  await atRest()
  await happen(used.api, businessId, 1)
  const ms = await timeUntil('it is numbered', () => isNumbered(businessId), 5_000)
  assert.ok(ms < 2_500, `it took ${ms} ms`)
})

test('a worker whose line is cut looks at everything when it has another', async () => {
  const { id: businessId } = await used.make.business({ cell: 'second' })
  await atRest()
  await onServer((client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'kontor worker heartbeat'",
      [second()],
    ),
  )
  await happen(used.api, businessId, 1)
  await until('it is numbered', () => isNumbered(businessId), { withinMs: 5_000 })
  await until('there is another', async () => (await connections()).includes('kontor worker heartbeat'))
})

test('webhooks of a cell at rest are delivered at once', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const shop = await used.make.shop({ cell: 'second' })
  const made = await shop.admin.post(`${shop.path}/webhook-endpoints`, { url: receiver.url, types: ['product.*'] })
  assert.equal(made.status, 201, made.text)
  await atRest()
  await used.make.product(shop)
  const ms = await timeUntil('it has come', () => receiver.received.length > 0, 5_000)
  assert.ok(ms < 2_000, `it took ${ms} ms`)
})

test('no look has failed', () => {
  const failed = worker.lines().filter(({ msg }) => msg?.includes('a look has failed'))
  assert.deepEqual(
    failed.filter(({ err }) => !/terminat|connection/i.test(JSON.stringify(err))),
    [],
  )
})

const noted: string[] = []
const note = defineJob({
  name: 'test.note-at-rest',
  on: 'cell',
  payload: Type.Object({ text: Type.String() }),
  run: async ({ text }) => void noted.push(text),
})

test('a job whose time comes later starts when it has come', async (t) => {
  const own = startTestWorker(used.api.databases.env, [note])
  t.after(() => own.stop())
  await transaction(cellOf('second'), (tx) => enqueue(tx, note, { text: 'now' }))
  await until('it runs', () => noted.includes('now'))
  const at = new Date(Date.now() + 2_000)
  await transaction(cellOf('second'), (tx) => enqueue(tx, note, { text: 'later' }, { runAt: at }))
  await until('it runs', () => noted.includes('later'), { withinMs: 6_000 })
  const late = Date.now() - at.getTime()
  assert.ok(late >= 0 && late < 2_000, `${late} ms late`)
})

test('a worker serves the cells that WORKER_CELLS names, and no others', async (t) => {
  await worker.kill()
  worker = await startChild('worker', { ...used.api.databases.env, WORKER_CELLS: 'second' })
  t.after(() => worker.kill())
  const [here, there] = await Promise.all([
    used.make.business({ cell: 'second' }),
    used.make.business({ cell: 'main' }),
  ])
  await happen(used.api, there.id, 1)
  await happen(used.api, here.id, 1)
  await until('it is numbered', () => isNumbered(here.id))
  const { rows } = await sql`select from cell.events where business_id = ${there.id}`.execute(cellOf('main'))
  assert.equal(rows.length, 0)
  const names = await onServer(async (client) => {
    const asked = await client.query<{ name: string }>(
      "select application_name as name from pg_stat_activity where datname = $1 and application_name like '%heartbeat'",
      [used.api.databases.main.name],
    )
    return asked.rows
  }, urlOf(used.api.databases.main.name))
  assert.deepEqual(names, [])
})

test('a name that is no cell keeps a worker from starting', async () => {
  const { code, output } = await runKontor(['worker'], { ...used.api.databases.env, WORKER_CELLS: 'second,third' })
  assert.equal(code, 1)
  assert.match(output, /WORKER_CELLS: there is no cell third\./)
})
