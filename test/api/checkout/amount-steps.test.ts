import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { type Asked, RATES, taxes, useReceiver } from '../../support/callout-receiver.ts'
import { openCalloutShop } from '../../support/callout-shop.ts'
import { openPaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { createRandom, item, market, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], env: { OUTGOING_LOOPBACK: 'on' } })
const receiver = useReceiver()

const POST = { id: 'post', name: 'Post', price: 500 }
const KWD = { currency: 'KWD', taxBps: 1_900, shippingMethods: [POST] }
const post = { shippingMethodId: 'post' }

async function open(changes: object = {}) {
  const shop = await openShop(used.make)
  await shop.configure({ markets: [market({ ...KWD, ...changes })] })
  const buyer = await used.make.guest()
  return {
    ...shop,
    /** The response of a quote and of a checkout of the same cart, each as one line: the total, or the error. */
    async both(body: object) {
      const cart = { ...post, ...body }
      const quoted = await shop.quote(buyer, cart)
      const caller = await used.make.guest()
      const bought = await shop.checkout(caller, cart)
      const total = bought.status === 200 ? (await shop.order(bought.body.orderId)).total : undefined
      return { quote: quoted.body.total ?? refusal(quoted), checkout: total ?? refusal(bought), quoted, bought }
    },
    // As an archive, or a release that accepted any amount, left them behind.
    async storeShipping(price: number) {
      const { control } = used.api.services.databases
      await sql`
        update access.businesses set markets = jsonb_set(markets::jsonb, '{0,shippingMethods,0,price}', ${price}::text::jsonb)
         where id = ${shop.id}`.execute(control)
      await shop.configure({ name: 'Diwan' })
    },
    async storePrice(product: { id: string }, price: number) {
      await sql`
        update catalog.variants set prices = jsonb_set(prices::jsonb, '{0,price}', ${price}::text::jsonb)
         where business_id = ${shop.id} and product_id = ${product.id}`.execute(shop.db)
    },
  }
}

const figuresOf = (body: Record<string, unknown>) => {
  const lines = body.lines as { discount: number; tax: number }[]
  const groups = body.taxes as { amount: number }[]
  const sums = [body.subtotal, body.discount, body.shipping, body.tax, body.taxIncluded, body.shippingTax, body.total]
  return [
    ...(sums as number[]),
    ...lines.flatMap(({ discount, tax }) => [discount, tax]),
    ...groups.map((g) => g.amount),
  ]
}

describe('quote and checkout in a currency whose amounts are multiples of 10', () => {
  for (const pricesIncludeTax of [false, true]) {
    test(`agree on every cart, with tax ${pricesIncludeTax ? 'included' : 'on top'}, and with promo codes`, async () => {
      const shop = await open({ pricesIncludeTax, taxShipping: true, taxRates: [{ taxClass: 'food', taxBps: 333 }] })
      await shop.promo({ code: 'ODD', value: 3_333 })
      await shop.promo({ code: 'FIXED', type: 'FIXED', value: 130, currency: 'KWD' })
      const prices = Array.from({ length: 20 }, (_, index) => 1_000 + 10 * index)
      const random = createRandom(7)
      for (const price of prices) {
        const product = await shop.priced(price)
        const other = await shop.product({
          taxClass: 'food',
          variants: [
            {
              id: 'one',
              sku: 'F',
              pricing: { markets: [{ marketId: 'us', price: price + 10 }] },
              inventory: { tracked: false },
            },
          ],
        })
        for (const promoCode of [undefined, 'ODD', 'FIXED']) {
          const items = [item(product, 1 + random.upTo(4)), item(other)]
          const { quote, checkout, quoted, bought } = await shop.both({ items, promoCode })
          assert.equal(quote, checkout, `${price} ${promoCode}: ${bought.text}`)
          assert.equal(quoted.status, 200, quoted.text)
          const off = figuresOf(quoted.body).filter((figure) => figure % 10 !== 0)
          assert.deepEqual(off, [], quoted.text)
        }
      }
    })
  }

  test('reject a stored price, shipping price, or discount that is not a multiple, and name it', async () => {
    const shop = await open()
    const product = await shop.priced(1_000)
    await shop.storePrice(product, 1_002)
    const items = [item(await shop.priced(500)), item(product)]
    const { quoted, bought } = await shop.both({ items })
    const details = [{ field: 'items.1.variantId', error: 'STEP' }]
    for (const { status, body } of [quoted, bought]) {
      assert.equal(status, 422)
      assert.deepEqual(
        body.details.map(({ field, error }: { field: string; error: string }) => ({ field, error })),
        details,
      )
      assert.match(
        body.details[0].message,
        /^Product \d+ costs 1002, which is not a multiple of 10\. Change its price to 1000 or 1010\.$/,
      )
    }
    const sound = [item(await shop.priced(500))]
    const promo = await shop.promo({ code: 'OLD', type: 'FIXED', value: 100, currency: 'KWD' })
    await sql`update catalog.promo_codes set value = 105 where id = ${promo.id}`.execute(shop.db)
    const reduced = await shop.both({ items: sound, promoCode: 'OLD' })
    assert.equal(reduced.quote, '422 VALIDATION_FAILED promoCode STEP')
    assert.equal(reduced.checkout, reduced.quote)

    await shop.storeShipping(495)
    const shipped = await shop.both({ items: sound })
    assert.equal(shipped.quote, '422 VALIDATION_FAILED shippingMethodId STEP')
    assert.equal(shipped.checkout, shipped.quote)
    const message = 'The shipping method Post costs 495, which is not a multiple of 10. Change its price to 490 or 500.'
    assert.equal(shipped.quoted.body.message, message)

    await shop.configure({ markets: [market({ ...KWD, shippingMethods: [{ ...POST, freeFrom: 500 }] })] })
    await shop.storeShipping(495)
    const free = await shop.both({ items: sound })
    assert.equal(free.quoted.body.shipping, 0, free.quoted.text)
    assert.equal(free.checkout, free.quote)
  })

  test('ignore a promo code of another currency', async () => {
    const shop = await open()
    await shop.promo({ code: 'EURO', type: 'FIXED', value: 105, currency: 'EUR' })
    const { quote, checkout } = await shop.both({ items: [item(await shop.priced(500))], promoCode: 'EURO' })
    assert.equal(quote, '422 VALIDATION_FAILED promoCode PROMO_NOT_APPLICABLE')
    assert.equal(checkout, quote)
  })
})

describe('settings of a market whose amounts are multiples of 10', () => {
  test('reject a shipping price off the step, and accept any free-shipping threshold', async () => {
    const shop = await open()
    const put = (method: object) =>
      shop.admin.put(shop.path, { markets: [market({ ...KWD, shippingMethods: [method] })] })
    const rejected = await put({ ...POST, price: 1_255 })
    assert.equal(refusal(rejected), '422 VALIDATION_FAILED markets.0.shippingMethods.0.price STEP')
    assert.equal(rejected.body.message, '1255 is not a multiple of 10. Use 1250 or 1260.')
    assert.equal(refusal(await put({ ...POST, freeFrom: 9_999 })), '200')
    const tried = await shop.admin.post(`${shop.path}/markets/try`, {
      market: market({ ...KWD, shippingMethods: [{ ...POST, price: 5 }] }),
      carts: [{ lines: [{ unitPrice: 1_000, quantity: 1 }] }],
    })
    assert.equal(refusal(tried), '422 VALIDATION_FAILED market.shippingMethods.0.price STEP')
  })

  test('can be changed while a stored shipping price is off the step', async () => {
    const shop = await open()
    await shop.storeShipping(495)
    const { body } = await shop.admin.get(shop.path)
    assert.equal(refusal(await shop.admin.put(shop.path, { name: 'Diwan', markets: body.markets })), '200')
    const [stored] = body.markets
    const method = { ...POST, price: 485 }
    const rejected = await shop.admin.put(shop.path, { markets: [{ ...stored, shippingMethods: [method] }] })
    assert.equal(refusal(rejected), '422 VALIDATION_FAILED markets.0.shippingMethods.0.price STEP')
  })
})

describe('a refund in a currency whose amounts are multiples of 10', () => {
  test('by line gives multiples that add up, and an amount off the step is rejected', async () => {
    const paidShop = await openPaidShop(used)
    const { shop, owner, product } = paidShop
    const markets = [market({ ...KWD, taxShipping: true })]
    assert.equal((await shop.admin.put(shop.path, { markets })).status, 200)
    const pricing = { markets: [{ marketId: 'us', price: 330 }] }
    assert.equal((await shop.admin.put(product.path, { variants: [{ id: 'one', pricing }] })).status, 200)
    const order = await paidShop.buy({ quantity: 3, ...post })
    used.twin.pay(order.pageId)
    await waitUntilIdle(used, paidShop.db)
    const { total, lines, shippingTax } = await order.row()
    const lineId = lines[0]?.id
    // 990 × 0.19 and 500 × 0.19, 283.1 together, as 280: 190 and 90.
    assert.deepEqual([total, lines[0]?.tax, shippingTax], [1_770, 190, 90])

    for (const path of ['refunds', 'refunds/quote']) {
      const rejected = await owner.post(`${order.path}/${path}`, { amount: 123 })
      assert.equal(refusal(rejected), '422 VALIDATION_FAILED amount STEP')
      assert.equal(rejected.body.message, '123 is not a multiple of 10. Use 120 or 130.')
      const parts = { lines: [{ lineId, quantity: 1 }], amount: 5 }
      assert.equal(refusal(await owner.post(`${order.path}/${path}`, parts)), '422 VALIDATION_FAILED amount STEP')
    }
    const amounts: number[] = []
    for (const body of [
      { lines: [{ lineId, quantity: 1 }] },
      { lines: [{ lineId, quantity: 1 }] },
      { amount: 120 },
      {},
    ]) {
      const made = await owner.post(`${order.path}/refunds`, body)
      assert.equal(made.status, 201, made.text)
      amounts.push(made.body.amount)
      await used.sweep(paidShop.db)
      await waitUntilIdle(used, paidShop.db)
    }
    assert.deepEqual(amounts, [390, 400, 120, 860])
    assert.equal((await order.row()).paymentStatus, 'REFUNDED')
    assert.equal((await owner.get(`${order.path}/explain`)).body.addsUp, true)
  })
})

describe('a callout in a currency whose amounts are multiples of 10', () => {
  test('fails with amounts off the step, and sets any others', async () => {
    const shop = await openCalloutShop(used.make, receiver.url, [market({ ...KWD, taxShipping: true })])
    const items = [item(await shop.priced(1_000))]
    const cart = { items, ...post }
    await shop.attach('tax.calculate')
    // 20 % of 1,000 and of 500.
    assert.equal((await shop.quote(shop.guest, cart)).body.total, 1_800)
    receiver.answers.set('tax.calculate', (asked: Asked) => {
      const honest = taxes(asked)
      const [line, [group]] = [honest.lines[0], honest.taxes as [object]]
      return { ...honest, lines: [{ ...line, tax: 195 }], taxes: [{ ...group, amount: 295 }] }
    })
    const other = { ...cart, shippingAddress: { country: 'KW' } }
    for (const answer of [await shop.quote(shop.guest, other), await shop.checkout(shop.guest, other)]) {
      assert.equal(refusal(answer), '503 CALLOUT_FAILED tax.calculate CALLOUT_FAILED')
    }
    const tested = await shop.admin.post(`${shop.at('tax.calculate')}/test`, {})
    assert.deepEqual(
      tested.body.problems.filter(({ message }: { message: string }) => message.includes('multiple')),
      [
        { field: 'lines.0.tax', message: '195 is not a multiple of 10. Use 190 or 200.' },
        { field: 'taxes.0.amount', message: '295 is not a multiple of 10. Use 290 or 300.' },
      ],
    )

    receiver.answers.set('shipping.rates', { rates: [{ ...RATES.rates[0], price: 315 }] })
    await shop.attach('tax.calculate', { isEnabled: false })
    await shop.attach('shipping.rates', { onFailure: 'FALLBACK' })
    const fallen = await shop.quote(shop.guest, cart)
    assert.deepEqual([fallen.body.total, fallen.body.fallbacks], [1_790, ['shipping.rates']])
  })
})

test('an order by hand may have any amount, because no payment provider charges or refunds it', async () => {
  const shop = await open()
  const customer = await used.make.user()
  const line = { type: 'PRODUCT_VARIANT', ...item(await shop.priced(1_000), 1), unitPrice: 995, totalPrice: 995 }
  const figures = { subtotal: 995, tax: 0, shipping: 0, total: 995 }
  const made = await shop.admin.post(shop.orders, { customerId: customer.id, market: 'us', lines: [line], ...figures })
  assert.equal(made.status, 201, made.text)
  const refused = await shop.admin.post(`${shop.orders}/${made.body.id}/refunds`, { amount: 5 })
  assert.equal(refusal(refused), '409 CONFLICT id NOTHING_TO_REFUND')
})
