import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { mergeGuest } from '#modules/accounts/sign-in/merge-guest.ts'
import { CUSTOMER_TOPICS, followOrders, mergeCustomers } from '#modules/customers/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { enqueue, type JobContext } from '#platform/jobs/define.ts'
import { jobs } from '../../../src/apps/jobs.ts'
import { askControl } from '../../../src/apps/people.ts'
import { verify } from '../../../src/apps/verify.ts'
import { openCustomers } from '../../support/customers.ts'
import { createPeople } from '../../support/people.ts'
import { item } from '../../support/shop.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const open = () => openCustomers(used.api, used.make)
const control = () => used.api.services.databases.control
const silent = pino({ level: 'silent' })
type Shop = Awaited<ReturnType<typeof open>>

const HAMBURG = { name: 'Ada Lovelace', street: 'Hafenstraße 1', city: 'Hamburg', country: 'DE', phone: '+49 40 1' }
const MOST = Number.MAX_SAFE_INTEGER

async function holds({ db, id }: Shop) {
  for (const { check, violations } of await verify(db, id)) assert.deepEqual(violations, [], check)
}

function jobNamed(name: string) {
  const job = jobs.find((each) => each.name === name)
  assert.ok(job?.on === 'control', name)
  return job
}

const run = (name: string, payload: object) =>
  jobNamed(name).run(payload, {
    db: control(),
    control: control(),
    cells: used.api.services.databases.cells,
  } as unknown as JobContext<never>)

/** An order by hand for somebody else's guest, or an order of one's own. */
const buy = async (shop: Shop, caller: Parameters<Shop['checkout']>[0]) => {
  const bought = await shop.checkout(caller, { items: [item(await shop.priced(0))], shippingAddress: HAMBURG })
  assert.equal(bought.status, 200, bought.text)
}

test('sums that are larger than a number can be stay exact, and are shown as the largest', async () => {
  const shop = await open()
  const ada = await used.make.user()
  const orders = [await shop.sell(ada.id), await shop.sell(ada.id), await shop.sell(ada.id)]
  const setTotals = async (total: number, ids: string[]) => {
    await sql`
      update orders.orders set subtotal = ${total}, total = ${total}, version = version + 1
       where business_id = ${shop.id} and id = any (${ids}::text[])`.execute(shop.db)
    await sql`
      insert into cell.followed (topic, business_id, subject)
      select 'customers-orders', ${shop.id}, id from unnest(${ids}::text[]) as id`.execute(shop.db)
    await shop.follow()
  }
  const ids = orders.map(({ id }) => id)
  await setTotals(MOST, ids)
  assert.deepEqual((await shop.customer(ada.id)).spent, [{ currency: 'USD', amount: MOST, orders: 3 }])
  assert.deepEqual((await shop.get('sort=-spent&currency=USD')).items.length, 1)
  const summed = async () => {
    const { rows } = await sql<{ total: string }>`
      select total::text from customers.spent where business_id = ${shop.id}`.execute(shop.db)
    return rows.map(({ total }) => total)
  }
  assert.deepEqual(await summed(), [String(3n * BigInt(MOST))])
  const sumsCheck = "a customer's orders and sums are those of the orders that are counted"
  const found = (await verify(shop.db, shop.id)).find(({ check }) => check === sumsCheck)
  assert.deepEqual(found?.violations, [])
  await setTotals(1_000, ids)
  assert.deepEqual((await shop.customer(ada.id)).spent, [{ currency: 'USD', amount: 3_000, orders: 3 }])
  await holds(shop)
})

test('an order that cannot be counted is left out, and keeps nobody else waiting', async () => {
  const bad = await open()
  let good = await open()
  while (good.db !== bad.db) good = await open() // both in one cell
  const [ada, bob] = [await used.make.user(), await used.make.user()]
  const poison = await bad.sell(ada.id)
  await good.sell(bob.id)
  await sql`
    create function customers.refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`.execute(
    bad.db,
  )
  await sql`
    create trigger refuse before insert on customers.counted
       for each row when (new.order_id = ${sql.lit(poison.id)}) execute function customers.refuse()`.execute(bad.db)
  const lines: string[] = []
  try {
    while ((await sequenceEvents(bad.db, CUSTOMER_TOPICS)) !== 0) {}
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
    await followOrders(bad.db, askControl(control()), log)
  } finally {
    await sql`drop function customers.refuse cascade`.execute(bad.db)
  }
  assert.equal((await good.customer(bob.id)).orders, 1)
  assert.equal((await bad.get()).items.length, 0)
  assert.equal(lines.length, 1)
  assert.ok(lines[0]?.includes(poison.id) && lines[0].includes(bad.id))
  const changed = await bad.admin.put(`${bad.orders}/${poison.id}/status`, { status: 'SHIPPED' })
  assert.equal(changed.status, 200, changed.text)
  await bad.follow()
  assert.equal((await bad.customer(ada.id)).orders, 1, 'its next event counts it')
})

test('nothing is left out while control is away', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sell(ada.id)
  while ((await sequenceEvents(shop.db, CUSTOMER_TOPICS)) !== 0) {}
  const away = () => Promise.reject(new Error('control is away'))
  await assert.rejects(followOrders(shop.db, away, silent), /control is away/)
  await shop.follow()
  assert.equal((await shop.customer(ada.id)).orders, 1)
})

test('others may write while control is asked, and an order given to a stranger meanwhile is counted next', async () => {
  const shop = await open()
  const [ada, bob] = [await used.make.user(), await used.make.user()]
  const order = await shop.sell(ada.id)
  while ((await sequenceEvents(shop.db, CUSTOMER_TOPICS)) !== 0) {}
  const asked: string[][] = []
  const ask = async (people: Parameters<ReturnType<typeof askControl>>[0]) => {
    asked.push(people.filter(({ businessId }) => businessId === shop.id).map(({ userId }) => userId))
    const { rows } = await sql<{ isFree: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('kontor.customers', 0)) as is_free`.execute(shop.db)
    assert.equal(rows[0]?.isFree, true)
    if (asked.length === 1)
      await sql`
        update orders.orders set customer_id = ${bob.id}, version = version + 1
         where business_id = ${shop.id} and id = ${order.id}`.execute(shop.db)
    return askControl(control())(people)
  }
  await followOrders(shop.db, ask, silent)
  assert.deepEqual(asked, [[ada.id], [bob.id]])
  assert.deepEqual(
    (await shop.get()).items.map(({ id, orders }) => [id, orders]),
    [[bob.id, 1]],
  )
})

test('an order marked as refunded by hand has brought nothing', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sell(ada.id, {}, 2)
  await shop.sell(ada.id, { paymentStatus: [{ status: 'REFUNDED' }] })
  await shop.follow()
  assert.deepEqual((await shop.customer(ada.id)).spent, [{ currency: 'USD', amount: 2_000, orders: 2 }])
  await holds(shop)
})

test('subscriptions are shown to who may see subscribers', async () => {
  const shop = await open()
  const business = shop.path.replace('/customers', '')
  const collection = await shop.admin.post(`${business}/collections`, {
    name: 'Letters',
    type: 'NEWSLETTER',
    blocks: [],
    statuses: [{ status: 'PUBLISHED' }],
  })
  const ada = await used.make.user()
  const subscribed = await ada.post(`${business}/collections/${collection.body.id}/subscribe`, {
    email: 'reader@example.com',
  })
  assert.equal(subscribed.status, 201, subscribed.text)
  await shop.follow()
  const clerk = await used.make.member(shop.id, 'ORDERS_READ', 'ORDERS_WRITE')
  const marketer = await used.make.member(shop.id, 'ORDERS_READ', 'SUBSCRIBERS_READ')
  const at = `${shop.path}/${ada.id}`
  const [short, whole] = [await clerk.get(at), await marketer.get(at)]
  assert.deepEqual([short.body.subscriptions.length, whole.body.subscriptions.length], [0, 1])
  const etag = short.headers.get('etag') ?? ''
  assert.notEqual(etag, whole.headers.get('etag'))
  const tagged = await clerk.put(at, { tags: ['vip'] }, { 'if-match': etag })
  assert.deepEqual([tagged.status, tagged.body.subscriptions], [200, []])
})

test('nothing is written about a person whose account was deleted before the worker saw them', async () => {
  const shop = await open()
  const people = createPeople(used.api)
  const person = await people.person()
  const caller = await people.session(person.email)
  await buy(shop, caller)
  assert.equal((await caller.delete('/v1/users/me')).status, 200)
  await shop.follow() // no cell was told: this is as it was before the tables
  const { name, email, phones, addresses, orders, isErased } = await shop.customer(person.id)
  assert.deepEqual([name, email, phones, addresses, orders, isErased], [null, null, [], [], 1, true])
  assert.deepEqual(await shop.names('query=ada'), [])
  await holds(shop)
})

test('a cell that is away does not keep others from being told, and is told when it is back', async () => {
  const shops = [await open(), await open()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const [away, there] = shops as [Shop, Shop]
  const people = createPeople(used.api)
  const person = await people.person()
  const caller = await people.session(person.email)
  for (const shop of shops) await buy(shop, caller)
  for (const shop of shops) await shop.follow()
  const setCell = (cell: string) =>
    control().updateTable('access.businesses').set({ cell }).where('id', '=', away.id).execute()
  const { cell } = await control()
    .selectFrom('access.businesses')
    .select('cell')
    .where('id', '=', away.id)
    .executeTakeFirstOrThrow()
  assert.equal((await caller.delete('/v1/users/me')).status, 200)
  const told = { userId: person.id, guestIds: [], memberOf: [] }
  await setCell('away')
  await assert.rejects(run('accounts.tell-erased', told), /The cell away is not configured here/)
  assert.equal((await there.customer(person.id)).isErased, true)
  await setCell(cell)
  await run('accounts.tell-erased', told)
  assert.equal((await away.customer(person.id)).isErased, true)
  for (const name of ['accounts.tell-erased', 'accounts.tell-merged', 'accounts.tell-unconfirmed'])
    assert.ok((jobNamed(name).maxAttempts ?? 0) >= 100, name)
})

test('an account that nobody confirmed leaves the guest who had asked for it', async () => {
  const worker = startTestWorker(used.api.databases.env, jobs)
  try {
    const shop = await open()
    const person = await createPeople(used.api).person({ isConfirmed: false })
    const guests = [await used.make.guest(), await used.make.guest()].sort((one, other) => (one.id < other.id ? -1 : 1))
    for (const guest of guests) await buy(shop, guest)
    await shop.follow()
    for (const { id } of guests) await transaction(control(), (tx) => mergeGuest(tx, id, person.id))
    await until('they are one', async () => (await shop.get()).items.map(({ id }) => id).join(' ') === person.id)
    await shop.admin.put(`${shop.path}/${person.id}`, { tags: ['vip'] })
    await control()
      .updateTable('accounts.users')
      .set({ createdAt: new Date(Date.now() - 8 * 86_400_000) })
      .where('id', '=', person.id)
      .execute()
    await transaction(control(), (tx) => enqueue(tx, jobNamed('accounts.tidy'), {}))
    const [first] = guests
    await until('it is the guest again', async () => (await shop.get()).items.every(({ id }) => id === first?.id))
    const { name, orders, isGuest, isErased, tags } = await shop.customer(first?.id ?? '')
    assert.deepEqual([name, orders, isGuest, isErased, tags], ['Ada Lovelace', 2, true, false, ['vip']])
    await run('accounts.tell-unconfirmed', { userId: person.id, guestIds: guests.map(({ id }) => id) })
    await run('accounts.tell-merged', { guestId: first?.id, userId: person.id })
    assert.deepEqual(
      (await shop.get()).items.map(({ id, isGuest: is }) => [id, is]),
      [[first?.id, true]],
      'told twice, or late, it stays so',
    )
    await holds(shop)
  } finally {
    await worker.stop()
  }
})

/** Deleted because nobody confirmed it, and the cells were told; control was asked about it before. */
async function deleteUnconfirmed(userId: string, guestIds: string[]) {
  await control().deleteFrom('accounts.guestAliases').where('userId', '=', userId).execute()
  await control().deleteFrom('accounts.users').where('id', '=', userId).execute()
  await run('accounts.tell-unconfirmed', { userId, guestIds })
}

test('a guest stays one when the news that they became an account come after those that it is gone', async () => {
  const shop = await open()
  const person = await createPeople(used.api).person({ isConfirmed: false })
  const [guest, late] = [await used.make.guest(), await used.make.guest()]
  await buy(shop, guest)
  await shop.follow()
  for (const { id } of [guest, late]) await transaction(control(), (tx) => mergeGuest(tx, id, person.id))
  await deleteUnconfirmed(person.id, [guest.id, late.id])
  // As a job does that had found the guest merged just before.
  await mergeCustomers(shop.db, { businessId: shop.id, guestId: guest.id, userId: person.id })
  assert.deepEqual(
    (await shop.get()).items.map(({ id, isGuest }) => [id, isGuest]),
    [[guest.id, true]],
  )
  await holds(shop)
})

test('a guest stays one when their account is deleted while the follower asks control', async () => {
  const shop = await open()
  const person = await createPeople(used.api).person({ isConfirmed: false })
  const guest = await used.make.guest()
  await buy(shop, guest)
  await transaction(control(), (tx) => mergeGuest(tx, guest.id, person.id))
  while ((await sequenceEvents(shop.db, CUSTOMER_TOPICS)) !== 0) {}
  const ask = askControl(control())
  let isGone = false
  await followOrders(
    shop.db,
    async (people) => {
      const known = await ask(people)
      if (!isGone && people.some(({ userId }) => userId === guest.id)) {
        isGone = true
        await deleteUnconfirmed(person.id, [guest.id])
      }
      return known
    },
    silent,
  )
  assert.ok(isGone)
  assert.deepEqual(
    (await shop.get()).items.map(({ id }) => id),
    [guest.id],
  )
  await holds(shop)
})

test('a guest becomes whom their account became since', async () => {
  const shop = await open()
  const person = await createPeople(used.api).person()
  const [guest, other] = [await used.make.guest(), await used.make.guest()]
  for (const each of [guest, other]) await buy(shop, each)
  await shop.follow()
  const merge = (guestId: string, userId: string) => mergeCustomers(shop.db, { businessId: shop.id, guestId, userId })
  await merge(other.id, person.id)
  await merge(guest.id, other.id)
  assert.deepEqual(
    (await shop.get()).items.map(({ id, orders }) => [id, orders]),
    [[person.id, 2]],
  )
  await holds(shop)
})

test('who has only named a guest does not learn whom they became', async () => {
  const [visited, nosy, late] = [await open(), await open(), await open()]
  const person = await createPeople(used.api).person()
  const guest = await used.make.guest()
  await buy(visited, guest)
  await nosy.sell(guest.id)
  await Promise.all([visited.follow(), nosy.follow()])
  await transaction(control(), (tx) => mergeGuest(tx, guest.id, person.id))
  await run('accounts.tell-merged', { guestId: guest.id, userId: person.id })
  assert.equal((await visited.customer(guest.id)).id, person.id)
  await nosy.sell(guest.id)
  await late.sell(guest.id)
  for (const shop of [nosy, late]) {
    await shop.follow()
    assert.equal((await shop.customer(guest.id)).id, guest.id)
  }
})
