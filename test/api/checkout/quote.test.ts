import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { createRandom, item, market, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], own: true })

async function open() {
  const shop = await openShop(used.make)
  const guest = await used.make.guest()
  return { ...shop, guest, ask: (body: object) => shop.quote(guest, body) }
}
const METHODS = [
  { id: 'post', name: 'Post', price: 490, freeFrom: 5_000 },
  { id: 'courier', name: 'Courier', price: 1_290 },
]

const TAXED = { discount: 0, taxClass: 'standard', taxBps: 1_000 }

test('a quote says what each line, the tax and the whole cost', async () => {
  const { ask, product, id } = await open()
  const [first, second] = [await product(), await product()]
  const answer = await ask({
    businessId: id,
    currency: 'USD',
    lines: [item(first, 2), { ...item(second), type: 'PRODUCT_VARIANT' }],
  })

  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body, {
    lines: [
      { type: 'PRODUCT_VARIANT', ...item(first, 2), unitPrice: 1_000, totalPrice: 2_000, ...TAXED, tax: 200 },
      { type: 'PRODUCT_VARIANT', ...item(second, 1), unitPrice: 1_000, totalPrice: 1_000, ...TAXED, tax: 100 },
    ],
    subtotal: 3_000,
    tax: 300,
    taxIncluded: 0,
    shippingTax: 0,
    taxes: [{ taxBps: 1_000, taxClasses: ['standard'], base: 3_000, amount: 300, included: false }],
    taxBps: 1_000,
    shipping: 0,
    discount: 0,
    total: 3_300,
    currency: 'USD',
  })
})

test('each market has its own price, tax and currency', async () => {
  const { ask, product, configure } = await open()
  await configure({ markets: [market(), market({ id: 'de', currency: 'EUR', taxBps: 1_900 })] })
  const mug = await product()
  const { body } = await ask({ market: 'de', items: [item(mug)] })
  assert.deepEqual([body.subtotal, body.tax, body.taxBps, body.total, body.currency], [900, 171, 1_900, 1_071, 'EUR'])
})

test('a currency without minor units is quoted in whole ones', async () => {
  const { ask, product, configure } = await open()
  const methods = [{ id: 'air', name: 'Air', price: 550 }]
  await configure({ markets: [market({ id: 'jp', currency: 'JPY', taxBps: 800, shippingMethods: methods })] })
  const markets = [{ marketId: 'jp', price: 1_483 }]
  const mug = await product({ variants: [{ id: 'one', pricing: { markets }, inventory: { tracked: false } }] })
  const { body } = await ask({ market: 'jp', items: [item(mug, 3)], shippingMethodId: 'air' })
  assert.deepEqual([body.subtotal, body.shipping, body.tax, body.total, body.currency], [4_449, 550, 356, 5_355, 'JPY'])
})

test('lines and items are one thing by two names', async () => {
  const { ask, product } = await open()
  const mug = await product()
  const [lines, items] = [await ask({ lines: [item(mug)] }), await ask({ items: [item(mug)] })]
  assert.deepEqual(lines.body, items.body)
  assert.equal(refusal(await ask({})), '422 VALIDATION_FAILED lines REQUIRED')
})

test('equal lines are merged, and what is wrong is told where it was first named', async () => {
  const { ask, product } = await open()
  const [mug, cup] = [await product(), await product()]
  const { body } = await ask({ items: [item(mug, 1), item(cup, 2), item(mug, 3)] })
  assert.deepEqual(
    body.lines.map((line: { productId: string; quantity: number }) => [line.productId, line.quantity]),
    [
      [mug.id, 4],
      [cup.id, 2],
    ],
  )
  const ghost = { ...item(mug), variantId: 'ghost' }
  assert.equal(
    refusal(await ask({ items: [item(mug), ghost, ghost] })),
    '422 VALIDATION_FAILED items.1.variantId NOT_FOUND',
  )
  assert.equal((await ask({ lines: [item(mug, 5_000), item(mug, 5_000)] })).status, 200)
  assert.equal(
    refusal(await ask({ lines: [item(mug, 5_000), item(mug, 5_001)] })),
    '422 VALIDATION_FAILED lines.1.quantity TOO_LARGE',
  )
})

test('a cart has 1 to 100 lines of 1 to 10,000 each', async () => {
  const { ask, product } = await open()
  const mug = await product()
  const variants = Array.from({ length: 100 }, (_, n) => ({
    id: `v${n}`,
    pricing: { markets: [{ marketId: 'us', price: n }] },
    inventory: { tracked: false },
  }))
  const many = await product({ variants })
  const lines = variants.map(({ id }) => item(many, 1, id))
  const { body } = await ask({ lines })
  assert.deepEqual([body.lines.length, body.subtotal, body.tax, body.total], [100, 4_950, 495, 5_445])
  assert.equal(refusal(await ask({ lines: [...lines, item(mug)] })), '422 VALIDATION_FAILED lines TOO_MANY')
  assert.match(refusal(await ask({ lines: [] })), /^422 VALIDATION_FAILED lines \w+$/)
  assert.match(refusal(await ask({ items: 'mug' })), /^422 VALIDATION_FAILED items INVALID$/)
  for (const [quantity, error] of [
    [0, 'TOO_SMALL'],
    [-1, 'TOO_SMALL'],
    [10_001, 'TOO_LARGE'],
    [1.5, 'INVALID'],
    ['1', 'INVALID'],
    [null, 'INVALID'],
  ] as const) {
    const answer = await ask({ lines: [{ ...item(mug), quantity }] })
    assert.equal(refusal(answer), `422 VALIDATION_FAILED lines.0.quantity ${error}`, String(quantity))
  }
  assert.equal((await ask({ lines: [item(mug, 10_000)] })).body.subtotal, 10_000_000, 'more than there is in stock')
  assert.equal(
    refusal(await ask({ lines: [{ ...item(mug), type: 'GIFT_CARD' }] })),
    '422 VALIDATION_FAILED lines.0.type INVALID',
  )
})

test('market, currency and payment method must fit', async () => {
  const { ask, product, configure } = await open()
  await configure({
    markets: [
      market(),
      market({ id: 'any', paymentMethods: [] }),
      market({ id: 'both', paymentMethods: ['CARD_PROVIDER', 'CREDIT_CARD'] }),
    ],
  })
  const prices = ['us', 'any', 'both'].map((marketId) => ({ marketId, price: 100 }))
  const mug = await product({ variants: [{ id: 'one', pricing: { markets: prices } }] })
  const lines = [item(mug)]
  const cases: [body: object, expected: string][] = [
    [{ market: undefined }, '422 VALIDATION_FAILED market REQUIRED'],
    [{ market: 'mars' }, '422 VALIDATION_FAILED market NOT_FOUND'],
    [{ market: 'US' }, '422 VALIDATION_FAILED market NOT_FOUND'],
    [{ currency: 'EUR' }, '422 VALIDATION_FAILED currency INVALID'],
    [{ currency: 'usd' }, '422 VALIDATION_FAILED currency INVALID'],
    [{ currency: 'USD' }, '200'],
    [{ paymentMethod: 'CREDIT_CARD' }, '200'],
    [{ paymentMethod: 'CARD_PROVIDER' }, '422 VALIDATION_FAILED paymentMethod INVALID'],
    [{ paymentMethod: 'CASH' }, '422 VALIDATION_FAILED paymentMethod INVALID'],
    [{ market: 'both', paymentMethod: 'CARD_PROVIDER' }, '200'],
    [{ market: 'any', paymentMethod: 'CARD_PROVIDER' }, '200'],
  ]
  for (const [body, expected] of cases) {
    assert.equal(refusal(await ask({ lines, ...body })), expected, JSON.stringify(body))
  }
})

test('a shipping method is needed where there are some, and ignored where there are none', async () => {
  const { ask, product, configure } = await open()
  await configure({ markets: [market({ shippingMethods: METHODS }), market({ id: 'de', currency: 'EUR' })] })
  const mug = await product()
  const lines = [item(mug, 4)]
  const shipping = async (body: object) => (await ask({ lines, ...body })).body.shipping
  for (const shippingMethodId of [undefined, null, '']) {
    assert.equal(refusal(await ask({ lines, shippingMethodId })), '422 VALIDATION_FAILED shippingMethodId REQUIRED')
  }
  assert.equal(
    refusal(await ask({ lines, shippingMethodId: 'pigeon' })),
    '422 VALIDATION_FAILED shippingMethodId NOT_FOUND',
  )
  assert.equal(await shipping({ shippingMethodId: 'post' }), 490)
  assert.equal(await shipping({ shippingMethodId: 'courier' }), 1_290)
  assert.equal(await shipping({ shippingMethodId: 'post', lines: [item(mug, 5)] }), 0)
  assert.equal(await shipping({ shippingMethodId: 'courier', lines: [item(mug, 5)] }), 1_290)
  assert.equal(await shipping({ market: 'de', shippingMethodId: 'pigeon' }), 0)
})

test('what cannot be bought is 422, with the line that names it', async () => {
  const { ask, admin, product } = await open()
  const mug = await product()
  const [draft, archived, deleted, changed] = [
    await product({ statuses: [{ status: 'DRAFT' }] }),
    await product(),
    await product(),
    await product(),
  ]
  await admin.put(archived.path, { statuses: [{ status: 'ARCHIVED' }] })
  await admin.delete(deleted.path)
  await admin.put(changed.path, { variants: [] })
  const onlyThere = await product({ variants: [{ id: 'one', pricing: { markets: [{ marketId: 'de', price: 5 }] } }] })
  const unpriced = await product({ variants: [{ id: 'one' }] })
  const other = await used.make.product(await used.make.shop())
  const cases: [object, string][] = [
    [item(draft), 'NOT_FOUND'],
    [item(archived), 'NOT_FOUND'],
    [item(deleted), 'NOT_FOUND'],
    [item(changed), 'NOT_FOUND'],
    [item(mug, 1, 'two'), 'NOT_FOUND'],
    [item({ id: 'prod_none' }), 'NOT_FOUND'],
    [item(other), 'NOT_FOUND'],
    [item(onlyThere), 'NO_PRICE'],
    [item(unpriced), 'NO_PRICE'],
  ]
  for (const [line, error] of cases) {
    const answer = await ask({ lines: [item(mug), line] })
    assert.equal(refusal(answer), `422 VALIDATION_FAILED lines.1.variantId ${error}`, JSON.stringify(line))
  }
  const all = await ask({ items: [item(draft), item(mug), item(unpriced)] })
  assert.equal(
    refusal(all),
    '422 VALIDATION_FAILED items.0.variantId NOT_FOUND items.2.variantId NO_PRICE',
    'all that is wrong at once',
  )
})

test('what is sold out can still be quoted', async () => {
  const { ask, priced } = await open()
  const gone = await priced(700, { tracked: true, quantity: 0 })
  assert.equal((await ask({ lines: [item(gone, 3)] })).body.subtotal, 2_100)
})

test('what the caller says about prices is not looked at', async () => {
  const { ask, product } = await open()
  const mug = await product()
  const { status, body } = await ask({
    lines: [{ ...item(mug), unitPrice: 1, totalPrice: 1, price: 1, name: 'x' }],
    subtotal: 1,
    discount: 900,
    total: 1,
    tax: 0,
    taxBps: 0,
  })
  assert.deepEqual([status, body.subtotal, body.discount, body.total], [200, 1_000, 0, 1_100])
})

test('a promo code is taken off, however it is spelled', async () => {
  const { ask, product, promo } = await open()
  const mug = await product()
  await promo({ code: 'QUARTER', value: 2_500 })
  await promo({ code: 'FIVER', type: 'FIXED', value: 500, currency: 'USD' })
  await promo({ code: 'FORTUNE', type: 'FIXED', value: 1_000_000, currency: 'USD' })
  const figures = async (promoCode: unknown) => {
    const { body } = await ask({ lines: [item(mug)], promoCode })
    return [body.discount, body.tax, body.total]
  }
  assert.deepEqual(await figures(' quarter '), [250, 75, 825])
  assert.deepEqual(await figures('Fiver'), [500, 50, 550])
  assert.deepEqual(await figures('FORTUNE'), [1_000, 0, 0])
  for (const none of [undefined, null, '']) assert.deepEqual(await figures(none), [0, 100, 1_100])
})

test('a promo code that is unknown, or deleted, or of another business, is not found', async () => {
  const { ask, admin, product, promo } = await open()
  const lines = [item(await product())]
  await admin.delete((await promo({ code: 'OLD' })).path)
  await (await openShop(used.make)).promo({ code: 'THEIRS' })
  for (const promoCode of ['NONE', 'OLD', 'THEIRS', '???', 'x'.repeat(200)]) {
    assert.equal(refusal(await ask({ lines, promoCode })), '422 VALIDATION_FAILED promoCode NOT_FOUND', promoCode)
  }
  for (const promoCode of ['x'.repeat(201), 5, ['TEN']]) {
    assert.equal(refusal(await ask({ lines, promoCode })), '422 VALIDATION_FAILED promoCode INVALID')
  }
})

test('a promo code out of its time, market, currency or minimum does not apply', async () => {
  const { ask, product, promo } = await open()
  const mug = await product()
  const clock = holdClock()
  try {
    const at = Math.floor(Date.now() / 1_000)
    await promo({ code: 'LATER', startsAt: at + 100 })
    await promo({ code: 'SHORT', endsAt: at + 100 })
    await promo({ code: 'GERMAN', markets: ['de'] })
    await promo({ code: 'EURO', type: 'FIXED', value: 100, currency: 'EUR' })
    await promo({ code: 'BIG', minSubtotal: 2_000 })
    const ask1 = async (promoCode: string, body: object = {}) =>
      refusal(await ask({ lines: [item(mug)], promoCode, ...body }))
    const no = '422 VALIDATION_FAILED promoCode PROMO_NOT_APPLICABLE'
    assert.equal(await ask1('LATER'), no)
    assert.equal(await ask1('SHORT'), '200')
    assert.equal(await ask1('GERMAN'), no)
    assert.equal(await ask1('GERMAN', { market: 'de' }), '200')
    assert.equal(await ask1('EURO'), no)
    assert.equal(await ask1('EURO', { market: 'de' }), '200')
    assert.equal(await ask1('BIG'), no)
    assert.equal(await ask1('BIG', { lines: [item(mug, 2)] }), '200')
    clock.advance(101)
    assert.equal(await ask1('LATER'), '200')
    assert.equal(await ask1('SHORT'), no)
  } finally {
    clock.release()
  }
})

test('amounts beyond what a number holds are 422; a total that no card can pay is still quoted', async () => {
  const { ask, priced, promo } = await open()
  await promo({ code: 'ALL', value: 10_000 })
  const [dear, cheap, large] = [await priced(Number.MAX_SAFE_INTEGER), await priced(3), await priced(1_000_000_000)]
  const tooMuch = /^422 VALIDATION_FAILED \S+ AMOUNT_OUT_OF_RANGE$/
  assert.match(refusal(await ask({ lines: [item(dear, 2)] })), tooMuch)
  assert.match(refusal(await ask({ lines: [item(dear)] })), tooMuch, 'with its tax')
  assert.match(
    refusal(await ask({ lines: [item(dear), item(cheap)], promoCode: 'ALL' })),
    tooMuch,
    'before its discount',
  )
  assert.equal((await ask({ lines: [item(dear)], promoCode: 'ALL' })).body.total, 0)
  assert.equal((await ask({ lines: [item(cheap)] })).body.total, 3)
  assert.equal((await ask({ lines: [item(large)] })).body.total, 1_100_000_000)
})

test('a quote needs a token, which may be a guest’s, and a business that there is', async () => {
  const { ask, quote, admin, product } = await open()
  const lines = [item(await product())]
  assert.equal(refusal(await quote(used.make.anonymous(), { lines })), '401 UNAUTHENTICATED')
  for (const caller of [await used.make.guest(), await used.make.user(), admin, await used.make.apiKey(admin.id)]) {
    assert.equal((await quote(caller, { lines })).status, 200)
  }
  assert.equal(refusal(await ask({ lines, businessId: 'biz_none' })), '422 VALIDATION_FAILED businessId NOT_FOUND')
  assert.equal(refusal(await ask({ lines, businessId: undefined })), '422 VALIDATION_FAILED businessId REQUIRED')
  assert.equal(refusal(await ask({ lines, businessId: 5 })), '422 VALIDATION_FAILED businessId INVALID')
})

test('a quote has no effect', async () => {
  const { ask, product, promo, listAll, ledger, customers, id, db } = await open()
  const mug = await product()
  const { used: uses } = await promo({ maxRedemptions: 1, maxPerCustomer: 1 })
  const before = await ledger(mug)
  const calls = used.twin.requests.length
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask({ lines: [item(mug, 7)], promoCode: 'TEN' })))

  assert.deepEqual(answers.map(refusal), Array(20).fill('200'), 'limits are for checkouts')
  assert.deepEqual([await mug.stock(), await uses(), await ledger(mug)], [100, 0, before])
  assert.deepEqual(await listAll(), [])
  assert.deepEqual(await customers(used.api.services.databases.control), [])
  const events = await db.selectFrom('cell.events').select('type').where('businessId', '=', id).execute()
  assert.ok(!events.some(({ type }) => type.startsWith('order.')))
  assert.equal(used.twin.requests.length, calls)
})

test('200 carts are charged what they were quoted, to the cent and line by line', async () => {
  const { upTo, pick } = createRandom(7)
  const { guest, quote, checkout, order, configure, product, promo } = await open()
  const markets = [
    market({ taxBps: 825, shippingMethods: METHODS }),
    market({ id: 'de', currency: 'EUR', taxBps: 1_900, taxShipping: true, shippingMethods: METHODS }),
    market({ id: 'jp', currency: 'JPY', taxBps: 1_000 }),
    market({ id: 'free', taxBps: 0, paymentMethods: [] }),
  ]
  await configure({ markets })
  const goods = await Promise.all(
    Array.from({ length: 8 }, () =>
      product({
        variants: ['a', 'b'].map((id) => ({
          id,
          pricing: { markets: markets.map((to) => ({ marketId: to.id, price: pick(0, 7, 99, upTo(9_999)) })) },
          inventory: { tracked: pick(true, false), quantity: 1_000_000 },
        })),
      }),
    ),
  )
  await promo({ code: 'P1', value: 1_234 })
  await promo({ code: 'P2', value: 10_000 })
  await promo({ code: 'P3', type: 'FIXED', value: 777, currency: 'USD' })
  await promo({ code: 'P4', type: 'FIXED', value: 3_333, currency: 'EUR', minSubtotal: 100 })
  const asked = new Map<string, unknown>()
  const seen = { ordered: 0, free: 0, discounted: 0, refused: 0 }

  const round = async () => {
    const body = {
      market: pick('us', 'de', 'jp', 'free'),
      shippingMethodId: pick('post', 'courier'),
      promoCode: pick(undefined, undefined, 'P1', 'P2', 'P3', 'P4'),
      items: Array.from({ length: 1 + upTo(5) }, () =>
        item(pick(...goods), pick(1, 2, 3, 1 + upTo(30)), pick('a', 'b')),
      ),
    }
    const quoted = await quote(guest, body)
    const answer = await checkout(guest, body)
    if (quoted.status !== 200) {
      assert.equal(refusal(answer), refusal(quoted), JSON.stringify(body))
      seen.refused++
      return
    }
    const { lines, taxBps: _, ...figures } = quoted.body
    assert.equal(figures.total, figures.subtotal + figures.tax + figures.shipping - figures.discount)
    if (figures.total > 0 && figures.total < 50) {
      assert.equal(refusal(answer), '422 VALIDATION_FAILED items AMOUNT_OUT_OF_RANGE')
      return
    }
    assert.equal(answer.status, 200, answer.text)
    const stored = await order(answer.body.orderId)
    const { subtotal, tax, taxIncluded, shippingTax, taxes, shipping, discount, total, currency } = stored
    assert.deepEqual({ subtotal, tax, taxIncluded, shippingTax, taxes, shipping, discount, total, currency }, figures)
    assert.deepEqual(
      stored.lines.map(
        ({ id: _id, name: _name, sku: _sku, ...line }: { id: string; name: string; sku: string }) => line,
      ),
      lines,
    )
    if (total > 0) asked.set(answer.body.checkoutUrl, [total, currency.toLowerCase()])
    seen.ordered++
    if (total === 0) seen.free++
    if (discount > 0) seen.discounted++
  }
  for (let rounds = 0; rounds < 200; rounds += 10) await Promise.all(Array.from({ length: 10 }, round))
  const pages = new Map(used.twin.sessions().map(({ url, amount_total, currency }) => [url, [amount_total, currency]]))
  for (const [url, payable] of asked) assert.deepEqual(pages.get(url), payable, 'and the page asks for it')
  assert.ok(seen.ordered > 100 && seen.free > 3 && seen.discounted > 20 && seen.refused > 5, JSON.stringify(seen))
})
