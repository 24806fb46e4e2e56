import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { orderPayable } from '#modules/checkout/index.ts'
import { findPayment, newPayments, reconcileStale } from '#modules/payments/index.ts'
import { claimStale, saveSession } from '#modules/payments/queries.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { write } from '#platform/database/write.ts'
import { holdClock } from '../../support/clock.ts'
import { connect, faultsIn, openPaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'], own: true })
after(() => assert.deepEqual(faultsIn(service.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  service.twin.mischief({ drop: 1 })
})
afterEach(() => clock.release())

const reads = (pageId: string) =>
  service.twin.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(pageId)).length

test('of a page that was paid in silence, the provider is asked after five minutes', async () => {
  const paidShop = await openPaidShop(service)
  const order = await paidShop.buy()
  service.twin.pay(order.pageId, { email: 'silent@example.com' })
  clock.advance(299)
  await service.sweep(paidShop.db)
  assert.deepEqual([await order.state(), reads(order.pageId)], ['PENDING/PENDING', 0])
  clock.advance(2)
  await service.sweep(paidShop.db)
  await waitUntilIdle(service, paidShop.db)

  assert.equal(await order.state(), 'PROCESSING/PAID')
  assert.equal((await order.row()).contactEmail, 'silent@example.com')
  assert.equal(await order.ledger(), 'ORDER -1')
})

test('of a page that expired in silence, too: its order ends and its stock comes back', async () => {
  const paidShop = await openPaidShop(service, { quantity: 4 })
  const order = await paidShop.buy()
  service.twin.expire(order.pageId)
  clock.advance(301)
  await service.sweep(paidShop.db)

  assert.equal(await order.state(), 'CANCELLED/FAILED')
  assert.equal(await paidShop.stock(), 4)
})

test('an open page is asked about after five minutes, then less and less often, and no more once it has ended', async () => {
  const paidShop = await openPaidShop(service)
  const order = await paidShop.buy()
  for (let minutes = 0; minutes < 20; minutes++) {
    clock.advance(60)
    await service.sweep(paidShop.db)
  }
  assert.equal(await order.state(), 'PENDING/PENDING')
  assert.ok(reads(order.pageId) === 2 || reads(order.pageId) === 3, String(reads(order.pageId)))
  service.twin.pay(order.pageId)
  clock.advance(1_300)
  await service.sweep(paidShop.db)
  const asked = reads(order.pageId)
  clock.advance(301)
  await service.sweep(paidShop.db)
  assert.deepEqual([await order.state(), reads(order.pageId)], ['PROCESSING/PAID', asked])
})

test('two workers that ask at the same time come to one effect', async () => {
  const paidShop = await openPaidShop(service)
  const orders = await Promise.all(Array.from({ length: 10 }, () => paidShop.buy()))
  for (const { pageId } of orders) service.twin.pay(pageId)
  clock.advance(301)
  await Promise.all([1, 2, 3].map(() => service.sweep(paidShop.db)))
  await waitUntilIdle(service, paidShop.db)

  for (const order of orders) {
    assert.equal(await order.state(), 'PROCESSING/PAID')
    assert.equal((await order.events()).filter(({ type }) => type === 'order.paid').length, 1)
    assert.equal(reads(order.pageId), 1)
  }
})

test('a business that is paid on an account of its own is asked about there', async () => {
  const paidShop = await openPaidShop(service)
  await connect(service, paidShop.shop, 'acct_silent')
  const order = await paidShop.buy()
  service.twin.pay(order.pageId)
  clock.advance(301)
  await service.sweep(paidShop.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')
})

test('a payment is asked about at the provider that it began with', async () => {
  const paidShop = await openPaidShop(service)
  const order = await paidShop.buy()
  await sql`update payments.payments set provider = 'other' where subject = ${`order:${order.id}`}`.execute(paidShop.db)
  const { amount, currency } = await order.payment()
  const [stripe] = service.context.payments.providers
  assert.ok(stripe)
  const asked: string[] = []
  const readSession = async (_account: string | null, sessionId: string) => {
    asked.push(sessionId)
    const money = { intentId: 'int_1', amount, currency, refunded: 0, refunds: [] }
    return { sessionId, status: 'PAID' as const, ...money, email: null, subscriptionId: null, names: {} }
  }
  const payments = { providers: [stripe, { ...stripe, name: 'other', readSession }], sharedAccount: true }
  clock.advance(301)
  await service.sweep(paidShop.db)
  assert.deepEqual([await order.state(), reads(order.pageId)], ['PENDING/PENDING', 0], 'nobody of that name is there')
  clock.advance(601)
  await reconcileStale({ ...service.context, payments }, paidShop.db, pino({ level: 'silent' }))
  await waitUntilIdle(service, paidShop.db)
  assert.deepEqual([await order.state(), asked, reads(order.pageId)], ['PROCESSING/PAID', [order.pageId], 0])
})

test('a payment is left to those who were handed what it is for', async () => {
  const paidShop = await openPaidShop(service)
  const order = await paidShop.buy()
  const [businessId, subject] = [paidShop.shop.id, 'newsletter:chk_silent']
  const payment = {
    businessId,
    subject,
    amount: 500,
    currency: 'USD',
    account: null,
    expiresAt: new Date(now().getTime() + 7_200_000),
  }
  await transaction(paidShop.db, (tx) => write(tx, newPayments([{ ...payment, provider: 'stripe' }])))
  const letter = () => findPayment(paidShop.db, businessId, subject)
  const made = await letter()
  assert.ok(made)
  await saveSession(paidShop.db, made, { sessionId: 'cs_letter', url: 'https://pay.example/cs_letter' })
  const before = await letter()
  const log = pino({ level: 'silent' })
  clock.advance(301)
  await reconcileStale({ ...service.context, payables: [orderPayable] }, paidShop.db, log)
  assert.deepEqual([reads(order.pageId), reads('cs_letter')], [1, 0])
  assert.deepEqual(await letter(), before)
  await reconcileStale(service.context, paidShop.db, log)
  assert.deepEqual([reads(order.pageId), reads('cs_letter')], [1, 1])

  clock.advance(1_300)
  const mine = ({ businessId: of }: { businessId: string }) => of === businessId
  const letters = (await claimStale(paidShop.db, now(), 100, ['newsletter'])).filter(mine)
  const orders = (await claimStale(paidShop.db, now(), 100, ['order'])).filter(mine)
  assert.deepEqual(
    [letters.map((taken) => taken.subject), orders.map((taken) => taken.subject)],
    [[subject], [`order:${order.id}`]],
  )
})
