import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { holdClock } from '../../support/clock.ts'
import { type Bought, faultsIn, openPaidShop, type PaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'], own: true })
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

/** The provider has forgotten the page: a stand-in that was restarted, or data of another account. */
const forget = ({ db }: PaidShop, order: Bought) =>
  db
    .updateTable('payments.payments')
    .set({ pageId: 'cs_test_forgotten', intentId: null })
    .where('subject', '=', `order:${order.id}`)
    .execute()

const warnings = (order: Bought) =>
  service.lines
    .map((line) => JSON.parse(line) as { level: number; msg: string; subject?: string })
    .filter(({ level, subject }) => level === 40 && subject === `order:${order.id}`)
    .map(({ msg }) => msg)

const UNKNOWN = 'the payment provider does not know this page'

describe('an order whose page the provider does not know', () => {
  test('can be cancelled, which gives its stock back, and is logged', async () => {
    const paidShop = await openPaidShop(service, { quantity: 5 })
    const order = await paidShop.buy({ quantity: 2 })
    await forget(paidShop, order)
    const cancelled = await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })

    assert.equal(cancelled.status, 200, cancelled.text)
    assert.equal((await order.row()).status, 'CANCELLED')
    assert.equal((await order.payment()).status, 'ENDED')
    assert.equal(await paidShop.stock(), 5)
    assert.deepEqual(warnings(order), [UNKNOWN])
  })

  test('ends with its hour, not before it, and is nobody’s fault', async () => {
    const paidShop = await openPaidShop(service, { quantity: 5 })
    const order = await paidShop.buy()
    await forget(paidShop, order)
    const before = faultsIn(service.lines).length
    clock.advance(301)
    await service.sweep(paidShop.db)
    assert.equal(await order.state(), 'PENDING/PENDING')
    clock.advance(3_300)
    await service.sweep(paidShop.db)

    assert.equal(await order.state(), 'CANCELLED/FAILED')
    assert.equal(await paidShop.stock(), 5)
    assert.deepEqual(new Set(warnings(order)), new Set([UNKNOWN]))
    assert.equal(faultsIn(service.lines).length, before)
  })

  test('and that was paid has its refund refused once, and for good', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    service.twin.pay(order.pageId)
    await waitUntilIdle(service, paidShop.db)
    await forget(paidShop, order)
    await paidShop.db
      .updateTable('payments.payments')
      .set({ intentId: 'pi_forgotten' })
      .where('subject', '=', `order:${order.id}`)
      .execute()
    assert.equal((await paidShop.owner.post(`${order.path}/refunds`, {})).status, 201)
    await service.sweep(paidShop.db)

    assert.deepEqual(
      (await order.refunds()).map(({ status }) => status),
      ['FAILED'],
    )
    assert.equal(await order.state(), 'PROCESSING/PAID')
  })
})

test('a page that the provider knows, but neither closes nor shows, keeps its order from being cancelled', async () => {
  const paidShop = await openPaidShop(service)
  const order = await paidShop.buy()
  const better = service.twin.behave({ next: 'refuse', path: `/v1/checkout/sessions/${order.pageId}`, times: 10 })
  const refused = await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
  better()

  assert.equal(refusal(refused), '502 PROVIDER_FAILED')
  assert.equal(await order.state(), 'PENDING/PENDING')
})
