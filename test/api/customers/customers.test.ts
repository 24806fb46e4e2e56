import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { jobs } from '../../../src/apps/jobs.ts'
import { verify } from '../../../src/apps/verify.ts'
import { createClient } from '../../support/client.ts'
import { type Customer, openCustomers } from '../../support/customers.ts'
import { createPeople, PASSWORD } from '../../support/people.ts'
import { refusal } from '../../support/refusal.ts'
import { item } from '../../support/shop.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const open = () => openCustomers(used.api, used.make)
type Shop = Awaited<ReturnType<typeof open>>

const HAMBURG = { name: 'Ada Lovelace', street: 'Hafenstraße 1', city: 'Hamburg', country: 'DE', phone: '+49 40 1' }

async function holds({ db, id }: Shop) {
  for (const { check, violations } of await verify(db, id)) assert.deepEqual(violations, [], check)
}

test('a customer is what their orders and subscriptions say', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sell(ada.id, { contactEmail: 'old@example.com', phone: '+49 40 2' })
  await shop.sell(ada.id, { contactEmail: 'Ada@example.com', shippingAddress: HAMBURG }, 2)
  await shop.sell(ada.id, { paymentStatus: [{ status: 'PENDING' }] })
  assert.deepEqual((await shop.get()).items, [])
  await shop.follow()
  const found = await shop.customer(ada.id)
  assert.deepEqual(
    { ...found, firstOrderAt: 0, lastOrderAt: 0, createdAt: 0, updatedAt: 0 },
    {
      id: ada.id,
      name: 'Ada Lovelace',
      email: 'Ada@example.com',
      phones: ['+49 40 1', '+49 40 2'],
      addresses: [HAMBURG],
      orders: 3,
      spent: [{ currency: 'USD', amount: 3_000, orders: 2 }],
      firstOrderAt: 0,
      lastOrderAt: 0,
      tags: [],
      isGuest: false,
      isErased: false,
      createdAt: 0,
      updatedAt: 0,
      subscriptions: [],
    },
  )
  assert.ok(found.firstOrderAt > 0 && found.lastOrderAt >= found.firstOrderAt)
  const { subscriptions: _, ...listed } = found
  assert.deepEqual((await shop.get()).items, [listed])
  await holds(shop)
})

test('a subscriber is a customer without orders', async () => {
  const shop = await open()
  const collection = await shop.admin.post(`${shop.path.replace('/customers', '')}/collections`, {
    name: 'Letters',
    type: 'NEWSLETTER',
    blocks: [],
    statuses: [{ status: 'PUBLISHED' }],
  })
  assert.equal(collection.status, 201, collection.text)
  const reader = await used.make.user()
  const at = `${shop.path.replace('/customers', '')}/collections/${collection.body.id}/subscribe`
  const subscribed = await reader.post(at, { email: 'reader@example.com', name: 'Grace Hopper' })
  assert.equal(subscribed.status, 201, subscribed.text)
  await shop.follow()
  const found = await shop.customer(reader.id)
  assert.deepEqual(
    [found.name, found.email, found.orders, found.spent, found.lastOrderAt],
    ['Grace Hopper', 'reader@example.com', 0, [], null],
  )
  assert.deepEqual(
    found.subscriptions.map(({ id, collectionId, status }: Record<string, string>) => ({ id, collectionId, status })),
    [{ id: subscribed.body.id, collectionId: collection.body.id, status: 'ACTIVE' }],
  )
  await shop.sell(reader.id, { paymentStatus: [{ status: 'PENDING' }] })
  await shop.follow()
  assert.deepEqual(await shop.names(), ['Grace Hopper'])
})

test('sums follow refunds, changed customers and statuses; events that come twice or late add nothing', async () => {
  const shop = await open()
  const [ada, bob] = [await used.make.user(), await used.make.user()]
  const paid = await shop.sell(ada.id, {}, 3)
  const open2 = await shop.sell(ada.id, { paymentStatus: [{ status: 'PENDING' }] })
  await shop.follow()
  await sql`
    update orders.orders set refunded_amount = 500, version = version + 1
     where business_id = ${shop.id} and id = ${paid.id}`.execute(shop.db)
  const again = async () => {
    await sql`
      insert into cell.followed (topic, business_id, subject)
      select 'customers-orders', ${shop.id}, id from unnest(${[paid.id, open2.id, paid.id]}::text[]) as id`.execute(
      shop.db,
    )
    await shop.follow()
  }
  await again()
  await again()
  assert.deepEqual((await shop.customer(ada.id)).spent, [{ currency: 'USD', amount: 2_500, orders: 1 }])
  const moved = await shop.admin.put(`${shop.orders}/update`, { id: open2.id, customerId: bob.id })
  assert.equal(moved.status, 200, moved.text)
  await shop.follow()
  assert.equal((await shop.customer(ada.id)).orders, 1)
  assert.deepEqual([(await shop.customer(bob.id)).orders, (await shop.customer(bob.id)).spent], [1, []])
  // Given back, and the one who never had any other is gone.
  await shop.admin.put(`${shop.orders}/update`, { id: open2.id, customerId: ada.id })
  await shop.follow()
  assert.equal(refusal(await shop.admin.get(`${shop.path}/${bob.id}`)), '404 NOT_FOUND')
  const status = await shop.admin.put(`${shop.orders}/${open2.id}/payment-status`, { status: 'PAID' })
  assert.equal(status.status, 200, status.text)
  await shop.follow()
  assert.deepEqual((await shop.customer(ada.id)).spent, [{ currency: 'USD', amount: 3_500, orders: 2 }])
  await holds(shop)
})

test('a person whom only the business has named shows what it wrote, and nothing of the account', async () => {
  const shop = await open()
  const named = await used.make.user()
  await used.api.services.databases.control
    .updateTable('accounts.users')
    .set({ name: 'Secret Name', phoneNumbers: ['+4915112345678'] })
    .where('id', '=', named.id)
    .execute()
  const guest = await used.make.guest()
  await shop.sell(named.id, { paymentStatus: [{ status: 'PENDING' }] })
  await shop.sell(guest.id, { contactEmail: 'written@example.com' })
  await shop.follow()
  const answer = await shop.admin.get(`${shop.path}/${named.id}`)
  const { name, email, phones, addresses, isGuest } = answer.body
  assert.deepEqual([name, email, phones, addresses, isGuest], [null, null, [], [], false])
  for (const text of [answer.text, (await shop.admin.get(shop.path)).text]) {
    assert.doesNotMatch(text, /Secret|4915112345678/)
    assert.ok(!text.includes(named.email ?? '-'))
  }
  // Whether a named id is a guest's is a fact of the account, too.
  assert.deepEqual(
    [(await shop.customer(guest.id)).isGuest, (await shop.customer(guest.id)).email],
    [false, 'written@example.com'],
  )
  await shop.checkout(guest, { items: [item(await shop.priced(0))] })
  await shop.follow()
  assert.equal((await shop.customer(guest.id)).isGuest, true)
})

test('customers are found by email and words, tags and guests, sorted and paged', async () => {
  const shop = await open()
  const people: Record<string, string> = {}
  const make = async (name: string, email: string, orders: number) => {
    const { id } = await used.make.user()
    people[name] = id
    for (let count = 0; count < orders; count++)
      await shop.sell(id, { contactEmail: email, shippingAddress: { name, country: 'DE' } }, orders)
  }
  await make('Zoë Müller', 'zoe@example.com', 1)
  await make('Ada Lovelace', 'countess@example.com', 3)
  await make('Anna Müller-Lüdenscheidt', 'anna@example.org', 2)
  await shop.follow()
  assert.deepEqual(await shop.names(), ['Anna Müller-Lüdenscheidt', 'Ada Lovelace', 'Zoë Müller'])
  assert.deepEqual(await shop.names('sort=name'), ['Ada Lovelace', 'Anna Müller-Lüdenscheidt', 'Zoë Müller'])
  assert.deepEqual(await shop.names('sort=-orders'), ['Ada Lovelace', 'Anna Müller-Lüdenscheidt', 'Zoë Müller'])
  assert.deepEqual(await shop.names('sort=-spent&currency=USD'), [
    'Ada Lovelace',
    'Anna Müller-Lüdenscheidt',
    'Zoë Müller',
  ])
  assert.deepEqual(await shop.names('sort=-spent&currency=EUR'), [])
  assert.equal(refusal(await shop.admin.get(`${shop.path}?sort=-spent`)), '422 VALIDATION_FAILED currency REQUIRED')
  for (const [query, names] of [
    ['COUNT', ['Ada Lovelace']],
    ['countess@ex', ['Ada Lovelace']],
    ['muller', ['Anna Müller-Lüdenscheidt', 'Zoë Müller']],
    ['Müller a', ['Anna Müller-Lüdenscheidt']],
    ['a', ['Anna Müller-Lüdenscheidt', 'Ada Lovelace']],
    ['example', []],
    ['!', []],
  ] as const)
    assert.deepEqual(await shop.names(`query=${encodeURIComponent(query)}`), names, query)
  for (const sort of ['-lastOrderAt', 'name', '-orders', '-spent&currency=USD']) {
    const seen: Customer[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await shop.get(`sort=${sort}&limit=1&cursor=${cursor}`)
      seen.push(...page.items)
      cursor = page.cursor
    }
    assert.deepEqual(
      seen.map(({ id }) => id),
      (await shop.get(`sort=${sort}`)).items.map(({ id }) => id),
    )
  }

  const tag = (name: string, tags: string[]) => shop.admin.put(`${shop.path}/${people[name]}`, { tags })
  assert.equal((await tag('Zoë Müller', ['vip', 'slow'])).status, 200)
  assert.equal((await tag('Ada Lovelace', ['vip'])).status, 200)
  assert.deepEqual(await shop.names('tag=vip&sort=name'), ['Ada Lovelace', 'Zoë Müller'])
  assert.deepEqual(await shop.names('tag=vip&query=zo'), ['Zoë Müller'])
  assert.deepEqual(await shop.names('tag=slow&tag=vip&sort=-spent&currency=USD'), ['Ada Lovelace', 'Zoë Müller'])
  assert.equal((await tag('Zoë Müller', [])).status, 200)
  assert.deepEqual(await shop.names('tag=vip'), ['Ada Lovelace'])
  assert.deepEqual(await shop.names('tag=VIP'), [])

  const guest = await used.make.guest()
  await shop.checkout(guest, { items: [item(await shop.priced(0))], email: 'guest@example.com' })
  await shop.follow()
  assert.deepEqual(
    (await shop.get('guests=true')).items.map(({ id, email }) => [id, email]),
    [[guest.id, 'guest@example.com']],
  )
  assert.equal((await shop.get('guests=false')).items.length, 3)
  assert.equal((await shop.get('guests=true&sort=name')).items.length, 1)
  assert.equal(refusal(await shop.admin.get(`${shop.path}?cursor=nonsense`)), '422 VALIDATION_FAILED cursor INVALID')
  await holds(shop)
})

test('a page ends short where too many would have to be looked at', async () => {
  const shop = await open()
  const one = await used.make.user()
  await shop.sell(one.id)
  await shop.follow()
  await sql`
    insert into customers.customers (business_id, user_id, name, words, sort_name, last_order_at, created_at, updated_at)
    select ${shop.id}, 'usr_' || n, 'Maria No. ' || n, '{maria}', 'maria ' || n,
           now() - n * interval '1 minute', now(), now()
      from generate_series(1, 12000) as n`.execute(shop.db)
  await sql`
    insert into customers.words select ${shop.id}, 'maria', 'usr_' || n from generate_series(1, 12000) as n`.execute(
    shop.db,
  )
  assert.equal((await shop.get('query=maria')).items.length, 20)
  // Nobody has both words; the common one is walked through.
  const first = await shop.get(`query=${encodeURIComponent('maria guest')}&limit=100`)
  assert.deepEqual(first, { items: [], cursor: null }, 'the rare word is read by its index')
  const guests = await shop.get('query=maria&guests=true&sort=name')
  assert.equal(guests.items.length, 0)
  assert.ok(guests.cursor)
  let pages = 1
  for (let cursor: string | null = guests.cursor; cursor !== null; pages++)
    cursor = (await shop.get(`query=maria&guests=true&sort=name&cursor=${cursor}`)).cursor
  assert.equal(pages, 4)
  const { numAffectedRows } = await sql`
    delete from customers.customers where business_id = ${shop.id} and user_id <> ${one.id}`.execute(shop.db)
  assert.equal(numAffectedRows, 12_000n)
})

test('tags are changed by staff who write orders, with the version that they saw', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sell(ada.id)
  await shop.follow()
  const at = `${shop.path}/${ada.id}`
  const [clerk, reader] = [
    await used.make.member(shop.id, 'ORDERS_WRITE', 'ORDERS_READ'),
    await used.make.member(shop.id, 'ORDERS_READ'),
  ]
  const etag = (await reader.get(at)).headers.get('etag') ?? ''
  const tagged = await clerk.put(at, { tags: ['vip', 'vip'] }, { 'if-match': etag })
  assert.deepEqual([tagged.status, tagged.body.tags], [200, ['vip']])
  assert.equal((await clerk.put(at, { tags: [] }, { 'if-match': etag })).status, 412)
  assert.equal((await reader.put(at, { tags: [] })).status, 403)
  const writer = await used.make.member(shop.id, 'ORDERS_WRITE')
  assert.equal((await writer.get(at)).status, 403)
  assert.equal(refusal(await writer.put(at, { tags: ['seen'] })), '403 FORBIDDEN')
  assert.equal((await clerk.put(at, { tags: ['x'.repeat(51)] })).status, 422)
  assert.equal((await clerk.put(at, {})).status, 422)
  const other = await open()
  assert.equal(refusal(await other.admin.get(`${other.path}/${ada.id}`)), '404 NOT_FOUND')
  assert.equal(refusal(await other.admin.put(`${other.path}/${ada.id}`, { tags: [] })), '404 NOT_FOUND')
  const { rows } = await sql`
    select data from cell.event_outbox where business_id = ${shop.id} and type = 'customer.updated'`.execute(shop.db)
  assert.deepEqual(rows, [{ data: { fields: ['tags'] } }])
})

test('staff comment on customers for each other', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sell(ada.id)
  await shop.follow()
  const at = `${shop.path}/${ada.id}/comments`
  const [clerk, reader] = [
    await used.make.member(shop.id, 'ORDERS_WRITE'),
    await used.make.member(shop.id, 'ORDERS_READ'),
  ]
  const made = await clerk.post(at, { text: 'Call first.' }, { 'idempotency-key': 'one' })
  assert.deepEqual(
    [made.status, { ...made.body, id: '', createdAt: 0 }],
    [201, { id: '', customerId: ada.id, authorId: clerk.id, text: 'Call first.', createdAt: 0 }],
  )
  assert.equal((await clerk.post(at, { text: 'Call first.' }, { 'idempotency-key': 'one' })).body.id, made.body.id)
  const second = await shop.admin.post(at, { text: 'Done.' })
  const page = await reader.get(`${at}?limit=1`)
  assert.deepEqual(page.body.items, [second.body])
  assert.deepEqual((await reader.get(`${at}?limit=1&cursor=${page.body.cursor}`)).body.items, [made.body])
  assert.equal((await reader.post(at, { text: 'No.' })).status, 403)
  assert.equal((await ada.get(at)).status, 403)
  assert.equal(refusal(await clerk.delete(`${at}/${second.body.id}`)), '403 FORBIDDEN')
  assert.deepEqual((await clerk.delete(`${at}/${made.body.id}`)).body, { success: true })
  assert.equal(refusal(await clerk.delete(`${at}/${made.body.id}`)), '404 NOT_FOUND')
  assert.equal((await shop.admin.delete(`${at}/${second.body.id}`)).status, 200)
  assert.equal(refusal(await clerk.post(`${shop.path}/usr_nobody/comments`, { text: 'No.' })), '404 NOT_FOUND')
})

test('a guest who becomes an account is one customer with it', async () => {
  const worker = startTestWorker(used.api.databases.env, jobs)
  try {
    const people = createPeople(used.api)
    const shop = await open()
    const [gift, person, guest] = [await shop.priced(0), await people.person(), await used.make.guest()]
    await shop.sell(person.id, { shippingAddress: HAMBURG })
    const bought = await shop.checkout(guest, { items: [item(gift)], email: 'guest@example.com' })
    assert.equal(bought.status, 200, bought.text)
    await shop.follow()
    assert.equal((await shop.get()).items.length, 2)
    await shop.admin.put(`${shop.path}/${guest.id}`, { tags: ['gift'] })
    await shop.admin.put(`${shop.path}/${person.id}`, { tags: ['vip'] })
    const said = await shop.admin.post(`${shop.path}/${guest.id}/comments`, { text: 'Bought a gift.' })

    await people.login(person.email, PASSWORD, used.api.url, { authorization: `Bearer ${guest.token}` })
    await until('they are one', async () => (await shop.get()).items.length === 1)
    const found = await shop.customer(guest.id)
    assert.deepEqual(
      [found.id, found.name, found.email, found.orders, found.tags, found.isGuest],
      [person.id, 'Ada Lovelace', 'guest@example.com', 2, ['gift', 'vip'], false],
    )
    assert.deepEqual(found.spent, [{ currency: 'USD', amount: 1_000, orders: 2 }])
    assert.deepEqual(await shop.names('query=guest@'), ['Ada Lovelace'])
    assert.deepEqual(await shop.names('tag=gift'), ['Ada Lovelace'])
    assert.deepEqual((await shop.admin.get(`${shop.path}/${person.id}/comments`)).body.items, [
      { ...said.body, customerId: person.id },
    ])
    await holds(shop)
    // Whatever comes of the guest's orders later is the user's.
    await shop.admin.put(`${shop.orders}/${bought.body.orderId}/status`, { status: 'SHIPPED' })
    await shop.sell(guest.id)
    await shop.follow()
    assert.equal((await shop.customer(person.id)).orders, 3)
    assert.equal((await shop.get()).items.length, 1)
    await holds(shop)
  } finally {
    await worker.stop()
  }
})

test('a deleted account leaves sums only, also for what the worker sees later', async () => {
  const worker = startTestWorker(used.api.databases.env, jobs)
  try {
    const people = createPeople(used.api)
    const [shop, late] = [await open(), await open()]
    const person = await people.person()
    const gift = await shop.priced(0)
    const caller = await people.session(person.email)
    const order = await shop.checkout(caller, { items: [item(gift)], shippingAddress: HAMBURG })
    assert.equal(order.status, 200, order.text)
    await shop.follow()
    await shop.admin.put(`${shop.path}/${person.id}`, { tags: ['vip'] })
    await shop.admin.post(`${shop.path}/${person.id}/comments`, { text: 'Likes lanterns.' })
    await late.checkout(caller, { items: [item(await late.priced(0))], shippingAddress: HAMBURG })

    assert.equal((await caller.delete('/v1/users/me')).status, 200)
    await until('the cells have heard of it', async () => (await shop.customer(person.id)).isErased)
    await until('all of them', async () => (await late.admin.get(`${late.path}/${person.id}`)).status === 200)
    await shop.admin.put(`${shop.orders}/${order.body.orderId}/status`, { status: 'SHIPPED' })
    await Promise.all([shop.follow(), late.follow()])
    for (const here of [shop, late]) {
      const { name, email, phones, addresses, tags, orders } = await here.customer(person.id)
      assert.deepEqual([name, email, phones, addresses, tags, orders], [null, null, [], [], [], 1])
      assert.deepEqual(await here.names('query=ada'), [])
      await holds(here)
    }
    assert.deepEqual((await shop.get('tag=vip')).items, [])
    assert.deepEqual((await shop.admin.get(`${shop.path}/${person.id}/comments`)).body.items, [])
    assert.equal(
      refusal(await shop.admin.put(`${shop.path}/${person.id}`, { tags: ['vip'] })),
      '409 CONFLICT userId WRONG_STATE',
    )
    const { rows } = await sql`
      select from customers.words where business_id in (${shop.id}, ${late.id}) and user_id = ${person.id}`.execute(
      shop.db,
    )
    assert.equal(rows.length, 0)
  } finally {
    await worker.stop()
  }
})

test('exports are streamed, safe for spreadsheets, and noted', async () => {
  const shop = await open()
  const [ada, bob] = [await used.make.user(), await used.make.user()]
  await shop.sell(ada.id, { shippingAddress: { ...HAMBURG, name: '=cmd()' }, contactEmail: 'ada@example.com' })
  await shop.sell(bob.id, { shippingAddress: { name: 'Bob', country: 'DE' } })
  await shop.follow()
  const csv = await shop.admin.get(`${shop.path}/export`)
  assert.equal(csv.status, 200, csv.text)
  const [head, ...lines] = csv.text.trim().split('\n')
  assert.match(head ?? '', /^customerId,name,email,/)
  assert.equal(lines.length, 2)
  assert.match(csv.text, /,'=cmd\(\),ada@example\.com,/)
  const ndjson = await shop.admin.get(`${shop.path}/export?format=ndjson&query=bob`)
  assert.deepEqual(
    ndjson.text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Customer).name),
    ['Bob'],
  )

  await shop.admin.post(`${shop.path}/${ada.id}/comments`, { text: 'Hello.' })
  const whole = await shop.admin.get(`${shop.path}/${ada.id}/export`)
  assert.equal(whole.status, 200, whole.text)
  assert.deepEqual(Object.keys(whole.body), ['customer', 'guestIds', 'comments', 'subscriptions', 'orders'])
  assert.deepEqual([whole.body.customer.id, whole.body.comments.length, whole.body.orders.length], [ada.id, 1, 1])
  assert.equal(whole.body.orders[0].contactEmail, 'ada@example.com')
  const reader = await used.make.member(shop.id, 'ORDERS_READ')
  assert.equal((await reader.get(`${shop.path}/${ada.id}/export`)).status, 403)
  assert.equal((await reader.get(`${shop.path}/export`)).status, 200)
  const { rows } = await sql<{ action: string; data: object }>`
    select action, data from access.audit_log where business_id = ${shop.id} and action like 'customer%' order by occurred_at`.execute(
    used.api.services.databases.control,
  )
  assert.deepEqual(
    rows.map(({ action, data }) => [action, data]),
    [
      ['customers.exported', { format: 'csv' }],
      ['customers.exported', { format: 'ndjson', query: 'bob' }],
      ['customer.exported', {}],
      ['customers.exported', { format: 'csv' }],
    ],
  )
})

test('without ORDERS_READ there is nothing to see', async () => {
  const shop = await open()
  const stranger = await used.make.user()
  const anybody = createClient(used.api.url)
  for (const at of [shop.path, `${shop.path}/export`, `${shop.path}/${stranger.id}`]) {
    assert.equal((await stranger.get(at)).status, 403)
    assert.equal((await anybody.get(at)).status, 401)
  }
})
