import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordStatements } from '../../support/explain.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Variant = { id: string; inventory: { quantity: number } }
type Shop = Awaited<ReturnType<typeof used.make.shop>>

const inBoth = [
  { marketId: 'us', currency: 'USD', price: 1_000 },
  { marketId: 'de', currency: 'EUR', price: 900, compareAtPrice: 1_200 },
]
const media = { id: 'pic', url: 'https://example.com/a.png', mimeType: 'image/png' }
const full = {
  id: 'one',
  name: 'One',
  sku: 'SKU-1',
  attributes: [{ name: 'Size', value: 'L' }],
  translations: { de: { name: 'Eins' } },
  pricing: { markets: inBoth },
  inventory: { tracked: true, quantity: 5, lowStockThreshold: 2 },
  gallery: [media],
}

/** A product with these variants, and short ways to change and see them. */
async function makeVariants(variants: object[] = [full], shop?: Shop) {
  const made = shop ?? (await used.make.shop())
  const product = await used.make.product(made, { variants })
  const put = (variants: object[], headers?: Record<string, string>) =>
    made.admin.put(product.path, { variants }, headers)
  const read = async () => (await made.admin.get(product.path)).body.variants as (typeof full)[]
  const ledger = async (id: string) => {
    const { body } = await made.admin.get(`${product.path}/variants/${id}/stock?limit=100`)
    return body.items.map(({ delta }: { delta: number }) => delta).toReversed() as number[]
  }
  return { ...made, product, put, read, ledger }
}

const idsOf = (variants: readonly { id: string }[]) => variants.map(({ id }) => id)

test('a variant without anything has an id, no price and no stock, and is tracked', async () => {
  const { read } = await makeVariants([{}])
  const [variant] = await read()
  assert.match(variant?.id ?? '', /^var_[0-9a-z]{26}$/)
  assert.deepEqual(variant, {
    id: variant?.id,
    name: '',
    sku: '',
    attributes: [],
    translations: {},
    pricing: { markets: [] },
    inventory: { tracked: true, quantity: 0 },
    gallery: [],
  })
})

test('each part of the inventory has its default', async () => {
  const { read } = await makeVariants([
    { inventory: {} },
    { inventory: { tracked: false } },
    { inventory: { quantity: 3 } },
    { inventory: { lowStockThreshold: 0 } },
    { inventory: { lowStockThreshold: null } },
    { inventory: { tracked: false, quantity: 1_000_000_000 } },
  ])
  assert.deepEqual(
    (await read()).map(({ inventory }) => inventory),
    [
      { tracked: true, quantity: 0 },
      { tracked: false, quantity: 0 },
      { tracked: true, quantity: 3 },
      { tracked: true, quantity: 0, lowStockThreshold: 0 },
      { tracked: true, quantity: 0 },
      { tracked: false, quantity: 1_000_000_000 },
    ],
  )
})

test('a variant that is known by its id keeps what is not sent', async () => {
  const { put, read } = await makeVariants()
  assert.equal((await put([{ id: 'one' }])).status, 200)
  assert.deepEqual(await read(), [full])

  const changes = {
    name: '',
    sku: 'SKU-2',
    attributes: [{ name: 'Colour', value: 'Red' }],
    pricing: { markets: [{ marketId: 'us', currency: 'USD', price: 1 }] },
    gallery: [],
  }
  let expected: object = full
  for (const [field, value] of Object.entries(changes)) {
    const { status, body, text } = await put([{ id: 'one', [field]: value }])
    assert.equal(status, 200, text)
    expected = { ...expected, [field]: value }
    assert.deepEqual(body.variants, [expected])
    assert.deepEqual(await read(), [expected])
  }
  for (const [field, value] of Object.entries({ tracked: false, quantity: 9, lowStockThreshold: 4 })) {
    const [{ inventory } = full] = await read()
    await put([{ id: 'one', inventory: { [field]: value } }])
    assert.deepEqual((await read())[0]?.inventory, { ...inventory, [field]: value })
  }
})

test('lists inside a variant are replaced whole', async () => {
  const { put, read } = await makeVariants()
  await put([
    { id: 'one', attributes: [], pricing: { markets: [inBoth[1]] }, gallery: [media, { ...media, id: 'two' }] },
  ])
  const [variant] = await read()
  assert.deepEqual(variant, {
    ...full,
    attributes: [],
    pricing: { markets: [inBoth[1]] },
    gallery: [media, { ...media, id: 'two' }],
  })
})

test('null takes the threshold and the price to compare with away', async () => {
  const { put, read } = await makeVariants()
  await put([{ id: 'one', inventory: { lowStockThreshold: null } }])
  assert.deepEqual((await read())[0]?.inventory, { tracked: true, quantity: 5 })
  const markets = [{ marketId: 'de', price: 900, compareAtPrice: null }]
  await put([{ id: 'one', pricing: { markets } }])
  assert.deepEqual((await read())[0]?.pricing.markets, [{ marketId: 'de', currency: 'EUR', price: 900 }])
})

test('the currency is filled in from the market', async () => {
  const { read } = await makeVariants([
    {
      pricing: {
        markets: [
          { marketId: 'de', price: 0 },
          { marketId: 'us', price: 1 },
        ],
      },
    },
  ])
  assert.deepEqual((await read())[0]?.pricing.markets, [
    { marketId: 'de', currency: 'EUR', price: 0 },
    { marketId: 'us', currency: 'USD', price: 1 },
  ])
})

test('prices name markets of the business, each once, in its currency', async () => {
  const { put, read, admin, products } = await makeVariants()
  const at = 'variants.1.pricing.markets'
  const cases: [markets: object[], ...complaints: string[]][] = [
    [[{ marketId: 'fr', price: 1 }], `${at}.0.marketId NOT_FOUND`],
    [[{ marketId: 'US', price: 1 }], `${at}.0.marketId NOT_FOUND`],
    [[inBoth[0], { marketId: 'de', price: 1, currency: 'USD' }] as object[], `${at}.1.currency INVALID`],
    [[...inBoth, { marketId: 'us', price: 2 }], `${at}.2.marketId DUPLICATE`],
    [
      [
        { marketId: 'fr', price: 1 },
        { marketId: 'us', price: 1, currency: 'EUR' },
        { marketId: 'us', price: 1 },
      ],
      `${at}.0.marketId NOT_FOUND`,
      `${at}.1.currency INVALID`,
      `${at}.2.marketId DUPLICATE`,
    ],
  ]
  for (const [markets, ...complaints] of cases) {
    const expected = ['422 VALIDATION_FAILED', ...complaints].join(' ')
    assert.equal(refusal(await put([{ id: 'one' }, { pricing: { markets } }])), expected)
    const variants = [{}, { pricing: { markets } }]
    assert.equal(refusal(await admin.post(products, { name: 'Wrong', variants })), expected)
  }
  assert.deepEqual(await read(), [full])
  assert.equal((await admin.get(products)).body.items.length, 1)
})

test('an unknown market that is named twice is one mistake at each place', async () => {
  const { put } = await makeVariants()
  const twice = [
    { marketId: 'fr', price: 1 },
    { marketId: 'fr', price: 1 },
  ]
  const { body } = await put([{ id: 'one', pricing: { markets: twice } }])
  assert.deepEqual(
    body.details.map(({ field }: { field: string }) => field),
    ['variants.0.pricing.markets.0.marketId', 'variants.0.pricing.markets.1.marketId'],
  )
})

test('prices of a market that the business has given up stay as they are, and cannot be changed', async () => {
  const { put, read, admin, path } = await makeVariants()
  const { markets } = (await admin.get(path)).body
  const left = await admin.put(path, { markets: markets.filter(({ id }: { id: string }) => id !== 'de') })
  assert.equal(left.status, 200, left.text)

  assert.equal((await put([{ id: 'one', name: 'Renamed' }])).status, 200)
  assert.deepEqual((await read())[0]?.pricing.markets, inBoth)
  assert.equal((await put([{ id: 'one', pricing: { markets: inBoth } }])).status, 200, 'sent back as it was read')
  assert.equal(
    refusal(await put([{ id: 'one', pricing: { markets: [inBoth[0], { ...inBoth[1], price: 1 }] } }])),
    '422 VALIDATION_FAILED variants.0.pricing.markets.1.marketId NOT_FOUND',
  )
  assert.equal((await put([{ id: 'one', pricing: { markets: [inBoth[0]] } }])).status, 200)
  assert.deepEqual((await read())[0]?.pricing.markets, [inBoth[0]])
})

test('prices are whole numbers up to 2^53 − 1, exactly as sent', async () => {
  const { read } = await makeVariants([
    { pricing: { markets: [{ marketId: 'us', price: Number.MAX_SAFE_INTEGER, compareAtPrice: 0 }] } },
  ])
  assert.deepEqual((await read())[0]?.pricing.markets, [
    { marketId: 'us', currency: 'USD', price: 9_007_199_254_740_991, compareAtPrice: 0 },
  ])
})

test('numbers are read by their value, however they are written', async () => {
  const { admin, products } = await used.make.shop()
  const raw =
    '{"name":"Numbers","variants":[{"pricing":{"markets":[{"marketId":"us","price":1e3,"compareAtPrice":-0}]},' +
    '"inventory":{"quantity":2.0,"lowStockThreshold":-0}}]}'
  const made = await admin.send('POST', products, { raw })
  assert.equal(made.status, 201, made.text)
  const [{ pricing, inventory }] = made.body.variants
  assert.deepEqual(pricing.markets, [{ marketId: 'us', currency: 'USD', price: 1_000, compareAtPrice: 0 }])
  assert.deepEqual(inventory, { tracked: true, quantity: 2, lowStockThreshold: 0 })
  const huge = raw.replace('1e3', '1e400')
  assert.equal(
    refusal(await admin.send('POST', products, { raw: huge })),
    '422 VALIDATION_FAILED variants.0.pricing.markets.0.price TOO_LARGE',
  )
})

test('two variants cannot have one id', async () => {
  const { put, read, admin, products } = await makeVariants()
  const twice = [{ id: 'a' }, { id: 'b' }, { id: 'a' }, { id: 'a' }]
  const refused = '422 VALIDATION_FAILED variants.2.id DUPLICATE variants.3.id DUPLICATE'
  assert.equal(refusal(await put(twice)), refused)
  assert.equal(refusal(await admin.post(products, { name: 'Twice', variants: twice })), refused)
  assert.deepEqual(await read(), [full])
})

test('variant ids are told apart by case, and are a product’s own', async () => {
  const shop = await used.make.shop()
  const first = await makeVariants(
    [
      { id: 'a', inventory: { quantity: 1 } },
      { id: 'A', inventory: { quantity: 2 } },
    ],
    shop,
  )
  const second = await makeVariants([{ id: 'a', inventory: { quantity: 3 } }], shop)
  await second.put([{ id: 'a', inventory: { quantity: 4 } }])
  assert.deepEqual(
    (await first.read()).map(({ inventory }) => inventory.quantity),
    [1, 2],
  )
})

test('missing ids are assigned, and an element without one is always a new variant', async () => {
  const { put, read } = await makeVariants([{ name: 'A' }, { name: 'B' }, { id: 'c' }])
  const before = idsOf(await read())
  assert.equal(new Set(before).size, 3)
  await put([{ name: 'A' }, { id: before[1] ?? '' }])
  const after = idsOf(await read())
  assert.equal(after.length, 2)
  assert.notEqual(after[0], before[0])
  assert.equal(after[1], before[1])
})

test('variants come in the order in which they were sent', async () => {
  const numbered = Array.from({ length: 12 }, (_, n) => ({ id: `v${n}`, inventory: { quantity: n } }))
  const { put, read, admin, product } = await makeVariants(numbered)
  assert.deepEqual(idsOf(await read()), idsOf(numbered))

  const orders = [
    numbered.toReversed(),
    numbered.filter((_, n) => n % 3),
    [numbered[11], { id: 'new' }, ...numbered.slice(0, 11)],
  ]
  for (const order of orders as { id: string }[][]) {
    const answer = await put(order.map(({ id }) => ({ id })))
    assert.deepEqual(idsOf(answer.body.variants), idsOf(order))
    assert.deepEqual((await admin.get(product.path)).text, answer.text)
    for (const { id, inventory } of await read()) {
      assert.equal(inventory.quantity, id === 'new' ? 0 : Number(id.slice(1)), id)
    }
  }
})

/** Its reduced price has held before, and that counts. */
const cameBack = {
  ...full,
  pricing: {
    markets: full.pricing.markets.map((price) =>
      price.compareAtPrice ? { ...price, lowestOf30Days: price.price } : price,
    ),
  },
}

test('a variant that is left out is hidden; when it comes back, so do its fields, its stock and its ledger', async () => {
  const { put, read, ledger, admin, product, products } = await makeVariants([
    full,
    { id: 'two', inventory: { quantity: 7 } },
  ])
  await put([{ id: 'one', inventory: { quantity: 8 } }])
  assert.deepEqual(idsOf(await read()), ['one'])
  assert.deepEqual(idsOf((await admin.get(products)).body.items[0].variants), ['one'])

  await put([{ id: 'two' }])
  assert.deepEqual(await read(), [
    {
      id: 'two',
      name: '',
      sku: '',
      attributes: [],
      translations: {},
      pricing: { markets: [] },
      inventory: { tracked: true, quantity: 7 },
      gallery: [],
    },
  ])
  assert.equal(refusal(await admin.post(`${product.path}/variants/one/stock`, { delta: 1 })), '404 NOT_FOUND')
  assert.deepEqual((await admin.get(`${products}?query=SKU-1`)).body.items, [])

  const back = await put([{ id: 'two' }, { id: 'one', name: 'Back' }])
  assert.deepEqual(back.body.variants[1], { ...cameBack, name: 'Back', inventory: { ...full.inventory, quantity: 8 } })
  assert.deepEqual(await read(), back.body.variants)
  assert.equal(back.headers.get('etag'), (await admin.get(product.path)).headers.get('etag'))
  await put([{ id: 'one', inventory: { quantity: 2 } }])
  assert.deepEqual(await ledger('one'), [5, 3, -6])
  assert.deepEqual(await ledger('two'), [7])
})

test('stock that is set as a variant comes back continues its ledger', async () => {
  const { put, read, ledger } = await makeVariants()
  await put([])
  assert.deepEqual(await read(), [])
  const back = await put([{ id: 'one', inventory: { quantity: 1 } }])
  assert.deepEqual(back.body.variants, [{ ...cameBack, inventory: { ...full.inventory, quantity: 1 } }])
  assert.deepEqual(await ledger('one'), [5, -4])
})

test('stock is set only where a quantity is sent, with one row of the ledger for each change', async () => {
  const { put, read, ledger } = await makeVariants([{ id: 'a', inventory: { quantity: 1 } }, { id: 'b' }, { id: 'c' }])
  await put([
    { id: 'a', inventory: { tracked: true } },
    { id: 'b', inventory: { quantity: 0 } },
    { id: 'c', inventory: { quantity: 4 } },
  ])
  await put([{ id: 'a', name: 'A' }, { id: 'b' }, { id: 'c', inventory: { quantity: 4 } }])
  assert.deepEqual(
    (await read()).map(({ inventory }) => inventory.quantity),
    [1, 0, 4],
  )
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(ledger)), [[1], [], [4]])
})

test('the ledger adds up to the stock, whoever sets and changes it at the same time', async () => {
  const { put, ledger, admin, product } = await makeVariants()
  const changes = Array.from({ length: 12 }, (_, n) =>
    n % 3 === 0
      ? put([{ id: 'one', inventory: { quantity: 10 + n } }])
      : admin.post(`${product.path}/variants/one/stock`, { delta: n % 2 ? 1 : -1 }),
  )
  for (const { status, text } of await Promise.all(changes)) assert.ok(status < 300, text)
  const sum = (await ledger('one')).reduce((total, delta) => total + delta, 0)
  assert.equal(sum, await product.stock())
})

test('a refused change leaves stock and ledger alone', async () => {
  const { put, ledger, product, admin } = await makeVariants()
  await used.make.product({ admin, products: product.path.replace(/\/[^/]+$/, '') }, { slug: 'taken' })
  const variants = [{ id: 'one', inventory: { quantity: 50 } }]
  assert.equal((await admin.put(product.path, { slug: 'taken', variants })).status, 409)
  assert.equal((await put(variants, { 'if-match': '"9.9"' })).status, 412)
  assert.equal((await put([...variants, { id: 'one' }])).status, 422)
  assert.deepEqual([await product.stock(), await ledger('one')], [5, [5]])
})

test('a removed variant’s words are not found any more, a new one’s are', async () => {
  const { put, admin, products } = await makeVariants([{ id: 'a', sku: 'OLD-77', name: 'Vermilion' }])
  const found = async (query: string) => (await admin.get(`${products}?query=${query}`)).body.items.length
  assert.deepEqual([await found('OLD-77'), await found('vermilion')], [1, 1])
  await put([{ id: 'b', sku: 'NEW-88', attributes: [{ name: 'Shade', value: 'Turquoise' }] }])
  assert.deepEqual(
    [await found('OLD-77'), await found('vermilion'), await found('NEW-88'), await found('turquoise')],
    [0, 0, 1, 1],
  )
})

test('a product has five hundred variants: stored in order, changed one by one, with few statements', async () => {
  const shop = await used.make.shop()
  const variants = Array.from({ length: 500 }, (_, n) => ({
    ...full,
    id: `v-${n}`,
    name: `Variant ${n}`,
    sku: `BIG-${n}`,
    inventory: { tracked: true, quantity: n },
  }))
  let made: Awaited<ReturnType<typeof makeVariants>> | undefined
  const creating = await recordStatements(async () => {
    made = await makeVariants(variants, shop)
  })
  if (!made) throw new Error('not made')
  const { put, read, ledger, product, admin } = made
  assert.ok(creating.length < 12, creating.map(({ text }) => text).join('\n'))
  assert.deepEqual(await read(), variants)

  const order: Variant[] = variants.toReversed()
  const changing = await recordStatements(async () => {
    const sent = order.map(({ id }, n) => (n === 7 ? { id, inventory: { quantity: 3 } } : { id }))
    const { status, text } = await put(sent)
    assert.equal(status, 200, text.slice(0, 1_000))
  })
  assert.ok(changing.length < 12)
  assert.deepEqual(
    await read(),
    order.map((variant, n) => (n === 7 ? { ...variant, inventory: { tracked: true, quantity: 3 } } : variant)),
  )
  assert.deepEqual(await ledger('v-492'), [492, -489])
  assert.equal((await recordStatements(() => admin.get(product.path))).length, 1)
  assert.equal((await put([{ id: 'v-250' }])).body.variants[0].inventory.quantity, 250)
})

test('every variant’s SKU of a large product is found', async () => {
  const { admin, products } = await makeVariants(Array.from({ length: 1_000 }, (_, n) => ({ sku: `LRG-${1_000 + n}` })))
  for (const sku of ['LRG-1000', 'LRG-1499', 'LRG-1999']) {
    assert.equal((await admin.get(`${products}?query=${sku}`)).body.items.length, 1, sku)
  }
})
