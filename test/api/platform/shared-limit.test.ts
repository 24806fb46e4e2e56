import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { Redis } from 'ioredis'
import { openRedisCounts } from '#platform/http/redis-rate-limit.ts'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { startProxy } from '../../support/proxy.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
const WINDOW_MS = 60_000
const LAST = 20

const prefix = `kontor-test-${randomBytes(6).toString('hex')}:`
const redis = new Redis(REDIS_URL)
after(async () => {
  const keys = await redis.keys(`${prefix}*`)
  if (keys.length > 0) await redis.del(...keys)
  await redis.quit()
})

/** Counts as one process does, and keeps what it logs. */
function openCounts(url: string, name: string) {
  const lines: string[] = []
  const write = (_facts: unknown, text?: string) => void lines.push(text ?? String(_facts))
  const counts = openRedisCounts({ url, prefix: `${prefix}${name}:`, log: { warn: write, info: write } as never })
  const untilUp = () => until('Redis is there', () => counts.isUp())
  return { ...counts, lines, untilUp }
}

test('two processes share one limit, and both refuse who is over it', async (t) => {
  const env = { RATE_LIMITS: 'on', REDIS_URL, REDIS_PREFIX: `${prefix}nodes:` }
  const nodes = await Promise.all([1, 2].map(() => startApi({ databases: used.api.databases, env })))
  t.after(() => Promise.all(nodes.map((node) => node.close())))
  const [first, second] = nodes.map(({ url }) => createClient(url)) as [Client, Client]
  await until('both count in Redis', async () => {
    const here = await first.get('/.well-known/jwks.json')
    const there = await second.get('/.well-known/jwks.json')
    return remaining(there) === remaining(here) - 1
  })
  // Most of the limit is used up in Redis itself: hundreds of requests from here would keep the nodes, which share this thread, from
  // hearing its answers within the milliseconds that they wait for them.
  const [key, ...others] = await redis.keys(`${prefix}nodes:*`)
  assert.deepEqual(others, [])
  await redis.incrby(key ?? '', remaining(await first.get('/.well-known/jwks.json')) - LAST)
  for (let count = 0; count < LAST; count++) assert.equal((await first.get('/.well-known/jwks.json')).status, 200)
  for (const client of [second, first]) {
    const refused = await client.get('/.well-known/jwks.json')
    assertError(refused, 429, 'RATE_LIMITED')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  assert.equal((await second.get('/healthz')).status, 200)
})

type Client = ReturnType<typeof createClient>
const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'))

test('when Redis goes, it is counted here from what was known, told once, and shared again when it is back', async (t) => {
  const proxy = await startProxy(REDIS_URL)
  t.after(() => proxy.close())
  const counts = openCounts(proxy.url, 'cut')
  t.after(() => counts.close())
  await counts.untilUp()
  for (let count = 1; count <= 3; count++) assert.equal((await counts.count('a', WINDOW_MS, 100)).current, count)

  proxy.cut()
  await until('it is missed', () => !counts.isUp())
  for (let count = 4; count <= 6; count++) assert.equal((await counts.count('a', WINDOW_MS, 100)).current, count)
  proxy.restore()
  await counts.untilUp()
  assert.equal((await counts.count('a', WINDOW_MS, 100)).current, 4)
  assert.deepEqual(counts.lines, [
    'Redis is away: each process counts requests for itself until it is back',
    'Redis is back: limits are shared again',
  ])
})

test('a Redis that falls silent holds up nobody for long', async (t) => {
  const proxy = await startProxy(REDIS_URL)
  t.after(() => proxy.close())
  const counts = openCounts(proxy.url, 'frozen')
  t.after(() => counts.close())
  await counts.untilUp()
  proxy.freeze()
  const since = performance.now()
  await Promise.all(Array.from({ length: 200 }, () => counts.count('a', WINDOW_MS, 1_000)))
  assert.ok(performance.now() - since < 500, `${performance.now() - since} ms`)
  const silent = performance.now()
  for (let count = 0; count < 100; count++) await counts.count('a', WINDOW_MS, 1_000)
  assert.ok(performance.now() - silent < 100, `${performance.now() - silent} ms`) // nobody asks it any more
  proxy.restore()
  await counts.untilUp()
})

test('one that takes connections and says nothing, or is not there at all, does not keep the API from answering', async (t) => {
  const sockets = new Set<Socket>()
  const hole = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(hole, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    hole.close()
  })
  for (const port of [(hole.address() as AddressInfo).port, 1]) {
    const lines: string[] = []
    const env = { RATE_LIMITS: 'on', REDIS_URL: `redis://127.0.0.1:${port}` }
    const api = await startApi({ databases: used.api.databases, env, lines })
    const client = createClient(api.url)
    const answers = []
    for (let count = 0; count < 5; count++) answers.push(await client.get('/.well-known/jwks.json'))
    assert.deepEqual(answers.map(remaining), [599, 598, 597, 596, 595])
    const { body } = await client.get('/readyz')
    assert.equal(body.providers.redis, true)
    await until('it is told', () => lines.some((line) => line.includes('Redis is away')), { withinMs: 5_000 })
    await api.close()
    assert.equal(lines.filter((line) => line.includes('Redis is')).length, 1)
  }
})

test('who is over the limit is refused without asking Redis again', async (t) => {
  const proxy = await startProxy(REDIS_URL)
  t.after(() => proxy.close())
  const counts = openCounts(proxy.url, 'flood')
  t.after(() => counts.close())
  await counts.untilUp()
  for (let count = 0; count < 6; count++) await counts.count('a', WINDOW_MS, 5)
  const said = proxy.said()
  for (let count = 0; count < 50; count++) assert.ok((await counts.count('a', WINDOW_MS, 5)).current > 5)
  assert.equal(proxy.said(), said)
})
