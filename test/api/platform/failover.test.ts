import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPrivatePostgres } from '../../scenarios/private-postgres.ts'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { createMake } from '../../support/make.ts'
import { startProxy } from '../../support/proxy.ts'
import { createTestDatabases, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

test('while its address leads to a standby a cell is 503; when it leads to the primary again, all is well at once', async (t) => {
  const databases = await createTestDatabases()
  t.after(() => databases.drop())
  const postgres = await openPrivatePostgres()
  t.after(() => postgres.close())
  const { second } = await postgres.createDatabases()
  const standby = await postgres.startStandby()
  t.after(() => standby.close())
  const address = await startProxy(second.url)
  t.after(() => address.close())
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: address.url } }) }
  const api = await startApi({ databases: { ...databases, env } })
  t.after(() => api.close())
  const shop = await createMake(api).shop({ cell: 'second' })
  const create = () => shop.admin.post(shop.products, { name: 'Salt' })
  const list = () => shop.admin.get(shop.products)
  const state = async () => (await createClient(api.url).get('/readyz')).body.cells.second
  assert.equal((await create()).status, 201)

  address.leadTo(standby.urlOf('second'))
  await until('it is told', async () => (await state()) === 'read-only', { withinMs: 4_000 })
  for (const ask of [create, list, create, list]) assertError(await ask(), 503, 'UNAVAILABLE')

  address.leadTo(second.url)
  await until('writes are good', async () => (await create()).status === 201, { withinMs: 2_000 })
  for (const answer of await Promise.all([create(), list(), create(), list()]))
    assert.ok(answer.status < 300, answer.text)
  await until('it is told', async () => (await state()) === 'up', { withinMs: 4_000 })
})
