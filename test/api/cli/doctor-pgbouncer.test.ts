import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openPgBouncer, placeOf } from '../../scenarios/pgbouncer.ts'
import { runCli } from '../../support/cli.ts'
import { createTestDatabases, type TestDatabases } from '../../support/start-api.ts'

type Check = { check: string; status: string; says: string; fix?: string }

async function doctor(env: Record<string, string>) {
  const run = await runCli(['doctor', '--json'], env)
  const checks = run.json.checks as Check[]
  const get = (name: string): Partial<Check> => checks.find(({ check }) => check === name) ?? {}
  return { ...run, checks, get, failed: checks.filter(({ status }) => status === 'failed').map(({ check }) => check) }
}

describe('doctor behind PgBouncer', { concurrency: 3 }, () => {
  let databases: TestDatabases
  let bouncer: Awaited<ReturnType<typeof openPgBouncer>>
  before(async () => {
    databases = await createTestDatabases()
    bouncer = await openPgBouncer({
      databases: {
        main: placeOf(databases.main.url),
        second: placeOf(databases.second.url),
        busy: placeOf(databases.main.url, 'pool_size=1'),
        away: 'host=127.0.0.1 port=1 dbname=away',
        missing: placeOf(databases.main.url.replace(/\/\w+$/, '/kontor_is_not_there')),
      },
    })
  })
  after(async () => {
    await bouncer.close()
    await databases.drop()
  })

  test('without a direct address it says that this address is what is missing, and blames nothing else', async () => {
    const found = await doctor({ DATABASE_URL: bouncer.urlOf('main') })
    assert.deepEqual(found.failed, ['main: pooler'], found.out)
    assert.match(
      found.get('main: pooler').says ?? '',
      /DATABASE_URL leads through a pooler such as PgBouncer, and DATABASE_DIRECT_URL/,
    )
    assert.match(found.get('main: pooler').fix ?? '', /^Set DATABASE_DIRECT_URL to the address of PostgreSQL itself/)
    assert.doesNotMatch(found.out, /signing keys/)
  })

  test('the same of a cell', async () => {
    const CELLS = JSON.stringify({ second: { url: bouncer.urlOf('second') } })
    const found = await doctor({ DATABASE_URL: databases.main.url, CELLS })
    assert.deepEqual(found.failed, ['cell second: pooler'], found.out)
    assert.match(
      found.get('cell second: pooler').fix ?? '',
      /^Give the cell the address of PostgreSQL itself as well: cli cells set/,
    )
  })

  test('a PgBouncer that swallows our settings silently is found out, too', async (t) => {
    const silent = await openPgBouncer({
      databases: { main: placeOf(databases.main.url) },
      settings: {
        ignore_startup_parameters: 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options',
      },
    })
    t.after(() => silent.close())
    const found = await doctor({ DATABASE_URL: silent.urlOf('main') })
    assert.deepEqual(found.failed, ['main: pooler'], found.out)
  })

  test('a direct address that leads through it as well is told from a right one', async () => {
    const [DATABASE_URL, CELLS] = [
      bouncer.urlOf('main'),
      JSON.stringify({ second: { url: bouncer.urlOf('second'), directUrl: databases.second.url } }),
    ]
    const right = await doctor({ DATABASE_URL, CELLS, DATABASE_DIRECT_URL: databases.main.url })
    assert.deepEqual(right.failed, [], right.out)
    assert.match(right.get('main: pooler').says ?? '', /a pooler is in between/)
    assert.equal(right.get('cell second (direct): database').status, 'ok', right.out)
    const wrong = await doctor({ DATABASE_URL, DATABASE_DIRECT_URL: `${bouncer.urlOf('main')}?application_name=x` })
    assert.deepEqual(wrong.failed, ['main (direct): pooler'], wrong.out)
    assert.match(wrong.get('main (direct): pooler').says ?? '', /DATABASE_DIRECT_URL leads through a pooler, too/)
  })

  test('a server that PgBouncer cannot reach is not taken for a wrong DATABASE_URL', async () => {
    const found = await doctor({ DATABASE_URL: bouncer.urlOf('away'), DATABASE_DIRECT_URL: databases.main.url })
    assert.deepEqual(found.failed, ['main: database'], found.out)
    const { says = '', fix = '' } = found.get('main: database')
    assert.match(says, /^PgBouncer at 127\.0\.0\.1:\d+ answers, but has no connection to the server for us/)
    assert.match(fix, /The direct address answers, so PostgreSQL is up/)

    const neither = await doctor({
      DATABASE_URL: bouncer.urlOf('away'),
      DATABASE_DIRECT_URL: 'postgres://postgres@127.0.0.1:1/away',
    })
    assert.deepEqual(neither.failed, ['main: database', 'main (direct): database'], neither.out)
    assert.match(neither.get('main: database').fix ?? '', /The direct address does not answer either: start PostgreSQL/)
  })

  test('a pool of which others hold every connection is called exhausted', async (t) => {
    const holder = new pg.Client({ connectionString: bouncer.urlOf('busy') })
    await holder.connect()
    t.after(() => holder.end())
    await holder.query('begin')
    await holder.query('select 1')
    const found = await doctor({ DATABASE_URL: bouncer.urlOf('busy'), DATABASE_DIRECT_URL: databases.main.url })
    assert.deepEqual(found.failed, ['main: database'], found.out)
    assert.match(found.get('main: database').says ?? '', /^PgBouncer at .* has no connection to the server for us/)
    assert.match(found.get('main: database').fix ?? '', /default_pool_size/)
  })

  test('asked by somebody who may use its console, PgBouncer itself says which of the two it is', async (t) => {
    const admin = await openPgBouncer({
      databases: { busy: placeOf(databases.main.url, 'pool_size=1'), away: 'host=127.0.0.1 port=1 dbname=away' },
      settings: { stats_users: decodeURIComponent(new URL(databases.main.url).username) },
    })
    t.after(() => admin.close())
    const holder = new pg.Client({ connectionString: admin.urlOf('busy') })
    await holder.connect()
    await holder.query('begin')
    const busy = await doctor({ DATABASE_URL: admin.urlOf('busy'), DATABASE_DIRECT_URL: databases.main.url })
    await holder.end()
    assert.match(busy.get('main: database').says ?? '', /its pool is exhausted \(1 in use, \d+ waiting\)/, busy.out)
    const away = await doctor({ DATABASE_URL: admin.urlOf('away'), DATABASE_DIRECT_URL: databases.main.url })
    assert.match(away.get('main: database').says ?? '', /it cannot reach the server/, away.out)
  })

  test('what PgBouncer refuses is explained in words of its own settings', async () => {
    const unknown = await doctor({ DATABASE_URL: bouncer.urlOf('nowhere'), DATABASE_DIRECT_URL: databases.main.url })
    assert.match(unknown.get('main: database').fix ?? '', /\[databases\]/, unknown.out)
    const missing = await doctor({ DATABASE_URL: bouncer.urlOf('missing'), DATABASE_DIRECT_URL: databases.main.url })
    assert.match(missing.get('main: database').says ?? '', /does not exist/, missing.out)
  })
})
