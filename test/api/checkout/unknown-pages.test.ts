import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { holdClock } from '../../support/clock.ts'
import { type Bought, type Counter, faultsIn, openCounter, quiet } from '../../support/counter.ts'
import { useTill } from '../../support/payments.ts'
import { refusal } from '../../support/refusal.ts'

const till = useTill()
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

/** The provider has forgotten the page: a stand-in that was restarted, or data of another account. */
const forget = ({ db }: Counter, order: Bought) =>
  db
    .updateTable('payments.payments')
    .set({ pageId: 'cs_test_forgotten', intentId: null })
    .where('subject', '=', `order:${order.id}`)
    .execute()

const warnings = (order: Bought) =>
  till.lines
    .map((line) => JSON.parse(line) as { level: number; msg: string; subject?: string })
    .filter(({ level, subject }) => level === 40 && subject === `order:${order.id}`)
    .map(({ msg }) => msg)

const UNKNOWN = 'the payment provider does not know this page'

describe('an order whose page the provider does not know', () => {
  test('can be cancelled, which gives its stock back, and is logged', async () => {
    const counter = await openCounter(till, { quantity: 5 })
    const order = await counter.buy({ quantity: 2 })
    await forget(counter, order)
    const cancelled = await counter.owner.put(`${order.path}/status`, { status: 'CANCELLED' })

    assert.equal(cancelled.status, 200, cancelled.text)
    assert.equal((await order.row()).status, 'CANCELLED')
    assert.equal((await order.payment()).status, 'ENDED')
    assert.equal(await counter.stock(), 5)
    assert.deepEqual(warnings(order), [UNKNOWN])
  })

  test('ends with its hour, not before it, and is nobody’s fault', async () => {
    const counter = await openCounter(till, { quantity: 5 })
    const order = await counter.buy()
    await forget(counter, order)
    const before = faultsIn(till.lines).length
    clock.advance(301)
    await till.sweep(counter.db)
    assert.equal(await order.state(), 'PENDING/PENDING')
    clock.advance(3_300)
    await till.sweep(counter.db)

    assert.equal(await order.state(), 'CANCELLED/FAILED')
    assert.equal(await counter.stock(), 5)
    assert.deepEqual(new Set(warnings(order)), new Set([UNKNOWN]))
    assert.equal(faultsIn(till.lines).length, before)
  })

  test('and that was paid has its refund refused once, and for good', async () => {
    const counter = await openCounter(till)
    const order = await counter.buy()
    till.twin.pay(order.pageId)
    await quiet(till, counter.db)
    await forget(counter, order)
    await counter.db
      .updateTable('payments.payments')
      .set({ intentId: 'pi_forgotten' })
      .where('subject', '=', `order:${order.id}`)
      .execute()
    assert.equal((await counter.owner.post(`${order.path}/refunds`, {})).status, 201)
    await till.sweep(counter.db)

    assert.deepEqual(
      (await order.refunds()).map(({ status }) => status),
      ['FAILED'],
    )
    assert.equal(await order.state(), 'PROCESSING/PAID')
  })
})

test('a page that the provider knows, but neither closes nor shows, keeps its order from being cancelled', async () => {
  const counter = await openCounter(till)
  const order = await counter.buy()
  const better = till.twin.behave({ next: 'refuse', path: `/v1/checkout/sessions/${order.pageId}`, times: 10 })
  const refused = await counter.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
  better()

  assert.equal(refusal(refused), '502 PROVIDER_FAILED')
  assert.equal(await order.state(), 'PENDING/PENDING')
})
