import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { type BusinessEvent, createKontor } from '../../packages/sdk/src/index.ts'
import { startProxy } from '../support/proxy.ts'
import { openShop } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { isError } from './support.ts'

const used = useWorld({ own: true, streams: { pollMs: 50, lookMs: 300 } })

async function openOwner(baseUrl = used.api.url) {
  const shop = await openShop(used.make)
  const { value: apiKey } = await used.make.apiKey(shop.admin.id)
  const kontor = createKontor({ baseUrl, businessId: shop.id, market: 'us', apiKey, timeoutMs: 1_000 })
  const sequence = () => until('all is numbered', async () => (await sequenceEvents(shop.db)) === 0)
  const change = async (name: string) => {
    const { id } = await kontor.products.create({ name })
    await sequence()
    return id
  }
  await sequence()
  return { shop, kontor, change }
}

/** Collects what a stream tells. */
function collect(stream: AsyncIterable<BusinessEvent>) {
  const found: BusinessEvent[] = []
  const over = (async () => {
    for await (const event of stream) found.push(event)
  })()
  over.catch(() => {})
  return { found, over, until: (count: number) => until(`${count} events came`, () => found.length >= count) }
}

test('a stream tells what happens, from a number on, longer than a call may take', async () => {
  const { kontor, change } = await openOwner()
  const first = await change('Shirt')
  const { items } = await kontor.events.list({ limit: 1 })
  const stopping = new AbortController()
  const options = { signal: stopping.signal }
  const all = collect(kontor.events.stream({ after: 0, type: ['product.created'], subject: first }, options))
  const next = collect(kontor.events.stream({ after: items[0]?.number ?? 0 }, options))
  await all.until(1)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const second = await change('Blouse')
  await next.until(1)
  assert.deepEqual(
    [all, next].map(({ found }) => found.map(({ type, subject }) => [type, subject])),
    [[['product.created', first]], [['product.created', second]]],
  )
  stopping.abort(new Error('enough'))
  await assert.rejects(all.over, /enough/)
  await assert.rejects(next.over, /enough/)
})

test('who breaks off ends the stream; a line that breaks costs nothing', async (context) => {
  const proxy = await startProxy(used.api.url)
  context.after(() => proxy.close())
  const { kontor, shop } = await openOwner(proxy.url)
  const direct = createKontor({
    baseUrl: used.api.url,
    businessId: shop.id,
    apiKey: (await used.make.apiKey(shop.admin.id)).value,
  })
  const create = async (name: string) => {
    const { id } = await direct.products.create({ name })
    await until('all is numbered', async () => (await sequenceEvents(shop.db)) === 0)
    return id
  }
  const stopping = new AbortController()
  const {
    found,
    until: come,
    over,
  } = collect(kontor.events.stream({ type: ['product.created'] }, { signal: stopping.signal }))
  const open = async () =>
    (await used.api.metrics.registry.getSingleMetric('kontor_event_streams')?.get())?.values[0]?.value
  await until('it is open', async () => (await open()) === 1)
  const ids = [await create('One')]
  await come(1)
  proxy.cut()
  ids.push(await create('Two'))
  ids.push(await create('Three'))
  proxy.restore()
  await come(3)
  assert.deepEqual(
    found.map(({ subject }) => subject),
    ids,
  )
  stopping.abort()
  await assert.rejects(over)

  for await (const event of direct.events.stream({ after: 0 })) {
    assert.equal(event.number, 1)
    break
  }
  await until('both have ended', async () => (await open()) === 0)
})

test('a refusal that trying again does not help ends the stream with it', async () => {
  const { shop } = await openOwner()
  const stranger = createKontor({ baseUrl: used.api.url, businessId: shop.id })
  await assert.rejects(collect(stranger.events.stream()).over, isError(403, 'FORBIDDEN'))
})
