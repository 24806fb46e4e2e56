import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Check } from 'typebox/value'
import { PublicProduct } from '#modules/catalog/index.ts'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { contentOf, text } from '../../support/content.ts'
import { KEPT_FOR_A_MINUTE } from '../../support/public-answers.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

async function openPublic(storefront: object = {}) {
  const shop = contentOf(await used.make.shop())
  const { status, text: said } = await shop.admin.put(shop.path, {
    storefront: { isPublic: true, ...storefront },
    timeZone: 'Europe/Berlin',
  })
  assert.equal(status, 200, said)
  const reader = used.make.anonymous()
  return { ...shop, front: `/v1/storefront/${shop.slug}`, get: reader.get, send: reader.send }
}

const inStock = (inventory: object) => ({
  variants: [
    {
      id: 'one',
      pricing: {
        markets: [
          { marketId: 'us', price: 1_000, compareAtPrice: 1_500 },
          { marketId: 'de', price: 900 },
        ],
      },
      inventory,
    },
  ],
})

test('a shop tells what its front needs to know', async () => {
  const { id, slug, name, front, get } = await openPublic()
  const { status, body, headers, text: said } = await get(front)
  assert.equal(status, 200, said)
  const { markets, ...rest } = body
  assert.deepEqual(rest, {
    id,
    name,
    slug,
    defaultLocale: 'en',
    locales: ['en'],
    logo: null,
    timeZone: 'Europe/Berlin',
  })
  assert.deepEqual(markets[0], {
    id: 'us',
    name: 'United States',
    currency: 'USD',
    taxBps: 1_000,
    taxShipping: false,
    pricesIncludeTax: false,
    taxRates: [],
    shippingMethods: [],
    paymentMethods: ['CREDIT_CARD'],
  })
  assert.equal(headers.get('cache-tag'), id)
})

test('a product shows the prices of the market that was asked for, and none without one', async () => {
  const shop = await openPublic()
  const { id, slug } = await used.make.product(shop, inStock({ tracked: true, quantity: 3 }))
  const pricing = async (query: string) =>
    (await shop.get(`${shop.front}/products/${slug}${query}`)).body.variants[0].pricing
  assert.deepEqual(await pricing(''), { markets: [] })
  assert.deepEqual(await pricing('?market=us'), {
    markets: [{ marketId: 'us', currency: 'USD', price: 1_000, compareAtPrice: 1_500 }],
  })
  assert.deepEqual(await pricing('?market=de'), { markets: [{ marketId: 'de', currency: 'EUR', price: 900 }] })
  for (const path of ['/products', `/products/${slug}`, `/products/${id}`])
    assert.equal(
      refusal(await shop.get(`${shop.front}${path}?market=fr`)),
      '422 VALIDATION_FAILED market NOT_FOUND',
      path,
    )
})

test('a product is what the reference says, in every locale', async () => {
  const shop = await openPublic()
  const { slug } = await used.make.product(shop, {
    ...inStock({ tracked: true, quantity: 3 }),
    translations: { de: { name: 'Lampe' } },
  })
  const known = PublicProduct.properties.variants.items.properties
  for (const query of ['?market=us', '?market=us&locale=de', '']) {
    const { body } = await shop.get(`${shop.front}/products/${slug}${query}`)
    const isKnown: boolean = Check(PublicProduct, body)
    assert.ok(isKnown, query)
    assert.deepEqual(Object.keys(body).toSorted(), Object.keys(PublicProduct.properties).toSorted())
    assert.deepEqual(Object.keys(body.variants[0]).toSorted(), Object.keys(known).toSorted())
  }
})

test('whether there is any is told of each variant; how much, only where the shop says so', async () => {
  const shop = await openPublic()
  const cases = [
    [{ tracked: true, quantity: 0 }, 'OUT_OF_STOCK'],
    [{ tracked: true, quantity: 0, lowStockThreshold: 2 }, 'OUT_OF_STOCK'],
    [{ tracked: true, quantity: 2, lowStockThreshold: 2 }, 'LOW_STOCK'],
    [{ tracked: true, quantity: 3, lowStockThreshold: 2 }, 'IN_STOCK'],
    [{ tracked: true, quantity: 1 }, 'IN_STOCK'],
    [{ tracked: false, quantity: 0, maxPerOrder: 4 }, 'IN_STOCK'],
  ] as const
  for (const [inventory, availability] of cases) {
    const { id } = await used.make.product(shop, inStock(inventory))
    const shown = async () => (await shop.get(`${shop.front}/products/${id}`)).body.variants[0]
    const { quantity, lowStockThreshold: _threshold, ...rest } = { lowStockThreshold: 0, ...inventory }
    await shop.admin.put(shop.path, { storefront: { showQuantity: false } })
    const { inventory: hidden, availability: told } = await shown()
    assert.deepEqual([hidden, told], [rest, availability])
    await shop.admin.put(shop.path, { storefront: { showQuantity: true } })
    assert.deepEqual((await shown()).inventory, { ...rest, quantity })
  }
})

test('products and entries come in pages, newest first', async () => {
  const shop = await openPublic()
  const collection = await shop.collection()
  const made = { products: [] as string[], entries: [] as string[] }
  for (let count = 0; count < 5; count++) {
    made.products.unshift((await used.make.product(shop)).id)
    made.entries.unshift((await shop.entry(collection, { blocks: [text('title', `Entry ${count}`)] })).id)
  }
  for (const [list, ids] of Object.entries(made)) {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await shop.get(`${shop.front}/${list}?limit=2&cursor=${cursor}`)
      const onPage = page.body.items.map(({ id }: { id: string }) => id)
      seen.push(...onPage)
      const tags = (page.headers.get('cache-tag') ?? '').split(',')
      assert.deepEqual(tags.slice(0, 2), [shop.id, `${shop.id}:${list}`])
      assert.deepEqual(
        tags.filter((tag) => onPage.includes(tag)),
        onPage,
      )
      if (page.body.cursor === null) break
      cursor = page.body.cursor
    }
    assert.deepEqual(seen, ids, list)
  }
})

test('collections and entries are what a guest reads, without their histories', async () => {
  const shop = await openPublic()
  const collection = await shop.collection({ slug: 'notes' })
  const entry = await shop.entry(collection, { blocks: [text('title', 'A "statuses":[] of words')] })
  const guest = await used.make.guest()
  for (const [path, records] of [
    [`/collections/${collection.id}`, collection],
    ['/collections/notes', collection],
    [`/entries/${entry.id}`, entry],
  ] as const) {
    const { statuses: _statuses, ...expected } = (await guest.get(records.path)).body
    const shown = await shop.get(shop.front + path)
    assert.deepEqual(shown.body, expected, path)
  }
  const tags = (await shop.get(`${shop.front}/entries/${entry.id}`)).headers.get('cache-tag')
  assert.equal(tags, [shop.id, entry.id, collection.id].join(','))
})

test('who has an answer already is told so, until it changes', async () => {
  const shop = await openPublic({ showQuantity: true })
  const product = await used.make.product(shop)
  const path = `${shop.front}/products/${product.id}`
  const first = await shop.get(path)
  const etag = first.headers.get('etag') ?? ''
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await shop.get(path, { 'if-none-match': known })
    assert.deepEqual([again.status, again.text], [304, ''], known)
    for (const name of ['etag', 'cache-control', 'cache-tag'])
      assert.equal(again.headers.get(name), first.headers.get(name), name)
  }
  assert.equal(first.headers.get('cache-control'), KEPT_FOR_A_MINUTE)
  const head = await shop.send('HEAD', path)
  assert.deepEqual([head.status, head.headers.get('etag')], [200, etag])

  await shop.admin.post(`${product.path}/variants/one/stock`, { delta: -1 })
  const changed = await shop.get(path, { 'if-none-match': etag })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.get('etag'), etag)
})

const [READS, OF_KEY] = [25, 30]

async function startLimited(t: TestContext) {
  const limited = await startApi({
    databases: used.api.databases,
    env: {
      RATE_LIMITS: 'on',
      LIMIT_STOREFRONT_PER_MINUTE: `${READS}`,
      LIMIT_KEY_PER_MINUTE: `${OF_KEY}`,
      LIMIT_ADDRESS_PER_MINUTE: '3',
    },
  })
  t.after(() => limited.close())
  return (headers: Record<string, string> = {}) => createClient(limited.url, headers)
}

test('an address has so many reads a minute, whatever it comes with; a search counts as ten', async (t) => {
  const shop = await openPublic()
  const as = await startLimited(t)
  const bearer: Record<string, string> = { authorization: `Bearer ${shop.admin.token}` }
  for (const headers of [{}, bearer, { 'x-api-key': 'garbage' }, {}, bearer])
    assert.equal((await as(headers).get(shop.front)).status, 200)
  for (const path of ['/products?query=lamp', '/entries?query=lamp'])
    assert.equal((await as().get(shop.front + path)).status, 200)
  for (const headers of [{}, bearer, { 'x-api-key': 'garbage' }]) {
    const refused = await as(headers).get(shop.front)
    assertError(refused, 429, 'RATE_LIMITED')
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    assert.equal(refused.headers.get('cache-control'), 'no-store')
    assert.equal(refused.headers.get('x-ratelimit-limit'), null)
  }
  const elsewhere = await as().get('/.well-known/jwks.json')
  assert.equal(elsewhere.headers.get('x-ratelimit-remaining'), '2', 'counted apart')
})

test('with a key of the shop a read counts for the key; a key of another shop is nobody', async (t) => {
  const [shop, other] = [await openPublic(), await openPublic()]
  const as = await startLimited(t)
  const keyOf = async ({ admin, id }: typeof shop, isBound: boolean) => ({
    'x-api-key': (await used.make.apiKey(admin.id, isBound ? id : undefined)).value,
  })
  const own = [await keyOf(shop, true), await keyOf(shop, false)]
  const foreign = await keyOf(other, true)
  for (const key of own) assert.equal((await as(key).get(shop.front)).status, 200)
  for (let count = 0; count < READS; count++) assert.equal((await as(foreign).get(shop.front)).status, 200)
  assertError(await as(foreign).get(shop.front), 429, 'RATE_LIMITED')
  assertError(await as().get(shop.front), 429, 'RATE_LIMITED')

  const [first = {}] = own
  for (let count = 1; count < OF_KEY; count++) {
    const answer = await as(first).get(shop.front)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('x-ratelimit-limit'), null)
  }
  assertError(await as(first).get(shop.front), 429, 'RATE_LIMITED')
})
