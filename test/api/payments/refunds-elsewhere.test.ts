import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { Stripe } from 'stripe'
import { type Bought, historyOf, openPaidShop, type PaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'] })
beforeEach(() => service.twin.mischief())

/** An order of 11.00 that is paid. From here on an event comes only when a test sends it. */
async function paid(paidShop: PaidShop): Promise<Bought> {
  const order = await paidShop.buy()
  service.twin.pay(order.pageId)
  await waitUntilIdle(service, paidShop.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')
  service.twin.mischief({ drop: 1 })
  return order
}

const isAboutRefund = ({ type }: Stripe.Event) => type === 'charge.refunded' || type.startsWith('refund.')

/** Somebody presses Refund in Stripe's dashboard. Answers the events that Stripe has to tell of it. */
function refundThere(order: Bought, amount?: number): Stripe.Event[] {
  const before = service.twin.events().length
  service.twin.refund(order.intentId(), amount)
  return service.twin.events().slice(before).filter(isAboutRefund)
}

async function deliver(paidShop: PaidShop, ...events: (Stripe.Event | undefined)[]) {
  for (const event of events) {
    assert.ok(event)
    assert.equal((await service.twin.redeliver(event.id)).status, 200)
  }
  await waitUntilIdle(service, paidShop.db)
}

const ofType = (events: Stripe.Event[], type: string) => events.find((event) => event.type === type)
const refundedOf = async (order: Bought) => (await order.payment()).refunded

describe('a refund made at the provider itself', () => {
  test('carries none of our names', async () => {
    const events = refundThere(await paid(await openPaidShop(service)))
    for (const { type, data } of events.filter(({ type }) => type.startsWith('refund.'))) {
      assert.deepEqual((data.object as Stripe.Refund).metadata, {}, type)
    }
  })

  for (const isConnected of [false, true]) {
    const where = isConnected ? 'on a connected account' : 'on the shared account'
    for (const type of ['refund.created', 'refund.updated', 'charge.refunded']) {
      test(`is learned from ${type} alone, ${where}, once however often it comes`, async () => {
        const paidShop = await openPaidShop(service, isConnected ? { account: `acct_${type.replace('.', '_')}` } : {})
        const order = await paid(paidShop)
        const part = ofType(refundThere(order, 300), type)
        await deliver(paidShop, part, part)
        assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
        assert.equal(await refundedOf(order), 300)

        await deliver(paidShop, ofType(refundThere(order), type))
        assert.equal(historyOf((await order.row()).paymentStatuses), 'PENDING PAID PARTIALLY_REFUNDED REFUNDED')
        assert.equal(await refundedOf(order), 1_100)
      })
    }
  }

  test('is learned whatever the order in which its events come', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const events = [...refundThere(order, 300), ...refundThere(order, 200)]
    await deliver(paidShop, ...events.toReversed(), ...events)

    assert.equal(await refundedOf(order), 500)
    assert.equal(historyOf((await order.row()).paymentStatuses), 'PENDING PAID PARTIALLY_REFUNDED')
  })

  test('is learned from its event even if that of the payment is still to come', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    service.twin.mischief({ drop: 1 })
    service.twin.pay(order.pageId)
    await deliver(paidShop, ofType(refundThere(order, 300), 'refund.created'))

    assert.equal(historyOf((await order.row()).paymentStatuses), 'PENDING PAID PARTIALLY_REFUNDED')
  })

  test('is found by its charge where the event names no payment intent, and a charge by its payment intent', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const made = ofType(refundThere(order, 300), 'refund.created')
    const withoutIntent = { ...made, data: { object: { ...made?.data.object, payment_intent: null } } }
    assert.equal((await service.twin.forge(withoutIntent)).status, 200)
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await refundedOf(order), 300)

    const charged = ofType(refundThere(order, 200), 'charge.refunded')
    const unnamed = { ...charged, data: { object: { ...charged?.data.object, metadata: {} } } }
    assert.equal((await service.twin.forge(unnamed)).status, 200)
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await refundedOf(order), 500)
  })

  test('is not believed of another account than the one that was paid', async () => {
    const paidShop = await openPaidShop(service, { account: 'acct_paid' })
    const order = await paid(paidShop)
    const made = ofType(refundThere(order, 300), 'refund.created')
    for (const account of [undefined, 'acct_other']) {
      assert.equal((await service.twin.forge({ ...made, account })).status, 200)
    }
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await refundedOf(order), 0)
  })

  test('of money that is none of ours is answered, and nothing else', async () => {
    const nobodys = { id: 're_1', object: 'refund', payment_intent: 'pi_nobody', charge: 'ch_nobody', metadata: {} }
    for (const object of [
      nobodys,
      { ...nobodys, payment_intent: null },
      { ...nobodys, payment_intent: null, charge: null },
    ]) {
      const { status, answer } = await service.twin.forge({ type: 'refund.created', data: { object } })
      assert.deepEqual([status, answer], [200, '{"success":true}'])
    }
  })

  test('is sent again by the provider while that cannot be asked whose it is', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const made = ofType(refundThere(order, 300), 'refund.created')
    const better = service.twin.behave({ next: 'error500', path: 'GET /v1/payment_intents', times: 10 })
    assert.equal((await service.twin.redeliver(made?.id ?? '')).status, 503)
    better()
    await deliver(paidShop, made)
    assert.equal(await refundedOf(order), 300)
  })
})
