import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '#platform/database/transaction.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { item, openShop } from '../../support/shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

async function open() {
  const shop = await openShop(used.make)
  const gift = await shop.priced(0)
  const buyer = await used.make.user()
  const placed = await shop.checkout(buyer, { items: [item(gift)] })
  assert.equal(placed.status, 200, placed.text)
  const [clerk, reader] = [
    await used.make.member(shop.id, 'ORDERS_WRITE'),
    await used.make.member(shop.id, 'ORDERS_READ'),
  ]
  const order = `${shop.orders}/${placed.body.orderId}`
  return { ...shop, buyer, clerk, reader, order, orderId: placed.body.orderId as string }
}
type Shop = Awaited<ReturnType<typeof open>>

const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

async function sequenceAll({ db }: Shop) {
  await until('there is nothing left to number', async () => (await sequenceEvents(db)) === 0, { everyMs: 5 })
}

test('staff comment on an order for each other', async () => {
  const shop = await open()
  const { clerk, reader, order, orderId, admin } = shop
  const made = await clerk.post(`${order}/comments`, { text: 'Deliver after six.' }, { 'idempotency-key': 'c1' })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(
    { ...made.body, id: '', createdAt: 0 },
    { id: '', orderId, authorId: clerk.id, text: 'Deliver after six.', createdAt: 0 },
  )
  const again = await clerk.post(`${order}/comments`, { text: 'Deliver after six.' }, { 'idempotency-key': 'c1' })
  assert.deepEqual([again.body.id, again.headers.get('idempotency-replayed')], [made.body.id, 'true'])
  const second = await admin.post(`${order}/comments`, { text: 'Done.' })
  const listed = await reader.get(`${order}/comments`)
  assert.deepEqual(idsOf(listed.body), [second.body.id, made.body.id])
  const first = await reader.get(`${order}/comments?limit=1`)
  const next = await reader.get(`${order}/comments?limit=1&cursor=${first.body.cursor}`)
  assert.deepEqual([idsOf(first.body), idsOf(next.body)], [[second.body.id], [made.body.id]])

  for (const text of ['', ' \n', 'x'.repeat(5_001), 7, null]) {
    assert.equal((await clerk.post(`${order}/comments`, { text })).status, 422, String(text))
  }
  assert.equal((await clerk.post(`${order}/comments`, { text: 'x'.repeat(5_000) })).status, 201)
})

test('comments are of one order, and of one business', async () => {
  const [here, there] = [await open(), await open()]
  const made = await here.clerk.post(`${here.order}/comments`, { text: 'Ours.' })
  assert.deepEqual((await there.admin.get(`${there.order}/comments`)).body.items, [])
  assert.equal(refusal(await there.admin.get(`${there.orders}/${here.orderId}/comments`)), '404 NOT_FOUND')
  assert.equal(
    refusal(await there.admin.post(`${there.orders}/${here.orderId}/comments`, { text: 'No.' })),
    '404 NOT_FOUND',
  )
  const elsewhere = `${there.order}/comments/${made.body.id}`
  assert.equal(refusal(await there.admin.delete(elsewhere)), '404 NOT_FOUND')
})

test('customers neither see nor write comments', async () => {
  const { buyer, clerk, order, reader } = await open()
  const { body } = await clerk.post(`${order}/comments`, { text: 'A difficult customer.' })
  assert.equal((await buyer.get(`${order}/comments`)).status, 403)
  assert.equal((await buyer.post(`${order}/comments`, { text: 'Hello' })).status, 403)
  assert.equal((await buyer.get(`${order}/timeline`)).status, 403)
  assert.equal((await clerk.get(`${order}/comments`)).status, 403)
  assert.equal((await reader.post(`${order}/comments`, { text: 'Hello' })).status, 403)
  assert.equal((await reader.delete(`${order}/comments/${body.id}`)).status, 403)
  assert.doesNotMatch((await buyer.get(order)).text, /difficult/)
})

test('a comment is deleted by its author or an ADMIN', async () => {
  const { clerk, admin, order, reader, id } = await open()
  const colleague = await used.make.member(id, 'ORDERS_WRITE')
  const [one, two] = [
    await clerk.post(`${order}/comments`, { text: 'One' }),
    await clerk.post(`${order}/comments`, { text: 'Two' }),
  ]
  assert.equal(refusal(await colleague.delete(`${order}/comments/${one.body.id}`)), '403 FORBIDDEN')
  assert.deepEqual((await clerk.delete(`${order}/comments/${one.body.id}`)).body, { success: true })
  assert.equal(refusal(await clerk.delete(`${order}/comments/${one.body.id}`)), '404 NOT_FOUND')
  assert.equal((await admin.delete(`${order}/comments/${two.body.id}`)).status, 200)
  assert.deepEqual((await reader.get(`${order}/comments`)).body.items, [])
})

test('the event of a comment does not hold its text', async () => {
  const shop = await open()
  const { body } = await shop.clerk.post(`${shop.order}/comments`, { text: 'Between us' })
  const { rows } = await sql<{ data: object }>`
    select data from cell.event_outbox where business_id = ${shop.id} and type = 'order.commented'`.execute(shop.db)
  const { number } = (await shop.admin.get(shop.order)).body
  assert.deepEqual(
    rows.map(({ data }) => data),
    [{ number, commentId: body.id }],
  )
})

test('the timeline merges events and comments by time, newest first', async (t) => {
  const clock = holdClock()
  t.after(() => clock.release())
  const shop = await open()
  const { clerk, reader, order, orderId, id } = shop
  clock.advance(10)
  const comment = await clerk.post(`${order}/comments`, { text: 'Packed.' })
  clock.advance(10)
  await clerk.put(`${order}/status`, { status: 'SHIPPED' })
  await sequenceAll(shop)
  const { status, body, text } = await reader.get(`${order}/timeline`)
  assert.equal(status, 200, text)
  assert.deepEqual(
    body.items.map(({ type }: { type: string }) => type),
    ['order.status_changed', 'comment', 'order.commented', 'order.paid', 'stock.changed', 'order.created'],
  )
  const { number } = (await reader.get(order)).body
  const [shipped, said] = body.items
  assert.deepEqual(
    { ...shipped, id: '', number: 0, timestamp: 0 },
    {
      id: '',
      number: 0,
      type: 'order.status_changed',
      businessId: id,
      subject: orderId,
      actorId: clerk.id,
      actorKind: 'user',
      data: { number, status: 'SHIPPED' },
      timestamp: 0,
    },
  )
  assert.deepEqual(said, {
    id: comment.body.id,
    type: 'comment',
    actorId: clerk.id,
    actorKind: 'user',
    text: 'Packed.',
    timestamp: comment.body.createdAt,
  })
  assert.equal(refusal(await reader.get(`${shop.orders}/ord_nothing/timeline`)), '404 NOT_FOUND')
})

test('the timeline holds the newest 200', async () => {
  const shop = await open()
  await sql`
    insert into orders.comments (business_id, order_id, id, author_id, author_kind, text, created_at)
    select ${shop.id}, ${shop.orderId}, 'cmt_' || lpad(n::text, 4, '0'), 'usr_1', 'user', 'No. ' || n, now() + n * interval '1 s'
      from generate_series(1, 250) as n`.execute(shop.db)
  await sequenceAll(shop)
  const { items } = (await shop.reader.get(`${shop.order}/timeline`)).body
  assert.equal(items.length, 200)
  assert.deepEqual([items[0].text, items.at(-1).text], ['No. 250', 'No. 51'])
})

test('events of one record are found by an index, in every partition', async () => {
  const { db, id } = await open()
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = 'cell.events_by_subject'::regclass`.execute(db)
  assert.deepEqual(rows, [{ valid: true }])
  const plan = await transaction(db, async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    return sql<object>`
      explain select * from cell.events where business_id = ${id} and subject = 'ord_1' order by number desc limit 200`.execute(
      tx,
    )
  })
  const text = plan.rows.flatMap((row) => Object.values(row)).join('\n')
  assert.match(text, /Index Cond: .*business_id = .* AND .*subject = /)
})
