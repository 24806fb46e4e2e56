import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { mergeCustomers } from '#modules/customers/index.ts'
import { subscribeMany } from '#modules/newsletter/index.ts'
import { followReports, REPORT_TOPICS, rebuildReports } from '#modules/reports/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { useFaults } from '#platform/faults.ts'
import { verify } from '../../../src/apps/verify.ts'
import { runKontor, startChild } from '../../support/child.ts'
import { follow } from '../../support/customers.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { PACKED_FLAGS } from '../../support/packed.ts'
import { openReports, type Shop } from '../../support/reports.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const silent = pino({ level: 'silent' })
const open = (timeZone?: string) => openReports(used.api, used.make, timeZone)
const seconds = (at: string) => Date.parse(at) / 1_000

const totalsOf = async (shop: Shop) => {
  const { items } = await shop.report('sales', { interval: 'month' })
  return items.map(({ orders, total, refunded }: Record<string, number>) => [orders, total, refunded])
}

async function holds({ db, id }: Shop) {
  for (const { check, violations } of await verify(db, id)) assert.deepEqual(violations, [], check)
}

test('a worker that is killed at any step counts each order once', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sell(ada.id)
  for (const place of ['reports.taken', 'reports.before-commit']) {
    const doomed = await startChild('worker', used.api.databases.env, { faults: { [place]: 'kill' } }).catch(
      () => undefined,
    )
    await doomed?.exited
    assert.deepEqual(await totalsOf(shop), [], place)
  }
  const worker = await startChild('worker', used.api.databases.env)
  try {
    await until('it is counted', async () => (await totalsOf(shop)).length > 0)
    await shop.sell(ada.id)
    await until('the next is, too', async () => (await totalsOf(shop))[0][0] === 2)
  } finally {
    await worker.kill()
  }
  assert.deepEqual(await totalsOf(shop), [[2, 2_000, 0]])
  await holds(shop)
})

test('a report says up to which event it is', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sell(ada.id)
  await shop.follow()
  const { upToEvent: before } = await shop.report('sales')
  assert.ok(before > 0)
  await shop.sell(ada.id)
  while ((await sequenceEvents(shop.db, REPORT_TOPICS)) !== 0) {}
  const waiting = await shop.report('sales')
  const { body } = await shop.admin.get(`${shop.base}/events?after=${before}`)
  const [next] = body.items.filter(({ type }: { type: string }) => type.startsWith('order.'))
  assert.equal(waiting.upToEvent, next.number - 1)
  assert.equal(waiting.items[0].orders, 1)
  await followReports(shop.db, silent)
  const { upToEvent, items } = await shop.report('sales')
  assert.equal(upToEvent, body.items.at(-1).number)
  assert.equal(items[0].orders, 2)
})

test('a guest who becomes a user was no new customer twice', async () => {
  const shop = await open()
  const [guest, user] = [await used.make.user(), await used.make.user()]
  await shop.sell(guest.id)
  await shop.sell(user.id)
  await shop.follow()
  const kinds = async () =>
    (await shop.report('customers')).items.map(({ customer, orders }: Record<string, unknown>) => [customer, orders])
  assert.deepEqual(await kinds(), [['NEW', 2]])
  await mergeCustomers(shop.db, { businessId: shop.id, guestId: guest.id, userId: user.id })
  await shop.follow()
  assert.deepEqual(await kinds(), [
    ['NEW', 1],
    ['RETURNING', 1],
  ])
  await holds(shop)
})

test('the command makes the same sums anew, also after one that was killed, and repairs what was wrong', async () => {
  const shop = await open()
  const ada = await used.make.user()
  for (let n = 0; n < 3; n++) await shop.sell(ada.id)
  await shop.follow()
  const before = await totalsOf(shop)
  await sql`update reports.sums set total = total + 1 where business_id = ${shop.id}`.execute(shop.db)
  const rebuild = (env = {}) => runKontor(['cli', 'reports', 'rebuild', shop.id], { ...used.api.databases.env, ...env })
  const preload = {
    NODE_OPTIONS: `${PACKED_FLAGS.join(' ')} --import ${path.join(import.meta.dirname, '../../support/kill-at-fault.ts')}`,
  }
  for (const KILL_AT of ['reports.cleared', 'reports.recounted']) {
    const doomed = await rebuild({ ...preload, KILL_AT })
    assert.equal(doomed.signal, 'SIGKILL', doomed.output)
    assert.equal((await shop.report('sales')).upToEvent, 0)
    await shop.sell(ada.id)
    await shop.follow()
  }
  const done = await rebuild()
  assert.equal(done.code, 0, done.output)
  await shop.follow()
  assert.deepEqual(before, [[3, 3_000, 0]])
  assert.deepEqual(await totalsOf(shop), [[5, 5_000, 0]])
  assert.ok((await shop.report('sales')).upToEvent > 0)
  await holds(shop)
})

test('a day begins at midnight of the business, also a quarter before the hour in UTC', async () => {
  const shop = await open('Asia/Kathmandu')
  const ada = await used.make.user()
  await shop.sellAt(ada.id, '2026-03-01T18:14:59Z')
  await shop.sellAt(ada.id, '2026-03-01T18:15:00Z')
  await shop.follow()
  const range = { from: seconds('2026-03-01T00:00:00Z'), to: seconds('2026-03-02T00:00:00Z') }
  const { items } = await shop.report('sales', range)
  assert.deepEqual(
    items.map(({ from, to, orders }: Record<string, number>) => [from, to, orders]),
    [
      [seconds('2026-02-28T18:15:00Z'), seconds('2026-03-01T18:15:00Z'), 1],
      [seconds('2026-03-01T18:15:00Z'), seconds('2026-03-02T18:15:00Z'), 1],
    ],
  )
  for (const { orderQuery } of items) assert.equal((await shop.listed(orderQuery)).length, 1)
  const compared = await shop.report('sales', { from: range.to - 60, to: range.to, compare: 'previous' })
  assert.equal(compared.items.length, 1)
  assert.equal(compared.items[0].previous.orders, 1)
  assert.equal((await shop.listed(compared.items[0].previous.orderQuery)).length, 1)
})

test('readers are counted when they come and when they leave, imported ones among them', async () => {
  const letters = await openNewsletter(used.make)
  const { db, id, collection } = letters
  const guest = await used.make.guest()
  await letters.subscribed(guest, { email: 'a@example.com' })
  await transaction(db, (tx) =>
    subscribeMany(
      tx,
      id,
      collection.id,
      ['b@example.com', 'c@example.com'].map((email) => ({ email, planId: null, status: 'ACTIVE' as const })),
    ),
  )
  await follow(used.api, db)
  const read = async (caller = letters.admin, query = 'interval=month') => {
    const answer = await caller.get(`${letters.path}/reports/subscribers?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.items.map((row: Record<string, number>) => [row.joined, row.left, row.active])
  }
  assert.deepEqual(await read(), [[3, 0, 3]])
  const left = await letters.unsubscribe(await letters.tokenOf('b@example.com'))
  assert.equal(left.status, 200, left.text)
  await follow(used.api, db)
  await follow(used.api, db)
  assert.deepEqual(await read(), [[3, 1, 2]])
  const nextMonth = Math.floor(Date.now() / 1_000) + 40 * 86_400
  assert.deepEqual(await read(letters.admin, `from=${nextMonth}&to=${nextMonth + 1}`), [[0, 0, 2]])
  for (const { check, violations } of await verify(db, id)) assert.deepEqual(violations, [], check)
})

test('a rebuild that begins while another runs takes over', async () => {
  const shop = await open()
  const ada = await used.make.user()
  for (let n = 0; n < 2; n++) await shop.sell(ada.id)
  await shop.follow()
  let later: Promise<unknown> | undefined
  useFaults(async (place) => {
    if (place !== 'reports.recounted' || later) return
    later = rebuildReports(shop.db, shop.id)
    await later
  })
  try {
    await assert.rejects(rebuildReports(shop.db, shop.id), /Another rebuild/)
  } finally {
    useFaults(undefined)
  }
  assert.deepEqual(await later, { orders: 2 })
  assert.deepEqual(await totalsOf(shop), [[2, 2_000, 0]])
  assert.ok((await shop.report('sales')).upToEvent > 0)
  await holds(shop)
})

test('an order that cannot be counted keeps no other waiting, and is counted with its next event', async () => {
  const shop = await open()
  const ada = await used.make.user()
  const at = '2020-06-01T12:00:00Z'
  await shop.sellAt(ada.id, at)
  await shop.follow()
  const quarter = seconds(at) / 900
  const spoil = (change: bigint) =>
    sql`
      update reports.sums set total = total + ${String(change)}::bigint
       where business_id = ${shop.id} and at <= ${quarter} and at + grain > ${quarter}`.execute(shop.db)
  const most = 9_223_372_036_854_775_807n - 1_000n
  await spoil(most)
  const second = await shop.sellAt(ada.id, at)
  for (let n = 0; n < 4; n++) await shop.sell(ada.id)
  await shop.follow()
  assert.deepEqual(await totalsOf(shop), [[4, 4_000, 0]])
  await spoil(-most)
  await sql`
    insert into cell.followed (topic, business_id, subject) values ('reports-orders', ${shop.id}, ${second.id})`.execute(
    shop.db,
  )
  await shop.follow()
  const { items } = await shop.report('sales', { from: seconds(at), to: seconds(at) + 1 })
  assert.deepEqual([items[0].orders, items[0].total], [2, 2_000])
  await holds(shop)
})
