import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { item, market, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

const GERMANY = market({
  currency: 'EUR',
  taxBps: 1_900,
  taxShipping: true,
  pricesIncludeTax: true,
  taxRates: [{ taxClass: 'reduced', taxBps: 700 }],
})

/** Bread at 7 % and a basket at 19 %, prices with the tax inside. */
async function open() {
  const shop = await openShop(used.make)
  await shop.configure({ markets: [GERMANY] })
  const make = (price: number, taxClass: string) =>
    shop.product({
      taxClass,
      variants: [{ id: 'one', pricing: { markets: [{ marketId: 'us', price }] }, inventory: { quantity: 100 } }],
    })
  const [bread, basket] = [await make(1_070, 'reduced'), await make(1_190, 'standard')]
  await shop.promo({ code: 'OFF', type: 'FIXED', value: 260, currency: 'EUR' })
  const guest = await used.make.guest()
  return { ...shop, bread, basket, guest, items: [item(bread), item(basket)] }
}

const FIGURES = {
  subtotal: 2_260,
  discount: 260,
  shipping: 0,
  tax: 0,
  taxIncluded: 230,
  shippingTax: 0,
  total: 2_000,
  taxes: [
    { taxBps: 1_900, taxClasses: ['standard'], base: 885, amount: 168, included: true },
    { taxBps: 700, taxClasses: ['reduced'], base: 885, amount: 62, included: true },
  ],
}
const SHARES = [
  { taxClass: 'reduced', taxBps: 700, discount: 123, tax: 62 },
  { taxClass: 'standard', taxBps: 1_900, discount: 137, tax: 168 },
]

type Figures = typeof FIGURES & { lines: typeof SHARES }
function figuresOf(body: Figures): Figures {
  const { subtotal, discount, shipping, tax, taxIncluded, shippingTax, total, taxes } = body
  const lines = body.lines.map(({ taxClass, taxBps, discount: share, tax: taxed }) => ({
    taxClass,
    taxBps,
    discount: share,
    tax: taxed,
  }))
  return { subtotal, discount, shipping, tax, taxIncluded, shippingTax, total, taxes, lines }
}

test('a shop whose prices have two rates of tax inside quotes, sells and explains the same figures', async () => {
  const { quote, guest, items, buy, order, admin } = await open()
  const asked = await quote(guest, { items, promoCode: 'OFF', explain: true })
  assert.equal(asked.status, 200, asked.text)
  assert.deepEqual(figuresOf(asked.body), { ...FIGURES, lines: SHARES })
  assert.equal(asked.body.taxBps, 1_299, 'the rate that would give the same tax')
  assert.deepEqual(asked.body.steps.slice(-3), [
    { rule: 'tax inside, basis points', base: 1_053, rate: 1_900, result: 168 },
    { rule: 'tax inside, basis points', base: 947, rate: 700, result: 62 },
    { rule: 'total', base: 2_260, result: 2_000 },
  ])
  assert.equal('steps' in (await quote(guest, { items })).body, false)

  const { orderId, path } = await buy(guest, { items, promoCode: 'OFF' })
  const placed = await order(orderId)
  assert.deepEqual(figuresOf(placed), { ...FIGURES, lines: SHARES })
  assert.equal(new Set(placed.lines.map(({ id }: { id: string }) => id)).size, 2)
  const { body } = await admin.get(`${path}/explain`)
  assert.deepEqual([body.addsUp, body.isByHand, body.steps], [true, false, asked.body.steps])
})

test('a class without a rate of its own is taxed at the market’s', async () => {
  const { quote, guest, product } = await open()
  const mug = await product({
    taxClass: 'luxury',
    variants: [{ id: 'one', pricing: { markets: [{ marketId: 'us', price: 119 }] }, inventory: { tracked: false } }],
  })
  const { body } = await quote(guest, { items: [item(mug)] })
  assert.deepEqual([body.lines[0].taxClass, body.lines[0].taxBps, body.taxIncluded], ['luxury', 1_900, 19])
})

test('a market keeps its rates when they are not sent, and a class has one rate', async () => {
  const { configure, path, admin } = await open()
  const { pricesIncludeTax: _, taxRates: __, ...rest } = GERMANY as typeof GERMANY & Record<string, unknown>
  const kept = await configure({ markets: [rest, market({ id: 'ch', currency: 'CHF' })] })
  assert.deepEqual(
    kept.markets.map((one: Record<string, unknown>) => [one.id, one.pricesIncludeTax, one.taxRates]),
    [
      ['us', true, [{ taxClass: 'reduced', taxBps: 700 }]],
      ['ch', false, []],
    ],
  )
  const twice = [
    { taxClass: 'food', taxBps: 700 },
    { taxClass: 'food', taxBps: 500 },
  ]
  const answer = await admin.put(path, { markets: [{ ...GERMANY, taxRates: twice }] })
  assert.equal(refusal(answer), '422 VALIDATION_FAILED markets.0.taxRates.1.taxClass DUPLICATE')
})

test('an order by hand has the shares that are sent, if they add up, and worked out ones otherwise', async () => {
  const { admin, orders, guest, bread, basket } = await open()
  const line = (made: { id: string }, unitPrice: number, more: object = {}) => ({
    ...item(made),
    unitPrice,
    totalPrice: unitPrice,
    ...more,
  })
  const { taxes, ...sums } = FIGURES
  const base = { customerId: guest.id, market: 'us', ...sums }
  const plain = { ...base, lines: [line(bread, 1_070), line(basket, 1_190)] }

  const worked = await admin.post(orders, plain)
  assert.equal(worked.status, 201, worked.text)
  assert.deepEqual(figuresOf(worked.body), {
    ...FIGURES,
    taxes: [],
    lines: [
      { taxClass: 'reduced', taxBps: null, discount: 123, tax: 109 },
      { taxClass: 'standard', taxBps: null, discount: 137, tax: 121 },
    ],
  })
  const sent = await admin.post(orders, {
    ...base,
    taxes,
    lines: [
      line(bread, 1_070, { discount: 100, tax: 60, taxBps: 700 }),
      line(basket, 1_190, { discount: 160, tax: 170, taxClass: 'gift' }),
    ],
  })
  assert.equal(sent.status, 201, sent.text)
  assert.deepEqual(figuresOf(sent.body).lines, [
    { taxClass: 'reduced', taxBps: 700, discount: 100, tax: 60 },
    { taxClass: 'gift', taxBps: null, discount: 160, tax: 170 },
  ])

  const wrong = async (more: object, expected: string) =>
    assert.equal(refusal(await admin.post(orders, { ...plain, ...more })), expected)
  await wrong(
    { lines: [line(bread, 1_070, { discount: 260 }), line(basket, 1_190, { discount: 1 })] },
    '422 VALIDATION_FAILED discount INVALID',
  )
  await wrong(
    { lines: [line(bread, 1_070, { tax: 230 }), line(basket, 1_190, { tax: 1 })] },
    '422 VALIDATION_FAILED tax INVALID',
  )
  await wrong({ shippingTax: 231 }, '422 VALIDATION_FAILED shippingTax INVALID')
  await wrong({ taxes: taxes.slice(1) }, '422 VALIDATION_FAILED taxIncluded INVALID')
  await wrong(
    { lines: [line(bread, 1_070, { discount: 1_071 }), line(basket, 1_190)], discount: 1_071, total: 1_189 },
    '422 VALIDATION_FAILED lines.0.discount TOO_LARGE',
  )
})

test('who changes the figures of an order gets new shares; who changes its lines keeps them as lines', async () => {
  const { admin, orders, guest, bread, basket } = await open()
  const line = (made: { id: string }, unitPrice: number) => ({ ...item(made), unitPrice, totalPrice: unitPrice })
  const made = await admin.post(orders, {
    customerId: guest.id,
    market: 'us',
    lines: [line(bread, 1_000), line(basket, 3_000)],
    subtotal: 4_000,
    tax: 400,
    shipping: 0,
    total: 4_400,
  })
  const { id, lines } = made.body
  const cheaper = await admin.put(`${orders}/update`, { id, discount: 400, total: 4_000 })
  assert.equal(cheaper.status, 200, cheaper.text)
  assert.deepEqual(
    cheaper.body.lines.map((one: Record<string, unknown>) => [one.id, one.discount, one.tax]),
    [
      [lines[0].id, 100, 100],
      [lines[1].id, 300, 300],
    ],
  )
  const other = await admin.put(`${orders}/update`, {
    id,
    lines: [{ ...line(basket, 3_000), id: lines[1].id }, line(bread, 1_000)],
  })
  assert.equal(other.body.lines[0].id, lines[1].id)
  assert.ok(![lines[0].id, lines[1].id].includes(other.body.lines[1].id), 'another line')
})
