import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { useFaults } from '#platform/faults.ts'
import { raceExpiry } from '../../scenarios/expiry-race.ts'
import { startChild } from '../../support/child.ts'
import { holdClock } from '../../support/clock.ts'
import { historyOf, openPaidShop, type PaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'], own: true })

test('a payment against the expiry of its order, within 50 ms: paid and held, or released and nothing kept', async () => {
  const { paid, released, refunded, wrong } = await raceExpiry(service, { races: 30 })
  assert.deepEqual(wrong, [])
  assert.equal(paid + released + refunded, 30)
  assert.ok(paid > 0 && released > 0, `${paid} paid, ${released} released`)
})

test('a worker releases what is due within a minute', async () => {
  const paidShop = await openPaidShop(service, { quantity: 5 })
  const orders = await Promise.all([paidShop.buy(), paidShop.buy(), paidShop.buy()])
  const other = await paidShop.buy()
  await waitUntilIdle(service, paidShop.db)
  const worker = await startChild('worker', { ...service.api.databases.env, ...service.env })
  try {
    const due = Date.now()
    const ids = orders.map(({ id }) => id)
    await paidShop.db
      .updateTable('orders.orders')
      .set({ expiresAt: new Date(due) })
      .where('id', 'in', ids)
      .execute()
    await until('the stock is back', async () => (await paidShop.stock()) === 4, { withinMs: 60_000 })
    assert.ok(Date.now() - due < 15_000)
    for (const order of orders) {
      assert.equal(await order.state(), 'CANCELLED/FAILED')
      assert.equal(order.page().status, 'expired')
    }
    assert.equal(await other.state(), 'PENDING/PENDING')
  } finally {
    await worker.stop()
  }
})

describe('an order that nobody has paid for an hour', () => {
  let clock: ReturnType<typeof holdClock>
  beforeEach(() => {
    clock = holdClock()
    service.twin.mischief()
  })
  afterEach(async () => {
    useFaults(undefined)
    // Nothing is left for the sweeps of the next test.
    clock.advance(10_000)
    for (const cell of service.api.services.databases.cells.values()) await service.sweep(cell)
    clock.release()
  })

  const sweep = async ({ db }: PaidShop) => {
    await service.sweep(db)
    await waitUntilIdle(service, db)
  }

  test('is ended then and not before, its page closed first', async () => {
    const paidShop = await openPaidShop(service, { quantity: 5 })
    const order = await paidShop.buy({ quantity: 2 })
    clock.advance(3_599)
    await sweep(paidShop)
    assert.deepEqual([await order.state(), order.page().status], ['PENDING/PENDING', 'open'])
    clock.advance(1)
    await sweep(paidShop)

    const { statuses } = await order.row()
    assert.deepEqual([await order.state(), order.page().status], ['CANCELLED/FAILED', 'expired'])
    assert.deepEqual([historyOf(statuses), statuses[1]?.changedBy], ['PENDING CANCELLED', 'SYSTEM'])
    assert.equal(await paidShop.stock(), 5)
    await sweep(paidShop)
    assert.equal(await order.ledger(), 'ORDER -2, CANCEL 2')
  })

  test('but was paid in silence just before is paid', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    service.twin.mischief({ drop: 1 })
    service.twin.pay(order.pageId)
    clock.advance(3_600)
    await sweep(paidShop)
    assert.deepEqual([await order.state(), await order.ledger()], ['PROCESSING/PAID', 'ORDER -1'])
  })

  test('stays while the provider is down, and ends as soon as it is back', async () => {
    const paidShop = await openPaidShop(service, { quantity: 5 })
    const order = await paidShop.buy()
    clock.advance(3_600)
    const lift = service.twin.behave({ next: 'rate-limit', path: order.pageId, times: Number.POSITIVE_INFINITY })
    for (let sweeps = 0; sweeps < 2; sweeps++) await service.sweep(paidShop.db)
    assert.deepEqual([await order.state(), await paidShop.stock()], ['PENDING/PENDING', 4])
    lift()
    clock.advance(31) // it was put off for half a minute
    await sweep(paidShop)
    assert.deepEqual([await order.state(), await paidShop.stock()], ['CANCELLED/FAILED', 5])
  })

  test('is not held up by fifty others whose account cannot be asked', async () => {
    const broken = await openPaidShop(service, { cell: 'main' })
    const paidShop = await openPaidShop(service, { cell: 'main' })
    const stuck = []
    for (let made = 0; made < 50; made += 10) {
      stuck.push(...(await Promise.all(Array.from({ length: 10 }, () => broken.buy()))))
    }
    clock.advance(1)
    const order = await paidShop.buy()
    // As when a business takes its account away from the platform: no answer to any question, ever.
    const pages = new RegExp(stuck.map(({ pageId }) => pageId).join('|'))
    const lift = service.twin.behave({ next: 'rate-limit', path: pages, times: Number.POSITIVE_INFINITY })
    clock.advance(3_600)
    for (let sweeps = 0; sweeps < 2; sweeps++) await service.sweep(paidShop.db)
    lift()
    assert.equal(await order.state(), 'CANCELLED/FAILED')
  })

  for (const at of ['checkout.before-page', 'checkout.after-page']) {
    test(`is ended though the process died at ${at}`, async () => {
      const paidShop = await openPaidShop(service, { quantity: 5 })
      const shopper = await service.make.guest()
      useFaults((name) => {
        if (name === at) throw Object.assign(new Error('Died'), { code: 'DIED' })
      })
      const items = [{ productId: paidShop.product.id, variantId: 'one', quantity: 1 }]
      const body = { market: 'us', items }
      const headers = { 'idempotency-key': 'died' }
      const died = await shopper.post(`${paidShop.shop.path}/orders/checkout`, body, headers)
      useFaults(undefined)
      assert.ok(died.status >= 500, died.text)
      assert.equal(await paidShop.stock(), 4)

      clock.advance(301)
      await sweep(paidShop)
      assert.equal(await paidShop.stock(), 4, 'the shopper may still come back with the key')
      clock.advance(3_300)
      await sweep(paidShop)
      assert.equal(await paidShop.stock(), 5)
      const { body: list } = await paidShop.owner.get(`${paidShop.shop.path}/orders`)
      assert.deepEqual(
        list.items.map((order: { statuses: { status: string }[] }) => historyOf(order.statuses)),
        ['PENDING CANCELLED'],
      )
      const open = service.twin
        .sessions()
        .filter(({ status, metadata }) => status === 'open' && metadata?.businessId === paidShop.shop.id)
      assert.deepEqual(open, [])
    })
  }

  test('gives the same answer to its key once it has ended, and takes no stock for it', async () => {
    const paidShop = await openPaidShop(service, { quantity: 5 })
    const shopper = await service.make.guest()
    const order = await paidShop.buy({ shopper, key: 'late' })
    clock.advance(3_500) // the shopper's token lasts as long as the order
    await paidShop.db
      .updateTable('orders.orders')
      .set({ expiresAt: new Date(0) })
      .where('id', '=', order.id)
      .execute()
    await sweep(paidShop)
    const again = await paidShop.buy({ shopper, key: 'late' })

    assert.deepEqual([again.id, again.checkoutUrl], [order.id, order.checkoutUrl])
    assert.deepEqual([await order.state(), order.page().status], ['CANCELLED/FAILED', 'expired'])
    assert.deepEqual([await paidShop.stock(), await order.ledger()], [5, 'ORDER -1, CANCEL 1'])
  })
})
