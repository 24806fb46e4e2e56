import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { verify } from '#apps/verify.ts'
import type { Db } from '#platform/database/database.ts'
import { openCustomers } from '../../support/customers.ts'
import { refusal } from '../../support/refusal.ts'
import { item } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const EMAIL = 'zebulon@quixotry.example'
const SAID = [EMAIL, 'zebulon', 'quixotry', 'unicorn alley', '5550199', 'leave it with the griffin', 'has a griffin']
const CONTACT = {
  contactEmail: EMAIL,
  phone: '+1 555 5550199',
  customerNote: 'Leave it with the griffin.',
  shippingAddress: { name: 'Zebulon Quixotry', street: 'Unicorn Alley 99', city: 'Portland', country: 'US' },
  billingAddress: { name: 'Z. Quixotry', street: 'Unicorn Alley 99', city: 'Portland', country: 'US' },
  blocks: [{ id: 'name', type: 'TEXT', value: 'Zebulon Quixotry' }],
}

/** Every row of the cell, as text: in which tables any of this is said. */
async function saidIn(db: Db, texts = SAID): Promise<string[]> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name
      from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
     order by 1, 2`.execute(db)
  assert.ok(tables.length > 40, 'all tables are looked at')
  const patterns = texts.map((text) => `%${text}%`)
  const found = await Promise.all(
    tables.map(async ({ schema, name }) => {
      const { rows } = await sql<{ rows: number }>`
        select count(*)::int as rows from ${sql.table(`${schema}.${name}`)} as row where row::text ilike any (${patterns})`.execute(
        db,
      )
      return rows[0]?.rows ? [`${schema}.${name} ${rows[0].rows}`] : []
    }),
  )
  return found.flat()
}

async function open() {
  const shop = await openCustomers(used.api, used.make)
  const buyer = await used.make.customer(shop.id)
  const at = `${shop.path}/${buyer.id}`
  const delivered = { statuses: [{ status: 'DELIVERED' }] }
  const over = await shop.sell(buyer.id, { ...CONTACT, ...delivered }, 2)
  return { ...shop, buyer, at, over, delivered, erase: () => shop.admin.post(`${at}/erase`, {}) }
}

test('after a customer is erased, nothing in the cell says who they were; money, lines and sums stay', async () => {
  const { admin, at, over, orders, follow, erase, customer, buyer, db, id } = await open()
  await follow()
  assert.equal((await admin.put(at, { tags: ['has a griffin'] })).status, 200)
  assert.equal((await admin.post(`${at}/comments`, { text: 'Zebulon has a griffin.' })).status, 201)
  assert.equal((await admin.post(`${orders}/${over.id}/comments`, { text: 'Zebulon called.' })).status, 201)
  await follow()
  const before = (await admin.get(`${orders}/${over.id}`)).body
  assert.ok((await saidIn(db)).length >= 6, 'it is found where it is')

  const answer = await erase()
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body, { id: buyer.id, erasedOrders: 1, keptOrders: [], isComplete: true })
  await follow()
  assert.deepEqual(await saidIn(db), [])

  const { body } = await admin.get(`${orders}/${over.id}`)
  const gone = { contactEmail: null, phone: null, customerNote: null, shippingAddress: null, billingAddress: null }
  assert.deepEqual(body, { ...before, ...gone, blocks: [], updatedAt: body.updatedAt })
  const left = await customer(buyer.id)
  assert.deepEqual(
    [left.isErased, left.name, left.email, left.addresses, left.tags, left.orders, left.spent[0].amount],
    [true, null, null, [], [], 1, 2_000],
  )
  assert.equal(refusal(await admin.put(at, { tags: ['again'] })), '409 CONFLICT userId WRONG_STATE')
  assert.deepEqual((await admin.get(`${orders}?query=zebulon`)).body.items, [])
  const { body: audit } = await admin.get(`/v1/businesses/${id}/audit?limit=5`)
  assert.ok(
    audit.items.some(
      (entry: { action: string; subject: string }) => entry.action === 'customer.erased' && entry.subject === buyer.id,
    ),
  )
  assert.ok((await verify(db, id)).every(({ violations }) => violations.length === 0))
  const again = await erase()
  assert.deepEqual([again.status, again.body.erasedOrders], [200, 0])
})

test('an order in work keeps what is needed and is named; a later call does the rest', async () => {
  const { admin, orders, sell, follow, erase, buyer, db } = await open()
  const work = await sell(buyer.id, { ...CONTACT, statuses: [{ status: 'PROCESSING' }] })
  await follow()
  const { number } = (await admin.get(`${orders}/${work.id}`)).body
  const first = await erase()
  assert.deepEqual(first.body, {
    id: buyer.id,
    erasedOrders: 1,
    keptOrders: [{ id: work.id, number, status: 'PROCESSING' }],
    isComplete: false,
  })
  await follow()
  const kept = await saidIn(db)
  assert.deepEqual(
    kept.map((place) => place.split(' ')[0]),
    ['orders.orders', 'orders.search', 'orders.words'],
  )
  assert.equal(kept[0], 'orders.orders 1')

  const sent = await admin.put(`${orders}/${work.id}/status`, { status: 'DELIVERED' })
  assert.equal(sent.status, 200, sent.text)
  await follow()
  assert.deepEqual((await erase()).body, { id: buyer.id, erasedOrders: 1, keptOrders: [], isComplete: true })
  await follow()
  assert.deepEqual(await saidIn(db), [])
})

test('a call erases a thousand orders at most, and the next ones the rest', async () => {
  const { erase, db, id, over, buyer, follow } = await open()
  await follow()
  await sql`
    insert into orders.orders
    select (jsonb_populate_record(orders, jsonb_build_object(
             'id', 'ord_more' || lpad(n::text, 5, '0'), 'number', 'MORE-' || n))).*
      from orders.orders, generate_series(1, 1500) n
     where business_id = ${id} and id = ${over.id}`.execute(db)
  const answers = [await erase(), await erase(), await erase()]
  assert.deepEqual(
    answers.map(({ body }) => body),
    [
      { id: buyer.id, erasedOrders: 1_000, keptOrders: [], isComplete: false },
      { id: buyer.id, erasedOrders: 501, keptOrders: [], isComplete: true },
      { id: buyer.id, erasedOrders: 0, keptOrders: [], isComplete: true },
    ],
  )
})

test('uses of a promo code stay counted, under a name that says nothing', async () => {
  const { promo, over, erase, db, id, follow } = await open()
  await follow()
  const { id: promoId, code } = await promo()
  await sql`
    update orders.orders set promo_id = ${promoId}, promo_code = ${code}, promo_customer = ${EMAIL} where id = ${over.id}`.execute(
    db,
  )
  await sql`insert into catalog.promo_customers values (${id}, ${promoId}, ${EMAIL}, 1)`.execute(db)
  await sql`update catalog.promo_codes set redemptions = 1 where id = ${promoId}`.execute(db)
  await sql`
    insert into payments.events (business_id, id, type, subject, body, received_at, applied_at)
    values (${id}, 'evt_1', 'x', ${`order:${over.id}`}, ${`{"id":"cs_erase","email":"${EMAIL}"}`}, now(), now()),
           (${id}, 'evt_2', 'x', 'order:ord_other', '{"id":"cs_other","email":"other@example.com"}', now(), now())`.execute(
    db,
  )
  await sql`
    insert into payments.payments (business_id, id, subject, attempt, status, amount, currency, email, page_id, checked_at, expires_at, created_at, updated_at)
    values (${id}, 'pay_erase', ${`order:${over.id}`}, 1, 'PAID', 2000, 'USD', ${EMAIL}, 'cs_erase', now(), now(), now(), now())`.execute(
    db,
  )
  assert.equal((await erase()).status, 200)
  const counted = await db
    .selectFrom('catalog.promoCustomers')
    .select(['customer', 'redemptions'])
    .where('promoId', '=', promoId)
    .execute()
  assert.equal(counted.length, 1)
  assert.match(counted[0]?.customer ?? '', /^erased:/)
  assert.equal(counted[0]?.redemptions, 1)
  const broken = (await verify(db, id)).filter(({ check }) => check.includes('promo code'))
  assert.ok(broken.every(({ violations }) => violations.length === 0))
  const { rows } = await sql<{
    body: string
  }>`select body from payments.events where business_id = ${id} order by id`.execute(db)
  assert.deepEqual(
    rows.map(({ body }) => body.length > 2),
    [false, true],
  )
})

test('of a guest whom the business has made up control keeps nothing, of an account everything', async () => {
  const { admin, orders, goods, follow, path, db, erase, buyer } = await open()
  const { control } = used.api.services.databases
  const made = await admin.post(orders, {
    customer: { email: EMAIL, name: 'Zebulon Quixotry' },
    market: 'us',
    lines: [{ ...item(goods), unitPrice: 1_000, totalPrice: 1_000 }],
    subtotal: 1_000,
    tax: 0,
    shipping: 0,
    total: 1_000,
    statuses: [{ status: 'DELIVERED' }],
  })
  assert.equal(made.status, 201, made.text)
  await follow()
  const userOf = (userId: string) =>
    control.selectFrom('accounts.users').select(['name', 'email']).where('id', '=', userId).executeTakeFirstOrThrow()
  assert.equal((await userOf(made.body.customerId)).email, EMAIL)
  assert.equal((await admin.post(`${path}/${made.body.customerId}/erase`, {})).status, 200)
  assert.deepEqual(await userOf(made.body.customerId), { name: '', email: null })
  const before = await userOf(buyer.id)
  assert.equal((await erase()).status, 200)
  assert.deepEqual(await userOf(buyer.id), before)
  await follow()
  // The job that makes the guest, for a process that dies before it could, is done within seconds by the worker.
  const said = (await saidIn(db, [EMAIL])).filter((place) => !place.startsWith('graphile_worker'))
  assert.deepEqual(said, [])
})

test('only an ADMIN erases, in the own business, and somebody who is there', async () => {
  const { id, at, path, follow } = await open()
  await follow()
  const clerk = await used.make.member(id, 'ORDERS_READ', 'ORDERS_WRITE')
  assert.equal((await clerk.post(`${at}/erase`, {})).status, 403)
  const there = await openCustomers(used.api, used.make)
  assert.equal((await there.admin.post(`${at}/erase`, {})).status, 403)
  const here = await used.make.member(id, 'ADMIN')
  assert.equal(refusal(await here.post(`${path}/usr_nobody/erase`, {})), '404 NOT_FOUND')
})
