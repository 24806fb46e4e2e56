import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { syncPage } from '../../../src/modules/checkout/payment-page.ts'
import { holdClock } from '../../support/clock.ts'
import { openCounter, quiet } from '../../support/counter.ts'
import { useTill } from '../../support/payments.ts'
import { refusal } from '../../support/refusal.ts'

const till = useTill()

test('an order whose account is gone ends all the same, an hour later, and gives its stock back', async (t) => {
  const counter = await openCounter(till, { quantity: 5 })
  const order = await counter.buy({ quantity: 5 })
  await sql`update payments.payments set account = 'acct_gone' where subject = ${`order:${order.id}`}`.execute(
    counter.db,
  )
  const clock = holdClock()
  t.after(() => clock.release())
  clock.advance(3_700)
  await till.sweep(counter.db)
  assert.equal(await order.state(), 'CANCELLED/FAILED')
  assert.equal(await counter.stock(), 5)
})

test('a key that is bound to one business neither sees orders of another nor orders there', async () => {
  const counter = await openCounter(till)
  const user = await till.make.user()
  const other = await till.make.business({ owner: user })
  const order = await counter.buy({ shopper: user })
  const key = await till.make.apiKey(user.id, other.id)
  assert.deepEqual((await key.get(`${counter.shop.path}/orders`)).body.items, [])
  assert.equal(refusal(await key.get(order.path)), '404 NOT_FOUND')
  const items = [{ productId: counter.product.id, variantId: 'one', quantity: 1 }]
  assert.equal(
    refusal(await key.post(`${counter.shop.path}/orders/checkout`, { market: 'us', items })),
    '403 FORBIDDEN',
  )
})

test('who sends no key is not taken for somebody whose key is the word undefined', async () => {
  const counter = await openCounter(till)
  const user = await till.make.user()
  const body = { market: 'us', items: [{ productId: counter.product.id, variantId: 'one', quantity: 1 }] }
  const keys = [undefined, 'undefined', undefined, undefined, undefined]
  const answers = await Promise.all(
    keys.map((key) => user.post(`${counter.shop.path}/orders/checkout`, body, key ? { 'idempotency-key': key } : {})),
  )
  assert.equal(new Set(answers.map((answer) => answer.body.orderId)).size, keys.length)
})

test('an order that was set REFUNDED by hand can no longer be paid', async () => {
  const counter = await openCounter(till)
  const order = await counter.buy()
  assert.equal((await counter.owner.put(`${order.path}/status`, { status: 'REFUNDED' })).status, 200)
  assert.throws(() => till.twin.pay(order.pageId))
})

test('a name that is cut for the payment page is not cut in the middle of a letter', async () => {
  const counter = await openCounter(till)
  const pricing = { markets: [{ marketId: 'us', price: 1_000 }] }
  for (const pad of ['', 'b']) {
    const variant = { id: 'one', name: `${pad}${'😀'.repeat(90)}`, pricing, inventory: { quantity: 5 } }
    const product = await till.make.product(counter.shop, { name: 'a'.repeat(180), variants: [variant] })
    const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
    const guest = await till.make.guest()
    const answer = await guest.post(`${counter.shop.path}/orders/checkout`, { market: 'us', items })
    assert.equal(answer.status, 200, answer.text)
  }
})

test('an order can be given to somebody who has used the same key', async () => {
  const counter = await openCounter(till)
  const [ada, bo] = [await till.make.user(), await till.make.user()]
  const order = await counter.buy({ shopper: ada, key: 'k1' })
  await counter.buy({ shopper: bo, key: 'k1' })
  await counter.owner.put(`${order.path}/status`, { status: 'PROCESSING' })
  till.twin.expire(order.pageId)
  await quiet(till, counter.db)
  const given = await counter.owner.put(`${counter.shop.path}/orders/update`, { id: order.id, customerId: bo.id })
  assert.equal(given.status, 200, given.text)
  assert.equal(given.body.customerId, bo.id)
})

test('money that was refunded before we heard of it does not keep us from settling', async (t) => {
  const counter = await openCounter(till)
  const order = await counter.buy()
  await sql`update payments.payments set status = 'ENDED' where subject = ${`order:${order.id}`}`.execute(counter.db)
  await counter.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
  till.twin.mischief({ drop: 1 })
  t.after(() => till.twin.mischief())
  till.twin.pay(order.pageId)
  till.twin.refund(order.intentId())
  await syncPage(till.context, counter.db, await order.payment())
  assert.equal(await order.state(), 'CANCELLED/REFUNDED')
})
