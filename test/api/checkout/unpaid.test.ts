import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { mergeGuest } from '#modules/accounts/merge-guest.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Client } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { type Counter, openCounter, quiet } from '../../support/counter.ts'
import { findWalks, recordStatements } from '../../support/explain.ts'
import { useTill } from '../../support/payments.ts'
import { refusal } from '../../support/refusal.ts'

const till = useTill({ env: { RATE_LIMITS: 'on' } })
const unlimited = useTill()
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const REFUSED = '409 CONFLICT items TOO_MANY_UNPAID'

type Buyer = Pick<Client, 'post'>

function ask({ shop, product }: Counter, buyer: Buyer, { key, ...body }: { key?: string; items?: object[] } = {}) {
  const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
  return buyer.post(`${shop.path}/orders/checkout`, { market: 'us', items, ...body }, headers)
}

async function buyTen(counter: Counter, buyer: Buyer) {
  const orders = []
  for (let count = 0; count < 10; count++) orders.push(await counter.buy({ shopper: buyer }))
  return orders
}

describe('who has ten orders to pay', () => {
  test('cannot place another, which takes nothing, and is told what to do', async () => {
    const counter = await openCounter(till)
    const guest = await till.make.guest()
    await buyTen(counter, guest)
    const refused = await ask(counter, guest)

    assert.equal(refusal(refused), REFUSED)
    assert.match(
      refused.body.details[0].message,
      /^You have 10 orders that are not paid yet\. Pay or cancel one, or wait/,
    )
    assert.equal(await counter.stock(), 90)
    await counter.buy({ shopper: await till.make.guest() }) // others are not concerned
    await (await openCounter(till)).buy({ shopper: guest }) // nor are other businesses
  })

  test('can place another once one is paid, is cancelled, or has expired', async () => {
    const counter = await openCounter(till)
    const guest = await till.make.guest()
    const [first, second] = await buyTen(counter, guest)
    till.twin.pay(first?.pageId ?? '')
    await quiet(till, counter.db)
    await counter.buy({ shopper: guest })
    assert.equal(refusal(await ask(counter, guest)), REFUSED)

    assert.equal((await counter.owner.put(`${second?.path}/status`, { status: 'CANCELLED' })).status, 200)
    await counter.buy({ shopper: guest })
    assert.equal(refusal(await ask(counter, guest)), REFUSED)

    clock.advance(3_601)
    await counter.buy({ shopper: await till.make.apiKey(guest.id) })
  })

  test('is answered again about an order that was placed already', async () => {
    const counter = await openCounter(till)
    const guest = await till.make.guest()
    const first = await ask(counter, guest, { key: 'the-first' })
    for (let count = 0; count < 9; count++) await counter.buy({ shopper: guest })
    const again = await ask(counter, guest, { key: 'the-first' })

    assert.deepEqual([again.status, again.body.orderId], [200, first.body.orderId])
    assert.equal(refusal(await ask(counter, guest, { key: 'another' })), REFUSED)
  })

  test('can still have what costs nothing, and that does not count', async () => {
    const counter = await openCounter(till)
    const guest = await till.make.guest()
    const pricing = { markets: [{ marketId: 'us', price: 0 }] }
    const gift = await till.make.product(counter.shop, {
      variants: [{ id: 'one', pricing, inventory: { tracked: false } }],
    })
    const items = [{ productId: gift.id, variantId: 'one', quantity: 1 }]
    assert.equal((await ask(counter, guest, { items })).body.status, 'COMPLETED')
    await buyTen(counter, guest)
    assert.equal((await ask(counter, guest, { items })).body.status, 'COMPLETED')
    assert.equal(refusal(await ask(counter, guest)), REFUSED)
  })

  test('has them, too, after becoming an account', async () => {
    const counter = await openCounter(till)
    const [guest, account] = [await till.make.guest(), await till.make.user()]
    await buyTen(counter, guest)
    await transaction(till.api.services.databases.control, (tx) => mergeGuest(tx, guest.id, account.id))

    assert.equal(refusal(await ask(counter, account)), REFUSED)
    assert.equal(refusal(await ask(counter, await till.make.apiKey(account.id))), REFUSED)
  })

  test('and sells here places as many as they like', async () => {
    const counter = await openCounter(till)
    const seller = await till.make.member(counter.shop.id, 'ORDERS_WRITE')
    const reader = await till.make.member(counter.shop.id, 'ORDERS_READ')
    for (const buyer of [seller, reader]) await buyTen(counter, buyer)

    assert.equal((await ask(counter, seller)).status, 200)
    assert.equal(refusal(await ask(counter, reader)), REFUSED)
  })
})

describe('a hundred checkouts of one caller at once', () => {
  test('open ten', async () => {
    const counter = await openCounter(till)
    const guest = await till.make.guest()
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(counter, guest)))
    const counts = Object.groupBy(answers.map(refusal), (outcome) => outcome)

    assert.deepEqual([counts['200']?.length, counts[REFUSED]?.length], [10, 90])
    assert.equal(await counter.stock(), 90)
  })

  test('are as many orders where limits are off', async () => {
    const counter = await openCounter(unlimited, { quantity: 200 })
    const guest = await unlimited.make.guest()
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(counter, guest)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  })
})

test('counting them costs a checkout no round trip', async () => {
  const counts: number[] = []
  for (const { make, ...used } of [till, unlimited]) {
    const counter = await openCounter({ make, ...used })
    const guest = await make.guest()
    await counter.buy({ shopper: guest }) // from here on the guest is known
    const statements = await recordStatements(() => counter.buy({ shopper: guest }))
    counts.push(statements.length)
  }
  assert.equal(counts[0], counts[1])
})

test('counting them reads none of the many other orders of the customer or the shop', async () => {
  const counter = await openCounter(till)
  const guest = await till.make.guest()
  const { id } = await counter.buy({ shopper: guest })
  for (const [customer, status] of [
    [sql`customer_id`, 'DELIVERED'],
    [sql`'usr_' || n`, 'PENDING'],
  ] as const) {
    await sql`
      insert into orders.orders
      select (json_populate_record(orders, json_build_object(
                'id', id || ${status}::text || n, 'number', number || ${status}::text || n, 'customer_id', ${customer}, 'status', ${status}::text))).*
        from orders.orders, generate_series(1, 2000) as n
       where business_id = ${counter.shop.id} and id = ${id}`.execute(counter.db)
  }
  await sql`analyze orders.orders`.execute(counter.db)
  const statements = await recordStatements(() => counter.buy({ shopper: guest }))
  assert.deepEqual(await findWalks(statements, { 'orders.orders': ['business_id', 'customer_id'] }), [])
})
