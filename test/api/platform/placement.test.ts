import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { runCli } from '../../support/cli.ts'
import { createClient } from '../../support/client.ts'
import { onServer } from '../../support/database.ts'
import { createMake } from '../../support/make.ts'
import { startProxy } from '../../support/proxy.ts'
import { createTestDatabases, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

async function setUp(t: TestContext) {
  const databases = await createTestDatabases()
  const proxy = await startProxy(databases.second.url)
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: proxy.url } }) }
  const lines: string[] = []
  const started: (() => Promise<void>)[] = []
  const start = async (cells = env.CELLS) => {
    const api = await startApi({ databases: { ...databases, env: { ...env, CELLS: cells } }, lines, lookEveryMs: 200 })
    let closing: Promise<void> | undefined
    const close = () => (closing ??= api.close())
    started.push(close)
    return { ...api, close }
  }
  t.after(async () => {
    proxy.restore()
    await Promise.all(started.map((close) => close()))
    await proxy.close()
    await databases.drop()
  })
  const api = await start()
  const make = createMake(api)
  const ada = await make.user()
  for (let count = 0; count < 4; count++) await make.business({ cell: 'main' })
  const cellOf = async (id: string) => {
    const business = api.services.databases.control.selectFrom('access.businesses').select('cell').where('id', '=', id)
    return (await business.executeTakeFirstOrThrow()).cell
  }
  /** The second cell has the fewest, so that is where it would go. */
  const place = async () => {
    const { status, body, text } = await ada.post('/v1/businesses', { name: 'New' })
    assert.equal(status, 201, text)
    return cellOf(body.id)
  }
  const states = async (of = api) => (await createClient(of.url).get('/readyz')).body.cells
  const untilState = (state: string) =>
    until(`the second cell is ${state}`, async () => (await states()).second === state, { withinMs: 5_000 })
  return { databases, env, proxy, api, make, lines, start, place, states, untilState }
}

test('nothing is placed in a cell that is down, or silent', async (t) => {
  const { proxy, place, untilState } = await setUp(t)
  assert.equal(await place(), 'second')
  proxy.cut()
  await untilState('down')
  assert.equal(await place(), 'main')
  proxy.restore()
  await untilState('up')
  proxy.hush()
  await untilState('silent')
  assert.equal(await place(), 'main')
  proxy.restore()
  await untilState('up')
  assert.equal(await place(), 'second')
})

test('nothing is placed in a cell that takes no writes', async (t) => {
  const { databases, proxy, place, untilState } = await setUp(t)
  const alter = (what: string) => onServer((client) => client.query(`alter database ${databases.second.name} ${what}`))
  await alter('set default_transaction_read_only = on')
  proxy.cut()
  proxy.restore()
  await untilState('read-only')
  assert.equal(await place(), 'main')
  await alter('reset default_transaction_read_only')
})

test('a cell that lacks a migration says so, is 503 for its businesses, and gets no new ones', async (t) => {
  const { databases, make, place, untilState, states } = await setUp(t)
  const there = await make.business({ cell: 'second' })
  const here = await make.business({ cell: 'main' })
  const [last] = await onServer(async (client) => {
    const { rows } = await client.query('select name, checksum from cell.migrations order by name desc limit 1')
    await client.query('delete from cell.migrations where name = $1', [rows[0].name])
    return rows
  }, databases.second.url)
  await untilState('behind')
  assertError(await there.admin.get(`${there.path}/events`), 503, 'UNAVAILABLE')
  assert.equal((await there.admin.get(`${there.path}/roles`)).status, 200) // kept in the control database
  assert.equal((await here.admin.get(`${here.path}/events`)).status, 200)
  assert.equal(await place(), 'main')

  await onServer(
    (client) =>
      client.query('insert into cell.migrations (name, checksum) values ($1, $2)', [last.name, last.checksum]),
    databases.second.url,
  )
  await untilState('up')
  assert.equal((await there.admin.get(`${there.path}/events`)).status, 200)
  assert.deepEqual(await states(), { main: 'up', second: 'up' })
})

test('nothing is placed in a cell that an API process which is there does not know yet', async (t) => {
  const { start, place } = await setUp(t)
  assert.equal(await place(), 'second')
  const old = await start('{}')
  assert.equal(await place(), 'main')
  assert.equal(await place(), 'main')
  await old.close()
  assert.equal(await place(), 'second')
})

test('a process that does not know the cell of a business answers 503, and says so where one looks', async (t) => {
  const { databases, make, start, states, lines } = await setUp(t)
  const { admin, path } = await make.business({ cell: 'second' })
  const old = await start('{}')
  const there = createClient(old.url, { authorization: `Bearer ${admin.token}` })
  const refused = await there.get(`${path}/events`)
  assertError(refused, 503, 'UNAVAILABLE')
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.ok(lines.some((line) => line.includes('not known here') && line.includes('"cell":"second"')))
  assert.equal((await there.get(`${path}/roles`)).status, 200)
  assert.deepEqual(await states(old), { main: 'up', second: 'unknown' })
  assert.deepEqual(await states(), { main: 'up', second: 'up' })

  const { json } = await runCli(['doctor', '--json'], { DATABASE_URL: databases.main.url })
  const check = json.checks.find((one: { check: string }) => one.check === 'main: cells')
  assert.equal(check.status, 'failed', JSON.stringify(json.checks))
  assert.match(check.says, /second/)
})

test('doctor names processes that know fewer cells than it does', async (t) => {
  const { env, start } = await setUp(t)
  const find = async () => {
    const { json } = await runCli(['doctor', '--json'], env)
    return json.checks.find((one: { check: string }) => one.check === 'main: processes')
  }
  assert.equal((await find()).status, 'ok')
  await start('{}')
  const { status, says } = await find()
  assert.equal(status, 'warning')
  assert.match(says, /1 .*second/)
})
