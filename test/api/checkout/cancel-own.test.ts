import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { useFaults } from '#platform/faults.ts'
import { verify } from '../../../src/apps/verify.ts'
import { holdClock } from '../../support/clock.ts'
import { historyOf, openPaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'], own: true })
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  service.twin.mischief()
})
afterEach(async () => {
  useFaults(undefined)
  for (const cell of service.api.services.databases.cells.values()) {
    await waitUntilIdle(service, cell)
    for (const { check, violations } of await verify(cell)) assert.deepEqual(violations, [], check)
  }
  clock.release()
})

async function open() {
  const paidShop = await openPaidShop(service)
  const shopper = await service.make.guest()
  const order = await paidShop.buy({ shopper, quantity: 2 })
  return { paidShop, shopper, order, cancel: () => shopper.post(`${order.path}/cancel`, undefined) }
}

test('a customer cancels an own order that waits to be paid: its page closes and its goods are free', async () => {
  const { paidShop, shopper, order, cancel } = await open()
  assert.equal(await paidShop.stock(), 98)
  service.twin.mischief({ drop: 10 }) // the provider's own event about the closed page might be faster
  const answer = await cancel()
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual([answer.body.id, answer.body.statuses.at(-1).status], [order.id, 'CANCELLED'])
  assert.deepEqual(answer.body, (await shopper.get(order.path)).body)
  assert.equal(answer.body.statuses.at(-1).userId, shopper.id)
  assert.equal(order.page().status, 'expired')
  assert.equal(await paidShop.stock(), 100)
  assert.equal(historyOf((await order.row()).statuses), 'PENDING CANCELLED')
  const told = (await order.events()).filter(({ type }) => type.startsWith('order.') && type !== 'order.created')
  assert.deepEqual(
    told.slice(0, 2).map(({ type, actorKind }) => [type, actorKind]),
    [
      ['order.status_changed', 'guest'],
      ['order.cancelled', 'guest'],
    ],
  )
  assert.deepEqual(told[1]?.data, { number: (await order.row()).number, total: 2_200, currency: 'USD' })

  const { version } = await order.row()
  const again = await cancel()
  assert.deepEqual([again.status, again.body.statuses.length], [200, 2])
  assert.equal((await order.row()).version, version)
  assert.equal(await order.ledger(), 'ORDER -2, CANCEL 2')
})

test('nobody cancels the order of somebody else, not even staff', async () => {
  const { paidShop, order } = await open()
  const { make } = service
  const other = await openPaidShop(service)
  const cancel = (caller: Pick<typeof paidShop.owner, 'post'>, path = order.path) => caller.post(`${path}/cancel`, {})
  assert.equal((await cancel(make.anonymous())).status, 401)
  assert.equal(refusal(await cancel(await make.guest())), '404 NOT_FOUND')
  assert.equal(refusal(await cancel(paidShop.owner)), '404 NOT_FOUND')
  assert.equal(refusal(await cancel(other.owner, `${other.shop.path}/orders/${order.id}`)), '404 NOT_FOUND')
  assert.equal(await order.state(), 'PENDING/PENDING')
})

test('an order that is paid, or further along, is not cancelled by its customer', async () => {
  const { paidShop, shopper, order, cancel } = await open()
  service.twin.pay(order.pageId)
  await waitUntilIdle(service, paidShop.db)
  assert.equal(refusal(await cancel()), '409 CONFLICT id ORDER_PAID')
  await paidShop.owner.put(`${order.path}/status`, { status: 'SHIPPED' })
  assert.equal(refusal(await cancel()), '409 CONFLICT id WRONG_STATE')

  const accepted = await paidShop.buy({ shopper })
  await paidShop.owner.put(`${accepted.path}/status`, { status: 'PROCESSING' })
  assert.equal(refusal(await shopper.post(`${accepted.path}/cancel`, {})), '409 CONFLICT id WRONG_STATE')
  assert.equal(accepted.page().status, 'open')
})

test('an order by hand is not cancelled by its customer', async () => {
  const { paidShop } = await open()
  const { shop, product, owner } = paidShop
  const made = await owner.post(`${shop.path}/orders`, {
    customerId: shop.admin.id,
    market: 'us',
    lines: [{ productId: product.id, variantId: 'one', quantity: 1, unitPrice: 500, totalPrice: 500 }],
    subtotal: 500,
    tax: 0,
    shipping: 0,
    total: 500,
  })
  const answer = await shop.admin.post(`${shop.path}/orders/${made.body.id}/cancel`, {})
  assert.equal(refusal(answer), '409 CONFLICT id WRONG_STATE')
})

test('without a word from the payment provider the order stays as it is', async () => {
  const { order, cancel } = await open()
  service.twin.behave({ next: 'error500', path: `POST /v1/checkout/sessions/${order.pageId}/expire`, times: 5 })
  assert.equal((await cancel()).status, 502)
  assert.equal(await order.state(), 'PENDING/PENDING')
  service.twin.mischief()
})

test('paid just before its page could be closed, the order is paid and not cancelled', async () => {
  const { paidShop, order, cancel } = await open()
  useFaults((name) => {
    if (name === 'close-page.before-provider') service.twin.pay(order.pageId)
  })
  assert.equal(refusal(await cancel()), '409 CONFLICT id ORDER_PAID')
  useFaults(undefined)
  await waitUntilIdle(service, paidShop.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')
  assert.equal(await order.ledger(), 'ORDER -2')
})

test('of paying and cancelling at once, one wins', async () => {
  for (let round = 0; round < 10; round++) {
    const { paidShop, order, cancel } = await open()
    const pay = async () => {
      await new Promise((resolve) => setTimeout(resolve, round * 3))
      try {
        service.twin.pay(order.pageId)
        return true
      } catch {
        return false // the page was closed
      }
    }
    const [isPaid, ...answers] = await Promise.all([pay(), cancel(), cancel()])
    await waitUntilIdle(service, paidShop.db)
    const state = await order.state()
    if (isPaid) {
      assert.equal(state, 'PROCESSING/PAID')
      for (const answer of answers) assert.equal(refusal(answer), '409 CONFLICT id ORDER_PAID')
      assert.equal(await paidShop.stock(), 98)
    } else {
      assert.match(state, /^CANCELLED/)
      for (const answer of answers) assert.equal(refusal(answer), '200')
      assert.equal(await paidShop.stock(), 100)
    }
  }
})

test('an order that nobody pays tells that it expired, and enough to win the shopper back', async () => {
  const { paidShop, order } = await open()
  clock.advance(3_700)
  await service.sweep(paidShop.db)
  await waitUntilIdle(service, paidShop.db)
  assert.match(await order.state(), /^CANCELLED/)
  const told = await order.events()
  const { number } = await order.row()
  const expired = told.filter(({ type }) => type === 'order.expired')
  assert.deepEqual(
    expired.map(({ data, actorKind }) => ({ ...data, actorKind })),
    [{ number, total: 2_200, currency: 'USD', market: 'us', lines: 1, hasEmail: false, actorKind: 'system' }],
  )
  assert.equal(told.filter(({ type }) => type === 'order.cancelled').length, 0)
  assert.equal(told.filter(({ type }) => type === 'order.status_changed').length, 1)
})

test('staff who cancel an order tell the same', async () => {
  const { paidShop, order } = await open()
  await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
  const told = (await order.events()).filter(({ type }) => type === 'order.cancelled')
  assert.deepEqual(
    told.map(({ actorKind }) => actorKind),
    ['api'],
  )
})
