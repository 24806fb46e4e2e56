import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import { findPayment, newPayments, notePage, takeSilent } from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { write } from '#platform/database/write.ts'
import { holdClock } from '../../support/clock.ts'
import { connect, faultsIn, openCounter, quiet } from '../../support/counter.ts'
import { useTill } from '../../support/payments.ts'

const till = useTill()
after(() => assert.deepEqual(faultsIn(till.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  till.twin.mischief({ drop: 1 })
})
afterEach(() => clock.release())

const reads = (pageId: string) =>
  till.twin.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(pageId)).length

test('of a page that was paid in silence, the provider is asked after five minutes', async () => {
  const counter = await openCounter(till)
  const order = await counter.buy()
  till.twin.pay(order.pageId, { email: 'silent@example.com' })
  clock.advance(299)
  await till.sweep(counter.db)
  assert.deepEqual([await order.state(), reads(order.pageId)], ['PENDING/PENDING', 0])
  clock.advance(2)
  await till.sweep(counter.db)
  await quiet(till, counter.db)

  assert.equal(await order.state(), 'PROCESSING/PAID')
  assert.equal((await order.row()).contactEmail, 'silent@example.com')
  assert.equal(await order.ledger(), 'ORDER -1')
})

test('of a page that expired in silence, too: its order ends and its stock comes back', async () => {
  const counter = await openCounter(till, { quantity: 4 })
  const order = await counter.buy()
  till.twin.expire(order.pageId)
  clock.advance(301)
  await till.sweep(counter.db)

  assert.equal(await order.state(), 'CANCELLED/FAILED')
  assert.equal(await counter.stock(), 4)
})

test('an open page is asked about after five minutes, then less and less often, and no more once it has ended', async () => {
  const counter = await openCounter(till)
  const order = await counter.buy()
  for (let minutes = 0; minutes < 20; minutes++) {
    clock.advance(60)
    await till.sweep(counter.db)
  }
  assert.equal(await order.state(), 'PENDING/PENDING')
  assert.ok(reads(order.pageId) === 2 || reads(order.pageId) === 3, String(reads(order.pageId)))
  till.twin.pay(order.pageId)
  clock.advance(1_300)
  await till.sweep(counter.db)
  const asked = reads(order.pageId)
  clock.advance(301)
  await till.sweep(counter.db)
  assert.deepEqual([await order.state(), reads(order.pageId)], ['PROCESSING/PAID', asked])
})

test('two workers that ask at the same time come to one effect', async () => {
  const counter = await openCounter(till)
  const orders = await Promise.all(Array.from({ length: 10 }, () => counter.buy()))
  for (const { pageId } of orders) till.twin.pay(pageId)
  clock.advance(301)
  await Promise.all([1, 2, 3].map(() => till.sweep(counter.db)))
  await quiet(till, counter.db)

  for (const order of orders) {
    assert.equal(await order.state(), 'PROCESSING/PAID')
    assert.equal((await order.events()).filter(({ type }) => type === 'order.paid').length, 1)
    assert.equal(reads(order.pageId), 1)
  }
})

test('a business that is paid on an account of its own is asked about there', async () => {
  const counter = await openCounter(till)
  await connect(till, counter.shop, 'acct_silent')
  const order = await counter.buy()
  till.twin.pay(order.pageId)
  clock.advance(301)
  await till.sweep(counter.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')
})

test('the page of a newsletter is left to those who ask about newsletters', async () => {
  const counter = await openCounter(till)
  const order = await counter.buy()
  const [businessId, subject] = [counter.shop.id, 'newsletter:chk_silent']
  const payment = { businessId, subject, amount: 500, currency: 'USD', account: null, expiresAt: now() }
  await transaction(counter.db, (tx) => write(tx, newPayments([payment])))
  const letter = () => findPayment(counter.db, businessId, subject)
  const made = await letter()
  assert.ok(made)
  await notePage(counter.db, made, { pageId: 'cs_letter', url: 'https://pay.example/cs_letter' })
  const before = await letter()
  clock.advance(301)
  await till.sweep(counter.db)
  assert.deepEqual([reads(order.pageId), reads('cs_letter')], [1, 0])
  assert.deepEqual(await letter(), before)

  clock.advance(1_300)
  const mine = ({ businessId: of }: { businessId: string }) => of === businessId
  const letters = (await takeSilent(counter.db, now(), 100, 'newsletter')).filter(mine)
  const orders = (await takeSilent(counter.db, now(), 100, 'order')).filter(mine)
  assert.deepEqual([letters.map((taken) => taken.subject), orders.map((taken) => taken.subject)], [[subject], [`order:${order.id}`]]) // biome-ignore format: one line
})
