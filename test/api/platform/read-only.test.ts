import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openPool } from '#platform/database/connection.ts'
import { transaction } from '#platform/database/transaction.ts'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { onServer, withScratchDatabase } from '../../support/database.ts'
import { createMake } from '../../support/make.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

/** New connections to the second cell take no writes, as those to a standby. */
async function setUp(t: TestContext) {
  const api = await startApi()
  t.after(() => api.close())
  const shop = await createMake(api).shop({ cell: 'second' })
  const { name } = api.databases.second
  const alter = (what: string) => onServer((client) => client.query(`alter database ${name} ${what}`))
  const endConnections = () =>
    onServer((client) =>
      client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]),
    )
  return {
    api,
    shop,
    create: (product: string) => shop.admin.post(shop.products, { name: product }),
    cells: async () => (await createClient(api.url).get('/readyz')).body.cells,
    async begin() {
      await alter('set default_transaction_read_only = on')
      await endConnections()
    },
    end: () => alter('reset default_transaction_read_only'), // those that there are stay as they are
  }
}

test('while a server takes no writes they are 503, reads go on, and soon after all is well', async (t) => {
  const { api, shop, create, cells, begin, end } = await setUp(t)
  assert.equal((await create('Before')).status, 201)
  await begin()
  for (let round = 0; round < 5; round++) {
    const refused = await create('Meanwhile')
    assertError(refused, 503, 'UNAVAILABLE')
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  }
  assert.equal((await shop.admin.get(shop.products)).status, 200)
  await until('it is told', async () => (await cells()).second === 'read-only', { withinMs: 3_000 })
  // Many connections of that kind: each may fail one write, none of them a second one.
  await Promise.all(Array.from({ length: 8 }, () => shop.admin.get(shop.products)))

  await end()
  await until('writes are good', async () => (await create('After')).status === 201, { withinMs: 2_000 })
  const { pool } = { pool: api.config.poolSize ?? 8 }
  let refused = 0
  for (let count = 0; count < 2 * pool; count++) {
    const { status } = await create('Later')
    assert.ok(status === 201 || status === 503, String(status))
    if (status === 503) refused++
  }
  assert.ok(refused < pool, `${refused} of ${2 * pool}`)
  await until('it is told', async () => (await cells()).second === 'up', { withinMs: 3_000 })
})

test('a connection on which a write was refused so is not used again, in a transaction either', async (t) => {
  const { api, shop, begin, end } = await setUp(t)
  await begin()
  const write = () =>
    transaction(shop.db, (tx) => tx.deleteFrom('cell.idempotencyKeys').where('key', '=', 'none').execute())
  await assert.rejects(write(), { code: '25006' })
  await end()
  await write()
  assert.equal(api.app.phase, 'serving')
})

test('a connection is renewed at its age, whether it is used or idle', () =>
  withScratchDatabase(async (url) => {
    const pool = openPool(url, { max: 2, maxAgeSeconds: 1 })
    const pid = async () => (await pool.query('select pg_backend_pid() as pid')).rows[0].pid as number
    try {
      const first = await pid()
      await until('it is another one', async () => (await pid()) !== first, { withinMs: 3_000 })
      await until('idle ones are closed', () => pool.totalCount === 0, { withinMs: 3_000 })
    } finally {
      await pool.end()
    }
  }))
