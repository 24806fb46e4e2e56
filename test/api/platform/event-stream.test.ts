import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { setRole, suspendBusiness } from '#modules/access/index.ts'
import { revokeSession } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { testEvent } from '../../support/check-events.ts'
import { holdClock } from '../../support/clock.ts'
import { openStream } from '../../support/event-stream.ts'
import { openRaw } from '../../support/raw-http.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const LOOK_MS = 300
const used = useWorld({
  own: true,
  env: { LOAD_SHEDDING: 'on' },
  streams: { lookMs: LOOK_MS, pollMs: 50, most: { session: 5, business: 7, process: 9 } },
})

type Business = Awaited<ReturnType<typeof used.make.business>>
type Member = Awaited<ReturnType<typeof used.make.member>>
type Opened = Awaited<ReturnType<typeof openStream>>

const opened: Opened[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((stream) => stream.close()))
  await until('no place is taken any more', async () => (await streamsOpen()) === 0)
})

const streamsOpen = async (api = used.api) => {
  const metric = await api.metrics.registry.getSingleMetric('kontor_event_streams')?.get()
  return metric?.values[0]?.value
}

async function follow(
  { path }: Pick<Business, 'path'>,
  { token }: { token: string },
  { query = '', lastId, url = used.api.url }: { query?: string; lastId?: string | undefined; url?: string } = {},
) {
  const headers = { authorization: `Bearer ${token}`, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) }
  const stream = await openStream(`${url}${path}/events/stream${query}`, headers)
  opened.push(stream)
  return stream
}

async function happen({ db, id }: Business, count: number, type: `test.${string}` = 'test.happened') {
  await transaction(db, async (tx) => {
    for (let index = 0; index < count; index++) {
      await record(tx, testEvent(type)({ businessId: id, subject: `thing-${index}` }))
    }
  })
  await sequence(db)
}

const sequence = (db: Db) => until('all is numbered', async () => (await sequenceEvents(db)) === 0, { everyMs: 5 })
const numbersOf = ({ events }: Opened) => events.map(({ number }) => number)
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => index + from)

test('events arrive as they happen, in the form of the feed', async () => {
  const business = await used.make.business()
  await happen(business, 3)
  const stream = await follow(business, business.admin)
  assert.equal(stream.status, 200)
  assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(stream.headers.get('cache-control'), 'no-store')
  await until('it says where it begins', () => stream.lastId === '3')

  await happen(business, 2)
  await stream.until(2)
  const { body } = await business.admin.get(`${business.path}/events?after=3`)
  assert.deepEqual(stream.events, body.items)
  assert.equal(stream.lastId, '5')
})

test('with the intervals of production a change is there within two seconds', async (t) => {
  const api = await startApi({ databases: used.api.databases })
  t.after(() => api.close())
  const business = await used.make.business()
  const stream = await follow(business, business.admin, { url: api.url })
  const sequencing = setInterval(() => void sequenceEvents(business.db), 500) // as the worker does
  t.after(() => clearInterval(sequencing))
  for (const round of upTo(3)) {
    await transaction(business.db, (tx) =>
      record(tx, testEvent('test.happened')({ businessId: business.id, subject: 'a' })),
    )
    await stream.until(round, 2_000)
    await sleep(137)
  }
})

test('with the intervals of production a stream has a heartbeat every five seconds', async (t) => {
  const api = await startApi({ databases: used.api.databases })
  t.after(() => api.close())
  const business = await used.make.business()
  const stream = await follow(business, business.admin, { url: api.url })
  await until('two heartbeats', () => stream.comments >= 3, { withinMs: 11_000 })
})

test('whoever reconnects with Last-Event-ID gets each event once, in order, while others write', async () => {
  const business = await used.make.business({ cell: 'second' })
  const total = 3_000
  let lastId: string | undefined = '0'
  const seen: number[] = []
  const writing = (async () => {
    for (let written = 0; written < total; written += 60) await happen(business, 60)
  })()
  while (seen.length < total) {
    const stream = await follow(business, business.admin, { lastId })
    await sleep(Math.random() * 150)
    await stream.close()
    seen.push(...numbersOf(stream))
    lastId = stream.lastId ?? lastId
  }
  await writing
  assert.deepEqual(seen, upTo(total))
})

test('one that begins early catches up, in batches, and goes on with the others', async () => {
  const business = await used.make.business()
  await happen(business, 1_700)
  const live = await follow(business, business.admin)
  const early = await follow(business, business.admin, { query: '?after=100' })
  const wins = await follow(business, business.admin, { query: '?after=100', lastId: '1690' })
  await early.until(1_600)
  await happen(business, 5)
  await Promise.all([early.until(1_605), live.until(5), wins.until(15)])
  assert.deepEqual(numbersOf(early), upTo(1_605, 101))
  assert.deepEqual(numbersOf(live), upTo(5, 1_701))
  assert.deepEqual(numbersOf(wins), upTo(15, 1_691))
  const beyond = await follow(business, business.admin, { lastId: '999999' })
  await happen(business, 1)
  assert.deepEqual(numbersOf(await beyond.until(1).then(() => beyond)), [1_706])
})

test('one query a poll feeds all streams of a business', async (t) => {
  const business = await used.make.business({ cell: 'second' })
  const streams = await Promise.all(upTo(5).map(() => follow(business, business.admin)))
  let queries = 0
  const { pool } = business.db
  const count = () => {
    queries++
  }
  pool.on('acquire', count)
  t.after(() => pool.off('acquire', count))
  await sleep(1_000)
  assert.ok(queries >= 2 && queries < 40, `${queries} queries in 20 polls`)
  await happen(business, 20)
  await Promise.all(streams.map((stream) => stream.until(20)))
  for (const stream of streams) assert.deepEqual(numbersOf(stream), upTo(20))
})

test('a stream shows what its permissions cover, and moves over the rest', async () => {
  const business = await used.make.business()
  const member = await used.make.member(business.id, 'ORDERS_READ')
  const orders = await follow(business, member)
  const typed = await follow(business, business.admin, { query: '?type=test.b' })
  const both = await follow(business, business.admin, { query: '?type=test.b&type=test.a' })
  const about = await follow(business, business.admin, { query: '?subject=thing-1' })
  await happen(business, 2, 'test.a')
  await happen(business, 3, 'test.b')
  await Promise.all([typed.until(3), both.until(5), about.until(2)])
  await until('the id has moved', () => orders.lastId === '5')
  assert.deepEqual(numbersOf(orders), [])
  assert.deepEqual(numbersOf(typed), [3, 4, 5])
  assert.deepEqual(numbersOf(both), upTo(5))
  assert.deepEqual(numbersOf(about), [2, 4])
  assert.ok(orders.comments > 0)

  const refused = await follow(business, member, { query: '?type=test.a' })
  assert.deepEqual([refused.status, refused.body?.error], [403, 'FORBIDDEN'])
  const stranger = await follow(business, await used.make.user())
  assert.deepEqual([stranger.status, stranger.body?.error], [403, 'FORBIDDEN'])
  for (const lastId of ['x', '-1', '1.5', '9'.repeat(20)]) {
    const wrong = await follow(business, business.admin, { lastId })
    assert.deepEqual([wrong.status, wrong.body?.error], [422, 'VALIDATION_FAILED'])
  }
})

test('HEAD opens no stream', async () => {
  const { path, admin } = await used.make.business()
  const { status, text } = await admin.send('HEAD', `${path}/events/stream`)
  assert.deepEqual([status, text, await streamsOpen()], [200, '', 0])
})

test('it ends with its session, its role, its business and its token', async () => {
  const { control } = used.api.services.databases
  const business = await used.make.business()
  const [loggedOut, removed, suspended] = await Promise.all([
    used.make.member(business.id, 'ORDERS_READ'),
    used.make.member(business.id, 'ORDERS_READ'),
    used.make.member(business.id, 'ORDERS_READ'),
  ])
  const streams = await Promise.all([loggedOut, removed, suspended].map((member) => follow(business, member)))
  const isOver = () => streams.map((stream) => stream.isOver)
  await sleep(LOOK_MS * 2)
  assert.deepEqual(isOver(), [false, false, false])

  await transaction(control, (tx) => revokeSession(tx, loggedOut.sessionId))
  await until('the first is over', () => isOver()[0] === true)
  const granter = { businessId: business.id, actor: business.admin.actor }
  await transaction(control, (tx) => setRole(tx, { ...granter, userId: removed.id, email: null, roleId: null }))
  await until('the second is over', () => isOver()[1] === true)
  assert.deepEqual(isOver(), [true, true, false])
  await transaction(control, (tx) => suspendBusiness(tx, business.id, true))
  await until('the third is over', () => isOver()[2] === true)
  assert.equal((await follow(business, loggedOut)).status, 401)
  assert.equal((await follow(business, removed)).status, 403)

  const clock = holdClock()
  try {
    const other = await used.make.business()
    const stream = await follow(other, other.admin)
    clock.advance(3_601)
    await until('the token has ended it', () => stream.isOver)
  } finally {
    clock.release()
  }
})

test('no event reaches a stream whose caller may no longer read it, however rarely it is looked at', async (t) => {
  const api = await startApi({ databases: used.api.databases, streams: { pollMs: 50 } })
  t.after(() => api.close())
  const business = await used.make.business()
  const { admin, path: base } = business
  const members = await Promise.all(upTo(4).map(() => used.make.member(business.id, 'ADMIN')))
  const [loggedOut, removed, limited, keyOwner] = members as [Member, Member, Member, Member]
  const { body: key } = await keyOwner.post('/v1/users/keys', { name: 'Till' })
  const callers = [loggedOut, removed, limited, { token: key.value as string }]
  const streams = await Promise.all(callers.map((caller) => follow(business, caller, { url: api.url })))
  const witness = await follow(business, admin, { url: api.url })
  await happen(business, 1) // of a topic that only ADMIN reads
  await Promise.all([...streams, witness].map((stream) => stream.until(1)))

  const changes = await Promise.all([
    loggedOut.post('/v1/users/logout', undefined),
    admin.put(`${base}/members/${removed.id}`, { roleIds: [] }),
    admin.put(`${base}/roles/${limited.roleId}`, { permissions: ['ORDERS_READ'] }),
    keyOwner.delete(`/v1/users/keys/${key.id}`),
  ])
  for (const { status, text } of changes) assert.ok(status < 300, text)
  await until('the other process knows', async () => {
    const read = ({ token }: { token: string }) =>
      fetch(`${api.url}${base}/events?type=test.happened`, { headers: { authorization: `Bearer ${token}` } })
    return (await Promise.all(callers.map(read))).every(({ status }) => status === 401 || status === 403)
  })
  await happen(business, 1)
  await witness.until(2)
  await until('those without any permission are over', () => streams.filter(({ isOver }) => isOver).length === 3)
  assert.deepEqual(streams.map(numbersOf), [[1], [1], [1], [1]])
  assert.equal(witness.isOver, false)
})

test('no heartbeat names an event before it is shown', async (t) => {
  let beforeLook = async () => {}
  const api = await startApi({
    databases: used.api.databases,
    streams: { lookMs: 1_000, pollMs: 20 },
    routes(app) {
      const { lookAgain } = app
      app.lookAgain = async (request) => {
        await beforeLook()
        return lookAgain(request)
      }
    },
  })
  t.after(() => api.close())
  const business = await used.make.business()
  const stream = await follow(business, business.admin, { url: api.url })
  await happen(business, 1)
  await stream.until(1)

  const gates = { heartbeat: Promise.withResolvers<void>(), event: Promise.withResolvers<void>() }
  const waiting = { heartbeat: false, event: false }
  const stopAt = (gate: keyof typeof gates) => () => {
    waiting[gate] = true
    return gates[gate].promise
  }
  beforeLook = stopAt('heartbeat')
  await until('a heartbeat looks', () => waiting.heartbeat)
  beforeLook = stopAt('event')
  await happen(business, 1)
  await until('the event is looked at', () => waiting.event)
  const { comments } = stream
  gates.heartbeat.resolve()
  await until('the heartbeat is there', () => stream.comments > comments)
  gates.event.reject(new Error('The database is away'))
  await until('the stream is over', () => stream.isOver)
  assert.equal(stream.lastId, '1')

  beforeLook = async () => {}
  const again = await follow(business, business.admin, { url: api.url, lastId: stream.lastId })
  await again.until(1)
  assert.deepEqual(numbersOf(again), [2])
})

test('a key’s stream shows what the key may see, not what its user may, and ends with the key', async () => {
  const clock = holdClock()
  try {
    const business = await used.make.business()
    const make = async (body: object) => {
      const { body: made, text } = await business.admin.post('/v1/users/keys', { name: 'Till', ...body })
      assert.ok(made.value, text)
      return { token: made.value as string }
    }
    const whole = await follow(business, await make({}))
    const orders = await follow(business, await make({ permissions: ['ORDERS_READ'] }))
    const ending = await follow(business, await make({ expiresAt: Math.floor(Date.now() / 1000) + 60 }))
    assert.deepEqual([whole.status, orders.status, ending.status], [200, 200, 200])
    await happen(business, 2) // of a topic that only ADMIN reads
    await whole.until(2)
    await until('the other one has moved over them', () => orders.lastId === '2')
    assert.deepEqual(orders.events, [])
    clock.advance(61)
    await until('its key has ended it', () => ending.isOver)
    assert.deepEqual([whole.isOver, orders.isOver], [false, false])
  } finally {
    clock.release()
  }
})

test('a permission that is taken away is taken from an open stream', async () => {
  const business = await used.make.business()
  const member = await used.make.member(business.id, 'ADMIN')
  const stream = await follow(business, member)
  await happen(business, 1)
  await stream.until(1)
  const role = `${business.path}/roles/${member.roleId}`
  assert.equal((await business.admin.put(role, { permissions: ['ORDERS_READ'] })).status, 200)
  const { comments } = stream
  await until('it has looked again', () => stream.comments > comments + 1)
  await happen(business, 1)
  await until('it has moved on', () => stream.lastId === '2')
  assert.deepEqual(numbersOf(stream), [1])
})

test('so many for a session, for a business, for a process, then 429; whoever leaves makes room', async () => {
  const [first, second] = [await used.make.business(), await used.make.business()]
  const open = async (business: Business, caller: { token: string }, count: number) => {
    const streams = await Promise.all(upTo(count).map(() => follow(business, caller)))
    return streams.map(({ status }) => status).sort((a, b) => a - b)
  }
  assert.deepEqual(await open(first, first.admin, 6), [200, 200, 200, 200, 200, 429])
  const member = await used.make.member(first.id, 'ORDERS_READ')
  assert.deepEqual(await open(first, member, 3), [200, 200, 429])
  assert.deepEqual(await open(second, second.admin, 3), [200, 200, 429])
  assert.equal(await streamsOpen(), 9)
  const refused = await follow(second, second.admin)
  assert.equal(refused.body?.error, 'RATE_LIMITED')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)

  await opened.find(({ status }) => status === 200)?.close()
  await until('there is room', async () => (await streamsOpen()) === 8)
  assert.equal((await follow(second, second.admin)).status, 200)
})

test('a stream needs no place in the gate, and is no slow request', async () => {
  const business = await used.make.business()
  await Promise.all(upTo(5).map(() => follow(business, business.admin)))
  const gate = await used.api.metrics.registry.getSingleMetric('kontor_http_gate_requests')?.get()
  const inside = gate?.values.find(({ labels }) => labels.state === 'inside')?.value
  assert.equal(inside, 0)
})

test('whoever does not read is ended, and holds up nobody', async (t) => {
  const api = await startApi({ databases: used.api.databases, readerPatienceMs: 400, streams: { pollMs: 50 } })
  t.after(() => api.close())
  const business = await used.make.business()
  const raw = await openRaw(api.url)
  t.after(() => raw.destroy())
  raw.socket.pause()
  raw.write(
    `GET ${business.path}/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${business.admin.token}\r\n\r\n`,
  )
  await until('it is open', async () => (await streamsOpen(api)) === 1)
  const reader = await follow(business, business.admin, { url: api.url })
  const before = process.memoryUsage().arrayBuffers
  await sql`
    insert into cell.events (business_id, number, id, type, subject, actor_kind, data, occurred_at, sequenced_at)
    select ${business.id}, n, 'evt_' || n, 'test.happened', 'thing', 'system',
           jsonb_build_object('text', repeat('x', 4000)), now(), now()
      from generate_series(1, 5000) as n`.execute(business.db)
  await reader.until(5_000, 30_000)
  await until('the one who does not read is ended', async () => (await streamsOpen(api)) === 1)
  assert.equal(reader.isOver, false)
  assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1024 * 1024)
})

test('while draining, streams are told when to come back, and end; new ones are refused', async () => {
  const api = await startApi({ databases: used.api.databases, drainGraceMs: 300 })
  const business = await used.make.business()
  const stream = await follow(business, business.admin, { url: api.url })
  const draining = api.app.drain()
  await until('it has ended', () => stream.isOver)
  assert.ok((stream.retryMs ?? 0) >= 1_000 && (stream.retryMs ?? 0) <= 3_000, String(stream.retryMs))
  const late = await follow(business, business.admin, { url: api.url })
  assert.deepEqual([late.status, late.body?.error], [503, 'UNAVAILABLE'])
  await draining
})
