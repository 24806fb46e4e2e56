import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { syncPayment } from '#modules/payments/index.ts'
import { holdClock } from '../../support/clock.ts'
import { openPaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'], own: true })

test('an order whose account is gone ends all the same, an hour later, and gives its stock back', async (t) => {
  const paidShop = await openPaidShop(service, { quantity: 5 })
  const order = await paidShop.buy({ quantity: 5 })
  await sql`update payments.payments set account = 'acct_gone' where subject = ${`order:${order.id}`}`.execute(
    paidShop.db,
  )
  const clock = holdClock()
  t.after(() => clock.release())
  clock.advance(3_700)
  await service.sweep(paidShop.db)
  assert.equal(await order.state(), 'CANCELLED/FAILED')
  assert.equal(await paidShop.stock(), 5)
})

test('a key that is bound to one business neither sees orders of another nor orders there', async () => {
  const paidShop = await openPaidShop(service)
  const user = await service.make.user()
  const other = await service.make.business({ owner: user })
  const order = await paidShop.buy({ shopper: user })
  const key = await service.make.apiKey(user.id, other.id)
  assert.deepEqual((await key.get(`${paidShop.shop.path}/orders`)).body.items, [])
  assert.equal(refusal(await key.get(order.path)), '404 NOT_FOUND')
  const items = [{ productId: paidShop.product.id, variantId: 'one', quantity: 1 }]
  assert.equal(
    refusal(await key.post(`${paidShop.shop.path}/orders/checkout`, { market: 'us', items })),
    '403 FORBIDDEN',
  )
})

test('who sends no key is not taken for somebody whose key is the word undefined', async () => {
  const paidShop = await openPaidShop(service)
  const user = await service.make.user()
  const body = { market: 'us', items: [{ productId: paidShop.product.id, variantId: 'one', quantity: 1 }] }
  const keys = [undefined, 'undefined', undefined, undefined, undefined]
  const answers = await Promise.all(
    keys.map((key) => user.post(`${paidShop.shop.path}/orders/checkout`, body, key ? { 'idempotency-key': key } : {})),
  )
  assert.equal(new Set(answers.map((answer) => answer.body.orderId)).size, keys.length)
})

test('an order that was set REFUNDED by hand can no longer be paid', async () => {
  const paidShop = await openPaidShop(service)
  const order = await paidShop.buy()
  assert.equal((await paidShop.owner.put(`${order.path}/status`, { status: 'REFUNDED' })).status, 200)
  assert.throws(() => service.twin.pay(order.pageId))
})

test('a name that is cut for the payment page is not cut in the middle of a letter', async () => {
  const paidShop = await openPaidShop(service)
  const pricing = { markets: [{ marketId: 'us', price: 1_000 }] }
  for (const pad of ['', 'b']) {
    const variant = { id: 'one', name: `${pad}${'😀'.repeat(90)}`, pricing, inventory: { quantity: 5 } }
    const product = await service.make.product(paidShop.shop, { name: 'a'.repeat(180), variants: [variant] })
    const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
    const guest = await service.make.guest()
    const answer = await guest.post(`${paidShop.shop.path}/orders/checkout`, { market: 'us', items })
    assert.equal(answer.status, 200, answer.text)
  }
})

test('an order can be given to somebody who has used the same key', async () => {
  const paidShop = await openPaidShop(service)
  const [ada, bo] = [await service.make.user(), await service.make.user()]
  const order = await paidShop.buy({ shopper: ada, key: 'k1' })
  await paidShop.buy({ shopper: bo, key: 'k1' })
  await paidShop.owner.put(`${order.path}/status`, { status: 'PROCESSING' })
  service.twin.expire(order.pageId)
  await waitUntilIdle(service, paidShop.db)
  const given = await paidShop.owner.put(`${paidShop.shop.path}/orders/update`, { id: order.id, customerId: bo.id })
  assert.equal(given.status, 200, given.text)
  assert.equal(given.body.customerId, bo.id)
})

test('money that was refunded before we heard of it does not keep us from settling', async (t) => {
  const paidShop = await openPaidShop(service)
  const order = await paidShop.buy()
  await sql`update payments.payments set status = 'ENDED' where subject = ${`order:${order.id}`}`.execute(paidShop.db)
  await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
  service.twin.mischief({ drop: 1 })
  t.after(() => service.twin.mischief())
  service.twin.pay(order.pageId)
  service.twin.refund(order.intentId())
  await syncPayment(service.context, paidShop.db, await order.payment())
  assert.equal(await order.state(), 'CANCELLED/REFUNDED')
})
