import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { jobs } from '#apps/jobs.ts'
import { verify } from '#apps/verify.ts'
import type { Db } from '#platform/database/database.ts'
import { enqueue } from '#platform/jobs/define.ts'
import {
  type ForgottenPerson,
  foundInDump,
  hasPgDump,
  makePerson,
  rowsOf,
  saidIn,
  settle,
} from '../../support/forgotten-person.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { startTestWorker, type TestWorker } from '../../support/start-worker.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

let used: StartedWorld<'stripe' | 'mail'>
let worker: TestWorker
before(async () => {
  used = await startWorld({ providers: ['stripe', 'mail'], worker: 'newsletter' })
  worker = startTestWorker({ ...used.api.databases.env, ...used.env }, jobs, { lines: used.lines })
})
after(async () => {
  await worker.stop()
  await used.close()
})

const urls = () => [used.api.databases.main.url, used.api.databases.second.url] as const

/** What the worker does every night, now; those that are due later are due. */
async function sweep(db: Db): Promise<void> {
  await sql`update customers.kept_orders set due_at = now()`.execute(db)
  const job = jobs.find(({ name }) => name === 'customers.sweep-erasures')
  assert.ok(job)
  await enqueue(db as never, job as never, {})
  await settle([db])
}

const figuresOf = ({
  id,
  lines,
  subtotal,
  tax,
  shipping,
  discount,
  total,
  refundedAmount,
  statuses,
  taxes,
}: Answered) => ({
  id,
  lines,
  subtotal,
  tax,
  shipping,
  discount,
  total,
  refundedAmount,
  statuses,
  taxes,
})
type Answered = Record<string, unknown>

async function readOrders({ a, b, orders: { asGuest, paid, open } }: ForgottenPerson) {
  const answers = [await a.owner.get(asGuest.path), await a.owner.get(paid.path), await b.owner.get(open.path)]
  return answers.map(({ body }) => figuresOf(body))
}

const brokenIn = async (db: Db) => (await verify(db)).filter(({ violations }) => violations.length > 0)

test('a person who deletes their account is in no table any more once their orders have ended; figures stay', async () => {
  const person = await makePerson(used)
  const { a, b, me, id, words, orders, follow } = person
  const [main, second] = urls()
  const before = await readOrders(person)
  const held = (await Promise.all(urls().map(rowsOf))).flat().map(({ row }) => row)
  for (const [name, word] of words)
    assert.ok(
      held.some((row) => row.includes(word)),
      `${name} is found where it is`,
    )

  assert.equal((await me.delete('/v1/users/me')).status, 200)
  assert.equal((await me.get('/v1/users/me')).status, 401)
  await settle([a.db, b.db])
  await follow()

  const all = [...words.values()]
  assert.deepEqual(await saidIn(main, all), [], 'control, and the cell where everything has ended')
  const waiting = person.wordsOf('open')
  assert.deepEqual(
    await saidIn(
      second,
      all.filter((word) => !waiting.includes(word) && word !== words.get('account email')),
    ),
    [],
    'what an order in work does not need is gone',
  )
  assert.deepEqual((await saidIn(second, waiting)).sort(), ['orders.orders', 'orders.search', 'orders.words'])
  assert.deepEqual((await saidIn(second, [words.get('account email') ?? ''])).sort(), [
    'orders.orders',
    'orders.search',
    'payments.events',
    'payments.payments',
  ])
  assert.deepEqual(await readOrders(person), before)
  assert.deepEqual(await brokenIn(a.db), [])
  assert.deepEqual(await brokenIn(b.db), [])

  // It is in work: a night changes nothing.
  await sweep(b.db)
  await follow()
  assert.equal((await saidIn(second, waiting)).length, 3)

  const delivered = await b.owner.put(`${orders.open.path}/status`, { status: 'DELIVERED' })
  assert.equal(delivered.status, 200, delivered.text)
  const [, , late] = await readOrders(person)
  await sweep(b.db)
  await follow()
  await sql`update customers.erasures set due_at = now()`.execute(b.db)
  await sweep(b.db)
  await follow()
  assert.deepEqual(await saidIn(second, all), [])
  assert.deepEqual((await readOrders(person))[2], late)
  assert.deepEqual(await brokenIn(b.db), [])
  const left = await sql<{ left: number }>`
    select (select count(*) from customers.erasures)::int + (select count(*) from customers.kept_orders)::int as left`.execute(
    b.db,
  )
  assert.deepEqual(left.rows, [{ left: 0 }], 'nothing is left to do')

  const customer = await a.owner.get(`${a.shop.path}/customers/${id}`)
  assert.deepEqual([customer.body.isErased, customer.body.name, customer.body.orders], [true, null, 2])
  assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault')
})

test('a backup by pg_dump holds nothing of them either, but their orders', { skip: !hasPgDump }, async () => {
  const person = await makePerson(used)
  const { a, b, me, words, orders, follow } = person
  const all = [...words.values()]
  const inBackup = async (texts: readonly string[]) =>
    new Set((await Promise.all(urls().map((url) => foundInDump(url, texts)))).flat())
  const before = await inBackup(all)
  const unseen = [...words].filter(([, word]) => !before.has(word)).map(([name]) => name)
  assert.deepEqual(unseen, [], 'the net holds: each word is in the backup before')

  assert.equal((await b.owner.put(`${orders.open.path}/status`, { status: 'DELIVERED' })).status, 200)
  assert.equal((await me.delete('/v1/users/me')).status, 200)
  await settle([a.db, b.db])
  await follow()
  await sql`update customers.erasures set due_at = now()`.execute(b.db)
  for (const db of [a.db, b.db]) await sweep(db)
  await follow()
  const after = await inBackup(all)
  const left = [...words].filter(([, word]) => after.has(word)).map(([name]) => name)
  assert.deepEqual(left, [])
  const ids = [orders.asGuest.id, orders.paid.id, orders.open.id]
  assert.deepEqual([...(await inBackup(ids))].sort(), ids.sort(), 'the orders themselves are still there')
})

test('uses of a promo code stay counted, in orders and counter under one name that says nothing', async () => {
  const { a, me, promo, orders } = await makePerson(used)
  assert.equal((await me.delete('/v1/users/me')).status, 200)
  await settle([a.db])
  const { rows } = await sql<{ customer: string; redemptions: number; named: string }>`
    select customer, promo_customers.redemptions, orders.promo_customer as named
      from catalog.promo_customers
      join orders.orders using (business_id, promo_id)
     where promo_id = ${promo.id} and orders.id = ${orders.paid.id}`.execute(a.db)
  assert.equal(rows.length, 1)
  assert.match(rows[0]?.customer ?? '', /^erased:/)
  assert.deepEqual([rows[0]?.redemptions, rows[0]?.named], [1, rows[0]?.customer])
  assert.equal((await a.owner.get(`${a.shop.path}/promo-codes/${promo.id}`)).body.redemptions, 1)
})

test('subscriptions end, also at the payment provider; what letters came to stays, and whoever left stays away', async () => {
  const person = await makePerson(used)
  const { a, b, me, letters, paidLetters, sending, left } = person
  const before = (await letters.owner.get(sending.path)).body
  const count = used.twin.events().filter(({ type }) => type === 'customer.subscription.deleted').length
  assert.equal((await me.delete('/v1/users/me')).status, 200)
  await settle([a.db, b.db])
  await used.waitUntilIdle(b.db)
  for (const newsletter of [letters, paidLetters])
    for (const { email, status, name } of await newsletter.subscribers()) {
      assert.match(email, /^erased-[0-9a-f-]+@erased\.invalid$/)
      assert.deepEqual([status, name], ['CANCELLED', undefined])
    }
  const ended = used.twin.events().filter(({ type }) => type === 'customer.subscription.deleted')
  assert.equal(ended.length, count + 1)
  assert.deepEqual((await letters.owner.get(sending.path)).body, before)
  const suppressed = (await letters.owner.get(`${a.shop.path}/suppressions`)).body.items
  assert.deepEqual(
    suppressed.map(({ reason }: { reason: string }) => reason),
    ['UNSUBSCRIBED'],
  )
  assert.doesNotMatch(suppressed[0].email, new RegExp(left.split('@')[0] ?? ''))

  // The business has the address in a file of its own, and brings it back: the reader is asked for, and gets nothing.
  const file = { raw: `email,name\n${left},Nobody\n`, headers: { 'content-type': 'text/csv' } }
  const imported = await letters.owner.send('POST', `${letters.collection.path}/subscribers/import`, file)
  assert.equal(imported.status, 201, imported.text)
  await settle([a.db])
  const again = (await letters.owner.get(`${a.shop.path}/suppressions`)).body.items
  assert.deepEqual(
    again.map(({ email, reason }: { email: string; reason: string }) => [email, reason]),
    [[left, 'UNSUBSCRIBED']],
  )
})

test('a business keeps for its days whose order it was, and not longer', async () => {
  const person = await makePerson(used)
  const { a, me, words, orders } = person
  const set = await a.owner.put(a.shop.path, { keepPersonDays: 30 })
  assert.deepEqual([set.status, set.body.keepPersonDays], [200, 30], set.text)
  await sql`
    update orders.orders set created_at = created_at - interval '31 days' where id = ${orders.asGuest.id}`.execute(a.db)
  assert.equal((await me.delete('/v1/users/me')).status, 200)
  await settle([a.db, person.b.db])
  const noteOf = async ({ path }: { path: string }) => (await a.owner.get(path)).body.customerNote
  assert.equal(await noteOf(orders.asGuest), null)
  assert.match(await noteOf(orders.paid), new RegExp(words.get('paid note') ?? ''))
  const { rows } = await sql<{ days: number }>`
    select round(extract(epoch from due_at - now()) / 86400)::int as days from customers.kept_orders where order_id = ${orders.paid.id}`.execute(
    a.db,
  )
  assert.deepEqual(rows, [{ days: 30 }])

  await sql`
    update orders.orders set created_at = created_at - interval '30 days' where id = ${orders.paid.id}`.execute(a.db)
  await sweep(a.db)
  assert.equal(await noteOf(orders.paid), null)
})

test('what the provider says later about an erased payer is not written down', async () => {
  const person = await makePerson(used)
  const { a, me, orders, words } = person
  assert.equal((await me.delete('/v1/users/me')).status, 200)
  await settle([a.db])
  used.twin.refund(orders.paid.intentId(), 300)
  await used.waitUntilIdle(a.db)
  const payment = await orders.paid.payment()
  assert.deepEqual([payment.refunded, payment.email], [500, null])
  assert.deepEqual(await saidIn(used.api.databases.main.url, [words.get('payer email') ?? '']), [])
})

test('an order in work that staff give to somebody else is theirs, and stays as it is', async () => {
  const person = await makePerson(used)
  const { b, me, id, orders } = person
  const other = await used.make.customer(b.shop.id)
  const line = { productId: b.product.id, variantId: 'one', quantity: 1, unitPrice: 1_000, totalPrice: 1_000 }
  const sums = { subtotal: 1_000, tax: 0, shipping: 0, total: 1_000 }
  const written = await b.owner.post(`${b.shop.path}/orders`, {
    customerId: id,
    market: 'us',
    lines: [line],
    ...sums,
    customerNote: 'again',
  })
  assert.equal(written.status, 201, written.text)
  const open = { id: written.body.id, path: `${b.shop.path}/orders/${written.body.id}` }
  assert.equal((await me.delete('/v1/users/me')).status, 200)
  await settle([b.db])
  const given = await b.owner.put(`${b.shop.path}/orders/update`, { id: open.id, customerId: other.id })
  assert.equal(given.status, 200, given.text)
  assert.equal((await b.owner.put(`${open.path}/status`, { status: 'CANCELLED' })).status, 200)
  assert.equal((await b.owner.put(`${orders.open.path}/status`, { status: 'DELIVERED' })).status, 200)
  await sweep(b.db)
  assert.match((await b.owner.get(open.path)).body.customerNote, /^again$/)
  assert.equal((await b.owner.get(orders.open.path)).body.customerNote, null)
})

test('keepPersonDays is a whole number of days, 0 unless told, and only members see it', async () => {
  const { admin, path } = await used.make.business()
  assert.equal((await admin.get(path)).body.keepPersonDays, 0)
  for (const keepPersonDays of [-1, 1.5, '7', null, 36_501])
    assert.match(refusal(await admin.put(path, { keepPersonDays })), /^422 VALIDATION_FAILED keepPersonDays /)
  assert.equal((await admin.put(path, { keepPersonDays: 3_650 })).body.keepPersonDays, 3_650)
  assert.equal((await admin.put(path, { name: 'Another' })).body.keepPersonDays, 3_650)
  assert.equal('keepPersonDays' in (await (await used.make.guest()).get(path)).body, false)
})
