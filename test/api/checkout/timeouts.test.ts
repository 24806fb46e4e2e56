import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { item, openShop, stateOf } from '../../support/shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })
const OPENING = /^POST \/v1\/checkout\/sessions$/

// One test, because a timeout takes its time: all of them wait together.
test('a provider that does not answer is 503; with a key the order can be resumed, without one it is cancelled', async () => {
  const guest = await used.make.guest()
  const shops = await Promise.all(
    [true, true, false, false].map(async (isKeyed) => {
      const shop = await openShop(used.make)
      const mug = await shop.product()
      const pay = () => shop.checkout(guest, { items: [item(mug)] }, isKeyed ? { 'idempotency-key': 'key' } : {})
      return { ...shop, mug, pay, isKeyed }
    }),
  )
  // Each loses its first call, two of them before it had its effect and two after.
  used.twin.behave({ next: 'timeout', path: OPENING, times: 2, afterEffect: true })
  used.twin.behave({ next: 'timeout', path: OPENING, times: 2 })
  const lost = await Promise.all(shops.map(({ pay }) => pay()))
  assert.deepEqual(lost.map(refusal), Array(4).fill('503 UNAVAILABLE'))

  for (const { isKeyed, listAll, order, mug, pay } of shops) {
    const orderId = (await listAll())[0]?.id ?? ''
    // Closing the page may go on for a moment after the answer.
    const state = isKeyed ? 'PENDING/PENDING' : 'CANCELLED/FAILED'
    await until(`the order is ${state}`, async () => stateOf(await order(orderId)) === state)
    assert.equal(await mug.stock(), isKeyed ? 99 : 100)
    const found = isKeyed ? await pay() : undefined
    const pages = used.twin.sessions().filter(({ client_reference_id }) => client_reference_id === `order:${orderId}`)
    assert.deepEqual(
      pages.map(({ status }) => status),
      [isKeyed ? 'open' : 'expired'],
    )
    if (!found) continue
    assert.deepEqual([found.status, found.body], [200, { orderId, checkoutUrl: pages[0]?.url }])
    assert.equal(found.headers.get('idempotency-replayed'), 'true')
  }
})
