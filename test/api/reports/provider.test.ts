import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { verify } from '../../../src/apps/verify.ts'
import { holdClock } from '../../support/clock.ts'
import { follow } from '../../support/customers.ts'
import { openNewsletter, PLANS } from '../../support/newsletter-api.ts'
import { openPaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  used.twin.mischief()
})
afterEach(() => clock.release())

const DAY = 86_400

async function openCountedShop() {
  const paidShop = await openPaidShop(used)
  const { db, owner, shop } = paidShop
  return {
    ...paidShop,
    get: async (path: string) => {
      const answer = await owner.get(`${shop.path}/${path}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    },
    follow: async () => {
      await waitUntilIdle(used, db)
      await follow(used.api, db)
    },
    /** An hour later, when nothing may be left to count. */
    holds: async () => {
      await sql`
        update orders.orders set updated_at = updated_at - interval '1 hour' where business_id = ${shop.id}`.execute(db)
      for (const { check, violations } of await verify(db, shop.id)) assert.deepEqual(violations, [], check)
    },
  }
}

test('of an order that is refunded in parts at the provider, each part reaches reports and its customer, and is told', async () => {
  const shop = await openCountedShop()
  const shopper = await used.make.guest()
  const order = await shop.buy({ shopper })
  used.twin.pay(order.pageId)
  await shop.follow()
  for (const amount of [250, 5]) {
    used.twin.refund(order.intentId(), amount)
    await shop.follow()
  }
  assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
  const { items } = await shop.get('reports/sales')
  assert.deepEqual(
    items.map(({ total, refunded, net }: Record<string, number>) => [total, refunded, net]),
    [[1_100, 255, 845]],
  )
  assert.deepEqual((await shop.get(`customers/${shopper.id}`)).spent, [{ currency: 'USD', amount: 845, orders: 1 }])
  const told = (await order.events()).map(({ type, data }) => [type, data.fields ?? data.paymentStatus])
  assert.deepEqual(told.slice(-2), [
    ['order.payment_status_changed', 'PARTIALLY_REFUNDED'],
    ['order.updated', ['refundedAmount']],
  ])
  await shop.holds()
})

test('an order that staff accepted before it was paid is told of and counted when its payment page is over', async () => {
  const shop = await openCountedShop()
  const order = await shop.buy()
  const accepted = await shop.owner.put(`${order.path}/status`, { status: 'PROCESSING' })
  assert.equal(accepted.status, 200, accepted.text)
  await shop.follow()
  used.twin.expire(order.pageId)
  await shop.follow()
  assert.equal(await order.state(), 'PROCESSING/PENDING')
  assert.equal((await shop.get(`orders/${order.id}`)).expiresAt, null)
  const { type, data } = (await order.events()).at(-1) ?? {}
  assert.deepEqual([type, data?.fields], ['order.updated', ['expiresAt']])
  await shop.holds()
})

test('an order that staff marked as paid says once that it is paid when the money comes', async () => {
  const shop = await openCountedShop()
  const order = await shop.buy()
  for (const [what, status] of [
    ['status', 'PROCESSING'],
    ['payment-status', 'PAID'],
  ]) {
    const set = await shop.owner.put(`${order.path}/${what}`, { status })
    assert.equal(set.status, 200, set.text)
  }
  const { length } = await order.events()
  used.twin.pay(order.pageId)
  await shop.follow()
  const told = (await order.events()).slice(length).map(({ type }) => type)
  assert.deepEqual(
    told.filter((type) => type !== 'order.mail_sent'),
    ['order.paid'],
  )
  await shop.holds()
})

test('a reader whose payment was late has left and comes back on the day of the payment, not on their first day', async () => {
  const letters = await openNewsletter(used.make, { plans: PLANS })
  const asked = await letters.subscribe(await used.make.guest(), { email: 'ada@example.com', planId: 'monthly' })
  assert.equal(asked.status, 200, asked.text)
  const pageId = String(asked.body.checkoutUrl).split('/').at(-1) ?? ''
  const renewed = () => used.twin.sessions().find(({ id }) => id === pageId)?.subscription as string
  const steps: [day: number, step: () => unknown, state: string][] = [
    [0, () => used.twin.pay(pageId), 'ACTIVE monthly'],
    [60, () => used.twin.renew(renewed(), { fails: true }), 'PAST_DUE monthly'],
    [62, () => used.twin.retry(renewed()), 'ACTIVE monthly'],
  ]
  const start = Math.floor(Date.now() / 1_000)
  let today = 0
  for (const [day, step, state] of steps) {
    clock.advance((day - today) * DAY)
    today = day
    step()
    await used.waitUntilIdle(letters.db)
    assert.equal(await letters.state('ada@example.com'), state)
    await follow(used.api, letters.db)
  }
  const query = `interval=day&from=${start}&to=${start + 63 * DAY}`
  const { status, body, text } = await letters.owner.get(`${letters.path}/reports/subscribers?${query}`)
  assert.equal(status, 200, text)
  const changes = body.items.filter(({ joined, left }: Record<string, number>) => Number(joined) + Number(left) > 0)
  assert.deepEqual(
    changes.map(({ from, joined, left, active }: Record<string, number>) => [
      (Number(from) - changes[0].from) / DAY,
      joined,
      left,
      active,
    ]),
    [
      [0, 1, 0, 1],
      [60, 0, 1, 0],
      [62, 1, 0, 1],
    ],
  )
  for (const { check, violations } of await verify(letters.db, letters.id)) assert.deepEqual(violations, [], check)
})
