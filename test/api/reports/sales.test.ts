import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { assertError } from '../../support/assert-error.ts'
import { openReports } from '../../support/reports.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const open = (timeZone?: string) => openReports(used.api, used.make, timeZone)
const seconds = (at: string) => Date.parse(at) / 1_000

test('sales are added up by day, with the list of exactly the orders behind each row', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sellAt(ada.id, '2026-03-02T10:07:00Z', {}, 2)
  await shop.sellAt(ada.id, '2026-03-02T23:59:59Z')
  await shop.sellAt(ada.id, '2026-03-03T00:00:00Z')
  await shop.sellAt(ada.id, '2026-03-03T01:00:00Z', { paymentStatus: [{ status: 'PENDING' }] })
  await shop.follow()
  const { items, upToEvent } = await shop.report('sales', {
    from: seconds('2026-03-02T00:00:00Z'),
    to: seconds('2026-03-04T00:00:00Z'),
  })
  assert.ok(upToEvent >= 4)
  assert.deepEqual(
    items.map((row: { orderQuery?: string }) => {
      const { orderQuery, ...figures } = row
      assert.ok(orderQuery)
      return figures
    }),
    [
      {
        from: seconds('2026-03-02T00:00:00Z'),
        to: seconds('2026-03-03T00:00:00Z'),
        market: 'us',
        currency: 'USD',
        orders: 2,
        units: 3,
        subtotal: 3_000,
        discount: 0,
        shipping: 0,
        tax: 0,
        total: 3_000,
        refunded: 0,
        net: 3_000,
      },
      {
        from: seconds('2026-03-03T00:00:00Z'),
        to: seconds('2026-03-04T00:00:00Z'),
        market: 'us',
        currency: 'USD',
        orders: 1,
        units: 1,
        subtotal: 1_000,
        discount: 0,
        shipping: 0,
        tax: 0,
        total: 1_000,
        refunded: 0,
        net: 1_000,
      },
    ],
  )
  for (const row of items) {
    const orders = await shop.listed(row.orderQuery)
    assert.equal(orders.length, row.orders)
    assert.equal(
      orders.reduce((sum, { total }) => sum + total, 0),
      row.total,
    )
  }
})

test('customers are new with their first paid order, products and promo codes have their share', async () => {
  const shop = await open()
  const [ada, bob] = [await used.make.user(), await used.make.user()]
  const second = await shop.sellAt(ada.id, '2026-03-02T09:00:00Z')
  await shop.sellAt(ada.id, '2026-03-02T10:00:00Z', {}, 2)
  await shop.sellAt(bob.id, '2026-03-02T11:00:00Z')
  await shop.follow()
  const range = { from: seconds('2026-03-02T00:00:00Z'), to: seconds('2026-03-03T00:00:00Z') }
  const kinds = async () => {
    const { items } = await shop.report('customers', range)
    for (const row of items) assert.equal((await shop.listed(row.orderQuery)).length, row.orders)
    return items.map((row: { customer: string; orders: number; total: number }) => [
      row.customer,
      row.orders,
      row.total,
    ])
  }
  assert.deepEqual(await kinds(), [
    ['NEW', 2, 2_000],
    ['RETURNING', 1, 2_000],
  ])
  const failed = await shop.admin.put(`${shop.orders}/${second.id}/payment-status`, { status: 'FAILED' })
  if (failed.status !== 200)
    await sql`
      update orders.orders set payment_status = 'FAILED', version = version + 1
       where business_id = ${shop.id} and id = ${second.id}`.execute(shop.db)
  await sql`
    insert into cell.followed (topic, business_id, subject) values ('reports-orders', ${shop.id}, ${second.id})`.execute(
    shop.db,
  )
  await shop.follow()
  assert.deepEqual(await kinds(), [['NEW', 2, 3_000]])
  const { items } = await shop.report('products', { ...range, compare: 'previous' })
  assert.equal(items.length, 1)
  assert.equal(items[0].units, 3)
  assert.equal(items[0].orders, 2)
  assert.equal(items[0].net, 3_000)
  assert.equal(items[0].previous.orders, 0)
  assert.equal((await shop.listed(items[0].orderQuery)).length, 2)
  assert.deepEqual((await shop.report('promo-codes', range)).items, [])
  const home = await shop.report('home')
  assert.deepEqual(home.today, [])
  assert.deepEqual(
    home.needsPerson.map(({ task }: { task: string }) => task),
    ['ORDERS_TO_SHIP'].slice(0, home.needsPerson.length),
  )
  assert.deepEqual((await shop.report('subscribers', range)).items, [])
})

test('more intervals than can be answered are refused, and so is a time that ends before it begins', async () => {
  const shop = await open()
  const ask = (query: string) => shop.admin.get(`${shop.base}/reports/sales?${query}`)
  assertError(await ask('from=1700000000&to=1740000000&interval=hour'), 422, 'VALIDATION_FAILED')
  assertError(await ask('from=1700000000&to=1600000000'), 422, 'VALIDATION_FAILED')
  assertError(await ask('from=0&to=1740000000&interval=month'), 422, 'VALIDATION_FAILED')
})

test('home ranks what sells in one currency, the one of most orders', async () => {
  const shop = await open()
  const ada = await used.make.user()
  for (let count = 0; count < 2; count++) await shop.sell(ada.id)
  const one = await shop.sell(ada.id, {}, 900)
  await sql`
    update orders.orders set currency = 'JPY', version = version + 1
     where business_id = ${shop.id} and id = ${one.id}`.execute(shop.db)
  await shop.follow()
  const { selling } = await shop.report('home')
  assert.deepEqual(
    selling.map(({ currency, units }: { currency: string; units: number }) => [currency, units]),
    [['USD', 2]],
  )
})

test('home is for whoever may see a part of it, and tells them no more than that', async () => {
  const shop = await open()
  const ada = await used.make.user()
  await shop.sell(ada.id, {}, 2)
  await shop.follow()
  const file = await shop.admin.send('POST', `${shop.base}/products/imports`, {
    headers: { 'content-type': 'application/x-ndjson' },
    raw: '{"name":""}',
  })
  assert.equal(file.status, 201, file.text)
  await sql`
    update catalog.imports set status = 'DONE', failed = 1, finished_at = now()
     where business_id = ${shop.id} and id = ${file.body.id}`.execute(shop.db)
  const homeOf = async (permission: 'ORDERS_READ' | 'PRODUCTS_WRITE' | 'SUBSCRIBERS_READ' | 'PROMOS_WRITE') => {
    const person = await used.make.member(shop.id, permission)
    return person.get(`${shop.base}/reports/home`)
  }
  const [seller, keeper, writer] = [
    await homeOf('ORDERS_READ'),
    await homeOf('PRODUCTS_WRITE'),
    await homeOf('SUBSCRIBERS_READ'),
  ]
  const tasks = ({ body }: typeof seller) => body.needsPerson.map(({ task }: { task: string }) => task)
  assert.equal(seller.body.today[0].orders, 1)
  assert.equal(seller.body.selling.length, 1)
  assert.ok(!tasks(seller).includes('IMPORTS_INCOMPLETE'))
  for (const { status, body } of [keeper, writer]) {
    assert.equal(status, 200)
    assert.deepEqual([body.today, body.selling], [[], []])
  }
  assert.deepEqual([tasks(keeper), tasks(writer)], [['IMPORTS_INCOMPLETE'], []])
  assertError(await homeOf('PROMOS_WRITE'), 403, 'FORBIDDEN')
})
