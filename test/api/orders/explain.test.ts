import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { item, market, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

async function open() {
  const shop = await openShop(used.make)
  const mug = await shop.product()
  await shop.promo({ code: 'QUARTER', value: 2_500 })
  await shop.configure({
    markets: [
      market({ taxShipping: true, shippingMethods: [{ id: 'post', name: 'Post', price: 490, freeFrom: 9_000 }] }),
    ],
  })
  const guest = await used.make.guest()
  const { orderId, path } = await shop.buy(guest, {
    items: [item(mug, 3)],
    promoCode: 'QUARTER',
    shippingMethodId: 'post',
  })
  return { ...shop, mug, guest, orderId, path, explain: () => shop.admin.get(`${path}/explain`) }
}

test('an order’s figures are explained step by step', async () => {
  const { explain, mug, orderId, order } = await open()
  const { status, body, text } = await explain()
  assert.equal(status, 200, text)
  assert.deepEqual(body, {
    orderId,
    isByHand: false,
    addsUp: true,
    steps: [
      { rule: `line ${mug.id}/one`, base: 1_000, rate: 3, result: 3_000 },
      { rule: 'promo QUARTER, basis points', base: 3_000, rate: 2_500, result: 750 },
      { rule: 'shipping post', base: 2_250, result: 490 },
      { rule: 'tax, basis points', base: 2_740, rate: 1_000, result: 274 },
      { rule: 'total', base: 3_000, result: 3_014 },
    ],
    differences: [],
  })
  assert.equal((await order(orderId)).total, 3_014)
})

test('it is explained by what was true when it was ordered, whatever has changed since', async () => {
  const { explain, admin, mug, configure } = await open()
  const before = await explain()
  await configure({ markets: [market({ taxBps: 2_500 })] })
  await admin.delete(mug.path)
  assert.deepEqual((await explain()).body, before.body)
})

test('a figure that was changed behind the service’s back is found', async () => {
  const { explain, db, id, orderId } = await open()
  await db
    .updateTable('orders.orders')
    .set({ tax: 264, total: 3_004 })
    .where((order) => order.and({ businessId: id, id: orderId }))
    .execute()
  const { body } = await explain()
  assert.equal(body.addsUp, false)
  assert.deepEqual(body.differences, [
    { field: 'tax', order: 264, computed: 274 },
    { field: 'total', order: 3_004, computed: 3_014 },
  ])
})

test('a line that was changed behind the service’s back is found', async () => {
  const { explain, db, id, orderId } = await open()
  const where = { businessId: id, id: orderId }
  const row = await db
    .selectFrom('orders.orders')
    .select('lines')
    .where((order) => order.and(where))
    .executeTakeFirstOrThrow()
  const lines = (row.lines as { quantity: number }[]).map((line) => ({ ...line, quantity: 30 }))
  await db
    .updateTable('orders.orders')
    .set({ lines: JSON.stringify(lines) })
    .where((order) => order.and(where))
    .execute()
  const { body } = await explain()
  assert.deepEqual([body.addsUp, body.differences], [false, [{ field: 'lines.0.quantity', order: 30, computed: 3 }]])
})

test('a free order is explained too; of one made by hand the sums are', async () => {
  const { checkout, admin, orders, guest, priced } = await open()
  const gift = await priced(0)
  const { body } = await checkout(guest, { items: [item(gift)], shippingMethodId: 'post', promoCode: 'QUARTER' })
  assert.ok(body.checkoutUrl, 'shipping costs')
  assert.equal((await admin.get(`${orders}/${body.orderId}/explain`)).body.addsUp, true)
  const line = { ...item(gift), unitPrice: 5, totalPrice: 5 }
  const byHand = await admin.post(orders, {
    customerId: guest.id,
    market: 'us',
    lines: [line],
    subtotal: 5,
    tax: 0,
    shipping: 0,
    total: 5,
  })
  assert.deepEqual((await admin.get(`${orders}/${byHand.body.id}/explain`)).body, {
    orderId: byHand.body.id,
    isByHand: true,
    addsUp: true,
    steps: [
      { rule: `line ${gift.id}/one`, base: 5, rate: 1, result: 5 },
      { rule: 'discount', base: 5, result: 0 },
      { rule: 'shipping', base: 5, result: 0 },
      { rule: 'tax', base: 5, result: 0 },
      { rule: 'total', base: 5, result: 5 },
    ],
    differences: [],
  })
})

test('explanations are for ORDERS_READ', async () => {
  const { path, guest, id, orders, orderId, explain } = await open()
  const other = await openShop(used.make)
  for (const caller of [guest, other.admin, await used.make.member(id, 'PRODUCTS_WRITE')]) {
    assert.equal(refusal(await caller.get(`${path}/explain`)), '403 FORBIDDEN')
  }
  assert.equal(refusal(await other.admin.get(`${other.orders}/${orderId}/explain`)), '404 NOT_FOUND')
  assert.equal(
    refusal(await (await used.make.member(id, 'ORDERS_READ')).get(`${orders}/ord_none/explain`)),
    '404 NOT_FOUND',
  )
  assert.equal((await explain()).status, 200)
})
