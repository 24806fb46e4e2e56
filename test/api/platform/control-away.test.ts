import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { revokeSession } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { openPrivatePostgres } from '../../scenarios/private-postgres.ts'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { createMake } from '../../support/make.ts'
import { startProxy } from '../../support/proxy.ts'
import { createTestDatabases, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

/** Control behind a line that can be cut, and a business with a shop in another cell. */
async function open(t: TestContext, env: Record<string, string> = {}) {
  const databases = await createTestDatabases()
  t.after(() => databases.drop())
  const line = await startProxy(databases.main.url)
  t.after(() => line.close())
  const api = await startApi({
    databases: { ...databases, env: { ...databases.env, DATABASE_URL: line.url } },
    env,
    lookEveryMs: 250,
  })
  t.after(() => api.close())
  const make = createMake(api)
  const shop = await make.shop({ cell: 'second' })
  assert.equal((await shop.admin.put(shop.path, { storefront: { isPublic: true } })).status, 200)
  const product = await make.product(shop)
  const [guest, customer, other, anybody] = [
    await make.guest(),
    await make.user(),
    await make.guest(),
    make.anonymous(),
  ]
  const front = `/v1/storefront/${shop.slug}/products`
  const lost = () => until('control is lost', () => !api.services.listener.connected, { withinMs: 3_000 })
  const heard = () => until('control is heard', () => api.services.listener.connected, { withinMs: 5_000 })
  const isReady = async () => (await anybody.get('/readyz')).status === 200
  /** What everybody has read a moment ago. */
  for (const get of [
    () => guest.get(shop.products),
    () => customer.get(shop.products),
    () => shop.admin.get(shop.products),
  ])
    assert.equal((await get()).status, 200)
  assert.equal((await anybody.get(front)).status, 200)
  return { api, make, line, shop, product, guest, customer, other, anybody, front, lost, heard, isReady }
}

test('while control is away, shoppers read on in the businesses that are known; nobody writes, and no role counts', async (t) => {
  const { api, make, line, shop, product, guest, customer, other, anybody, front, lost, heard, isReady } = await open(t)
  const key = await make.apiKey(shop.admin.id, shop.id)
  assert.equal((await key.get(shop.products)).status, 200)
  const unknown = await make.shop({ cell: 'second' })
  const orders = `${shop.path}/orders`
  assert.equal((await customer.get(orders)).status, 200)
  line.cut()
  await lost()
  const shown = await anybody.get(front)
  assert.equal(shown.status, 200, shown.text)
  assert.equal(shown.headers.get('cache-control'), 'public, max-age=0, s-maxage=5, stale-while-revalidate=5')
  for (const caller of [guest, customer]) {
    const read = await caller.get(product.path)
    assert.equal(read.status, 200, read.text)
  }
  assertError(await customer.get(orders), 503, 'UNAVAILABLE') // under which ids they have ordered, control knows
  assertError(await guest.get(`${unknown.path}/products`), 503, 'UNAVAILABLE')
  assertError(await other.get(shop.products), 503, 'UNAVAILABLE') // a token that this process has not seen
  assertError(await shop.admin.get(shop.products), 503, 'UNAVAILABLE')
  assertError(await key.get(shop.products), 503, 'UNAVAILABLE')
  const item = { productId: product.id, variantId: 'one', quantity: 1 }
  const bought = await guest.post(`${orders}/checkout`, { market: 'us', items: [item] })
  assertError(bought, 503, 'UNAVAILABLE')
  assert.ok(bought.headers.get('retry-after'))
  assert.equal((await guest.get(shop.products)).status, 200)
  assert.equal((await createClient(api.url, { authorization: 'Bearer no' }).get(shop.products)).status, 503)
  assert.equal((await anybody.get(shop.products)).status, 401)
  await until('the look has seen it', () => api.services.watch.control().state === 'down')
  assert.equal(await isReady(), true, 'a balancer leaves it in')

  line.restore()
  const since = performance.now()
  await heard()
  assert.equal((await shop.admin.get(shop.products)).status, 200)
  const seconds = (performance.now() - since) / 1_000
  assert.ok(seconds < 2.5, `all is well after ${seconds} seconds`)
})

test('while control is silent nobody waits for it', async (t) => {
  const { line, product, guest, anybody, front } = await open(t)
  line.hush()
  const times: number[] = []
  for (const end = performance.now() + 3_500; performance.now() < end; await sleep(20)) {
    const since = performance.now()
    const [shown, read] = await Promise.all([anybody.get(front), guest.get(product.path)])
    times.push(performance.now() - since)
    assert.equal(shown.status, 200, shown.text)
    assert.equal(read.status, 200, read.text)
  }
  line.restore()
  times.sort((one, other) => other - one)
  assert.ok((times[0] ?? 0) < 1_500, `${times.slice(0, 5).map(Math.round).join(', ')} ms`)
})

test('a session that was ended before control was lost stays ended', async (t) => {
  const { api, line, product, guest, customer, lost } = await open(t)
  await transaction(api.services.databases.control, (tx) => revokeSession(tx, guest.sessionId))
  line.cut()
  await lost()
  assertError(await guest.get(product.path), 503, 'UNAVAILABLE')
  assert.equal((await customer.get(product.path)).status, 200)
})

test('after CONTROL_AWAY_SECONDS reads end, too, and with 0 they end at once', async (t) => {
  for (const seconds of [2, 0]) {
    const { line, anybody, front, lost, isReady } = await open(t, { CONTROL_AWAY_SECONDS: String(seconds) })
    line.cut()
    await lost()
    if (seconds > 0) assert.equal((await anybody.get(front)).status, 200)
    await sleep(seconds * 1_000 + 100)
    assertError(await anybody.get(front), 503, 'UNAVAILABLE')
    await until('a balancer takes it out', async () => !(await isReady()), { withinMs: 3_000 })
  }
})

test('a session that is ended while only notifications are lost is refused at once', async (t) => {
  const { api, line, shop, guest } = await open(t)
  const direct = api.services.databases.control
  // Connections of the pool stay; the listener's is ended again and again.
  const ending = setInterval(() => {
    void direct.pool
      .query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kontor listener' and datname = current_database()",
      )
      .catch(() => {})
  }, 20)
  t.after(() => clearInterval(ending))
  await until('it is deaf', () => !api.services.listener.connected)
  await transaction(direct, (tx) => revokeSession(tx, guest.sessionId))
  for (let turn = 0; turn < 10; turn++) assert.equal((await guest.get(shop.products)).status, 401)
  line.restore()
})

test('with a replica of control, those are found who were not known, and the shops of main are read there', async (t) => {
  const postgres = await openPrivatePostgres()
  t.after(() => postgres.close())
  const databases = await postgres.createDatabases()
  const standby = await postgres.startStandby()
  t.after(() => standby.close())
  const env = { ...databases.env, DATABASE_REPLICA_URL: standby.urlOf('main'), REPLICA_MAX_LAG_SECONDS: '2' }
  const api = await startApi({ databases: { ...databases, env }, lookEveryMs: 250 })
  t.after(() => api.close())
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  assert.equal((await shop.admin.put(shop.path, { storefront: { isPublic: true } })).status, 200)
  await make.product(shop)
  const guest = await make.guest()
  const replica = () => api.services.replicas.all().get('main')
  await until('the replica is read', () => replica()?.seen().state === 'used')
  await sleep(700) // and has followed
  const anybody = make.anonymous()
  await postgres.kill()
  await until('control is lost', () => !api.services.listener.connected)
  for (const end = performance.now() + 3_500; performance.now() < end; await sleep(100)) {
    const shown = await anybody.get(`/v1/storefront/${shop.slug}/products`)
    assert.equal(shown.status, 200, shown.text)
    assert.equal(shown.body.items.length, 1)
  }
  assert.equal((await guest.get(`/v1/storefront/${shop.slug}`)).status, 200)
  assertError(await shop.admin.get(shop.products), 503, 'UNAVAILABLE')
  assert.equal((await anybody.get('/readyz')).status, 200)
  await postgres.start()
  await until('all is well', async () => (await shop.admin.get(shop.products)).status === 200, { withinMs: 8_000 })
})
