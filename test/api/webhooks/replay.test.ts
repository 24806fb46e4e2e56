import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { type Answering, startReceiver } from '../../support/receiver.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { happen, useWebhooks } from '../../support/webhooks.ts'

const used = useWebhooks()
const open: { close(): void }[] = []
afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

/** A shop with one endpoint, which has been told of so many events. */
async function told(count: number, types = ['order.*']) {
  const business = await used.make.business({ cell: 'main' })
  const receiver = await startReceiver()
  open.push(receiver)
  const { admin, id } = business
  const { body } = await admin.post(`${business.path}/webhook-endpoints`, { url: receiver.url, types })
  const path = `${business.path}/webhook-endpoints/${body.id}`
  const read = async () => (await admin.get(path)).body
  await happen(used.api, id, count)
  // Its own creation is the first event.
  await until('it is up to date', async () => (await read()).lastNumber === count + 1)
  const isDone = async () => (await read()).replay === null
  return { ...business, receiver, path, endpointId: body.id as string, read, isDone }
}

const numbersFrom = (after: number, before: number) =>
  Array.from({ length: before - after - 1 }, (_, index) => after + 1 + index)

test('a replayed range is what the feed has, event by event, with the ids that they had', async () => {
  const { admin, path, receiver, id, isDone, path: endpoint } = await told(300)
  const first = new Map(receiver.received.map(({ event, headers }) => [event.number, headers['webhook-id']]))
  receiver.received.length = 0
  const begun = await admin.post(`${endpoint}/replay`, { after: 49, before: 251 })
  assert.equal(begun.status, 200, begun.text)
  assert.deepEqual([begun.body.replay.after, begun.body.replay.before], [49, 251])
  await until('it is done', isDone)
  assert.deepEqual(
    receiver.numbers().toSorted((a, b) => a - b),
    numbersFrom(49, 251),
  )
  for (const { event, headers } of receiver.received) {
    assert.equal(headers['webhook-id'], first.get(event.number))
    assert.equal(event.businessId, id)
  }
  assert.ok(path.endsWith(endpoint.slice(-20)))
})

test('there is one replay at a time, of 100,000 events at most, and it stops where the endpoint is', async () => {
  const { admin, path, receiver, isDone } = await told(40)
  const waiting: (() => void)[] = []
  receiver.answer((_received, response) => void waiting.push(() => response.writeHead(200).end()))
  receiver.received.length = 0
  const begun = await admin.post(`${path}/replay`, { after: 0 })
  assert.equal(begun.body.replay.before, 42)
  assert.equal(refusal(await admin.post(`${path}/replay`, { after: 0 })), '409 CONFLICT  WRONG_STATE')
  await until('some are under way', () => waiting.length > 0)
  receiver.answer((_received, response) => void response.writeHead(200).end())
  for (const go of waiting) go()
  await until('it is done', isDone)
  assert.equal(new Set(receiver.numbers()).size, 40) // its creation is not of its types
  const { cells } = used.api.services.databases
  await sql`update webhooks.positions set number = 200000 where endpoint_id = ${path.split('/').at(-1)}`.execute(
    cells.get('main') ?? assert.fail(),
  )
  const refused = await admin.post(`${path}/replay`, { after: 0 })
  assert.equal(refusal(refused), '422 VALIDATION_FAILED after TOO_MANY')
})

test('new events go before replayed ones', async () => {
  const { admin, path, receiver, id, isDone } = await told(100)
  receiver.received.length = 0
  const held: (() => void)[] = []
  const hold: Answering = (_received, response) => void held.push(() => response.writeHead(200).end())
  receiver.answer(hold)
  await admin.post(`${path}/replay`, { after: 0 })
  await until('four are under way', () => held.length === 4)
  await happen(used.api, id, 5)
  await until('the feed has them', async () => (await admin.get(path)).body.behind >= 5)
  // A look takes a fifth of a second; the answers come after it.
  await until('they are known', async () => (await admin.get(path)).body.behind === 5, { withinMs: 5_000 })
  await new Promise((resolve) => setTimeout(resolve, 600))
  receiver.answer((_received, response) => void response.writeHead(200).end())
  for (const go of held) go()
  await until('it is done', isDone)
  const numbers = receiver.numbers()
  assert.deepEqual(new Set(numbers.slice(4, 9)), new Set([102, 103, 104, 105, 106]), String(numbers.slice(0, 12)))
  assert.equal(numbers.length, 105)
})

test('what failed for good is sent again when somebody asks for it', async () => {
  const { admin, path, receiver, id } = await told(1)
  receiver.answer((_received, response) => void response.writeHead(500).end())
  await happen(used.api, id, 3)
  const deliveries = async (status: string) => (await admin.get(`${path}/deliveries?status=${status}`)).body.items
  await until('they have failed', async () => (await deliveries('PENDING')).length === 3)
  const { cells } = used.api.services.databases
  await sql`update webhooks.deliveries set status = 'FAILED', next_at = null where business_id = ${id}`.execute(
    cells.get('main') ?? assert.fail(),
  )
  receiver.answer((_received, response) => void response.writeHead(200).end())
  receiver.received.length = 0
  assert.equal((await admin.post(`${path}/replay`, { failed: true })).status, 200)
  await until('they are delivered', async () => (await deliveries('DELIVERED')).length === 3)
  assert.deepEqual(
    receiver.numbers().toSorted((a, b) => a - b),
    [3, 4, 5],
  )
  assert.deepEqual(await deliveries('FAILED'), [])
})

test('what is tried again for somebody stays behind new events, however much it is', async () => {
  const { admin, path, endpointId, receiver, id } = await told(30)
  const cell = used.api.services.databases.cells.get('main') ?? assert.fail()
  // More than may wait before new events wait, too.
  await sql`
    insert into webhooks.deliveries
           (business_id, endpoint_id, number, event_id, type, status, attempts, begun_at, created_at, updated_at)
    select ${id}, ${endpointId}, number, 'evt_' || number, 'order.commented', 'FAILED', 3, now(), now(), now()
      from generate_series(2, 10100) as number`.execute(cell)
  receiver.received.length = 0
  const held: (() => void)[] = []
  receiver.answer((_received, response) => void held.push(() => response.writeHead(200).end()))
  await admin.post(`${path}/replay`, { failed: true })
  await until('four are under way', () => held.length === 4)
  await happen(used.api, id, 5)
  await until('they are known', async () => (await admin.get(path)).body.behind === 5)
  await new Promise((resolve) => setTimeout(resolve, 600))
  receiver.answer((_received, response) => void response.writeHead(200).end())
  for (const go of held) go()
  await until('those that there are have come', () => receiver.received.length >= 35)
  assert.deepEqual(new Set(receiver.numbers().slice(4, 9)), new Set([32, 33, 34, 35, 36]))
  assert.deepEqual(
    new Set(receiver.numbers()),
    new Set([...numbersFrom(1, 32), 32, 33, 34, 35, 36]),
    String(receiver.numbers()),
  )
})

test('a replay that is begun while the end of another is written is not lost', async () => {
  const { admin, path, receiver, id, isDone } = await told(20)
  await admin.post(`${path}/replay`, { after: 0 })
  await until('it is done', isDone)
  receiver.received.length = 0
  // New events make the worker write how far it is, all the while.
  for (let round = 1; round <= 5; round++) {
    const [begun] = await Promise.all([
      admin.post(`${path}/replay`, { after: 1, before: 12 }),
      happen(used.api, id, 3),
      happen(used.api, id, 3),
    ])
    assert.equal(begun.status, 200, begun.text)
    await until('it is done', isDone)
    const again = () => receiver.numbers().filter((number) => number < 12).length
    await until(`all of round ${round} have come`, () => again() === 10 * round, { withinMs: 3_000 })
  }
})
