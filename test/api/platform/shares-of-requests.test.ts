import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openUrlOf } from '#modules/newsletter/clicks/counted-link.ts'
import { tokenOf } from '#modules/newsletter/subscriptions/token.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { type StartOptions, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
/** With eight connections to a database. */
const SHARE = 6

/** An API with a route of a business that holds whoever comes until they are let go. */
async function startHeld(t: TestContext, options: Pick<StartOptions, 'deadlineMs'> = {}) {
  const held = Promise.withResolvers<void>()
  const inside = new Map<string, number>()
  const api = await startApi({
    ...options,
    databases: used.api.databases,
    env: { LOAD_SHEDDING: 'on', DATABASE_POOL_SIZE: '8' },
    routes(app) {
      const hold = async (businessId: string) => {
        inside.set(businessId, (inside.get(businessId) ?? 0) + 1)
        await held.promise
        return { done: true }
      }
      const config = { access: 'public', business: 'path' } as const
      app.get('/test/:businessId/held', { config }, ({ business }) => hold(business.id))
      // Has no deadline.
      app.get('/test/:businessId/file', { config: { ...config, downloads: ['text/plain'] } }, ({ business }) =>
        hold(business.id),
      )
      app.get('/test/:businessId/quick', { config }, () => ({ done: true }))
      app.get('/test/:businessId/slow', { config: { ...config, isSlow: true } }, ({ business }) => hold(business.id))
      app.post('/test/held', { config: { access: 'public', business: 'body' } }, ({ business }) => hold(business.id))
      app.get('/test/shop/:business/held', { config: { access: 'public', business: 'storefront' } }, ({ business }) =>
        hold(business.id),
      )
    },
  })
  t.after(() => {
    held.resolve()
    return api.close()
  })
  const client = createClient(api.url)
  const overShare = async () =>
    Number(/^kontor_http_over_share_total (\d+)/m.exec(await api.metrics.registry.metrics())?.[1] ?? 0)
  const placesTaken = async () =>
    Number(/^kontor_http_gate_requests{state="inside"} (\d+)/m.exec(await api.metrics.registry.metrics())?.[1])
  return { client, letGo: held.resolve, inside: (id: string) => inside.get(id) ?? 0, overShare, placesTaken }
}

const times = <Result>(count: number, work: () => Result) => Array.from({ length: count }, work)

test('a business beside another has its share; what is beyond it is refused after a while, and others do not wait', async (t) => {
  const { client, letGo, inside, overShare } = await startHeld(t)
  const [noisy, other] = [await used.make.business(), await used.make.business()]
  for (const { id } of [noisy, other]) assert.equal((await client.get(`/test/${id}/quick`)).status, 200)
  const all = times(4 * SHARE, () => client.get(`/test/${noisy.id}/held`))
  await until('its share is taken', () => inside(noisy.id) === SHARE)
  for (const path of ['quick', 'quick', 'quick'])
    assert.equal((await client.get(`/test/${other.id}/${path}`)).status, 200)
  const refused = await client.get(`/test/${noisy.id}/quick`)
  assertError(refused, 503, 'UNAVAILABLE')
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  await until('those beyond it are refused', async () => (await overShare()) === 3 * SHARE + 1)
  assert.equal(inside(noisy.id), SHARE)
  letGo()
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, SHARE)
  assert.equal((await client.get(`/test/${noisy.id}/held`)).status, 200)
})

test('whom the deadline answers while it waits for the share is not answered again, and takes no place', async (t) => {
  const { client, letGo, inside, placesTaken } = await startHeld(t, { deadlineMs: 250 })
  const [noisy, other] = [await used.make.business(), await used.make.business()]
  for (const { id } of [noisy, other]) assert.equal((await client.get(`/test/${id}/quick`)).status, 200)
  const all = times(SHARE, () => client.get(`/test/${noisy.id}/file`))
  await until('its share is taken', () => inside(noisy.id) === SHARE)
  const ask = () => Promise.all(times(3, () => client.get(`/test/${noisy.id}/quick`)))
  for (const answer of await ask()) assertError(answer, 503, 'UNAVAILABLE')
  await sleep(400) // by then they would have been refused
  for (const answer of await ask()) assertError(answer, 503, 'UNAVAILABLE')
  letGo()
  for (const { status } of await Promise.all(all)) assert.equal(status, 200)
  await until('nobody has a place', async () => (await placesTaken()) === 0, { withinMs: 5_000 })
  assert.equal((await client.get(`/test/${noisy.id}/quick`)).status, 200)
})

test('a business alone has all the places of a route', async (t) => {
  const { client, letGo, inside } = await startHeld(t)
  const { id } = await used.make.business()
  const all = times(4 * SHARE, () => client.get(`/test/${id}/held`))
  await until('all are inside', () => inside(id) === 4 * SHARE)
  letGo()
  await Promise.all(all)
})

test('names that nobody is known by take nothing from a business that is alone', async (t) => {
  const { client, letGo, inside } = await startHeld(t)
  const { id } = await used.make.business()
  for (const name of [id, 'bus_invented', 'bus_another']) await client.get(`/test/${name}/quick`)
  assertError(await client.get('/test/shop/invented/held'), 404, 'NOT_FOUND')
  const all = times(4 * SHARE, () => client.get(`/test/${id}/held`))
  await until('all are inside', () => inside(id) === 4 * SHARE)
  for (let index = 0; index < 4 * SHARE; index++) await client.get(`/test/bus_invented${index}/quick`)
  assert.equal((await client.get(`/test/${id}/quick`)).status, 200)
  letGo()
  await Promise.all(all)
})

test('whether the path, the body or a shop names the business, it is the same share', async (t) => {
  const { client, inside } = await startHeld(t)
  const [noisy, other] = [await used.make.business(), await used.make.business()]
  await noisy.admin.put(noisy.path, { storefront: { isPublic: true } })
  for (const { id } of [noisy, other]) await client.get(`/test/${id}/quick`)
  for (let round = 0; round < SHARE; round++) {
    void client.get(`/test/${noisy.id}/held`)
    void client.post('/test/held', { businessId: noisy.id })
    void client.get(`/test/shop/${noisy.id}/held`)
    void client.get(`/test/shop/${noisy.slug}/held`)
  }
  await until('its share is taken', () => inside(noisy.id) === SHARE)
  assertError(await client.post('/test/held', { businessId: noisy.id }), 503, 'UNAVAILABLE')
  assert.equal(inside(noisy.id), SHARE)
})

/** Whoever reads letters or their readers waits until they are let go. */
async function holdLetters(db: Db) {
  const locked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = transaction(db, async (tx) => {
    await sql`lock table newsletter.sends, newsletter.subscriptions in access exclusive mode`.execute(tx)
    locked.resolve()
    await held.promise
  })
  await Promise.race([locked.promise, holding])
  return async () => {
    held.resolve()
    await holding
  }
}

test('readers who open letters or want no more of them are within the share of the business that sent them', async (t) => {
  const { client, overShare } = await startHeld(t)
  const [noisy, other] = [await used.make.business(), await used.make.business()]
  const { box } = used.api.services
  const reader = { businessId: noisy.id, sendId: 'snd_1', subscriptionId: 'sub_1' }
  const { pathname: opened } = new URL(openUrlOf('https://kontor.example', box, reader))
  const leave = `/newsletters/unsubscribe?token=${tokenOf(box, { businessId: noisy.id, id: 'sub_1' }, 'leave')}`
  assert.equal((await client.get(opened)).status, 200) // the first that this process hears of this business
  assert.equal((await client.get(`/test/${other.id}/quick`)).status, 200)
  const letGo = await holdLetters(noisy.db)
  t.after(letGo)
  const all = times(2 * SHARE, () => [client.get(opened), client.get(leave)]).flat()
  await until('those beyond its share are refused', async () => (await overShare()) === 3 * SHARE)
  assert.equal((await client.get(`/test/${other.id}/quick`)).status, 200)
  assertError(await client.get(`/test/${noisy.id}/quick`), 503, 'UNAVAILABLE')
  await letGo()
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status !== 503).length, SHARE)
})

test('those that wait for others’ servers have a share of their own', async (t) => {
  const { client, inside } = await startHeld(t)
  const [noisy, other] = [await used.make.business(), await used.make.business()]
  for (const { id } of [noisy, other]) await client.get(`/test/${id}/quick`)
  for (let round = 0; round < 2 * SHARE; round++) void client.get(`/test/${noisy.id}/slow`)
  await until('they are inside', () => inside(noisy.id) === 2 * SHARE)
  assert.equal((await client.get(`/test/${noisy.id}/quick`)).status, 200)
})

test('plain pages of a shop count with its other requests; searches wait for their turn, and count apart', async (t) => {
  const { client, inside } = await startHeld(t)
  const [noisy, other] = [await used.make.business(), await used.make.business()]
  await noisy.admin.put(noisy.path, { storefront: { isPublic: true } })
  for (const { id } of [noisy, other]) await client.get(`/test/${id}/quick`)
  for (let count = 0; count < SHARE; count++) void client.get(`/test/${noisy.id}/held`)
  await until('its share is taken', () => inside(noisy.id) === SHARE)
  const products = `/v1/storefront/${noisy.id}/products`
  assertError(await client.get(`${products}?limit=5`), 503, 'UNAVAILABLE')
  for (const path of [
    `${products}?query=salt`,
    `${products}?attribute.Colour=blue`,
    `${products}/facets?facets=category`,
  ])
    assert.equal((await client.get(path)).status, 200, path)
})

test('an operator can give one business less, alone or not, or more', async (t) => {
  const { client, inside } = await startHeld(t)
  const operator = await used.make.operator()
  const [small, large] = [await used.make.business(), await used.make.business()]
  const set = (id: string, requestsAtOnce: number) =>
    operator.put(`/v1/operator/businesses/${id}/limits`, { requestsAtOnce })
  assert.equal((await set(small.id, 2)).status, 200)
  assert.equal((await set(large.id, 3 * SHARE)).status, 200)
  for (const { id } of [small, large]) {
    assert.equal((await client.get(`/test/${id}/quick`)).status, 200) // from the second request on
    for (let count = 0; count < 4 * SHARE; count++) void client.get(`/test/${id}/held`)
  }
  await until('both have what they may', () => inside(small.id) === 2 && inside(large.id) === 3 * SHARE)
  assertError(await client.get(`/test/${small.id}/quick`), 503, 'UNAVAILABLE')
})
