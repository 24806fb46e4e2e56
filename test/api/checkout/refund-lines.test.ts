import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { transaction } from '#platform/database/transaction.ts'
import { useFaults } from '#platform/faults.ts'
import { verify } from '../../../src/apps/verify.ts'
import { endUnpaid } from '../../../src/modules/checkout/settle-order.ts'
import type { Answer } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { type Bought, openPaidShop, type PaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { market } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'], own: true })
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(async () => {
  useFaults(undefined)
  clock.advance(31)
  for (const cell of service.api.services.databases.cells.values()) {
    await service.sweep(cell)
    await waitUntilIdle(service, cell)
    for (const { check, violations } of await verify(cell)) assert.deepEqual(violations, [], check)
  }
  clock.release()
})

const SHIPPING = { id: 'standard', name: 'Standard', price: 500 }

/** A paid order of `quantity` at 10.00, with 10 % of tax on top. */
async function paid(paidShop: PaidShop, quantity = 2, body: object = {}): Promise<Bought & { lineId: string }> {
  const order = await paidShop.buy({ quantity, ...body })
  service.twin.pay(order.pageId)
  await waitUntilIdle(service, paidShop.db)
  const { paymentStatus, lines } = await order.row()
  assert.equal(paymentStatus, 'PAID')
  return { ...order, lineId: lines[0]?.id ?? '' }
}

const refund = ({ owner }: PaidShop, order: Bought, body: object) => owner.post(`${order.path}/refunds`, body)
const quote = ({ owner }: PaidShop, order: Bought, body: object) => owner.post(`${order.path}/refunds/quote`, body)
const pieces = ({ lineId }: { lineId: string }, quantity: number, more: object = {}) => ({
  lines: [{ lineId, quantity, ...more }],
})

async function sweep({ db }: PaidShop) {
  await service.sweep(db)
  await waitUntilIdle(service, db)
}

const partsOf = ({ body }: Answer) => ({ amount: body.amount, lines: body.lines, shipping: body.shipping })

describe('a refund by line', () => {
  test('gives what was paid for its pieces, and is quoted, made, listed and read alike', async () => {
    const paidShop = await openPaidShop(service)
    const markets = [market({ taxShipping: true, shippingMethods: [SHIPPING] })]
    assert.equal((await paidShop.shop.admin.put(paidShop.shop.path, { markets })).status, 200)
    const order = await paid(paidShop, 3, { shippingMethodId: 'standard' })
    const { lineId } = order
    const body = { ...pieces(order, 1), shipping: true, reason: 'Came broken' }
    const expected = {
      amount: 1_100 + 550,
      lines: [{ lineId, quantity: 1, from: 'UNSHIPPED', amount: 1_100 }],
      shipping: 550,
    }
    const quoted = await quote(paidShop, order, body)
    assert.equal(quoted.status, 200, quoted.text)
    assert.deepEqual(quoted.body, { ...expected, left: 2_200 })
    assert.deepEqual((await order.payment()).refunding, 0)

    const made = await refund(paidShop, order, body)
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(partsOf(made), expected)
    assert.deepEqual([made.body.restock, made.body.status], [false, 'PENDING'])
    const versionBefore = (await order.row()).version
    await sweep(paidShop)
    const row = await order.row()
    assert.deepEqual([row.refundedAmount, row.paymentStatus], [1_650, 'PARTIALLY_REFUNDED'])
    assert.ok(row.version > versionBefore)

    const second = await refund(paidShop, order, pieces(order, 2, { from: 'SHIPPED' }))
    assert.deepEqual(partsOf(second), {
      amount: 2_200,
      lines: [{ lineId, quantity: 2, from: 'SHIPPED', amount: 2_200 }],
      shipping: 0,
    })
    await sweep(paidShop)
    const last = await order.row()
    assert.deepEqual([last.refundedAmount, last.paymentStatus], [3_850, 'REFUNDED'])
    assert.ok(last.version > row.version)

    const { owner } = paidShop
    const listed = await owner.get(`${order.path}/refunds`)
    assert.deepEqual(
      listed.body.items.map(({ id, status }: { id: string; status: string }) => [id, status]),
      [
        [second.body.id, 'SUCCEEDED'],
        [made.body.id, 'SUCCEEDED'],
      ],
    )
    const one = await owner.get(`${order.path}/refunds?limit=1`)
    const next = await owner.get(`${order.path}/refunds?limit=1&cursor=${one.body.cursor}`)
    assert.deepEqual([one.body.items[0].id, next.body.items[0].id], [second.body.id, made.body.id])
    const read = await owner.get(`${order.path}/refunds/${made.body.id}`)
    assert.deepEqual(read.body, { ...made.body, status: 'SUCCEEDED' })
    assert.equal(refusal(await owner.get(`${order.path}/refunds/ref_nothing`)), '404 NOT_FOUND')
    assert.equal(
      refusal(await refund(paidShop, order, pieces(order, 1))),
      '422 VALIDATION_FAILED lines.0.quantity TOO_MANY',
    )
    assert.equal(refusal(await refund(paidShop, order, { shipping: true })), '409 CONFLICT amount NOTHING_TO_REFUND')
  })

  test('is bound by the pieces and by the money that are left', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const said = async (body: object) => refusal(await refund(paidShop, order, body))
    for (const quantity of [0, -1, 1.5, 10_001, '1', null]) {
      assert.match(await said(pieces(order, quantity as number)), /^422 VALIDATION_FAILED lines\.0\.quantity/)
    }
    assert.equal(await said({ lines: [] }), '422 VALIDATION_FAILED lines TOO_FEW')
    assert.equal(await said(pieces({ lineId: 'line_x' }, 1)), '422 VALIDATION_FAILED lines.0.lineId NOT_FOUND')
    assert.equal(await said(pieces(order, 3)), '422 VALIDATION_FAILED lines.0.quantity TOO_MANY')
    assert.equal(await said({ ...pieces(order, 1), amount: 1_101 }), '422 VALIDATION_FAILED amount TOO_LARGE')
    assert.equal(await said({ amount: 100, restock: true }), '422 VALIDATION_FAILED lines REQUIRED')
    assert.equal((await refund(paidShop, order, { amount: 1_500 })).status, 201)
    const short = await refund(paidShop, order, pieces(order, 1))
    assert.equal(refusal(short), '422 VALIDATION_FAILED amount TOO_LARGE')
    assert.match(short.body.message, /700/)
    assert.equal(refusal(await quote(paidShop, order, pieces(order, 1))), '422 VALIDATION_FAILED amount TOO_LARGE')
    const lower = await refund(paidShop, order, { ...pieces(order, 1), amount: 700 })
    assert.deepEqual(partsOf(lower).lines[0].amount, 700)
    assert.equal(await said(pieces(order, 1)), '409 CONFLICT amount NOTHING_TO_REFUND')
    assert.equal(await said({}), '409 CONFLICT amount NOTHING_TO_REFUND')
  })

  test('of the same pieces at once is made once', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const answers = await Promise.all([1, 2, 3, 4].map(() => refund(paidShop, order, pieces(order, 2))))
    assert.deepEqual(answers.map(refusal).sort(), [
      '201',
      ...[1, 2, 3].map(() => '422 VALIDATION_FAILED lines.0.quantity TOO_MANY'),
    ])
    await sweep(paidShop)
    assert.equal((await order.payment()).refunded, 2_200)
  })

  test('beside one of all at once never gives more than was paid', async () => {
    const paidShop = await openPaidShop(service)
    for (let round = 0; round < 3; round++) {
      const order = await paid(paidShop)
      const answers = await Promise.all([
        refund(paidShop, order, {}),
        refund(paidShop, order, pieces(order, 1)),
        refund(paidShop, order, { ...pieces(order, 2), restock: true }),
      ])
      const made = answers.filter(({ status }) => status === 201)
      assert.ok(made.length >= 1)
      const sum = made.reduce((total, { body }) => total + body.amount, 0)
      assert.equal((await order.payment()).refunding, sum)
      assert.ok(sum <= 2_200)
    }
    await sweep(paidShop)
  })

  test('that fails frees its pieces and its money, and can be asked for again', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    service.twin.behave({ next: 'refuse', path: 'POST /v1/refunds' })
    const failed = await refund(paidShop, order, { ...pieces(order, 2), restock: true })
    assert.equal(failed.status, 201, failed.text)
    assert.equal(await order.ledger(), 'ORDER -2, RETURN 2')
    await sweep(paidShop)
    const read = await paidShop.owner.get(`${order.path}/refunds/${failed.body.id}`)
    assert.deepEqual([read.body.status, read.body.lines.length], ['FAILED', 1])
    assert.equal((await order.row()).refundedAmount, 0)

    const again = await refund(paidShop, order, { ...pieces(order, 2), restock: true })
    assert.deepEqual([again.status, again.body.amount], [201, 2_200])
    await sweep(paidShop)
    assert.equal((await order.row()).refundedAmount, 2_200)
    // The goods came back with the first one, and are not put back twice.
    assert.equal(await order.ledger(), 'ORDER -2, RETURN 2')
    assert.equal(await paidShop.stock(), 100)
  })

  test('of all that is left takes the pieces that are left, so that nobody ships them', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop, 3)
    assert.equal((await refund(paidShop, order, { amount: 1_000 })).status, 201)
    assert.equal((await refund(paidShop, order, pieces(order, 1))).status, 201)
    const rest = await refund(paidShop, order, { restock: true })
    assert.deepEqual(partsOf(rest), {
      amount: 1_200,
      lines: [{ lineId: order.lineId, quantity: 2, from: 'UNSHIPPED', amount: 1_200 }],
      shipping: 0,
    })
    assert.equal(await order.ledger(), 'ORDER -3, RETURN 2')
  })

  test('of an order that a person has called shipped is of pieces that have gone out', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    assert.equal((await paidShop.owner.put(`${order.path}/status`, { status: 'SHIPPED' })).status, 200)
    const made = await refund(paidShop, order, pieces(order, 1))
    assert.equal(made.body.lines[0].from, 'SHIPPED')
  })

  test('of all that was said to be shipped brings nothing back: the order stays fulfilled, and is found so', async () => {
    const paidShop = await openPaidShop(service)
    const { owner } = paidShop
    const setStatus = async ({ path }: Bought, status: string) =>
      assert.equal((await owner.put(`${path}/status`, { status })).status, 200)
    const refundAll = async (order: Bought) => {
      assert.equal((await refund(paidShop, order, {})).status, 201)
      await sweep(paidShop)
      await setStatus(order, 'REFUNDED')
      return order
    }
    const refundedAfter = async (...statuses: string[]) => {
      const order = await paid(paidShop)
      for (const status of statuses) await setStatus(order, status)
      return refundAll(order)
    }
    const sent = await refundedAfter('SHIPPED')
    const arrived = await refundedAfter('SHIPPED', 'DELIVERED')
    const takenBack = await refundedAfter('SHIPPED', 'PROCESSING')
    const kept = await refundedAfter()
    const byShipment = await paid(paidShop)
    assert.equal((await owner.post(`${byShipment.path}/shipments`, {})).status, 201)
    await refundAll(byShipment)

    const fulfilled = [byShipment, arrived, sent]
    const open = [kept, takenBack]
    for (const order of fulfilled) assert.equal((await owner.get(order.path)).body.fulfillment, 'FULFILLED')
    for (const order of open) assert.equal((await owner.get(order.path)).body.fulfillment, 'UNFULFILLED')
    const orders = `${paidShop.shop.path}/orders`
    const found = async (query: string) => {
      const { status, body, text } = await owner.get(`${orders}?${query}`)
      assert.equal(status, 200, text)
      return body.items.map(({ id }: { id: string }) => id)
    }
    const idsOf = (some: readonly Bought[]) => some.map(({ id }) => id)
    for (const more of ['', '&status=REFUNDED', '&paymentStatus=REFUNDED']) {
      assert.deepEqual((await found(`fulfillment=FULFILLED${more}`)).toSorted(), idsOf(fulfilled).toSorted(), more)
      assert.deepEqual((await found(`fulfillment=UNFULFILLED${more}`)).toSorted(), idsOf(open).toSorted(), more)
    }
    assert.deepEqual(await found('fulfillment=FULFILLED&status=SHIPPED'), [])
    const { body } = await owner.get(`${orders}/counts?by=fulfillment`)
    assert.deepEqual(
      new Map(body.items.map(({ value, count }: { value: string; count: number }) => [value, count])),
      new Map([
        ['FULFILLED', 3],
        ['UNFULFILLED', 2],
      ]),
    )
  })

  test('of what is left to ship completes the order, until the refund fails', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop, 3)
    const shipped = await paidShop.owner.post(`${order.path}/shipments`, pieces(order, 1))
    assert.equal(shipped.status, 201, shipped.text)
    assert.equal((await order.row()).fulfillment, 'PARTIALLY_FULFILLED')
    service.twin.behave({ next: 'refuse', path: 'POST /v1/refunds' })
    const made = await refund(paidShop, order, { ...pieces(order, 2), restock: true })
    assert.deepEqual(made.body.lines, [{ lineId: order.lineId, quantity: 2, from: 'UNSHIPPED', amount: 2_200 }])
    assert.equal((await order.row()).fulfillment, 'FULFILLED')
    const none = await paidShop.owner.post(`${order.path}/shipments`, {})
    assert.equal(refusal(none), '409 CONFLICT lines NOTHING_TO_SHIP')
    await sweep(paidShop)
    assert.equal((await order.row()).fulfillment, 'PARTIALLY_FULFILLED')
    const one = await refund(paidShop, order, pieces(order, 3))
    assert.deepEqual(
      one.body.lines.map(({ from, quantity }: { from: string; quantity: number }) => [from, quantity]),
      [
        ['UNSHIPPED', 2],
        ['SHIPPED', 1],
      ],
    )
  })

  test('in a currency without minor units gives whole units that add up', async () => {
    const paidShop = await openPaidShop(service)
    const { shop, product } = paidShop
    const markets = [market({ id: 'jp', name: 'Japan', currency: 'JPY', taxBps: 0 })]
    assert.equal((await shop.admin.put(shop.path, { markets })).status, 200)
    const pricing = { markets: [{ marketId: 'jp', price: 333 }] }
    const variant = { id: 'one', name: 'One size', sku: 'SALT-1', pricing, inventory: { tracked: true } }
    const changed = await shop.admin.put(product.path, { variants: [variant] })
    assert.equal(changed.status, 200, changed.text)
    const promo = { code: 'OFF', type: 'FIXED', currency: 'JPY', value: 100 }
    assert.equal((await shop.admin.post(`${shop.path}/promo-codes`, promo)).status, 201)
    const order = await paid(paidShop, 3, { market: 'jp', promoCode: 'OFF' })
    const amounts: number[] = []
    for (let count = 0; count < 3; count++) amounts.push((await refund(paidShop, order, pieces(order, 1))).body.amount)
    assert.deepEqual(amounts, [300, 299, 300])
    await sweep(paidShop)
    assert.equal((await order.row()).paymentStatus, 'REFUNDED')
  })

  test('is quoted and read by those who may read orders, of this business', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const { make } = service
    const other = await openPaidShop(service)
    const reader = await make.member(paidShop.shop.id, 'ORDERS_READ')
    const made = await refund(paidShop, order, pieces(order, 1))
    for (const path of ['/refunds', `/refunds/${made.body.id}`]) {
      assert.equal((await make.anonymous().get(`${order.path}${path}`)).status, 401)
      assert.equal((await (await make.guest()).get(`${order.path}${path}`)).status, 403)
      assert.equal((await other.owner.get(`${order.path}${path}`)).status, 403)
      assert.equal((await other.owner.get(`${other.shop.path}/orders/${order.id}${path}`)).status, 404)
      assert.equal((await reader.get(`${order.path}${path}`)).status, 200)
    }
    assert.equal((await reader.post(`${order.path}/refunds/quote`, {})).body.amount, 1_100)
    assert.equal((await other.owner.post(`${other.shop.path}/orders/${order.id}/refunds/quote`, {})).status, 404)
    const waiting = await paidShop.buy()
    assert.equal(refusal(await quote(paidShop, waiting, {})), '409 CONFLICT amount NOTHING_TO_REFUND')
    assert.deepEqual((await reader.get(`${waiting.path}/refunds`)).body, { items: [], cursor: null })
  })
})

describe('goods that come back', () => {
  const giveBack = ({ owner }: PaidShop, order: Bought, body: object, key?: string) =>
    owner.post(`${order.path}/returns`, body, key === undefined ? {} : { 'idempotency-key': key })

  test('are in stock again, whatever becomes of the money, and never more than were ordered', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const versionBefore = (await order.row()).version
    const back = await giveBack(paidShop, order, { ...pieces(order, 1), reason: 'Too small' }, 'back-1')
    assert.equal(back.status, 201, back.text)
    assert.deepEqual(
      { ...back.body, createdAt: 0 },
      {
        orderId: order.id,
        lines: [{ lineId: order.lineId, quantity: 1, restocked: 1 }],
        reason: 'Too small',
        createdAt: 0,
      },
    )
    const again = await giveBack(paidShop, order, { ...pieces(order, 1), reason: 'Too small' }, 'back-1')
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const row = await order.row()
    assert.deepEqual([row.version, row.paymentStatus, row.lines[0]?.taken], [versionBefore + 1, 'PAID', 1])
    assert.equal(await paidShop.stock(), 99)
    const movements = await paidShop.owner.get(`${paidShop.product.path}/variants/one/stock`)
    const [{ kind, delta, reason, reference }] = movements.body.items
    assert.deepEqual([kind, delta, reason, reference], ['RETURN', 1, 'Too small', order.id])
    const told = (await order.events()).findLast(({ type }) => type === 'order.returned')
    assert.deepEqual(told?.data, { number: row.number, lines: [{ lineId: order.lineId, quantity: 1 }] })

    const said = async (body: object) => refusal(await giveBack(paidShop, order, body))
    assert.equal(await said(pieces(order, 2)), '422 VALIDATION_FAILED lines.0.quantity TOO_MANY')
    const twice = { lines: [...pieces(order, 1).lines, ...pieces(order, 1).lines] }
    assert.equal(await said(twice), '422 VALIDATION_FAILED lines.1.quantity TOO_MANY')
    assert.equal(await said(pieces({ lineId: 'x' }, 1)), '422 VALIDATION_FAILED lines.0.lineId NOT_FOUND')
    for (const quantity of [0, -1, 1.5, 10_001]) assert.match(await said(pieces(order, quantity)), /^422/)
    assert.equal(await said({ lines: [] }), '422 VALIDATION_FAILED lines TOO_FEW')
    assert.equal(await said(pieces(order, 1)), '201')
    assert.equal(await paidShop.stock(), 100)
  })

  test('before the order is cancelled are not given back a second time', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    assert.equal((await giveBack(paidShop, order, pieces(order, 1))).status, 201)
    assert.equal((await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })).status, 200)
    assert.equal(await order.ledger(), 'ORDER -2, RETURN 1, CANCEL 1')
    assert.equal(await paidShop.stock(), 100)
    // What comes back after that holds no stock any more.
    const late = await giveBack(paidShop, order, pieces(order, 1))
    assert.deepEqual(late.body.lines, [{ lineId: order.lineId, quantity: 1, restocked: 0 }])
    assert.equal(await paidShop.stock(), 100)
  })

  test('after the order was cancelled are in stock again only if they had been shipped', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop, 3)
    assert.equal((await paidShop.owner.post(`${order.path}/shipments`, pieces(order, 2))).status, 201)
    assert.equal((await giveBack(paidShop, order, pieces(order, 1))).body.lines[0].restocked, 1)
    assert.equal((await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })).status, 200)
    // One was shipped and came back, one was never shipped, one is with the customer.
    assert.equal(await order.ledger(), 'ORDER -3, RETURN 1, CANCEL 1')
    assert.equal(await paidShop.stock(), 99)
    assert.equal((await giveBack(paidShop, order, pieces(order, 1))).body.lines[0].restocked, 1)
    assert.equal(await paidShop.stock(), 100)
    assert.equal((await giveBack(paidShop, order, pieces(order, 1))).body.lines[0].restocked, 0)
    assert.equal(await paidShop.stock(), 100)
  })

  test('before the order expires are not taken again when it is paid late', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy({ quantity: 2 })
    const lineId = (await order.row()).lines[0]?.id ?? ''
    assert.equal((await giveBack(paidShop, order, pieces({ lineId }, 1))).status, 201)
    service.twin.mischief({ drop: 100 })
    service.twin.pay(order.pageId)
    service.twin.mischief()
    // It ends without a word from the provider; the money is found later.
    await transaction(paidShop.db, async (tx) => void (await endUnpaid(tx, await order.row())))
    assert.equal(await order.ledger(), 'ORDER -2, RETURN 1, CANCEL 1')
    clock.advance(600)
    await sweep(paidShop)
    assert.equal(await order.state(), 'PROCESSING/PAID')
    assert.equal(await order.ledger(), 'ORDER -2, RETURN 1, CANCEL 1, ORDER -1')
    assert.equal(await paidShop.stock(), 99)
  })

  test('of an order by hand stay back when its lines change, and their line cannot go', async () => {
    const paidShop = await openPaidShop(service)
    const { owner, shop, product } = paidShop
    const line = (quantity: number) => ({
      productId: product.id,
      variantId: 'one',
      quantity,
      unitPrice: 500,
      totalPrice: 500 * quantity,
    })
    const figures = (quantity: number) => ({ subtotal: 500 * quantity, tax: 0, shipping: 0, total: 500 * quantity })
    const made = await owner.post(`${shop.path}/orders`, {
      customerId: shop.admin.id,
      market: 'us',
      lines: [line(3)],
      ...figures(3),
    })
    assert.equal(made.status, 201, made.text)
    const { id, lines } = made.body
    const lineId = lines[0].id
    const back = await owner.post(`${shop.path}/orders/${id}/returns`, pieces({ lineId }, 2))
    assert.equal(back.status, 201, back.text)
    assert.equal(await paidShop.stock(), 99)
    const change = (sent: object[], quantity: number) =>
      owner.put(`${shop.path}/orders/update`, { id, lines: sent, ...figures(quantity) })
    assert.equal(refusal(await change([line(1)], 1)), '422 VALIDATION_FAILED lines TOO_FEW')
    assert.equal(refusal(await change([{ ...line(1), id: lineId }], 1)), '422 VALIDATION_FAILED lines TOO_FEW')
    const halves = [1, 1].map(() => ({ ...line(1), id: lineId }))
    assert.equal(refusal(await change(halves, 2)), '422 VALIDATION_FAILED lines TOO_FEW')
    const twice = await change(
      [1, 2].map(() => ({ ...line(2), id: lineId })),
      4,
    )
    assert.equal(twice.status, 200, twice.text)
    assert.deepEqual([twice.body.lines[0].id === lineId, twice.body.lines[1].id === lineId], [true, false])
    assert.equal(await paidShop.stock(), 98)
    const more = await change([{ ...line(4), id: lineId }], 4)
    assert.equal(more.status, 200, more.text)
    assert.equal(await paidShop.stock(), 98)
    assert.equal((await owner.put(`${shop.path}/orders/${id}/status`, { status: 'CANCELLED' })).status, 200)
    assert.equal(await paidShop.stock(), 100)
  })

  test('are not taken where the stock could not be counted any more, and nothing is left behind', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const setStock = async (delta: number) => {
      const path = `${paidShop.product.path}/variants/one/stock`
      const { status, text } = await paidShop.owner.post(path, { delta })
      assert.equal(status, 201, text)
    }
    await setStock(1_000_000_000 - 98)
    const before = await order.row()
    assert.equal(refusal(await giveBack(paidShop, order, pieces(order, 1))), '409 CONFLICT lines TOO_LARGE')
    const both = await refund(paidShop, order, { ...pieces(order, 1), restock: true })
    assert.equal(refusal(both), '409 CONFLICT lines TOO_LARGE')
    assert.deepEqual(await order.row(), before)
    assert.equal((await order.payment()).refunding, 0)
    await setStock(-1_000)
  })

  test('by a return and by a refund at once are put back once', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const answers = await Promise.all([
      giveBack(paidShop, order, pieces(order, 2)),
      giveBack(paidShop, order, pieces(order, 2)),
      refund(paidShop, order, { ...pieces(order, 2), restock: true }),
    ])
    assert.ok(answers.filter(({ status }) => status === 201).length >= 1)
    assert.equal(await paidShop.stock(), 100)
    assert.equal((await order.row()).lines[0]?.returned, 2)
  })

  test('are taken back by those who may change orders, of this business', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const { make } = service
    const other = await openPaidShop(service)
    const ask = (caller: Pick<typeof paidShop.owner, 'post'>, path = order.path) =>
      caller.post(`${path}/returns`, pieces(order, 1))
    assert.equal((await ask(make.anonymous())).status, 401)
    assert.equal((await ask(await make.guest())).status, 403)
    assert.equal((await ask(await make.member(paidShop.shop.id, 'ORDERS_READ'))).status, 403)
    assert.equal((await ask(other.owner, `${other.shop.path}/orders/${order.id}`)).status, 404)
    assert.equal((await ask(await make.member(paidShop.shop.id, 'ORDERS_WRITE'))).status, 201)
  })
})
