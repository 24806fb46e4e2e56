import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import type { Answer } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const CELLS = ['main', 'second'] as const

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/
const FIELDS =
  'blocks businessId category createdAt description gallery id name options seo slug statuses tags taxClass translations updatedAt variants'.split(
    ' ',
  )

/** The events about one product, oldest first. */
async function eventsOf({ db, admin, path }: { db: Db; admin: { get(path: string): Promise<Answer> }; path: string }) {
  await until('there is nothing left to number', async () => (await sequenceEvents(db)) === 0, { everyMs: 5 })
  const { body } = await admin.get(`${path}/events?after=0&limit=100`)
  return body.items as { type: string; subject: string; actorId: string; actorKind: string; data: unknown }[]
}

const complete = {
  name: 'Stoneware mug',
  slug: 'mug',
  description: 'Fired twice.\n\nHolds 0.3 l.',
  category: 'kitchen/mugs',
  taxClass: 'standard',
  tags: ['gift', 'kitchen'],
  seo: { title: 'A mug', description: 'Of stoneware' },
  translations: { de: { name: 'Becher', slug: 'becher' } },
  gallery: [{ id: 'front', url: 'https://cdn.example.com/mug.png?w=1#top', mimeType: 'image/png' }],
  variants: [
    {
      id: 'blue',
      name: 'Blue',
      sku: 'MUG-BLUE',
      attributes: [{ name: 'Colour', value: 'Blue' }],
      translations: { de: { name: 'Blau' } },
      pricing: {
        markets: [
          { marketId: 'us', currency: 'USD', price: 1_999, compareAtPrice: 2_499 },
          { marketId: 'de', currency: 'EUR', price: Number.MAX_SAFE_INTEGER },
        ],
      },
      inventory: { tracked: true, quantity: 12, lowStockThreshold: 3 },
      gallery: [{ id: 'blue', url: 'http://cdn.example.com/blue.webm', mimeType: 'video/webm' }],
    },
  ],
  statuses: [{ id: 'first', status: 'ACTIVE', changedBy: 'USER', userId: 'usr_somebody', timestamp: 1_700_000_000 }],
  blocks: [{ id: 'care', type: 'TEXT', value: 'Dishwasher safe' }],
}
const options = [{ name: 'Colour', values: ['Blue'] }]

for (const cell of CELLS) {
  test(`in cell ${cell} a product is created, read, listed, changed and deleted`, async () => {
    const { admin, id, products, db } = await used.make.shop({ cell })
    const made = await admin.post(products, complete)
    assert.equal(made.status, 201, made.text)
    const { id: productId, createdAt } = made.body
    const path = `${products}/${productId}`

    assert.match(productId, /^prod_[0-9a-z]{26}$/)
    assert.ok(Number.isInteger(createdAt))
    assert.deepEqual(made.body, {
      id: productId,
      businessId: id,
      ...complete,
      options,
      createdAt,
      updatedAt: createdAt,
    })
    assert.match(made.headers.get('content-type') ?? '', /^application\/json\b/)
    assert.deepEqual((await admin.get(path)).body, made.body)
    assert.deepEqual((await admin.get(products)).body, { items: [made.body], cursor: null })

    const changed = await admin.put(path, { name: 'Cup' })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(changed.body, { ...made.body, name: 'Cup', updatedAt: changed.body.updatedAt })
    assert.deepEqual((await admin.get(path)).body, changed.body)
    assert.deepEqual((await admin.get(products)).body.items, [changed.body])

    const rows = (of: Db) => of.selectFrom('catalog.products').select('id').where('businessId', '=', id).execute()
    assert.deepEqual(await rows(db), [{ id: productId }])
    for (const [name, other] of used.api.services.databases.cells) {
      if (name !== cell) assert.deepEqual(await rows(other), [])
    }

    const deleted = await admin.delete(path)
    assert.deepEqual([deleted.status, deleted.body], [200, { success: true }])
    assert.equal(refusal(await admin.get(path)), '404 NOT_FOUND')
    assert.equal(refusal(await admin.put(path, { name: 'Ghost' })), '404 NOT_FOUND')
    assert.equal(refusal(await admin.delete(path)), '404 NOT_FOUND')
    for (const query of ['', '?query=cup', '?category=kitchen/mugs', '?slug=mug', '?status=ACTIVE']) {
      assert.deepEqual((await admin.get(products + query)).body, { items: [], cursor: null }, query)
    }
  })
}

test('a name is all that a product needs', async () => {
  const { admin, id, products } = await used.make.shop()
  const made = await admin.post(products, { name: 'Crème brûlée, 2 × 100 g' })

  assert.equal(made.status, 201, made.text)
  assert.deepEqual(Object.keys(made.body).sort(), FIELDS)
  const { id: productId, slug, createdAt, statuses, ...rest } = made.body
  assert.match(slug, /^creme-brulee-2-.*100-g$/)
  assert.deepEqual(rest, {
    businessId: id,
    name: 'Crème brûlée, 2 × 100 g',
    description: '',
    category: '',
    taxClass: 'standard',
    tags: [],
    seo: { title: '', description: '' },
    translations: {},
    options: [],
    gallery: [],
    variants: [],
    blocks: [],
    updatedAt: createdAt,
  })
  const [{ id: statusId, ...status }, ...more] = statuses
  assert.ok(productId && statusId)
  assert.deepEqual(more, [])
  assert.deepEqual(status, { status: 'DRAFT', changedBy: 'USER', userId: admin.id, timestamp: createdAt })
})

test('each field is changed alone, and the others stay', async () => {
  const { admin, products } = await used.make.shop()
  const path = `${products}/${(await admin.post(products, complete)).body.id}`
  const changes = {
    name: 'Other name',
    slug: 'other-slug',
    description: '',
    category: 'Other',
    tags: ['other'],
    seo: { title: 'Other', description: '' },
    translations: {},
    gallery: [{ id: 'new', url: 'https://example.com/', mimeType: 'image/svg+xml' }],
    blocks: [],
    variants: [],
  }
  for (const [field, value] of Object.entries(changes)) {
    const before = (await admin.get(path)).body
    const { status, body, text } = await admin.put(path, { [field]: value })
    assert.equal(status, 200, text)
    const derived = field === 'variants' ? { options: [] } : {}
    assert.deepEqual(body, { ...before, ...derived, [field]: value, updatedAt: body.updatedAt })
    assert.deepEqual((await admin.get(path)).body, body)
  }
  const before = (await admin.get(path)).body
  const nothing = await admin.put(path, {})
  assert.deepEqual(nothing.body, { ...before, updatedAt: nothing.body.updatedAt })
})

test('a product that was read can be sent back whole, and stays what it was', async () => {
  const { admin, products } = await used.make.shop()
  const { body } = await admin.post(products, complete)
  const sentBack = await admin.put(`${products}/${body.id}`, body)

  assert.equal(sentBack.status, 200, sentBack.text)
  assert.deepEqual(sentBack.body, { ...body, updatedAt: sentBack.body.updatedAt })
})

test('the service’s clock says when a product was made and changed', async () => {
  const { admin, products } = await used.make.shop()
  const clock = holdClock()
  try {
    const { body } = await admin.post(products, { name: 'Clock', createdAt: 1, updatedAt: 1 })
    assert.ok(Math.abs(body.createdAt - Date.now() / 1000) < 60)
    clock.advance(90)
    const changed = (await admin.put(`${products}/${body.id}`, { name: 'Watch', createdAt: 1, updatedAt: 1 })).body
    assert.deepEqual([changed.createdAt, changed.updatedAt], [body.createdAt, body.createdAt + 90])
    assert.deepEqual((await admin.get(`${products}/${body.id}`)).body, changed)
  } finally {
    clock.release()
  }
})

test('a slug is made from the name; when it is taken, another one like it is', async () => {
  const { admin, products } = await used.make.shop()
  const slugOf = async (name: string) => (await admin.post(products, { name })).body.slug as string

  assert.equal(await slugOf('Blue Mug'), 'blue-mug')
  assert.match(await slugOf('Blue Mug'), /^blue-mug-[a-z0-9]+$/)
  assert.match(await slugOf('blue, mug!'), /^blue-mug-[a-z0-9]+$/)
  for (const name of ['日本語', '!!!', '🙂', '-', 'x'.repeat(200), 'x-'.repeat(100), '_', 'Ünïcödé', 'шапка', 'קפה']) {
    const slug = await slugOf(name)
    assert.match(slug, SLUG)
    assert.ok(slug.length <= 100)
  }
})

test('a name that changes leaves the slug alone: addresses stay', async () => {
  const { admin, products } = await used.make.shop()
  const { path } = await used.make.product({ admin, products }, { name: 'First name' })
  assert.equal((await admin.put(path, { name: 'Second name' })).body.slug, 'first-name')
})

test('thirty products of one name at once all get a slug of their own', async () => {
  const { admin, products } = await used.make.shop()
  const attempts = Array.from({ length: 30 }, () => admin.post(products, { name: 'Twin' }))
  const answers = await Promise.all(attempts)

  assert.deepEqual(answers.map(refusal), Array(30).fill('201'))
  const slugs = new Set(answers.map(({ body }) => body.slug as string))
  assert.equal(slugs.size, 30)
  assert.ok(slugs.has('twin'))
  for (const slug of slugs) assert.match(slug, /^twin(-[a-z0-9]+)?$/)
  assert.equal((await admin.get(`${products}?limit=100`)).body.items.length, 30)
})

test('of many who send one slug at once, one gets it', async () => {
  const { admin, products } = await used.make.shop()
  const attempts = Array.from({ length: 10 }, (_, n) => admin.post(products, { name: `Racer ${n}`, slug: 'race' }))
  const answers = (await Promise.all(attempts)).map(refusal).sort()

  assert.deepEqual(answers, ['201', ...Array(9).fill('409 CONFLICT slug SLUG_EXISTS')])
  const { items } = (await admin.get(products)).body
  assert.equal(items.length, 1)
})

test('a slug that is sent belongs to one product of a business only', async () => {
  const shop = await used.make.shop()
  const { admin, products } = shop
  const other = await used.make.shop()
  const first = await used.make.product(shop, { slug: 'taken' })
  const second = await used.make.product(shop, { slug: 'free' })
  const taken = '409 CONFLICT slug SLUG_EXISTS'

  assert.equal(refusal(await admin.post(products, { name: 'Third', slug: 'taken' })), taken)
  assert.equal(refusal(await admin.put(second.path, { name: 'Lost', slug: 'taken' })), taken)
  assert.deepEqual((await admin.get(second.path)).body, second.body)
  assert.equal((await admin.put(first.path, { slug: 'taken' })).status, 200)
  assert.equal((await used.make.product(other, { slug: 'taken' })).slug, 'taken')

  assert.equal((await admin.put(first.path, { slug: 'moved' })).status, 200)
  assert.equal((await admin.put(second.path, { slug: 'taken' })).body.slug, 'taken')
  const found = async (slug: string) => (await admin.get(`${products}?slug=${slug}`)).body.items
  assert.deepEqual(
    (await Promise.all(['taken', 'moved', 'free'].map(found))).map((items) => items[0]?.id),
    [second.id, first.id, undefined],
  )
})

test('a deleted product frees its slug', async () => {
  const shop = await used.make.shop()
  for (let round = 0; round < 3; round++) {
    const { path, slug } = await used.make.product(shop, { slug: 'again' })
    assert.equal(slug, 'again')
    assert.equal((await shop.admin.delete(path)).status, 200)
  }
  const last = await used.make.product(shop, { name: 'Again' })
  assert.equal(last.slug, 'again')
})

test('two products that swap their slugs at the same moment: nothing breaks and each keeps one', async () => {
  const shop = await used.make.shop()
  const [a, b] = [await used.make.product(shop, { slug: 'a' }), await used.make.product(shop, { slug: 'b' })]
  const answers = await Promise.all([shop.admin.put(a.path, { slug: 'b' }), shop.admin.put(b.path, { slug: 'a' })])

  for (const answer of answers) assert.ok(['200', '409 CONFLICT slug SLUG_EXISTS'].includes(refusal(answer)))
  assert.ok(answers.some(({ status }) => status === 409))
  const slugs = await Promise.all([a, b].map(async ({ path }) => (await shop.admin.get(path)).body.slug))
  assert.equal(new Set(slugs).size, 2)
})

test('every wrong field is named with its place and a code', async () => {
  const { admin, products, path, db } = await used.make.shop()
  const media = { url: 'https://example.com/a.png', mimeType: 'image/png' }
  const many = (count: number, item: object) => Array.from({ length: count }, () => item)
  const variant = (fields: object) => ({ variants: [fields] })
  const price = (fields: object) => variant({ pricing: { markets: [{ marketId: 'us', price: 1, ...fields }] } })
  const inventory = (fields: object) => variant({ inventory: fields })
  const status = (fields: object) => ({ statuses: [{ status: 'ACTIVE', ...fields }] })
  const cases: [body: object, ...complaints: string[]][] = [
    [{ name: '' }, 'name TOO_SHORT'],
    [{ name: ' \n' }, 'name INVALID'],
    [{ name: 5 }, 'name INVALID'],
    [{ name: null }, 'name INVALID'],
    [{ name: 'x'.repeat(201) }, 'name TOO_LONG'],
    [{ slug: '' }, 'slug TOO_SHORT'],
    [{ slug: null }, 'slug INVALID'],
    [{ slug: 'Upper' }, 'slug INVALID'],
    [{ slug: 'a b' }, 'slug INVALID'],
    [{ slug: '-a' }, 'slug INVALID'],
    [{ slug: 'a--b' }, 'slug INVALID'],
    [{ slug: 'ä' }, 'slug INVALID'],
    [{ slug: 'a\n' }, 'slug INVALID'],
    [{ slug: 'x'.repeat(101) }, 'slug TOO_LONG'],
    [{ description: null }, 'description INVALID'],
    [{ description: 'x'.repeat(100_001) }, 'description TOO_LONG'],
    [{ category: 7 }, 'category INVALID'],
    [{ category: 'x'.repeat(201) }, 'category TOO_LONG'],
    [{ gallery: {} }, 'gallery INVALID'],
    [{ gallery: [{}] }, 'gallery.0.url REQUIRED', 'gallery.0.mimeType REQUIRED'],
    [{ gallery: [media, { ...media, url: 'javascript:alert(1)' }] }, 'gallery.1.url INVALID'],
    [{ gallery: [{ ...media, url: '/a.png' }] }, 'gallery.0.url INVALID'],
    [{ gallery: [{ ...media, url: `https://example.com/${'x'.repeat(2_048)}` }] }, 'gallery.0.url TOO_LONG'],
    [{ gallery: [{ ...media, mimeType: 'png' }] }, 'gallery.0.mimeType INVALID'],
    [{ gallery: [{ ...media, id: 'a b' }] }, 'gallery.0.id INVALID'],
    [{ gallery: many(101, media) }, 'gallery TOO_MANY'],
    [{ variants: null }, 'variants INVALID'],
    [{ variants: [1] }, 'variants.0 INVALID'],
    [{ variants: many(1_001, {}) }, 'variants TOO_MANY'],
    [variant({ id: '' }), 'variants.0.id TOO_SHORT'],
    [variant({ id: 'a.b' }), 'variants.0.id INVALID'],
    [variant({ id: 'x'.repeat(65) }), 'variants.0.id TOO_LONG'],
    [variant({ name: 'x'.repeat(201) }), 'variants.0.name TOO_LONG'],
    [variant({ sku: 'x'.repeat(101) }), 'variants.0.sku TOO_LONG'],
    [variant({ sku: 5 }), 'variants.0.sku INVALID'],
    [variant({ attributes: [{ name: 'Size' }] }), 'variants.0.attributes.0.value REQUIRED'],
    [variant({ attributes: [{ name: '', value: 'L' }] }), 'variants.0.attributes.0.name TOO_SHORT'],
    [variant({ attributes: [{ name: 'Size', value: 5 }] }), 'variants.0.attributes.0.value INVALID'],
    [variant({ attributes: many(51, { name: 'a', value: 'b' }) }), 'variants.0.attributes TOO_MANY'],
    [variant({ gallery: [{ url: media.url }] }), 'variants.0.gallery.0.mimeType REQUIRED'],
    [variant({ pricing: {} }), 'variants.0.pricing.markets REQUIRED'],
    [variant({ pricing: null }), 'variants.0.pricing INVALID'],
    [price({ price: -1 }), 'variants.0.pricing.markets.0.price TOO_SMALL'],
    [price({ price: 9.5 }), 'variants.0.pricing.markets.0.price INVALID'],
    [price({ price: '5' }), 'variants.0.pricing.markets.0.price INVALID'],
    [price({ price: undefined }), 'variants.0.pricing.markets.0.price REQUIRED'],
    [price({ price: 2 ** 53 }), 'variants.0.pricing.markets.0.price TOO_LARGE'],
    [price({ marketId: undefined }), 'variants.0.pricing.markets.0.marketId REQUIRED'],
    [price({ currency: 'usd' }), 'variants.0.pricing.markets.0.currency INVALID'],
    [price({ compareAtPrice: -1 }), 'variants.0.pricing.markets.0.compareAtPrice INVALID'],
    [inventory({ tracked: 'yes' }), 'variants.0.inventory.tracked INVALID'],
    [inventory({ quantity: -1 }), 'variants.0.inventory.quantity TOO_SMALL'],
    [inventory({ quantity: 1.5 }), 'variants.0.inventory.quantity INVALID'],
    [inventory({ quantity: null }), 'variants.0.inventory.quantity INVALID'],
    [inventory({ quantity: 1_000_000_001 }), 'variants.0.inventory.quantity TOO_LARGE'],
    [inventory({ lowStockThreshold: -1 }), 'variants.0.inventory.lowStockThreshold INVALID'],
    [{ statuses: [{}] }, 'statuses.0.status REQUIRED'],
    [status({ status: 'SOLD' }), 'statuses.0.status INVALID'],
    [status({ changedBy: 'ME' }), 'statuses.0.changedBy INVALID'],
    [status({ timestamp: -1 }), 'statuses.0.timestamp TOO_SMALL'],
    [status({ timestamp: '1' }), 'statuses.0.timestamp INVALID'],
    [status({ id: 'a b' }), 'statuses.0.id INVALID'],
    [status({ status: 'ARCHIVED', timestamp: Math.floor(Date.now() / 1000) + 3_600 }), 'statuses.0.timestamp INVALID'],
    [{ blocks: [{}] }, 'blocks.0.type REQUIRED'],
    [{ blocks: [{ type: 'VIDEO' }] }, 'blocks.0.type INVALID'],
    [{ blocks: many(201, { type: 'TEXT' }) }, 'blocks TOO_MANY'],
    [
      { slug: 'A', category: 1, variants: [{}, { sku: 1 }] },
      'slug INVALID',
      'category INVALID',
      'variants.1.sku INVALID',
    ],
  ]
  const product = await used.make.product({ admin, products })
  const before = (await admin.get(product.path)).body

  for (const [body, ...complaints] of cases) {
    const expected = ['422 VALIDATION_FAILED', ...complaints.sort()].join(' ')
    assert.equal(refusal(await admin.post(products, { name: 'Wrong', ...body })), expected)
    assert.equal(refusal(await admin.put(product.path, body)), expected)
  }
  assert.equal(refusal(await admin.post(products, {})), '422 VALIDATION_FAILED name REQUIRED')
  assert.deepEqual((await admin.get(products)).body.items, [before])
  assert.deepEqual((await eventsOf({ db, admin, path })).length, 1)
})

test('what is no JSON object, or too large, is refused as a whole', async () => {
  const { admin, products } = await used.make.shop()
  const { path } = await used.make.product({ admin, products })
  for (const [method, url] of [
    ['POST', products],
    ['PUT', path],
  ] as const) {
    for (const raw of ['', '[]', '"name"', 'null', '{', '{"name":"a","name"}']) {
      assert.equal(refusal(await admin.send(method, url, { raw })), '400 BAD_REQUEST', `${method} ${raw}`)
    }
    const raw = JSON.stringify({ name: 'x', description: 'x'.repeat(2 * 1024 * 1024) })
    assert.equal(refusal(await admin.send(method, url, { raw })), '413 PAYLOAD_TOO_LARGE')
  }
})

test('a hostile number of mistakes is answered briefly', async () => {
  const { admin, products } = await used.make.shop()
  const markets = Array.from({ length: 200 }, () => ({ marketId: 'nowhere', price: 1 }))
  const variants = Array.from({ length: 200 }, () => ({ pricing: { markets } }))
  const answer = await admin.post(products, { name: 'Wrong', variants })

  assert.equal(answer.status, 422)
  assert.ok(answer.body.details.length <= 100, `${answer.body.details.length} details`)
  assert.ok(answer.text.length < 64 * 1024, `${answer.text.length} characters`)
})

test('unknown fields are ignored and never stored, at any depth', async () => {
  const { admin, products, id } = await used.make.shop()
  const odd = { secret: 'TOPSECRET', version: 99, document: 'TOPSECRET' }
  const made = await admin.post(products, {
    ...complete,
    ...odd,
    id: 'prod_mine',
    businessId: id,
    status: 'ARCHIVED',
    gallery: [{ ...complete.gallery[0], ...odd }],
    variants: complete.variants.map((variant) => ({
      ...variant,
      ...odd,
      position: 7,
      attributes: [{ name: 'Colour', value: 'Blue', ...odd }],
      inventory: { ...variant.inventory, ...odd },
      pricing: { ...odd, markets: variant.pricing.markets.map((price) => ({ ...price, ...odd })) },
    })),
    statuses: [{ ...complete.statuses[0], ...odd }],
    blocks: [{ ...complete.blocks[0], ...odd }],
  })
  assert.equal(made.status, 201, made.text)
  const { id: productId, createdAt } = made.body
  assert.notEqual(productId, 'prod_mine')
  assert.deepEqual(made.body, { id: productId, businessId: id, ...complete, options, createdAt, updatedAt: createdAt })
  const changed = await admin.put(`${products}/${productId}`, { ...odd, id: 'prod_mine', name: 'Cup' })
  assert.deepEqual([changed.body.id, changed.body.name, changed.body.version], [productId, 'Cup', undefined])
  assert.ok(!(await admin.get(`${products}/${productId}`)).text.includes('TOPSECRET'))
})

test('a body that names another business than the path is refused', async () => {
  const { admin, products, path } = await used.make.shop()
  const other = await used.make.shop({ owner: admin })
  const product = await used.make.product({ admin, products })
  const refused = '422 VALIDATION_FAILED businessId INVALID'

  assert.equal(refusal(await admin.post(products, { name: 'Astray', businessId: other.id })), refused)
  assert.equal(refusal(await admin.put(product.path, { name: 'Astray', businessId: other.id })), refused)
  assert.equal(refusal(await admin.post(products, { name: 'Astray', businessId: 'biz_nowhere' })), refused)
  assert.equal((await admin.post(products, { name: 'Home', businessId: path.split('/').at(-1) })).status, 201)
  assert.deepEqual((await admin.get(other.products)).body.items, [])
  assert.equal((await admin.get(product.path)).body.name, product.name)
})

for (const cell of CELLS) {
  test(`another business’s product does not exist here, and is closed there (cell ${cell})`, async () => {
    const mine = await used.make.shop({ cell: 'main' })
    const theirs = await used.make.shop({ cell })
    const product = await used.make.product(theirs)
    const draft = (await theirs.admin.post(theirs.products, { name: 'Draft' })).body
    const before = (await theirs.admin.get(theirs.products)).body

    const here = `${mine.products}/${product.id}`
    assert.equal(refusal(await mine.admin.get(here)), '404 NOT_FOUND')
    assert.equal(refusal(await mine.admin.put(here, { name: 'Mine' })), '404 NOT_FOUND')
    assert.equal(refusal(await mine.admin.delete(here)), '404 NOT_FOUND')

    assert.equal((await mine.admin.get(product.path)).status, 200)
    assert.equal(refusal(await mine.admin.get(`${theirs.products}/${draft.id}`)), '404 NOT_FOUND')
    for (const path of [product.path, `${theirs.products}/${draft.id}`, `${theirs.products}/prod_none`]) {
      assert.equal(refusal(await mine.admin.put(path, { name: 'Mine' })), '403 FORBIDDEN')
      assert.equal(refusal(await mine.admin.delete(path)), '403 FORBIDDEN')
    }
    assert.equal(refusal(await mine.admin.post(theirs.products, { name: 'Spy' })), '403 FORBIDDEN')
    assert.deepEqual((await theirs.admin.get(theirs.products)).body, before)
    assert.deepEqual((await mine.admin.get(mine.products)).body.items, [])
  })
}

test('only PRODUCTS_WRITE may write, and nobody without a token may even read', async () => {
  const shop = await used.make.shop()
  const { id, products } = shop
  const { path } = await used.make.product(shop)
  const body = { name: 'Written' }
  const writes = (client: typeof shop.admin | ReturnType<typeof used.make.anonymous>) => [
    client.post(products, body),
    client.put(path, body),
    client.put(`${products}/prod_none`, body),
    client.delete(path),
  ]
  const others = 'ORDERS_READ ORDERS_WRITE PROMOS_WRITE CONTENT_READ_DRAFTS CONTENT_WRITE SETTINGS_WRITE'.split(' ')
  const member = await used.make.member(id, ...(others as 'ORDERS_READ'[]))
  for (const client of [await used.make.guest(), await used.make.user(), member]) {
    assert.deepEqual((await Promise.all(writes(client))).map(refusal), Array(4).fill('403 FORBIDDEN'))
  }
  const nobody = used.make.anonymous()
  assert.deepEqual((await Promise.all(writes(nobody as never))).map(refusal), Array(4).fill('401 UNAUTHENTICATED'))
  assert.equal(refusal(await nobody.get(path)), '401 UNAUTHENTICATED')
  assert.equal(refusal(await nobody.get(products)), '401 UNAUTHENTICATED')

  const writer = await used.make.member(id, 'PRODUCTS_WRITE')
  assert.equal((await writer.post(products, body)).status, 201)
  assert.equal((await writer.put(path, body)).status, 200)
  assert.equal((await writer.delete(path)).status, 200)
})

test('products of a business that is not there are not found', async () => {
  const { admin } = await used.make.shop()
  const products = '/v1/businesses/biz_nowhere/products'
  assert.equal(refusal(await admin.get(products)), '404 NOT_FOUND')
  assert.equal(refusal(await admin.get(`${products}/prod_none`)), '404 NOT_FOUND')
  assert.equal(refusal(await admin.post(products, { name: 'Lost' })), '403 FORBIDDEN')
})

test('an odd id in the path is refused or not found, never a crash', async () => {
  const { admin, products } = await used.make.shop()
  for (const [id, answer] of [
    ['prod_none', '404 NOT_FOUND'],
    ['a%20b', '422 VALIDATION_FAILED id INVALID'],
    ['%F0%9F%99%82', '422 VALIDATION_FAILED id INVALID'],
    ["'%20or%20''='", '422 VALIDATION_FAILED id INVALID'],
    ['%01', '422 VALIDATION_FAILED id INVALID'],
    ['%00', '400 BAD_REQUEST'],
    ['%ff', '400 BAD_REQUEST'],
    ['x'.repeat(65), '422 VALIDATION_FAILED id TOO_LONG'],
  ] as const) {
    assert.equal(refusal(await admin.get(`${products}/${id}`)), answer, id)
    assert.equal(refusal(await admin.put(`${products}/${id}`, {})), answer, id)
    assert.equal(refusal(await admin.delete(`${products}/${id}`)), answer, id)
  }
})

test('a create that is repeated with its Idempotency-Key makes one product', async () => {
  const { admin, products, db, path } = await used.make.shop()
  const key = { 'idempotency-key': 'create-1' }
  const first = await admin.post(products, complete, key)
  assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [201, null])
  await admin.put(`${products}/${first.body.id}`, { name: 'Changed since' })
  const second = await admin.post(products, complete, key)

  assert.deepEqual([second.status, second.headers.get('idempotency-replayed')], [201, 'true'])
  assert.equal(second.text, first.text)
  assert.match(second.headers.get('content-type') ?? '', /^application\/json\b/)
  assert.equal(
    refusal(await admin.post(products, { ...complete, name: 'Other' }, key)),
    '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED',
  )
  assert.equal((await admin.get(products)).body.items.length, 1)
  const made = (await eventsOf({ db, admin, path })).filter(({ type }) => type === 'product.created')
  assert.equal(made.length, 1)
})

test('of many equal creates with one Idempotency-Key at once, one product comes', async () => {
  const { admin, products } = await used.make.shop()
  const post = () => admin.post(products, { name: 'Once' }, { 'idempotency-key': 'at-once' })
  const answers = await Promise.all(Array.from({ length: 10 }, post))
  for (const answer of answers) {
    assert.ok(['201', '409 CONFLICT Idempotency-Key STILL_RUNNING'].includes(refusal(answer)), answer.text)
  }
  const { items } = (await admin.get(products)).body
  assert.equal(items.length, 1)
  assert.equal((await post()).body.id, items[0].id)
})

test('a refusal is repeated, too, and another caller’s key is another key', async () => {
  const { admin, products, id } = await used.make.shop()
  const writer = await used.make.member(id, 'PRODUCTS_WRITE')
  const key = { 'idempotency-key': 'taken' }
  const { path } = await used.make.product({ admin, products }, { slug: 'taken' })
  const body = { name: 'Second', slug: 'taken' }
  assert.equal(refusal(await admin.post(products, body, key)), '409 CONFLICT slug SLUG_EXISTS')
  await admin.delete(path)
  const again = await admin.post(products, body, key)
  assert.deepEqual(
    [refusal(again), again.headers.get('idempotency-replayed')],
    ['409 CONFLICT slug SLUG_EXISTS', 'true'],
  )
  assert.equal((await writer.post(products, body, key)).status, 201)
})

for (const cell of CELLS) {
  test(`creating, changing and deleting are told in the feed of cell ${cell}, refusals are not`, async () => {
    const shop = await used.make.shop({ cell })
    const { admin, products, id } = shop
    const writer = await used.make.member(id, 'PRODUCTS_WRITE')
    const { body } = await writer.post(products, { name: 'Told', slug: 'told' })
    const path = `${products}/${body.id}`
    await admin.put(path, { name: 'Retold', category: 'news' })
    assert.equal((await admin.put(path, { slug: 'NO' })).status, 422)
    assert.equal((await admin.put(path, { name: 'Stale' }, { 'if-match': '"77.0"' })).status, 412)
    assert.equal((await admin.post(products, { name: 'Twin', slug: 'told' })).status, 409)
    assert.equal((await admin.delete(path, { 'if-match': '"77.0"' })).status, 412)
    await writer.delete(path)
    await writer.delete(path)

    const told = (await eventsOf(shop)).map(({ type, subject, actorId, actorKind, data }) => ({
      type,
      subject,
      actorId,
      actorKind,
      data,
    }))
    assert.deepEqual(told, [
      { type: 'product.created', subject: body.id, actorId: writer.id, actorKind: 'user', data: {} },
      {
        type: 'product.updated',
        subject: body.id,
        actorId: admin.id,
        actorKind: 'user',
        data: { fields: ['name', 'category'] },
      },
      { type: 'product.deleted', subject: body.id, actorId: writer.id, actorKind: 'user', data: {} },
    ])
  })
}

test('many changes to one product at once are made one after the other: none is lost', async () => {
  const { admin, products } = await used.make.shop()
  const { path } = await used.make.product({ admin, products })
  const changes = [
    { name: 'N' },
    { category: 'C' },
    { description: 'D' },
    { slug: 's-1' },
    { blocks: [] },
    { gallery: [] },
  ]
  const answers = await Promise.all(changes.map((change) => admin.put(path, change)))

  assert.deepEqual(answers.map(refusal), Array(6).fill('200'))
  const { body, headers } = await admin.get(path)
  assert.deepEqual([body.name, body.category, body.description, body.slug], ['N', 'C', 'D', 's-1'])
  assert.equal(headers.get('etag'), '"7.1"')
})

test('a change and a deletion at the same moment: the product is gone and stays gone', async () => {
  const shop = await used.make.shop()
  for (let round = 0; round < 10; round++) {
    const { path } = await used.make.product(shop, { slug: 'fleeting' })
    const [changed, deleted] = await Promise.all([
      shop.admin.put(path, { name: 'Kept?', variants: [{ id: 'one', inventory: { quantity: 5 } }] }),
      shop.admin.delete(path),
    ])
    assert.ok(['200', '404 NOT_FOUND'].includes(refusal(changed)), changed.text)
    assert.equal(deleted.status, 200)
    assert.equal(refusal(await shop.admin.get(path)), '404 NOT_FOUND')
    assert.deepEqual((await shop.admin.get(`${shop.products}?query=kept`)).body.items, [])
  }
})

test('a product of as much text as there may be costs no more than a second to write', async () => {
  const { admin, products } = await used.make.shop()
  let seed = 0
  const han = (length: number) =>
    Array.from({ length }, () => String.fromCodePoint(0x4e00 + ((seed++ * 7_919) % 20_000))).join('')
  const attributes = () => Array.from({ length: 10 }, () => ({ name: han(30), value: han(80) }))
  const variants = Array.from({ length: 50 }, () => ({ attributes: attributes() }))
  const made = await admin.post(products, { name: 'Large', variants })
  assert.equal(made.status, 201, made.text.slice(0, 500))

  const before = process.cpuUsage()
  assert.equal((await admin.put(`${products}/${made.body.id}`, { name: 'Larger' })).status, 200)
  const { user, system } = process.cpuUsage(before)
  assert.ok((user + system) / 1_000 < 1_000, `${(user + system) / 1_000} ms`)
})

test('a product may have a thousand variants with prices in four markets', async () => {
  const { admin, path, products } = await used.make.shop()
  const currencies = { us: 'USD', eu: 'EUR', uk: 'GBP', se: 'SEK' }
  const terms = { taxBps: 0, taxShipping: false, shippingMethods: [], paymentMethods: ['CREDIT_CARD'] }
  const markets = Object.entries(currencies).map(([id, currency]) => ({ id, name: id, currency, ...terms }))
  assert.equal((await admin.put(path, { markets })).status, 200)
  const variants = Array.from({ length: 1_000 }, (_, index) => ({
    id: `variant-${index}`,
    name: `Colour ${index % 40}, Size ${Math.floor(index / 40)}`,
    sku: `SKU-${String(index).padStart(8, '0')}`,
    attributes: [
      { name: 'Colour', value: `Colour ${index % 40}` },
      { name: 'Size', value: `Size ${Math.floor(index / 40)}` },
    ],
    pricing: { markets: markets.map(({ id }) => ({ marketId: id, price: 10_000 + index })) },
    inventory: { quantity: index, lowStockThreshold: 5 },
  }))
  const made = await admin.post(products, { name: 'Many', variants })
  assert.equal(made.status, 201, made.text.slice(0, 500))
  assert.equal(made.body.variants.length, 1_000)
})

test('a product may have 200 KB, and one that had more may only become smaller', async () => {
  const { admin, products, db, id: businessId } = await used.make.shop()
  const text = (length: number) => [{ id: 'long', type: 'TEXT', value: 'x'.repeat(length) }]
  const body = (length: number) => ({ name: 'Large', description: 'x'.repeat(100_000), blocks: text(length) })
  const tooLarge = '422 VALIDATION_FAILED variants TOO_LARGE'
  const refused = await admin.post(products, body(100_000))
  assert.equal(refusal(refused), tooLarge)
  assert.match(refused.body.message, /200 KB/)
  const letters = { name: 'Large', description: '名'.repeat(70_000) } // three bytes each
  assert.equal(refusal(await admin.post(products, letters)), tooLarge)

  const { id } = (await admin.post(products, body(99_000))).body
  const path = `${products}/${id}`
  assert.equal(refusal(await admin.put(path, { blocks: text(100_000) })), tooLarge)
  // As it may have been before there was that limit.
  const [block] = text(300_000)
  await sql`update catalog.products set blocks = ${JSON.stringify([{ ...block, settings: { maxLength: 900_000 } }])}::json,
                   document = replace(document, ${'x'.repeat(99_000)}, ${'x'.repeat(300_000)})
             where business_id = ${businessId} and id = ${id}`.execute(db)
  assert.equal((await admin.get(path)).body.blocks[0].value.length, 300_000)
  assert.equal(refusal(await admin.put(path, { name: 'Larger than before' })), tooLarge)
  assert.equal((await admin.put(path, { statuses: [{ status: 'ARCHIVED' }] })).status, 200, 'it can be archived')
  assert.equal((await admin.put(path, { description: 'x'.repeat(90_000) })).status, 200, 'it can be made smaller')
  assert.equal((await admin.put(path, { blocks: text(10) })).status, 200)
  assert.equal((await admin.put(path, { name: 'Longer than it was' })).status, 200)
})
