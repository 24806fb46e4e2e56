import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { mergeGuest } from '#modules/accounts/sign-in/merge-guest.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Client } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { findWalks, recordStatements } from '../../support/explain.ts'
import { openPaidShop, type PaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'], own: true, env: { RATE_LIMITS: 'on' } })
const unlimited = useWorld({ providers: ['stripe'], own: true })
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const REFUSED = '409 CONFLICT items TOO_MANY_UNPAID'

type Buyer = Pick<Client, 'post'>

function ask({ shop, product }: PaidShop, buyer: Buyer, { key, ...body }: { key?: string; items?: object[] } = {}) {
  const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
  return buyer.post(`${shop.path}/orders/checkout`, { market: 'us', items, ...body }, headers)
}

async function buyTen(paidShop: PaidShop, buyer: Buyer) {
  const orders = []
  for (let count = 0; count < 10; count++) orders.push(await paidShop.buy({ shopper: buyer }))
  return orders
}

describe('who has ten orders to pay', () => {
  test('cannot place another, which takes nothing, and is told what to do', async () => {
    const paidShop = await openPaidShop(service)
    const guest = await service.make.guest()
    await buyTen(paidShop, guest)
    const refused = await ask(paidShop, guest)

    assert.equal(refusal(refused), REFUSED)
    assert.match(refused.body.details[0].message, /^You have 10 unpaid orders\. Pay or cancel one, or wait/)
    assert.equal(await paidShop.stock(), 90)
    await paidShop.buy({ shopper: await service.make.guest() }) // others are not concerned
    await (await openPaidShop(service)).buy({ shopper: guest }) // nor are other businesses
  })

  test('can place another once one is paid, is cancelled, or has expired', async () => {
    const paidShop = await openPaidShop(service)
    const guest = await service.make.guest()
    const [first, second] = await buyTen(paidShop, guest)
    service.twin.pay(first?.pageId ?? '')
    await waitUntilIdle(service, paidShop.db)
    await paidShop.buy({ shopper: guest })
    assert.equal(refusal(await ask(paidShop, guest)), REFUSED)

    assert.equal((await paidShop.owner.put(`${second?.path}/status`, { status: 'CANCELLED' })).status, 200)
    await paidShop.buy({ shopper: guest })
    assert.equal(refusal(await ask(paidShop, guest)), REFUSED)

    clock.advance(3_601)
    await paidShop.buy({ shopper: await service.make.apiKey(guest.id) })
  })

  test('is answered again about an order that was placed already', async () => {
    const paidShop = await openPaidShop(service)
    const guest = await service.make.guest()
    const first = await ask(paidShop, guest, { key: 'the-first' })
    for (let count = 0; count < 9; count++) await paidShop.buy({ shopper: guest })
    const again = await ask(paidShop, guest, { key: 'the-first' })

    assert.deepEqual([again.status, again.body.orderId], [200, first.body.orderId])
    assert.equal(refusal(await ask(paidShop, guest, { key: 'another' })), REFUSED)
  })

  test('can still have what costs nothing, and that does not count', async () => {
    const paidShop = await openPaidShop(service)
    const guest = await service.make.guest()
    const pricing = { markets: [{ marketId: 'us', price: 0 }] }
    const gift = await service.make.product(paidShop.shop, {
      variants: [{ id: 'one', pricing, inventory: { tracked: false } }],
    })
    const items = [{ productId: gift.id, variantId: 'one', quantity: 1 }]
    assert.equal((await ask(paidShop, guest, { items })).body.status, 'COMPLETED')
    await buyTen(paidShop, guest)
    assert.equal((await ask(paidShop, guest, { items })).body.status, 'COMPLETED')
    assert.equal(refusal(await ask(paidShop, guest)), REFUSED)
  })

  test('has them, too, after becoming an account', async () => {
    const paidShop = await openPaidShop(service)
    const [guest, account] = [await service.make.guest(), await service.make.user()]
    await buyTen(paidShop, guest)
    await transaction(service.api.services.databases.control, (tx) => mergeGuest(tx, guest.id, account.id))

    assert.equal(refusal(await ask(paidShop, account)), REFUSED)
    assert.equal(refusal(await ask(paidShop, await service.make.apiKey(account.id))), REFUSED)
  })

  test('and sells here places as many as they like', async () => {
    const paidShop = await openPaidShop(service)
    const seller = await service.make.member(paidShop.shop.id, 'ORDERS_WRITE')
    const reader = await service.make.member(paidShop.shop.id, 'ORDERS_READ')
    for (const buyer of [seller, reader]) await buyTen(paidShop, buyer)

    assert.equal((await ask(paidShop, seller)).status, 200)
    assert.equal(refusal(await ask(paidShop, reader)), REFUSED)
  })
})

describe('a hundred checkouts of one caller at once', () => {
  test('open ten', async () => {
    const paidShop = await openPaidShop(service)
    const guest = await service.make.guest()
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(paidShop, guest)))
    const counts = Object.groupBy(answers.map(refusal), (outcome) => outcome)

    assert.deepEqual([counts['200']?.length, counts[REFUSED]?.length], [10, 90])
    assert.equal(await paidShop.stock(), 90)
  })

  test('are as many orders where limits are off', async () => {
    const paidShop = await openPaidShop(unlimited, { quantity: 200 })
    const guest = await unlimited.make.guest()
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(paidShop, guest)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  })
})

test('counting them costs a checkout no round trip', async () => {
  const counts: number[] = []
  for (const { make, ...used } of [service, unlimited]) {
    const paidShop = await openPaidShop({ make, ...used })
    const guest = await make.guest()
    await paidShop.buy({ shopper: guest }) // from here on the guest is known
    const statements = await recordStatements(() => paidShop.buy({ shopper: guest }))
    counts.push(statements.length)
  }
  assert.equal(counts[0], counts[1])
})

test('counting them reads none of the many other orders of the customer or the shop', async () => {
  const paidShop = await openPaidShop(service)
  const guest = await service.make.guest()
  const { id } = await paidShop.buy({ shopper: guest })
  for (const [customer, status] of [
    [sql`customer_id`, 'DELIVERED'],
    [sql`'usr_' || n`, 'PENDING'],
  ] as const) {
    // In pieces: a busy machine takes longer for all of them than a statement may.
    for (let from = 1; from <= 2_000; from += 250)
      await sql`
        insert into orders.orders
        select (json_populate_record(orders, json_build_object(
                  'id', id || ${status}::text || n, 'number', number || ${status}::text || n, 'customer_id', ${customer}, 'status', ${status}::text))).*
          from orders.orders, generate_series(${from}::integer, ${from + 249}::integer) as n
         where business_id = ${paidShop.shop.id} and id = ${id}`.execute(paidShop.db)
  }
  await sql`analyze orders.orders`.execute(paidShop.db)
  const statements = await recordStatements(() => paidShop.buy({ shopper: guest }))
  assert.deepEqual(await findWalks(statements, { 'orders.orders': ['business_id', 'customer_id'] }), [])
})
