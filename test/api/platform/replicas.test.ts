import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { transaction } from '#platform/database/transaction.ts'
import { handle, operation } from '#platform/http/operation.ts'
import { openPrivatePostgres, type PrivatePostgres } from '../../scenarios/private-postgres.ts'
import { contentOf, DRAFT, titled } from '../../support/content.ts'
import { createMake, type Make } from '../../support/make.ts'
import { KEPT_FOR_A_MINUTE } from '../../support/public-answers.ts'
import { createTestDatabases, startApi, type TestApi, type TestDatabases } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

const KEPT_FOR_SECONDS = 'public, max-age=0, s-maxage=5, stale-while-revalidate=5'
const MAX_LAG = 2

let postgres: PrivatePostgres
let standby: Awaited<ReturnType<PrivatePostgres['startStandby']>>
let databases: TestDatabases
let api: TestApi
let make: Make

const slowRead = operation({
  method: 'GET',
  url: '/v1/test/:business/slow',
  config: { access: 'public', business: 'storefront', reads: 'replica' },
  schema: { operationId: 'slowRead' },
})
const slowTransaction = operation({
  method: 'GET',
  url: '/v1/test/:business/slow-transaction',
  config: { access: 'public', business: 'storefront', reads: 'replica' },
  schema: { operationId: 'slowTransaction' },
})
const brokenRead = operation({
  method: 'GET',
  url: '/v1/test/:business/broken',
  config: { access: 'public', business: 'storefront', reads: 'replica' },
  schema: { operationId: 'brokenRead' },
})
const hopelessRead = operation({
  method: 'GET',
  url: '/v1/test/:business/hopeless',
  config: { access: 'public', business: 'storefront', reads: 'replica' },
  schema: { operationId: 'hopelessRead' },
})
/** Where the hopeless read was tried. */
const tried: boolean[] = []
const breakOff = sql`select case when pg_is_in_recovery() then pg_terminate_backend(pg_backend_pid()) end`
const whereAmI = sql<{ isStandby: boolean }>`
  select pg_is_in_recovery() as is_standby, pg_sleep(1.5) from public.wanted`

before(async () => {
  postgres = await openPrivatePostgres(['max_standby_streaming_delay=100ms', 'wal_receiver_status_interval=1s'])
  databases = await createTestDatabases()
  const { second } = await postgres.createDatabases()
  standby = await postgres.startStandby()
  const cells = { second: { url: second.url, replicaUrl: standby.urlOf('second') } }
  const env = { ...databases.env, CELLS: JSON.stringify(cells), REPLICA_MAX_LAG_SECONDS: String(MAX_LAG) }
  databases = { ...databases, env }
  api = await startApi({
    databases,
    lookEveryMs: 250,
    routes(app) {
      handle(app, slowRead, async ({ cell }) => (await whereAmI.execute(cell)).rows[0])
      handle(app, brokenRead, async ({ cell }) => (await breakOff.execute(cell)).rows[0])
      handle(app, hopelessRead, ({ cell }) =>
        transaction(cell, async (tx) => {
          const { rows } = await sql<{ isStandby: boolean }>`select pg_is_in_recovery() as is_standby`.execute(tx)
          tried.push(rows[0]?.isStandby ?? false)
          await sql`set local statement_timeout = 200`.execute(tx)
          return (await sql`select pg_sleep(2)`.execute(tx)).rows[0]
        }),
      )
      handle(app, slowTransaction, ({ cell }) =>
        transaction(cell, async (tx) => {
          await sql`select 1`.execute(tx)
          return (await whereAmI.execute(tx)).rows[0]
        }),
      )
    },
  })
  make = createMake(api)
  await sql`create table public.wanted as select 1 as one`.execute(cell())
  await isUsed()
})

after(async () => {
  await api?.close()
  await databases?.drop()
  await standby?.close()
  await postgres?.close()
})

const cell = () => {
  const found = api.services.databases.cells.get('second')
  assert.ok(found)
  return found
}
const stateOf = () => api.services.replicas.all().get('second')?.seen().state
const isUsed = () => until('the replica is read', () => stateOf() === 'used', { withinMs: 8_000 })

async function countReads() {
  const metric = await api.metrics.registry.getSingleMetric('kontor_replica_reads_total')?.get()
  const of = (answered: string) =>
    metric?.values.find(({ labels }) => labels.cell === 'second' && labels.answered === answered)?.value ?? 0
  return { replica: of('replica'), primary: of('primary') }
}

/** A public shop in the cell with a replica. */
async function openPublic() {
  const shop = contentOf(await make.shop({ cell: 'second' }))
  const { status, text: said } = await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  assert.equal(status, 200, said)
  const add = async (name: string) => {
    const answer = await shop.admin.post(shop.products, { name, statuses: [{ status: 'ACTIVE' }] })
    assert.equal(answer.status, 201, answer.text)
    return answer.body as { id: string }
  }
  const { get } = make.anonymous()
  const front = `/v1/storefront/${shop.slug}`
  const names = async () => {
    const answer = await get(`${front}/products`)
    assert.equal(answer.status, 200, answer.text)
    return (answer.body.items as { name: string }[]).map(({ name }) => name)
  }
  return { ...shop, add, get, front, names }
}

test('what everybody may read comes from the replica, and caches keep it for seconds only', async () => {
  const { add, get, front, names, admin, products } = await openPublic()
  const { id } = await add('Salt')
  await until('it has followed', async () => (await names()).includes('Salt'), { withinMs: 3_000 })
  const before = await countReads()
  const answer = await get(`${front}/products/${id}`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('cache-control'), KEPT_FOR_SECONDS)
  const { replica, primary } = await countReads()
  assert.equal(replica, before.replica + 1)
  assert.equal(primary, before.primary)
  // What a person of the business reads is never older than what they have written.
  await admin.get(products)
  assert.deepEqual(await countReads(), { replica, primary })
})

test('every route that may be read from a replica is answered there: it writes nothing', async () => {
  const { add, get, admin, path, front, collection, entry } = await openPublic()
  const { id } = await add('Salt')
  const journal = await collection()
  const page = await entry(journal)
  const letters = await admin.post(`${path}/collections`, { name: 'Letters', type: 'NEWSLETTER' })
  const places: Record<string, string> = {
    '/v1/storefront/:business/products/:idOrSlug': `${front}/products/${id}`,
    '/v1/storefront/:business/collections/:idOrSlug': `${front}/collections/${journal.id}`,
    '/v1/storefront/:business/entries/:id': `${front}/entries/${page.id}`,
    '/v1/businesses/:businessId/collections/:id/subscribers/export': `${path}/collections/${letters.body.id}/subscribers/export`,
  }
  const routes = api.app.routeTable.filter(({ reads, url }) => reads && !url.startsWith('/v1/test/'))
  assert.ok(routes.length >= 16, String(routes.length))
  await sleep(500) // the replica follows
  for (const { url } of routes) {
    const place =
      places[url] ?? url.replace('/v1/storefront/:business', front).replace('/v1/businesses/:businessId', path)
    const filled = place.endsWith('/entries')
      ? `${place}?collectionId=${journal.id}`
      : place.replace(/facets$/, 'facets?facets=category')
    const before = await countReads()
    const answer = await (url.startsWith('/v1/storefront') ? get(filled) : admin.get(filled))
    assert.equal(answer.status, 200, `${filled}: ${answer.text}`)
    const { replica, primary } = await countReads()
    if (url !== '/v1/storefront/:business') assert.ok(replica > before.replica, `${url} was not read there`)
    assert.equal(primary, before.primary, `${url} needed the primary`)
  }
})

test('a draft that somebody looks at is read where they have just written it', async () => {
  const { get, admin, path, front, collection, entry } = await openPublic()
  const journal = await collection()
  await until(
    'the replica has the collection',
    async () => (await get(`${front}/collections/${journal.id}`)).status === 200,
  )
  await standby.standStill()
  try {
    const draft = await entry(journal, { blocks: titled('Not yet'), statuses: DRAFT })
    const { body } = await admin.post(`${path}/entries/${draft.id}/preview-token`, {})
    const answer = await get(`${front}/entries/${draft.id}?preview=${body.token}`)
    assert.equal(answer.status, 200, answer.text)
  } finally {
    await standby.follow()
  }
  await isUsed()
})

test('a replica that stands still is not read for longer than it may be behind; its primary answers, and caches keep that', async () => {
  const { add, get, front, names } = await openPublic()
  await add('Before')
  await until('it has followed', async () => (await names()).includes('Before'))
  await standby.standStill()
  const since = performance.now()
  try {
    const { id } = await add('After')
    await until('the new one is seen', async () => (await names()).includes('After'), { withinMs: 6_000 })
    const seconds = (performance.now() - since) / 1_000
    assert.ok(seconds < MAX_LAG + 1, `seen after ${seconds} seconds`)
    assert.equal(stateOf(), 'behind')
    await until('that is seen', () => cell().replica === undefined, { withinMs: 1_000 })
    const answer = await get(`${front}/products/${id}`)
    assert.equal(answer.headers.get('cache-control'), KEPT_FOR_A_MINUTE)
  } finally {
    await standby.follow()
  }
  await isUsed()
})

test('an idle primary does not make its replica look old', async () => {
  await sleep((MAX_LAG + 1) * 1_000)
  assert.equal(stateOf(), 'used')
})

test('while a replica is silent nobody waits for it, and it is read again when it answers', async () => {
  const { add, names } = await openPublic()
  await add('Salt')
  await until('it has followed', async () => (await names()).includes('Salt'))
  standby.pause()
  const slowest: number[] = []
  try {
    for (const until = performance.now() + 3_000; performance.now() < until; await sleep(20)) {
      const since = performance.now()
      await names()
      slowest.push(performance.now() - since)
    }
  } finally {
    standby.goOn()
  }
  slowest.sort((one, other) => other - one)
  assert.ok((slowest[0] ?? 0) < 1_500, `${slowest.slice(0, 5).map(Math.round).join(', ')} ms`)
  assert.ok((slowest[5] ?? 0) < 500, `${slowest.slice(0, 10).map(Math.round).join(', ')} ms`)
  await isUsed()
})

test('what a replica breaks off is answered by the primary: connections that end, and what its primary has changed', async () => {
  const { names, slug, get } = await openPublic()
  const onStandby = api.services.databases.cells.get('second')?.replica
  assert.ok(onStandby)
  const reading = Promise.all(Array.from({ length: 20 }, () => names()))
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`
    .execute(onStandby)
    .catch(() => {})
  await reading
  await isUsed()

  for (const place of ['slow', 'slow-transaction']) {
    const slow = get(`/v1/test/${slug}/${place}`)
    await sleep(300)
    await sql.raw(`alter table public.wanted add column more_${place.length} text`).execute(cell()) // takes it away from who reads
    const answer = await slow
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.isStandby, false, `${place}: by the primary`)
    await isUsed()
    assert.equal((await get(`/v1/test/${slug}/${place}`)).body.isStandby, true)
  }
})

test('a read that takes too long on the replica is not asked of the primary, too', async () => {
  const { slug, get } = await openPublic()
  await isUsed()
  assert.equal((await get(`/v1/test/${slug}/hopeless`)).status, 503)
  assert.deepEqual(tried, [true])
})

test('what the replica breaks off while its primary is away is refused once, and costs nobody else a connection', async () => {
  const shop = await make.shop({ cell: 'second' })
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  const anybody = make.anonymous()
  const read = (what: string) => anybody.get(`/v1/test/${shop.slug}/${what}`)
  await isUsed()
  assert.equal((await read('broken')).status, 200)
  await postgres.kill()
  try {
    const others = [read('slow-transaction'), read('slow-transaction')]
    for (let time = 0; time < 3; time++) assert.equal((await read('broken')).status, 503)
    for (const { status, body } of await Promise.all(others)) assert.deepEqual([status, body?.isStandby], [200, true])
  } finally {
    await postgres.start()
    await isUsed()
  }
})

test('a replica that is gone is not missed', async () => {
  const { names } = await openPublic()
  const reading = (async () => {
    for (const end = performance.now() + 2_000; performance.now() < end; await sleep(10)) await names()
  })()
  await sleep(300)
  await standby.kill()
  await reading
  assert.equal(stateOf(), 'down')
  await standby.start()
  await isUsed()
})

test('a report is read where the event is that its reader knows of', async () => {
  const { admin, path, names } = await openPublic()
  await names()
  const before = await countReads()
  const known = await admin.get(`${path}/reports/sales?upToEvent=1000000`)
  assert.equal(known.status, 200, known.text)
  const { replica } = await countReads()
  assert.ok(replica > before.replica, 'it looked there first')
})

test('a database that is no copy of the cell is never read, whatever it says', async () => {
  const cells = { second: { url: postgres.urlOf('second'), replicaUrl: standby.urlOf('main') } }
  const other = await startApi({
    databases: { ...databases, env: { ...databases.env, CELLS: JSON.stringify(cells) } },
    lookEveryMs: 250,
  })
  try {
    const state = () => other.services.replicas.all().get('second')?.seen().state
    await until('it is seen', () => state() === 'foreign', { withinMs: 5_000 })
    assert.equal(other.services.databases.cells.get('second')?.replica, undefined)
  } finally {
    await other.close()
  }
})
