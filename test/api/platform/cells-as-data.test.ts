import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { countByCell, foldCounts } from '#platform/cells/cells.ts'
import { assertError } from '../../support/assert-error.ts'
import { startChild } from '../../support/child.ts'
import { runCli } from '../../support/cli.ts'
import { cloneTemplate, onServer, withScratchDatabase } from '../../support/database.ts'
import { createMake } from '../../support/make.ts'
import { startProxy } from '../../support/proxy.ts'
import { createTestDatabases, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { happen } from '../../support/webhooks.ts'

async function setUp(t: TestContext) {
  const databases = await createTestDatabases()
  const third = await cloneTemplate('cell')
  const api = await startApi({ databases, lookEveryMs: 200 })
  t.after(async () => {
    await api.close()
    await third.drop()
    await databases.drop()
  })
  const make = createMake(api)
  const ada = await make.user()
  const cli = (...args: string[]) => runCli(args, databases.env)
  /** The command line, which is to succeed. */
  const run = async (...args: string[]) => {
    const ran = await cli(...args)
    assert.equal(ran.code, 0, ran.err + ran.out)
    return ran
  }
  const { control, cells } = api.services.databases
  const create = async () => {
    const { status, body, text } = await ada.post('/v1/businesses', { name: 'New' })
    assert.equal(status, 201, text)
    const business = control.selectFrom('access.businesses').select('cell').where('id', '=', body.id)
    return { id: body.id as string, cell: (await business.executeTakeFirstOrThrow()).cell }
  }
  const eventsOf = (id: string) => ada.get(`/v1/businesses/${id}/events`)
  const states = async () => (await ada.get('/readyz')).body.cells
  const addThird = async (...more: string[]) => {
    await run('cells', 'add', 'third', '--url', third.url, ...more)
    await until('it is known and well', async () => (await states()).third === 'up', { withinMs: 5_000 })
    // Placed where every API process knows it: they say so with their heartbeat.
    await until('it is announced', async () => {
      const { rows } = await onServer(
        (client) => client.query("select from control.processes where kind = 'api' and not 'third' = any (cells)"),
        databases.main.url,
      )
      return rows.length === 0
    })
  }
  return { api, databases, third, make, ada, cli, run, control, cells, create, eventsOf, states, addThird }
}

test('a cell that is added takes a new business and serves it, in API and worker, without a restart', async (t) => {
  const { api, databases, make, run, create, eventsOf, addThird, cells } = await setUp(t)
  const worker = await startChild('worker', databases.env)
  t.after(() => worker.kill())
  for (const cell of ['main', 'second']) await make.business({ cell })
  await addThird('--region', 'eu', '--weight', '200')
  const made = await create()
  assert.equal(made.cell, 'third')
  assert.equal((await eventsOf(made.id)).status, 200)

  await happen(api, made.id, 1)
  await until('the worker numbers its events', async () => (await eventsOf(made.id)).body.items.length > 0)
  const shown = (await run('cells', 'list', '--json')).lines.find(({ cell }) => cell === 'third')
  assert.deepEqual(
    { ...shown, schema: typeof shown.schema },
    {
      cell: 'third',
      state: 'OPEN',
      weight: 200,
      region: 'eu',
      businesses: 1,
      schema: 'string',
      health: 'up',
      address: shown.address,
      replica: null,
    },
  )
  assert.doesNotMatch(shown.address, /@/)
  const [logged] = await api.services.databases.control
    .selectFrom('access.operatorLog')
    .select(['action', 'subject', 'data'])
    .execute()
  assert.equal(logged?.action, 'cell.added')
  assert.doesNotMatch(JSON.stringify(logged), /postgres:/)

  await run('cells', 'off', 'third', '--force')
  await until('the worker lets go', () => worker.lines().some(({ msg }) => msg?.startsWith('this cell is off')))
  await until('the API lets go', () => !cells.has('third'))
  const refused = await eventsOf(made.id)
  assertError(refused, 503, 'UNAVAILABLE')
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)

  await run('cells', 'open', 'third')
  await until('it is served again', async () => (await eventsOf(made.id)).status === 200, { withinMs: 5_000 })
  await happen(api, made.id, 1)
  await until('by the worker, too', async () => (await eventsOf(made.id)).body.items.length > 1)
})

test('new businesses go where there are the fewest for the weight', async (t) => {
  const { run, create, control } = await setUp(t)
  await run('cells', 'set', 'second', '--weight', '300')
  const placed = []
  for (let count = 0; count < 8; count++) placed.push((await create()).cell)
  assert.equal(placed.filter((cell) => cell === 'second').length, 6, placed.join())

  const counted = async () => Object.fromEntries(await countByCell(control))
  const before = await counted()
  assert.deepEqual(before, { main: 2, second: 6 })
  await foldCounts(control)
  assert.deepEqual(await counted(), before)
  await control.updateTable('access.businesses').set({ cell: 'main' }).where('cell', '=', 'second').execute()
  assert.equal((await counted()).main, 8)
  for (const table of ['access.memberships', 'access.roles', 'access.businesses'] as const)
    await control.deleteFrom(table).execute()
  await foldCounts(control)
  assert.deepEqual(await counted(), {})
})

test('a closed cell takes only what is put there, a draining one nothing; both serve what they have', async (t) => {
  const { make, run, cli, create } = await setUp(t)
  const there = await make.business({ cell: 'second' })
  for (let count = 0; count < 3; count++) await make.business({ cell: 'main' })
  const pin = [
    'business',
    'create',
    '--name',
    'Pinned',
    '--owner',
    there.admin.email ?? '',
    '--cell',
    'second',
    '--json',
  ]

  await run('cells', 'close', 'second')
  assert.equal((await create()).cell, 'main')
  assert.equal((await run(...pin)).json.cell, 'second')
  assert.equal((await there.admin.get(`${there.path}/events`)).status, 200)

  await run('cells', 'drain', 'second')
  assert.equal((await create()).cell, 'main')
  const refused = await cli(...pin)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /is being emptied/)
  assert.equal((await there.admin.get(`${there.path}/events`)).status, 200)

  await run('cells', 'close', 'main')
  const nowhere = await there.admin.post('/v1/businesses', { name: 'Nowhere' })
  assertError(nowhere, 503, 'UNAVAILABLE')
  await run('cells', 'open', 'second')
  assert.equal((await create()).cell, 'second')
})

test('a cell with businesses is neither switched off nor removed, main never', async (t) => {
  const { make, cli, create, addThird } = await setUp(t)
  await make.business({ cell: 'second' })
  const refusals: [string[], RegExp][] = [
    [['off', 'second'], /1 business lives in second.*503.*--force/],
    [['off', 'main'], /cannot be switched off/],
    [['remove', 'main'], /cannot be removed/],
    [['remove', 'second'], /CELLS names second/],
    [['close', 'nowhere'], /Cell nowhere not found/],
  ]
  for (const [args, says] of refusals) {
    const { code, err } = await cli('cells', ...args)
    assert.equal(code, 1, err)
    assert.match(err, says)
  }
  for (const args of [
    ['add', 'main', '--url', 'postgres://x/y'],
    ['add', 'Third', '--url', 'postgres://x/y'],
    ['add', 'third', '--url', 'http://x/y'],
    ['set', 'second', '--weight', '0'],
    ['set', 'second'],
  ])
    assert.equal((await cli('cells', ...args)).code, 2, args.join(' '))

  await addThird()
  assert.equal((await create()).cell, 'main')
  assert.equal((await create()).cell, 'third')
  const full = await cli('cells', 'remove', 'third')
  assert.match(full.err, /1 business lives in third/)
})

test('a cell that is off is not checked, and verify says so', async (t) => {
  const { run, cli, addThird } = await setUp(t)
  await addThird()
  await run('cells', 'off', 'third')
  assert.match((await run('verify')).out, /^third {2}not checked: off$/m)
  const { json } = await run('verify', '--json')
  assert.deepEqual(json.notChecked, [{ cell: 'third', reason: 'off' }])
  assert.deepEqual(json.cells.map(({ cell }: { cell: string }) => cell).toSorted(), ['main', 'second'])
  const alone = await cli('verify', '--cell', 'third')
  assert.deepEqual([alone.code, /third is off/.test(alone.err)], [1, true], alone.err)
})

test('a cell without businesses is removed, and its database can be added again', async (t) => {
  const { run, cli, addThird, cells, third } = await setUp(t)
  await addThird()
  const twice = await cli('cells', 'add', 'third', '--url', third.url)
  assert.match(twice.err, /There is a cell third already/)
  await run('cells', 'off', 'third')
  await run('cells', 'remove', 'third')
  await until('nobody knows it', () => !cells.has('third'))
  await addThird()
})

test('the database of another cell, of another deployment, or control itself is refused', async (t) => {
  const { databases, cli, run, addThird, third } = await setUp(t)
  await run('migrate') // since then each database says which cell it is
  await addThird()
  const refuse = async (url: string, says: RegExp) => {
    const { code, err } = await cli('cells', 'add', 'fourth', '--url', url)
    assert.equal(code, 1, err)
    assert.match(err, says)
    assert.doesNotMatch(err, /postgres:\/\//)
  }
  await refuse(databases.main.url, /control database/)
  await refuse(databases.second.url, /the cell second/)
  await refuse(third.url, /the cell third/)
  await refuse('postgres://postgres:hunter2@127.0.0.1:1/nothing', /127\.0\.0\.1:1\/nothing: .*ECONNREFUSED/)
  const moved = await cli('cells', 'set', 'second', '--url', third.url)
  assert.match(moved.err, /the cell third/)
  await withScratchDatabase(async (url) => {
    const empty = await cli('cells', 'set', 'second', '--url', url)
    assert.match(empty.err, /does not say that it is the cell second/)
  })
  await onServer((client) => client.query('update cell.identity set control_id = gen_random_uuid()'), third.url)
  await refuse(third.url, /another deployment/)
})

test('an address in control wins over CELLS, without a restart', async (t) => {
  const { databases, make, run, cells } = await setUp(t)
  const proxy = await startProxy(databases.second.url)
  t.after(() => proxy.close())
  const there = await make.business({ cell: 'second' })
  await run('migrate', '--cell', 'second')
  const before = cells.get('second')
  await run('cells', 'set', 'second', '--url', proxy.url)
  await until('it is elsewhere', () => cells.get('second')?.address.url === proxy.url)
  assert.notEqual(cells.get('second'), before)
  assert.equal((await there.admin.get(`${there.path}/events`)).status, 200)

  const unaware = await startApi({ databases: { ...databases, env: { ...databases.env, CELLS: '{}' } } })
  t.after(() => unaware.close())
  assert.equal(unaware.services.databases.cells.get('second')?.address.url, proxy.url)
})

test('a process lets go of a database that says it is another cell’s', async (t) => {
  const { databases, run } = await setUp(t)
  await run('migrate')
  const lines: string[] = []
  const CELLS = JSON.stringify({ second: { url: databases.second.url }, wrong: { url: databases.second.url } })
  const api = await startApi({ databases: { ...databases, env: { ...databases.env, CELLS } }, lines })
  t.after(() => api.close())
  await until('it lets go', () => !api.services.databases.cells.has('wrong'), { withinMs: 5_000 })
  assert.ok(api.services.databases.cells.has('second'))
  assert.ok(lines.some((line) => line.includes('This is the database of the cell second')))
})

test('migrate goes on after a cell that is away, says which cell has what, and fails', async (t) => {
  const { databases, third, run, cli, addThird } = await setUp(t)
  await addThird()
  await run('migrate', '--json')
  await onServer((client) => client.query("delete from cell.migrations where name like '0012%'"), third.url)
  await onServer((client) => client.query('drop schema backoffice cascade'), third.url)
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: 'postgres://127.0.0.1:1/away' } }) }
  const { code, lines } = await runCli(['migrate', '--json'], env)
  assert.equal(code, 1)
  const of = (name: string) => lines.find(({ cell }) => cell === name)
  assert.match(of('second').problem, /ECONNREFUSED/)
  assert.equal(of('main').problem, undefined)
  assert.deepEqual(of('third').applied, ['cell/0012_backoffice.sql'])
  const table = await runCli(['migrate'], env)
  assert.equal(table.code, 1)
  assert.match(table.out, /^cell +state +schema +applied +problem$/m)
  assert.match(table.out, /^third +OPEN +\w+ +0 +none$/m)
  assert.match(table.err, /1 of 3 failed/)

  const one = await cli('migrate', '--cell', 'third', '--json')
  assert.deepEqual([one.code, one.lines.map(({ cell }) => cell)], [0, ['third']])
  assert.equal((await cli('migrate', '--cell', 'fourth')).code, 2)
})

test('a worker takes no jobs of a cell that lacks migrations until it has them', async (t) => {
  const { api, databases, make, run } = await setUp(t)
  await onServer((client) => client.query("delete from cell.migrations where name like '0012%'"), databases.second.url)
  await onServer((client) => client.query('drop schema backoffice cascade'), databases.second.url)
  const worker = await startChild('worker', databases.env)
  t.after(() => worker.kill())
  const [here, there] = [await make.business({ cell: 'main' }), await make.business({ cell: 'second' })]
  await happen(api, there.id, 1)
  await happen(api, here.id, 1)
  const count = async ({ admin, path }: typeof here) => (await admin.get(`${path}/events`)).body.items?.length ?? 0
  await until('the others are served', async () => (await count(here)) === 1)
  assertError(await there.admin.get(`${there.path}/events`), 503, 'UNAVAILABLE')
  const metrics = async () => (await fetch(worker.metricsUrl)).text()
  assert.match(await metrics(), /kontor_queue_served\{database="second"\} 0/)

  await run('migrate')
  await until('it is served', async () => (await count(there)) === 1)
  await until('and taken jobs of', async () => /kontor_queue_served\{database="second"\} 1/.test(await metrics()))
})

test('doctor compares processes, cells and businesses', async (t) => {
  const { cli, run, make, addThird, control } = await setUp(t)
  await run('migrate')
  await addThird()
  await make.business({ cell: 'third' })
  const find = async (name: string) =>
    (await cli('doctor', '--json')).json.checks.find(({ check }: { check: string }) => check === name)
  assert.equal((await find('main: cells')).status, 'ok')
  assert.equal((await find('cell third: identity')).status, 'ok')
  assert.equal((await find('cell third: migrations')).status, 'ok')
  assert.equal((await find('main: processes')).status, 'ok')

  await run('cells', 'off', 'third', '--force')
  const off = await find('main: cells')
  assert.equal(off.status, 'warning')
  assert.match(off.says, /off, and get 503: third \(1 businesses\)/)
  await control.deleteFrom('control.cells').where('id', '=', 'third').execute()
  const missing = await find('main: cells')
  assert.equal(missing.status, 'failed')
  assert.match(missing.says, /third/)
})
