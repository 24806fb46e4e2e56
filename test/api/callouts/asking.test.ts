import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { forgetAnswers } from '#modules/callouts/queries.ts'
import { useFaults } from '#platform/faults.ts'
import { verify } from '../../../src/apps/verify.ts'
import { type Asked, isSigned, RATES, useReceiver } from '../../support/callout-receiver.ts'
import { OWN, openCalloutShop } from '../../support/callout-shop.ts'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { recordStatements } from '../../support/explain.ts'
import { waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { item, market } from '../../support/shop.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], own: true, env: { OUTGOING_LOOPBACK: 'on' } })
const receiver = useReceiver()
const open = (markets?: object[]) => openCalloutShop(used.make, receiver.url, markets)

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  receiver.forget()
})
/** Whatever a service said, everything adds up. */
afterEach(async () => {
  useFaults(undefined)
  for (const cell of used.api.services.databases.cells.values()) {
    await used.sweep(cell)
    await waitUntilIdle(used, cell)
    for (const { check, violations } of await verify(cell)) assert.deepEqual(violations, [], check)
  }
  clock.release()
})

const ADDRESS = { name: 'Ada', street: 'Hafenstraße 1', zip: '20095', city: 'Hamburg', country: 'DE' }
const FIGURES = ['subtotal', 'discount', 'shipping', 'shippingTax', 'tax', 'taxIncluded', 'taxes', 'total'] as const
type Figures = Record<(typeof FIGURES)[number], unknown> & { lines: { tax: number; taxBps: number }[] }
const figuresOf = (body: Figures) => ({
  ...Object.fromEntries(FIGURES.map((name) => [name, body[name]])),
  lines: body.lines.map(({ tax, taxBps }) => ({ tax, taxBps })),
})

test('a quote has the tax of the service, and the checkout has the same without asking again', async () => {
  const { attach, quote, guest, buy, order, priced, admin } = await open()
  const { secret } = await attach('tax.calculate')
  const items = [item(await priced(999), 2), item(await priced(1_001))]
  const body = { items, shippingMethodId: 'own', shippingAddress: ADDRESS }
  const quoted = await quote(guest, { ...body, explain: true })
  assert.equal(quoted.status, 200, quoted.text)
  // 20 % of 1998, 1001 and 500, each rounded down
  assert.deepEqual(figuresOf(quoted.body), {
    subtotal: 2_999,
    discount: 0,
    shipping: 500,
    shippingTax: 100,
    tax: 699,
    taxIncluded: 0,
    taxes: [{ taxBps: 2_000, taxClasses: ['standard'], base: 3_499, amount: 699, included: false }],
    total: 4_198,
    lines: [
      { tax: 399, taxBps: 2_000 },
      { tax: 200, taxBps: 2_000 },
    ],
  })
  assert.equal(quoted.body.taxBps, 2_000)
  assert.equal('fallbacks' in quoted.body, false)
  const [asked] = receiver.asked
  assert.ok(asked && isSigned(asked, secret))
  assert.deepEqual(
    [asked.body.customerId, asked.body.shippingAddress, asked.body.shippingMethodId, asked.body.shipping],
    [guest.id, { ...ADDRESS, company: null, street2: null, state: null, phone: null }, 'own', 500],
  )

  const { orderId, path } = await buy(guest, body)
  assert.deepEqual(receiver.pointsAsked(), ['tax.calculate'], 'once for both')
  const placed = await order(orderId)
  assert.deepEqual(figuresOf(placed), figuresOf(quoted.body))
  assert.equal('fallbacks' in placed, false)
  const explained = (await admin.get(`${path}/explain`)).body
  assert.deepEqual([explained.addsUp, explained.isByHand], [true, false])
  assert.deepEqual(explained.steps, quoted.body.steps)
  assert.ok(
    explained.steps.some(
      ({ rule, result }: { rule: string; result: number }) => /tax.calculate/.test(rule) && result === 699,
    ),
  )
})

test('whether the address has its fields in this order or that, it is the same question', async () => {
  const { attach, quote, guest, priced } = await open()
  await attach('tax.calculate')
  const body = { items: [item(await priced(1_000))], shippingMethodId: 'own' }
  const reversed = Object.fromEntries(Object.entries(ADDRESS).toReversed())
  await quote(guest, { ...body, shippingAddress: ADDRESS })
  await quote(guest, { ...body, shippingAddress: { phone: null, ...reversed } })
  assert.equal(receiver.asked.length, 1)
  await quote(guest, { ...body, shippingAddress: { ...ADDRESS, zip: '20097' } })
  assert.equal(receiver.asked.length, 2)
})

test('a cart that has changed since its quote is asked about again', async () => {
  const { attach, quote, guest, buy, order, priced } = await open()
  await attach('tax.calculate')
  const lamp = await priced(1_000)
  const body = { shippingMethodId: 'own' }
  await quote(guest, { ...body, items: [item(lamp)] })
  const { orderId } = await buy(guest, { ...body, items: [item(lamp, 3)] })
  assert.deepEqual(
    receiver.asked.map(({ body: { lines } }) => lines[0]?.quantity),
    [1, 3],
  )
  assert.equal((await order(orderId)).tax, 700)
})

test('after ten minutes it is asked again, and old answers are forgotten', async () => {
  const { attach, quote, guest, buy, order, priced, db } = await open()
  await attach('tax.calculate')
  const body = { items: [item(await priced(1_000))], shippingMethodId: 'own' }
  await quote(guest, body)
  clock.advance(599)
  await quote(guest, body)
  assert.equal(receiver.asked.length, 1)
  clock.advance(2)
  receiver.answers.set('tax.calculate', (asked: Asked) => ({
    lines: asked.lines.map(({ id }) => ({ id, taxBps: 0, tax: 0 })),
    shippingTax: 0,
    taxes: [],
  }))
  const { orderId } = await buy(guest, body)
  assert.equal(receiver.asked.length, 2)
  const { tax, total } = await order(orderId)
  assert.deepEqual([tax, total], [0, 1_500], 'no tax, because the service said so')
  clock.advance(601)
  assert.ok((await forgetAnswers(db)) > 0)
  const { rows } = await sql`select from callouts.answers`.execute(db)
  assert.equal(rows.length, 0)
})

test('another process uses what this one was told', async () => {
  const { attach, quote, guest, priced, id, path } = await open()
  await attach('tax.calculate')
  const body = { market: 'us', items: [item(await priced(1_000))], shippingMethodId: 'own' }
  const first = await quote(guest, body)
  const other = await startApi({ databases: used.api.databases, env: { ...used.env, OUTGOING_LOOPBACK: 'on' } })
  try {
    const same = createClient(other.url, { authorization: `Bearer ${guest.token}` })
    const second = await same.post('/v1/payments/quote', { businessId: id, ...body })
    assert.deepEqual(second.body, first.body)
    assert.equal((await same.post(`${path}/orders/checkout`, body)).status, 200)
    assert.equal(receiver.asked.length, 1)
  } finally {
    await other.close()
  }
})

test('a price that changes while the service is asked is not sold at the old tax', async () => {
  const { attach, guest, buy, order, product, admin } = await open()
  await attach('tax.calculate')
  const variants = (price: number) => [
    { id: 'one', sku: 'S', pricing: { markets: [{ marketId: 'us', price }] }, inventory: { quantity: 9 } },
  ]
  const lamp = await product({ variants: variants(1_000) })
  let changes = 1
  useFaults(async (name) => {
    if (name === 'checkout.consulted' && changes-- > 0) {
      const changed = await admin.put(lamp.path, { variants: variants(2_000) })
      assert.equal(changed.status, 200, changed.text)
    }
  })
  const { orderId, path } = await buy(guest, { items: [item(lamp)], shippingMethodId: 'own' })
  assert.deepEqual(
    receiver.asked.map(({ body }) => body.lines[0]?.totalPrice),
    [1_000, 2_000],
  )
  const placed = await order(orderId)
  assert.deepEqual([placed.subtotal, placed.tax], [2_000, 500])
  assert.equal((await admin.get(`${path}/explain`)).body.addsUp, true)
})

test('a repeated checkout gets its order, though the service is dead by then', async () => {
  const { attach, guest, checkout, priced } = await open()
  await attach('tax.calculate')
  const body = { items: [item(await priced(1_000))], shippingMethodId: 'own' }
  const key = { 'idempotency-key': 'one' }
  const first = await checkout(guest, body, key)
  assert.equal(first.status, 200, first.text)
  clock.advance(601)
  receiver.answers.set('tax.calculate', (_asked, response) => {
    response.destroy()
  })
  const again = await checkout(guest, body, key)
  assert.deepEqual([again.status, again.body.orderId], [200, first.body.orderId], again.text)
  assert.equal(receiver.asked.length, 1)
})

test('tax of a service, a promo code, and prices that include tax: a refund of all pieces adds up to the cent', async () => {
  for (const pricesIncludeTax of [false, true]) {
    const { attach, quote, guest, buy, order, priced, promo, admin, db } = await open([
      { ...OWN, pricesIncludeTax, taxShipping: false },
    ])
    await attach('tax.calculate')
    await promo({ code: 'OFF', type: 'FIXED', value: 331, currency: 'USD' })
    const items = [item(await priced(333), 3), item(await priced(777), 7)]
    const body = { items, shippingMethodId: 'own', promoCode: 'OFF' }
    const quoted = await quote(guest, body)
    assert.equal(quoted.status, 200, quoted.text)
    const { orderId, path, pageId } = await buy(guest, body)
    const placed = await order(orderId)
    assert.deepEqual(figuresOf(placed), figuresOf(quoted.body))
    assert.equal(placed.discount, 331)
    assert.equal(placed.tax > 0, !pricesIncludeTax)
    assert.equal(placed.taxIncluded > 0, pricesIncludeTax)
    assert.equal(placed.shippingTax > 0, true, 'the service taxes shipping, whatever the market says')
    assert.equal(placed.total, placed.subtotal + placed.tax + placed.shipping - placed.discount)
    assert.equal((await admin.get(`${path}/explain`)).body.addsUp, true)

    used.twin.pay(pageId)
    await waitUntilIdle(used, db)
    let refunded = 0
    for (const line of placed.lines)
      for (let piece = 0; piece < line.quantity; piece++) {
        const answer = await admin.post(`${path}/refunds`, { lines: [{ lineId: line.id, quantity: 1 }] })
        assert.equal(answer.status, 201, answer.text)
        refunded += answer.body.amount
      }
    const shipping = await admin.post(`${path}/refunds`, { shipping: true })
    assert.equal(refunded + shipping.body.amount, placed.total)
    await used.sweep(db)
    await waitUntilIdle(used, db)
    assert.equal((await order(orderId)).refundedAmount, placed.total)
  }
})

test('rates of the service stand in the place of the market’s shipping methods', async () => {
  const { attach, quote, guest, checkout, buy, order, priced, admin } = await open()
  await attach('shipping.rates')
  await attach('tax.calculate')
  const items = [item(await priced(1_000))]
  const offered = await quote(guest, { items })
  assert.equal(offered.status, 200, offered.text)
  assert.deepEqual([offered.body.shippingRates, offered.body.shipping], [RATES.rates, 0])
  const quoted = await quote(guest, { items, shippingMethodId: 'express' })
  assert.deepEqual([quoted.body.shipping, quoted.body.shippingTax, quoted.body.total], [1_290, 258, 2_748])
  assert.deepEqual(receiver.pointsAsked(), ['shipping.rates', 'tax.calculate', 'tax.calculate'])
  assert.deepEqual(
    receiver.asked.map(({ body }) => [body.shippingMethodId, body.shipping]),
    [
      [null, 0],
      [null, 0],
      ['express', 1_290],
    ],
  )

  assert.match(
    refusal(await quote(guest, { items, shippingMethodId: 'own' })),
    /^422 VALIDATION_FAILED shippingMethodId NOT_FOUND/,
  )
  assert.match(refusal(await checkout(guest, { items })), /^422 VALIDATION_FAILED shippingMethodId REQUIRED/)
  const { orderId, path } = await buy(guest, { items, shippingMethodId: 'express' })
  assert.equal(receiver.asked.length, 3, 'nothing was asked anew')
  const placed = await order(orderId)
  assert.deepEqual([placed.shippingMethodId, placed.shipping, placed.total], ['express', 1_290, 2_748])
  const explained = (await admin.get(`${path}/explain`)).body
  assert.equal(explained.addsUp, true)
  assert.ok(explained.steps.some(({ rule }: { rule: string }) => rule === 'shipping express, from shipping.rates'))
})

test('where the service offers no shipping, nothing is sold', async () => {
  const { attach, quote, guest, checkout, priced } = await open([market()])
  await attach('shipping.rates')
  receiver.answers.set('shipping.rates', { rates: [] })
  const items = [item(await priced(1_000))]
  assert.deepEqual((await quote(guest, { items })).body.shippingRates, [])
  assert.match(refusal(await checkout(guest, { items })), /^422 VALIDATION_FAILED shippingMethodId REQUIRED/)
})

test('a cart that the service refuses is 409 with a detail for each problem, and is asked about again', async () => {
  const { attach, quote, guest, checkout, priced, listAll } = await open([market()])
  await attach('cart.validate')
  const [lamp, mug] = [await priced(1_000), await priced(500)]
  const items = [item(lamp), item(lamp), item(mug)]
  const problems = [
    { lineId: '2', code: 'ADULTS_ONLY', message: 'Mugs are for adults.' },
    { lineId: null, code: 'TOO_SMALL', message: 'Order for 50 at least.' },
  ]
  receiver.answers.set('cart.validate', { isValid: false, problems })
  for (const answer of [await quote(guest, { items }), await checkout(guest, { items })]) {
    assert.equal(answer.status, 409, answer.text)
    assert.deepEqual(
      [answer.body.error, answer.body.details, answer.body.problems],
      [
        'CONFLICT',
        [
          { field: 'items.2', error: 'CART_REFUSED', message: 'Mugs are for adults.' },
          { field: 'items', error: 'CART_REFUSED', message: 'Order for 50 at least.' },
        ],
        problems,
      ],
    )
  }
  assert.deepEqual(await listAll(), [])
  receiver.answers.clear()
  assert.equal((await quote(guest, { items })).status, 200)
  assert.equal((await checkout(guest, { items })).status, 200)
  assert.equal(receiver.asked.length, 3, 'a refusal is not kept, an acceptance is')
})

test('a callout that is not enabled, or removed, is not asked; another address is asked anew', async () => {
  const { attach, quote, guest, priced, admin, at } = await open()
  await attach('tax.calculate', { isEnabled: false })
  const body = { items: [item(await priced(1_000))], shippingMethodId: 'own' }
  assert.equal((await quote(guest, body)).body.tax, 150)
  assert.equal(receiver.asked.length, 0)
  await attach('tax.calculate', { isEnabled: true })
  assert.equal((await quote(guest, body)).body.tax, 300)
  await attach('tax.calculate', { url: `${receiver.url}/v2` })
  assert.equal((await quote(guest, body)).body.tax, 300)
  assert.equal(receiver.asked.length, 2)
  await admin.delete(at('tax.calculate'))
  assert.equal((await quote(guest, body)).body.tax, 150)
  assert.equal(receiver.asked.length, 2)
})

test('what was kept does not outlive a change of the callout, nor its removal', async () => {
  const { attach, quote, guest, priced, admin, at } = await open()
  const body = { items: [item(await priced(1_000))], shippingMethodId: 'own' }
  await attach('tax.calculate')
  await quote(guest, body)
  await quote(guest, body)
  assert.equal(receiver.asked.length, 1)
  clock.advance(1)
  await attach('tax.calculate', { timeoutMs: 900 })
  await quote(guest, body)
  assert.equal(receiver.asked.length, 2)
  clock.advance(1)
  await admin.delete(at('tax.calculate'))
  await attach('tax.calculate', { timeoutMs: 900 })
  await quote(guest, body)
  assert.equal(receiver.asked.length, 3)
})

test('a shop without callouts runs no statement for them: a quote is one, a checkout as many as ever', async () => {
  const { quote, checkout, guest, priced, attach, admin, at } = await open()
  const body = { items: [item(await priced(0))], shippingMethodId: 'own', promoCode: null }
  const textsOf = async (call: () => Promise<{ status: number; text: string }>) => {
    const statements = await recordStatements(async () => {
      const { status, text } = await call()
      assert.equal(status, 200, text)
    })
    return statements.map(({ text }) => text)
  }
  await checkout(guest, body) // from here on the guest is known
  const quoted = await textsOf(() => quote(guest, body))
  assert.equal(quoted.length, 1, quoted.join('\n'))
  const sold = await textsOf(() => checkout(guest, body))
  assert.equal(
    [...quoted, ...sold].some((text) => text.includes('callouts')),
    false,
  )

  await attach('tax.calculate', { isEnabled: false })
  await quote(guest, body)
  assert.equal((await textsOf(() => quote(guest, body))).length, 1, 'nor does one whose callouts are switched off')
  assert.equal((await textsOf(() => checkout(guest, body))).length, sold.length)
  await admin.delete(at('tax.calculate'))
})

test('a shop without callouts asks nobody, and neither does another one’s', async () => {
  const [mine, other] = [await open(), await open()]
  await mine.attach('tax.calculate')
  const body = { items: [item(await other.priced(1_000))], shippingMethodId: 'own' }
  const { tax } = (await other.quote(other.guest, body)).body
  assert.equal(tax, 150)
  await other.buy(other.guest, body)
  assert.equal(receiver.asked.length, 0)
})
