import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { tidyWebhooks } from '#modules/webhooks/tidy.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { type Answering, startReceiver } from '../../support/receiver.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { happen, useWebhooks } from '../../support/webhooks.ts'

const used = useWebhooks()
const open: { close(): void }[] = []
afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

const ok: Answering = (_received, response) => void response.writeHead(204).end()
const answering =
  (status: number, headers: Record<string, string> = {}): Answering =>
  (_received, response) =>
    void response.writeHead(status, headers).end(`answer ${status}`)

async function shop() {
  const business = await used.make.business()
  const endpoints = `${business.path}/webhook-endpoints`
  return {
    ...business,
    happen: (count: number, type?: string) => happen(used.api, business.id, count, type),
    /** An endpoint of its own, and its receiver. */
    async endpoint(answer: Answering = ok, types = ['order.*']) {
      const receiver = await startReceiver(answer)
      open.push(receiver)
      return { receiver, ...(await this.endpointAt(receiver.url, types)) }
    },
    async endpointAt(url: string, types = ['order.*']) {
      const made = await business.admin.post(endpoints, { url, types })
      assert.equal(made.status, 201, made.text)
      const path = `${endpoints}/${made.body.id}`
      return {
        path,
        id: made.body.id as string,
        secret: made.body.secret as string,
        read: async () => (await business.admin.get(path)).body,
        deliveries: async (query = '') => (await business.admin.get(`${path}/deliveries${query}`)).body.items,
      }
    },
  }
}

test('events are delivered once, in the form and the order of the feed, signed, and leave no row', async () => {
  const business = await shop()
  const { admin, path, happen: make } = business
  const told = await business.endpoint()
  await make(30)
  await make(5, 'product.created')
  await make(1)
  await until('all have come', () => told.receiver.received.length >= 31)
  const state = await until('its position is written', async () => {
    const read = await told.read()
    return read.behind === 0 && read
  })
  assert.deepEqual([state.status, state.failingSince, await told.deliveries()], ['ACTIVE', null, []])
  const feed = (await admin.get(`${path}/events?after=0&limit=100`)).body.items as { type: string; id: string }[]
  const wanted = feed.filter(({ type }) => type === 'order.commented')
  const byNumber = told.receiver.received.toSorted((a, b) => a.event.number - b.event.number)
  assert.deepEqual(
    byNumber.map(({ event }) => event),
    wanted,
  )
  for (const { body, headers } of told.receiver.received)
    assert.equal(
      (new Webhook(told.secret).verify(body, headers as Record<string, string>) as { id: string }).id,
      headers['webhook-id'],
    )
  // Four at a time: nothing comes later than three others that were begun after it.
  for (const [index, number] of told.receiver.numbers().entries())
    assert.ok(
      told.receiver
        .numbers()
        .slice(0, index)
        .filter((other) => other > number).length < 4,
    )
})

test('no more than four requests are under way to an endpoint, and fewer where there are many endpoints', async () => {
  for (const [count, most] of [
    [1, 4],
    [7, 2],
  ] as const) {
    const business = await shop()
    const waiting = new Map<number, number>()
    const peak = { one: 0, all: 0 }
    const slow =
      (which: number): Answering =>
      (_received, response) => {
        waiting.set(which, (waiting.get(which) ?? 0) + 1)
        peak.one = Math.max(peak.one, waiting.get(which) ?? 0)
        peak.all = Math.max(
          peak.all,
          [...waiting.values()].reduce((sum, each) => sum + each, 0),
        )
        setTimeout(() => {
          waiting.set(which, (waiting.get(which) ?? 0) - 1)
          response.writeHead(200).end()
        }, 100)
      }
    const all = await Promise.all(Array.from({ length: count }, (_, which) => business.endpoint(slow(which))))
    await business.happen(12)
    await until('all have come', () => all.every(({ receiver }) => receiver.received.length === 12))
    assert.deepEqual([peak.one, peak.all <= 20], [most, true])
  }
})

test('what failed is tried again; the list tells each attempt', async () => {
  const business = await shop()
  const told = await business.endpoint(
    (received, response) =>
      void response
        .writeHead(received.event.number === 2 && told.receiver.received.length < 5 ? 503 : 200, { 'retry-after': '1' })
        .end('busy'),
  )
  await business.happen(4)
  const [row] = await until('one has failed', async () => {
    const rows = await told.deliveries('?status=PENDING')
    return rows.length > 0 && rows
  })
  const { attempts, ...rest } = row
  assert.deepEqual([rest.number, rest.type, rest.status], [2, 'order.commented', 'PENDING'])
  assert.ok(rest.nextAttemptAt > rest.createdAt)
  assert.deepEqual(
    attempts.map(({ status, problem, answer }: Record<string, unknown>) => [status, problem, answer]),
    [[503, 'REFUSED', 'busy']],
  )
  const [done] = await until('it is delivered', async () => {
    const rows = await told.deliveries('?status=DELIVERED')
    return rows.length > 0 && rows
  })
  assert.equal(done.attempts.length, 2)
  const twice = told.receiver.received.filter(({ event }) => event.number === 2)
  assert.deepEqual([twice.length, new Set(twice.map(({ headers }) => headers['webhook-id'])).size], [2, 1])
  assert.deepEqual([(await told.read()).status, await told.deliveries('?status=FAILED')], ['ACTIVE', []])
})

const HANDLED: [title: string, answer: Answering, problem: string, status: number | null][] = [
  ['an error', answering(500), 'REFUSED', 500],
  ['a redirect', answering(302, { location: 'http://127.0.0.1:1/' }), 'REDIRECTED', 302],
  ['a closed connection', (_received, response) => void response.destroy(), 'UNREACHABLE', null],
  [
    'another protocol',
    (_received, response) =>
      void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'),
    'UNREACHABLE',
    null,
  ],
  [
    'an answer without an end',
    (_received, response) => {
      response.writeHead(500)
      const talk = setInterval(() => void response.write('x'.repeat(10_000)), 5)
      response.on('close', () => clearInterval(talk))
    },
    'REFUSED',
    500,
  ],
]

test('whatever a receiver does, others get theirs at once, and the attempt says what happened', async () => {
  const business = await shop()
  const healthy = await business.endpoint()
  const bad = await Promise.all(HANDLED.map(([, answer]) => business.endpoint(answer)))
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  open.push(silent)
  const { port } = silent.address() as AddressInfo
  const hanging = await business.endpointAt(`http://127.0.0.1:${port}/`)
  const nobody = await business.endpointAt('http://127.0.0.1:1/')
  await business.happen(50)
  const begun = performance.now()
  await until('the healthy one has all', () => healthy.receiver.received.length === 50)
  assert.ok(performance.now() - begun < 3_000)
  for (const [index, [title, , problem, status]] of HANDLED.entries()) {
    const rows = await until(`${title} is noted`, async () => {
      const found = await bad[index]?.deliveries()
      return found.length > 0 && found
    })
    const [attempt] = rows.at(-1).attempts
    assert.deepEqual([attempt.problem, attempt.status], [problem, status], title)
    assert.ok(attempt.answer.length <= 1_000)
    assert.equal((await bad[index]?.read())?.status, 'FAILING', title)
  }
  const [first] = await until('nobody answers', async () => {
    const found = await nobody.deliveries()
    return found.length > 0 && found
  })
  assert.equal(first.attempts[0].problem, 'UNREACHABLE')
  // Fifteen seconds, in earnest.
  const [late] = await until('time is up', async () => {
    const found = await hanging.deliveries()
    return found.length > 0 && found
  })
  assert.equal(late.attempts[0].problem, 'TIMED_OUT')
  assert.ok(late.attempts[0].milliseconds >= 14_900 && late.attempts[0].milliseconds < 17_000)
  // Nobody is sent all 50 who answers none: after some failures it is one at a time, with pauses.
  for (const { receiver } of bad) assert.ok(receiver.received.length < 15, String(receiver.received.length))
})

test('an endpoint that answers 410 is disabled at once, which is an event; enabled again, it is told of new ones', async () => {
  const business = await shop()
  const told = await business.endpoint(answering(410))
  await business.happen(1)
  const read = await until('it is disabled', async () => {
    const found = await told.read()
    return found.status === 'DISABLED' && found
  })
  assert.deepEqual([read.disabledReason, read.isEnabled], ['GONE', false])
  const events = await until('it is told', async () => {
    const { body } = await business.admin.get(`${business.path}/events?type=webhook_endpoint.disabled`)
    return body.items.length > 0 && body.items
  })
  assert.deepEqual([events[0].subject, events[0].data.reason], [told.id, 'GONE'])
  const [failed] = await told.deliveries('?status=FAILED')
  assert.equal(failed.attempts.length, 1)
  const { behind } = await told.read()
  await business.happen(3)
  told.receiver.answer(ok)
  const sofar = told.receiver.received.length
  await until('the feed has them', async () => (await told.read()).behind === behind + 3)
  assert.equal((await business.admin.put(told.path, { isEnabled: true })).body.behind, 0)
  await business.happen(1)
  await until('the new one has come', () => told.receiver.received.length > sofar)
  assert.equal(told.receiver.received.length, sofar + 1)
})

test('what cannot be right is tried three times, then it waits for somebody to have it sent again', async () => {
  const business = await shop()
  const told = await business.endpoint(answering(404))
  await business.happen(1)
  const path = `${told.path}/replay`
  // The second and third attempt come 5 and 30 seconds later: sending it again does not wait.
  await until('one has failed', async () => (await told.deliveries('?status=PENDING')).length === 1)
  assert.equal((await business.admin.post(path, { failed: true })).body.replay, null)
  assert.equal((await told.deliveries('?status=FAILED')).length, 0)
})

/** The worker has read what somebody has changed. */
const untilKnown = (businessId: string) =>
  until('the change is known', async () => {
    const { cells } = used.api.services.databases
    const rows = await Promise.all(
      [...cells.values()].map((cell) =>
        cell.selectFrom('webhooks.feeds').select('isChanged').where('businessId', '=', businessId).execute(),
      ),
    )
    return rows.flat().every(({ isChanged }) => !isChanged)
  })

test('changes of an endpoint count for what happens afterwards, also while a worker has its business', async () => {
  const business = await shop()
  const told = await business.endpoint()
  const other = await startReceiver()
  open.push(other)
  await business.happen(3)
  await until('they have come', () => told.receiver.received.length === 3)
  const rotated = await business.admin.post(`${told.path}/rotate`, { keepOldHours: 0 })
  await business.admin.put(told.path, { url: other.url, types: ['product.*'] })
  // The worker reads it within a fifth of a second; until then it goes by what it knew.
  await untilKnown(business.id)
  await business.happen(2)
  await business.happen(2, 'product.created')
  await until('they have come', () => other.received.length === 2)
  assert.equal(told.receiver.received.length, 3)
  for (const { event, body, headers } of other.received) {
    assert.equal(event.type, 'product.created')
    assert.ok(new Webhook(rotated.body.secret).verify(body, headers as Record<string, string>))
  }
  await business.admin.delete(told.path)
  await business.happen(1, 'product.created')
  const last = await business.endpoint(ok, ['product.*'])
  await business.happen(1, 'product.created')
  await until('the new one is told', () => last.receiver.received.length >= 1)
  assert.equal(other.received.length, 2)
})

test('a change does not wait for requests that hang: its events go to the new address at once, each once', async () => {
  const business = await shop()
  const hangs: Answering = () => undefined
  const moved = await business.endpoint(hangs)
  const deleted = await business.endpoint(hangs)
  const disabled = await business.endpoint(hangs)
  const other = await startReceiver()
  open.push(other)
  await business.happen(6)
  const all = [moved, deleted, disabled]
  await until('four are under way to each', () => all.every(({ receiver }) => receiver.received.length === 4))
  const soon = { withinMs: 10_000 } // a request may take fifteen seconds

  await business.admin.put(moved.path, { url: other.url })
  await until('all have come to the new address', () => other.received.length === 6, soon)
  const [first = 0] = moved.receiver.numbers()
  assert.deepEqual(
    other.numbers().toSorted((a, b) => a - b),
    [0, 1, 2, 3, 4, 5].map((index) => first + index),
  )
  assert.deepEqual(await moved.deliveries(), []) // what was cut off has not failed

  await business.admin.delete(deleted.path)
  await business.admin.put(disabled.path, { isEnabled: false })
  await untilKnown(business.id)
  disabled.receiver.answer(ok)
  await business.admin.put(disabled.path, { isEnabled: true })
  await untilKnown(business.id)
  await business.happen(1)
  await until('who is back is told what is new', () => disabled.receiver.received.length === 5, soon)
  assert.equal(deleted.receiver.received.length, 4)
  await until('all is settled', async () => (await moved.read()).behind === 0)
  assert.equal(other.received.length, 7)
})

test('a change that leaves the address leaves requests under way alone', async () => {
  const business = await shop()
  const held: (() => void)[] = []
  const told = await business.endpoint((_received, response) => void held.push(() => response.writeHead(204).end()))
  await business.happen(3)
  await until('three are under way', () => held.length === 3)
  const { secret } = (await business.admin.post(`${told.path}/rotate`, { keepOldHours: 0 })).body
  await untilKnown(business.id)
  told.receiver.answer(ok)
  await business.happen(1)
  const { body, headers } = await until('the next has come', () => told.receiver.received[3], { withinMs: 5_000 })
  assert.ok(new Webhook(secret).verify(body, headers as Record<string, string>))
  for (const go of held) go()
  await until('all is settled', async () => (await told.read()).behind === 0)
  assert.equal(told.receiver.received.length, 4)
})

test('a new secret signs at once, also while a worker has the business', async () => {
  const business = await shop()
  const told = await business.endpoint()
  await business.happen(1)
  await until('it has come', () => told.receiver.received.length === 1)
  const { secret } = (await business.admin.post(`${told.path}/rotate`, { keepOldHours: 0 })).body
  await untilKnown(business.id)
  await business.happen(1)
  const { body, headers } = await until('the next has come', () => told.receiver.received[1])
  assert.ok(new Webhook(secret).verify(body, headers as Record<string, string>))
})

test('what waits to be tried again is not sent to who is not told of its type any more', async () => {
  const business = await shop()
  const told = await business.endpoint(answering(503))
  const elsewhere = await startReceiver()
  open.push(elsewhere)
  await business.happen(1)
  await until('it has failed', async () => (await told.deliveries('?status=PENDING')).length === 1)
  await business.admin.put(told.path, { url: elsewhere.url, types: ['product.*'] })
  await until('it is given up', async () => (await told.deliveries('?status=FAILED')).length === 1)
  await business.admin.post(`${told.path}/replay`, { failed: true })
  await until('it is given up again', async () => (await told.deliveries('?status=FAILED')).length === 1)
  await business.happen(1, 'product.created')
  await until('others come', () => elsewhere.received.length > 0)
  assert.deepEqual(
    elsewhere.received.map(({ event }) => event.type),
    ['product.created'],
  )
})

test('an endpoint that is enabled again has not failed since before, whoever has its business', async () => {
  const business = await shop()
  await business.endpoint()
  const told = await business.endpoint(answering(410))
  await business.happen(1)
  await until('it is disabled', async () => (await told.read()).status === 'DISABLED')
  await business.admin.put(told.path, { isEnabled: true })
  await untilKnown(business.id)
  await business.happen(1, 'product.created')
  await until('it is up to date', async () => (await told.read()).behind === 0)
  const { status, failingSince } = await told.read()
  assert.deepEqual([status, failingSince], ['ACTIVE', null])
})

test('what failed is forgotten after 14 days', async (t) => {
  const business = await shop()
  const told = await business.endpoint(answering(500))
  await business.happen(2)
  await until('both have failed', async () => (await told.deliveries()).length === 2)
  const cells = [...used.api.services.databases.cells.values()]
  for (const cell of cells) {
    await sql`update webhooks.attempts set at = at - interval '15 days' where business_id = ${business.id}`.execute(
      cell,
    )
    await sql`
      update webhooks.deliveries set updated_at = updated_at - interval '15 days'
       where business_id = ${business.id} and number = 2`.execute(cell)
  }
  const worker = startTestWorker(used.api.databases.env, [tidyWebhooks])
  t.after(() => worker.stop())
  for (const cell of cells) await transaction(cell, (tx) => enqueue(tx, tidyWebhooks, {}))
  const [left] = await until('one is gone', async () => {
    const rows = await told.deliveries()
    return rows.length === 1 && rows
  })
  assert.deepEqual([left.number, left.attempts], [3, []])
})

test('of an endpoint that fails without end, the newest 100,000 deliveries are kept, and all that wait', async (t) => {
  const business = await shop()
  const told = await business.endpoint()
  const [first, last] = [1_001, 101_050]
  for (let from = first; from <= last; from += 5_000) {
    await sql`
      insert into webhooks.deliveries
             (business_id, endpoint_id, number, event_id, type, status, attempts, begun_at, next_at, created_at, updated_at)
      select ${business.id}, ${told.id}, number, 'evt_' || number, 'order.paid',
             case when number = ${first} then 'PENDING' else 'FAILED' end, 3, now(),
             case when number = ${first} then now() + interval '1 day' end, now(), now()
        from generate_series(${from}::integer, ${Math.min(from + 4_999, last)}::integer) as number`.execute(business.db)
  }
  await sql`
    insert into webhooks.attempts (business_id, endpoint_id, number, id, at, milliseconds, answer)
    select ${business.id}, ${told.id}, number, 'wha_' || number, now(), 1, ''
      from generate_series(1001, 1100) as number`.execute(business.db)
  const worker = startTestWorker(used.api.databases.env, [tidyWebhooks])
  t.after(() => worker.stop())
  await transaction(business.db, (tx) => enqueue(tx, tidyWebhooks, {}))
  const read = async () => {
    const { rows } = await sql<{ deliveries: number; oldest: number; attempts: number }>`
      select count(*)::integer as deliveries, min(number) filter (where status = 'FAILED')::integer as oldest,
             (select count(*)::integer from webhooks.attempts as each where each.business_id = ${business.id}) as attempts
        from webhooks.deliveries where business_id = ${business.id}`.execute(business.db)
    return rows[0]
  }
  await until('what is too much is gone', async () => ((await read())?.deliveries ?? 0) < 100_050)
  // The fifty oldest are too many; one of them waits to be tried again.
  assert.deepEqual(await read(), { deliveries: 100_001, oldest: 1_051, attempts: 51 })
})

test('whoever may not read a type does not see what its receiver answered', async () => {
  const business = await shop()
  const told = await business.endpoint(answering(500), ['*'])
  await business.happen(1)
  await business.happen(1, 'product.created')
  const isBoth = async () => new Set((await told.deliveries()).map(({ type }: { type: string }) => type)).size >= 2
  await until('both have failed', isBoth)
  const clerk = await used.make.member(business.id, 'SETTINGS_WRITE', 'ORDERS_READ')
  const seen = (await clerk.get(`${told.path}/deliveries`)).body.items
  assert.deepEqual(
    seen.map(({ type }: { type: string }) => type),
    ['order.commented'],
  )
  const nothing = await used.make.member(business.id, 'SETTINGS_WRITE')
  assert.deepEqual((await nothing.get(`${told.path}/deliveries`)).body.items, [])
})

test('metrics tell what became of deliveries, and how long the oldest event waits', async () => {
  const values = async (name: string) => (await used.api.metrics.registry.getSingleMetric(name)?.get())?.values ?? []
  const count = async (outcome: string) =>
    (await values('kontor_webhook_deliveries_total')).find(({ labels }) => labels.outcome === outcome)?.value ?? 0
  const delay = async () => Math.max(...(await values('kontor_webhook_delay_seconds')).map(({ value }) => value))
  const before = { delivered: await count('delivered'), failed: await count('failed'), parked: await count('parked') }
  const business = await shop()
  const good = await business.endpoint()
  await business.endpoint(answering(500), ['product.created'])
  await business.endpoint(answering(410), ['product.updated'])
  await business.happen(3)
  await business.happen(1, 'product.created')
  await business.happen(1, 'product.updated')
  await until('three are delivered', async () => (await count('delivered')) >= before.delivered + 3)
  await until('one is tried again', async () => (await count('failed')) > before.failed)
  await until('one is parked', async () => (await count('parked')) > before.parked)
  good.receiver.answer(() => undefined)
  await business.happen(1)
  await until('it waits', async () => (await delay()) > 1)
  good.receiver.close()
})
