import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { catalogJobs } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import type { Client } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

type Page = { items: { id: string; name: string }[]; cursor: string | null }
type Reader = Pick<Client, 'get'>

/** What the worker does every minute. */
async function work(db: Db, name: string) {
  const job = catalogJobs.find((each) => each.name === name)
  assert.ok(job?.on === 'cell')
  await job.run({}, { db, signal: new AbortController().signal } as never)
}

async function read(caller: Reader, path: string): Promise<Page> {
  const answer = await caller.get(path)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const variant = (id: string, attributes: Record<string, string>, price?: number, quantity?: number) => ({
  id,
  attributes: Object.entries(attributes).map(([name, value]) => ({ name, value })),
  pricing: { markets: price === undefined ? [] : [{ marketId: 'us', price }] },
  inventory: quantity === undefined ? { tracked: false } : { tracked: true, quantity },
})

/** Five products: a tree of categories, tags, attributes, prices and stock. */
async function makeShop() {
  const shop = await used.make.shop()
  const { admin, path, products } = shop
  await admin.put(path, { storefront: { isPublic: true } })
  const category = async (slug: string, parentId?: string) => {
    const { body, status, text } = await admin.post(`${path}/categories`, { name: slug, slug, parentId })
    assert.equal(status, 201, text)
    return body.id as string
  }
  const clothes = await category('clothes')
  const shirts = await category('shirts', clothes)
  const empty = await category('empty')
  const make = (name: string, body: object = {}) =>
    used.make.product(shop, { name, statuses: [{ status: 'ACTIVE' }], ...body })
  const made = {
    coat: await make('Coat', {
      category: 'clothes',
      tags: ['winter'],
      variants: [variant('one', { Colour: 'Red', Size: 'L' }, 9_000, 3)],
    }),
    shirt: await make('élan shirt', {
      category: 'shirts',
      tags: ['summer', 'sale'],
      variants: [variant('one', { Colour: 'Red', Size: 'S' }, 2_000, 0), variant('two', { Colour: 'Blue' }, 1_500, 0)],
    }),
    blouse: await make('Blouse', {
      category: 'shirts',
      tags: ['summer'],
      variants: [variant('one', { Colour: 'Green' }, 3_000)],
    }),
    lamp: await make('Desk lamp', { category: 'lamps', variants: [variant('one', { Colour: 'Red' }, undefined, 5)] }),
    draft: await make('Apron', {
      category: 'clothes',
      tags: ['summer'],
      statuses: [{ status: 'DRAFT' }],
      variants: [variant('one', { Colour: 'Red' }, 100)],
    }),
  }
  const guest = await used.make.guest()
  const storefront = `/v1/storefront/${shop.id}/products`
  /** Names as a guest sees them; the public list says the same. */
  const seen = async (query: string) => {
    const names = (await read(guest, `${products}?${query}`)).items.map(({ name }) => name)
    const open = await read(used.make.anonymous(), `${storefront}?${query}`)
    assert.deepEqual(
      open.items.map(({ name }) => name),
      names,
      query,
    )
    return names
  }
  return { ...shop, made, make, guest, storefront, seen, clothes, shirts, empty }
}

test('each filter keeps what fits it, and together they keep what fits all', async () => {
  const { seen, clothes, shirts, empty } = await makeShop()
  const [coat, shirt, blouse, lamp] = ['Coat', 'élan shirt', 'Blouse', 'Desk lamp']
  const cases: [query: string, names: (string | undefined)[]][] = [
    [`categoryId=${clothes}`, [blouse, shirt, coat]],
    [`categoryId=${shirts}`, [blouse, shirt]],
    [`categoryId=${empty}`, []],
    [`categoryId=${clothes}&category=shirts`, [blouse, shirt]],
    ['tag=summer', [blouse, shirt]],
    ['tag=winter', [coat]],
    ['tag=Summer', []],
    ['attribute.Colour=Red', [lamp, shirt, coat]],
    ['attribute.Colour=Blue&attribute.Colour=Green', [blouse, shirt]],
    ['attribute.Colour=Red&attribute.Size=L', [coat]],
    ['attribute.Colour=Red&attribute.Size=L&attribute.Size=S', [shirt, coat]],
    ['attribute.colour=Red', []],
    ['market=us&priceFrom=2000', [blouse, coat]],
    ['market=us&priceTo=2000', [shirt]],
    ['market=us&priceFrom=1500&priceTo=3000', [blouse, shirt]],
    ['market=de&priceFrom=0', []],
    ['inStock=true', [lamp, blouse, coat]],
    ['inStock=true&tag=summer', [blouse]],
    ['inStock=false', [shirt]],
    ['inStock=false&tag=winter', []],
    ['query=elan&tag=summer', [shirt]],
    ['query=elan&tag=winter', []],
    ['query=elna&tag=summer', [shirt]],
    ['tag=summer&slug=blouse', [blouse]],
    ['tag=winter&slug=blouse', []],
    ['category=&attribute.Colour=Red', []],
    ['market=us', [lamp, blouse, shirt, coat]],
  ]
  for (const [query, names] of cases) assert.deepEqual(await seen(query), names, query)
})

test('lists are sorted by age, name, the lowest price that holds, and relevance', async () => {
  const { seen, make } = await makeShop()
  const [coat, shirt, blouse, lamp] = ['Coat', 'élan shirt', 'Blouse', 'Desk lamp']
  assert.deepEqual(await seen('sort=-createdAt'), [lamp, blouse, shirt, coat])
  assert.deepEqual(await seen('sort=name'), [blouse, coat, lamp, shirt], 'without regard to accents and case')
  assert.deepEqual(await seen('sort=price&market=us'), [shirt, blouse, coat], 'without a price there it is left out')
  assert.deepEqual(await seen('sort=-price&market=us'), [coat, blouse, shirt])
  assert.deepEqual(await seen('sort=-price&market=us&tag=summer'), [blouse, shirt])
  await make('Coat', { description: 'A lamp fits in its pocket.', slug: 'second' })
  assert.deepEqual(await seen('sort=relevance&query=lamp'), [lamp, 'Coat'])
  assert.deepEqual(await seen('sort=-createdAt&query=lamp'), ['Coat', lamp])
  assert.deepEqual(await seen('sort=relevance&query=lamp&attribute.Colour=Red'), [lamp])
})

test('drafts are for those who write products, and other businesses have their own', async () => {
  const { admin, guest, products, storefront } = await makeShop()
  const other = await makeShop()
  const names = async (caller: Reader, query: string) =>
    (await read(caller, `${products}?${query}`)).items.map(({ name }) => name)

  assert.deepEqual(await names(admin, 'tag=summer&sort=name'), ['Apron', 'Blouse', 'élan shirt'])
  assert.deepEqual(await names(admin, 'tag=summer&status=DRAFT'), ['Apron'])
  assert.deepEqual(
    await names(other.admin, 'tag=summer&sort=name'),
    ['Blouse', 'élan shirt'],
    'of others, what all see',
  )
  assert.match(refusal(await guest.get(`${products}?tag=summer&status=DRAFT`)), /^403/)
  assert.match(refusal(await guest.get(`${products}/facets?facets=tag&status=DRAFT`)), /^403/)
  assert.match(
    refusal(await guest.get(`${products}?categoryId=${other.clothes}`)),
    /^422 VALIDATION_FAILED categoryId NOT_FOUND/,
  )
  const { body } = await used.make.anonymous().get(`${storefront}/facets?facets=tag,attribute.Colour`)
  assert.deepEqual(body.items[0].values, [
    { value: 'summer', count: 2 },
    { value: 'sale', count: 1 },
    { value: 'winter', count: 1 },
  ])
})

test('products are counted by status, with the filters of the list', async () => {
  const { admin, guest, products, clothes } = await makeShop()
  const other = await makeShop()
  const counts = async (caller: Reader, query: string) => {
    const { status, body, text } = await caller.get(`${products}/counts?${query}`)
    assert.equal(status, 200, text)
    assert.equal(body.isExact, true)
    return Object.fromEntries(body.items.map(({ value, count }: { value: string; count: number }) => [value, count]))
  }

  assert.deepEqual(await counts(admin, ''), { ACTIVE: 4, DRAFT: 1 })
  assert.deepEqual(await counts(admin, 'status=DRAFT'), { DRAFT: 1 })
  assert.deepEqual(await counts(admin, 'tag=summer'), { ACTIVE: 2, DRAFT: 1 })
  assert.deepEqual(await counts(admin, `categoryId=${clothes}&attribute.Colour=Red`), { ACTIVE: 2, DRAFT: 1 })
  assert.deepEqual(await counts(admin, 'inStock=false'), { ACTIVE: 1 })
  assert.deepEqual(await counts(admin, 'market=us&priceFrom=2000'), { ACTIVE: 2 })
  assert.deepEqual(await counts(admin, 'query=elan'), { ACTIVE: 1 })
  assert.deepEqual(await counts(admin, 'sku=nobody'), {})

  assert.match(refusal(await guest.get(`${products}/counts`)), /^403/)
  assert.match(refusal(await other.admin.get(`${products}/counts`)), /^403/)
  assert.match(refusal(await admin.get(`${products}/counts?priceFrom=1`)), /^422 .*market/)
  assert.match(refusal(await admin.get(`${products}/counts?sort=name`)), /^422 .*UNKNOWN_PARAMETER/)
})

test('what cannot be asked is 422, and says what is wrong', async () => {
  const { admin, products, storefront } = await makeShop()
  const many = (count: number, make: (index: number) => string) =>
    Array.from({ length: count }, (_, at) => make(at)).join('&')
  const cases: Record<string, string> = {
    'categoryId=cat_unknown': 'categoryId NOT_FOUND',
    'market=fr': 'market NOT_FOUND',
    'market=fr&sort=price': 'market NOT_FOUND',
    'priceFrom=1': 'market REQUIRED',
    'priceTo=1': 'market REQUIRED',
    'sort=price': 'market REQUIRED',
    'sort=-price': 'market REQUIRED',
    'sort=relevance': 'sort INVALID',
    'market=us&priceFrom=-1': 'priceFrom \\w+',
    'market=us&priceFrom=x': 'priceFrom \\w+',
    'sort=sold': 'sort \\w+',
    'inStock=maybe': 'inStock \\w+',
    'attribute.=x': 'attribute. INVALID',
    [`attribute.${'x'.repeat(101)}=x`]: 'attribute.x+ INVALID',
    [many(6, (at) => `attribute.n${at}=x`)]: 'attribute TOO_MANY',
    [many(21, (at) => `attribute.n=${at}`)]: 'attribute.n TOO_MANY',
    'atribute.Colour=Red': 'atribute.Colour UNKNOWN_PARAMETER',
    'colour=Red': 'colour UNKNOWN_PARAMETER',
    'tag=a&tag=b': 'tag \\w+',
  }
  for (const list of [products, storefront])
    for (const [query, expected] of Object.entries(cases))
      assert.match(
        refusal(await admin.get(`${list}?${query}`)),
        new RegExp(`^422 VALIDATION_FAILED ${expected}$`),
        `${list}?${query}`,
      )
  const facets: Record<string, string> = {
    '': 'facets \\w+',
    'facets=': 'facets \\w+',
    'facets=colour': 'facets INVALID',
    'facets=attribute.': 'facets INVALID',
    'facets=tag,': 'facets INVALID',
    'facets=price': 'market REQUIRED',
    'facets=tag&market=fr': 'market NOT_FOUND',
    'facets=tag&sort=name': 'sort UNKNOWN_PARAMETER',
    'facets=tag&limit=1': 'limit UNKNOWN_PARAMETER',
    'facets=tag&categoryId=none': 'categoryId NOT_FOUND',
    'facets=tag,category,attribute.a,attribute.b,attribute.c,attribute.d': 'facets TOO_MANY',
  }
  for (const list of [products, storefront])
    for (const [query, expected] of Object.entries(facets))
      assert.match(
        refusal(await admin.get(`${list}/facets?${query}`)),
        new RegExp(`^422 VALIDATION_FAILED ${expected}$`),
        `${list}/facets?${query}`,
      )
})

test('facets count what matches, each without its own filter', async () => {
  const { guest, products, storefront } = await makeShop()
  const facets = async (query: string) => {
    const { body, text, status } = await guest.get(`${products}/facets?${query}`)
    assert.equal(status, 200, text)
    assert.deepEqual((await used.make.anonymous().get(`${storefront}/facets?${query}`)).body, body)
    return body.items
  }
  assert.deepEqual(await facets('facets=attribute.Colour,price,category,tag&market=us'), [
    {
      name: 'attribute.Colour',
      values: [
        { value: 'Red', count: 3 },
        { value: 'Blue', count: 1 },
        { value: 'Green', count: 1 },
      ],
      isExact: true,
    },
    { name: 'price', min: 1_500, max: 9_000, isExact: true },
    {
      name: 'category',
      values: [
        { value: 'shirts', count: 2 },
        { value: 'clothes', count: 1 },
        { value: 'lamps', count: 1 },
      ],
      isExact: true,
    },
    {
      name: 'tag',
      values: [
        { value: 'summer', count: 2 },
        { value: 'sale', count: 1 },
        { value: 'winter', count: 1 },
      ],
      isExact: true,
    },
  ])
  const [colours, tags, price] = await facets(
    'facets=attribute.Colour,tag,price&market=us&attribute.Colour=Green&tag=summer&priceFrom=2500',
  )
  assert.deepEqual(colours.values, [{ value: 'Green', count: 1 }], 'the shirt is too cheap')
  assert.deepEqual(tags.values, [{ value: 'summer', count: 1 }])
  assert.deepEqual([price.min, price.max], [3_000, 3_000])
  const [none] = await facets('facets=price&market=de')
  assert.deepEqual(none, { name: 'price', min: null, max: null, isExact: true })
  const [found] = await facets('facets=attribute.Colour&query=elan')
  assert.deepEqual(found.values, [
    { value: 'Blue', count: 1 },
    { value: 'Red', count: 1 },
  ])
})

test('names and values are taken as they are, whatever they hold', async () => {
  const { make, seen, guest, products } = await makeShop()
  const awkward = { 'A=B': 'C', A: 'B=C', '%3D': '50 % = ½', 'x.y,"': "'; drop table --", long: 'ü'.repeat(500) }
  await make('Awkward', { variants: [variant('one', awkward)] })
  for (const [name, value] of Object.entries(awkward)) {
    assert.deepEqual(await seen(new URLSearchParams({ [`attribute.${name}`]: value }).toString()), ['Awkward'], name)
  }
  assert.deepEqual(await seen(new URLSearchParams({ 'attribute.A': 'B=D' }).toString()), [])
  const { body } = await guest.get(`${products}/facets?facets=attribute.A%3DB,attribute.A`)
  assert.deepEqual(
    body.items.map(({ values }: { values: object[] }) => values),
    [[{ value: 'C', count: 1 }], [{ value: 'B=C', count: 1 }]],
  )
})

test('a change of the product changes what finds it, and a deleted one is found by nothing', async () => {
  const { admin, made, seen } = await makeShop()
  const { path } = made.coat
  assert.equal((await admin.put(path, { tags: ['autumn'], name: 'Anorak', category: 'lamps' })).status, 200)
  assert.deepEqual(await seen('tag=winter'), [])
  assert.deepEqual(await seen('tag=autumn&category=lamps'), ['Anorak'])
  assert.deepEqual((await seen('sort=name'))[0], 'Anorak')
  await admin.put(`${path}/variants/one/prices/us`, { price: 50 })
  assert.deepEqual((await seen('sort=price&market=us'))[0], 'Anorak')
  await admin.delete(`${path}/variants/one/prices/us`)
  assert.deepEqual(await seen('sort=price&market=us'), ['élan shirt', 'Blouse'])
  await admin.put(`${path}/variants/one`, { attributes: [{ name: 'Colour', value: 'Pink' }] })
  assert.deepEqual(await seen('attribute.Colour=Pink'), ['Anorak'])
  await admin.put(path, { statuses: [{ status: 'ARCHIVED' }] })
  assert.deepEqual(await seen('tag=autumn'), [])
  await admin.put(path, { statuses: [{ status: 'ACTIVE' }] })
  assert.deepEqual(await seen('tag=autumn'), ['Anorak'])
  await admin.delete(path)
  assert.deepEqual(await seen('tag=autumn'), [])
})

test('stock that is set with the product counts at once, what moves later within a minute', async () => {
  const { admin, made, seen, db } = await makeShop()
  const refresh = () => work(db, 'catalog.refresh-listed-stock')
  assert.deepEqual(await seen('inStock=true&tag=winter'), ['Coat'])
  assert.equal((await admin.post(`${made.coat.path}/variants/one/stock`, { delta: -3 })).status, 201)
  await refresh()
  assert.deepEqual(await seen('inStock=true&tag=winter'), [])
  assert.equal((await admin.post(`${made.shirt.path}/variants/two/stock`, { delta: 1 })).status, 201)
  await refresh()
  assert.deepEqual(await seen('inStock=true&tag=sale'), ['élan shirt'])
  await admin.put(`${made.shirt.path}/variants/two`, { inventory: { quantity: 0 } })
  assert.deepEqual(await seen('inStock=true&tag=sale'), [], 'set, not moved: at once')
  await admin.put(`${made.shirt.path}/variants/one`, { inventory: { tracked: false } })
  assert.deepEqual(await seen('inStock=true&tag=sale'), ['élan shirt'])
  await admin.delete(`${made.shirt.path}/variants/one`)
  assert.deepEqual(await seen('inStock=true&tag=sale'), [], 'the variant that was there is gone')
  await admin.put(made.coat.path, { name: 'Long coat' })
  assert.deepEqual(await seen('inStock=true&tag=winter'), [], 'another change asks for the stock as it is')
})

test('what was sold until last night is sorted by', async () => {
  const { admin, guest, path, make, storefront, db } = await makeShop()
  const owner = await used.make.apiKey(admin.id) // a token would end during the night
  const clock = holdClock()
  try {
    const sell = async (name: string, quantities: number[]) => {
      const free = { ...variant('one', {}, 0, 50), name: 'One' }
      const product = await make(name, { tags: ['ledger'], variants: [free] })
      const orders: string[] = []
      for (const quantity of quantities) {
        const items = [{ productId: product.id, variantId: 'one', quantity }]
        const { status, text, body } = await guest.post(`${path}/orders/checkout`, { market: 'us', items })
        assert.equal(status, 200, text)
        orders.push(body.orderId)
      }
      return { product, orders }
    }
    const lamp = await sell('Lamp', [4])
    const rope = await sell('Rope', [2, 3])
    await sell('Anchor', [])
    const cancelled = await owner.put(`${path}/orders/${rope.orders[1]}/status`, { status: 'CANCELLED' })
    assert.equal(cancelled.status, 200, cancelled.text)
    await owner.post(`${rope.product.path}/variants/one/stock`, { delta: -20 })
    const bySold = async (query = '') => {
      const { items } = await read(used.make.anonymous(), `${storefront}?tag=ledger&sort=-sold${query}`)
      return items.map(({ name }) => name)
    }
    assert.deepEqual(
      await bySold(),
      ['Anchor', 'Rope', 'Lamp'],
      'nothing is counted before the night: the newest first',
    )
    clock.advance(86_400)
    await work(db, 'catalog.count-sold')
    await work(db, 'catalog.count-sold')
    assert.deepEqual(await bySold(), ['Lamp', 'Rope', 'Anchor'], 'what came back or was taken by hand does not count')
    for (const { product } of [lamp, rope]) {
      const { status, text } = await owner.put(`${product.path}/variants/one/prices/de`, { price: 500 })
      assert.equal(status, 200, text)
    }
    assert.deepEqual(await bySold('&market=de&priceFrom=1'), ['Lamp', 'Rope'], 'a market that is new knows it, too')
  } finally {
    clock.release()
  }
})

test('a planned price is sorted by while it holds', async () => {
  const clock = holdClock()
  try {
    const { id, admin: owner, make, products, db } = await makeShop()
    const admin = await used.make.apiKey(owner.id)
    const from = Math.trunc(now().getTime() / 1_000) + 3_600
    const planned = [
      { marketId: 'us', price: 1_000 },
      { marketId: 'us', price: 10, validFrom: from, validTo: from + 3_600 },
      { marketId: 'de', price: 7, validFrom: from, validTo: from + 3_600 },
    ]
    await make('Planned', { tags: ['p'], variants: [{ id: 'one', pricing: { markets: planned } }] })
    const priceIn = async (market: string) => {
      await work(db, 'catalog.refresh-prices')
      const { rows } = await sql<{ price: number }>`
        select price::integer from catalog.listing
         where business_id = ${id} and market_id = ${market} and marks @> '{t:p}'`.execute(db)
      const { items } = await read(admin, `${products}?tag=p&market=${market}&sort=price`)
      assert.equal(items.length, rows.length)
      return rows[0]?.price
    }
    assert.deepEqual([await priceIn('us'), await priceIn('de')], [1_000, undefined])
    clock.advance(3_601)
    assert.deepEqual([await priceIn('us'), await priceIn('de')], [10, 7])
    clock.advance(3_601)
    assert.deepEqual(
      [await priceIn('us'), await priceIn('de')],
      [1_000, undefined],
      'no row is left of a price that ended',
    )
  } finally {
    clock.release()
  }
})

async function readAll(caller: Reader, path: string, query: string, between: () => Promise<unknown> = async () => {}) {
  const items: Page['items'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await read(caller, `${path}?${query}&cursor=${cursor}`)
    items.push(...page.items)
    cursor = page.cursor
    await between()
  }
  return items
}

test('pages are complete and without doubles, also while prices of others change', async () => {
  const { admin, guest, products, make } = await makeShop()
  const made: { path: string; id: string }[] = []
  for (let at = 0; at < 12; at++)
    made.push(await make(`Mug ${at}`, { tags: ['mug'], variants: [variant('one', {}, 100 + (at % 3), at % 2)] }))
  const [moving] = [await make('Mover', { tags: ['mug'], variants: [variant('one', {}, 1)] })]
  for (const sort of ['price', '-price', 'name', '-createdAt']) {
    let price = 90
    const all = await readAll(guest, products, `tag=mug&market=us&sort=${sort}&limit=2`, async () => {
      price += 10
      await admin.put(`${moving.path}/variants/one/prices/us`, { price })
    })
    const ids = all.map(({ id }) => id).filter((id) => id !== moving.id)
    assert.deepEqual(ids.toSorted(), made.map(({ id }) => id).toSorted(), sort)
  }
  const { cursor } = await read(guest, `${products}?tag=mug&limit=2`)
  for (const query of ['tag=other', 'tag=mug&sort=name', 'tag=mug&inStock=true', 'tag=mug&query=mug', ''])
    assert.match(
      refusal(await guest.get(`${products}?${query}&cursor=${cursor}`)),
      /^422 VALIDATION_FAILED cursor INVALID/,
      query,
    )
  assert.match(
    refusal(await admin.get(`${products}?tag=mug&cursor=${cursor}`)),
    /^422 VALIDATION_FAILED cursor INVALID/,
  )
})
