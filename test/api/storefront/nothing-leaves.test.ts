import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suspendBusiness } from '#modules/access/index.ts'
import { startSession } from '#modules/accounts/index.ts'
import { nowMs } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { useHeldClock } from '../../support/clock.ts'
import { ARCHIVED, contentOf, DRAFT, openContentShop, PUBLISHED, text } from '../../support/content.ts'
import { assertPublicAnswer, seenOf } from '../../support/public-answers.ts'
import { useWorld } from '../../support/world.ts'

// Every record × every way to ask for it × every credential. Routes come from the route table: a new one below
// /v1/storefront fails here until WAYS says how it is asked. Whatever must not leave says "hidden" somewhere.

const clock = useHeldClock()
const used = useWorld({ own: true })

type Made = { id: string; slug?: string | undefined; isShown: boolean }
type Records = { products: Made[]; collections: Made[]; entries: Made[] }
type Way = { path: string; status?: number; ids?: string[] }

const ACTIVE = [{ status: 'ACTIVE' }]
const SEES = [
  { id: 'author', type: 'RELATIONSHIP', label: 'hidden author', settings: { targetType: 'USER' } },
  { id: 'sale', type: 'RELATIONSHIP', label: 'hidden sale', settings: { targetType: 'ORDER' } },
  { id: 'see', type: 'RELATIONSHIP', label: 'See', settings: { targetType: 'COLLECTION' } },
]
const SCHEMA = [{ id: 'title', type: 'TEXT' }, ...SEES]
const FREE = { id: 'free', name: 'Reader', price: { amount: 0, currency: 'usd', interval: 'MONTHLY' } }
const PAID = { id: 'paid', name: 'Supporter', price: { amount: 500, currency: 'usd', interval: 'MONTHLY' } }
const HIDDEN_QUANTITY = 424_242
const HIDDEN_THRESHOLD = 313_131
const PRICES = { us: 1_010_101, de: 2_020_202 }

/** A shop that holds everything, in every state that there is. */
async function makeShop() {
  const shop = await openContentShop(used.make)
  const { admin, path } = shop
  await shop.configure({
    storefront: { isPublic: true },
    contactEmail: 'hidden@example.com',
    allowedOrigins: ['https://hidden.example.com'],
    orderUrl: 'https://hidden.example.com/{orderId}',
  })
  const customer = await used.make.customer(shop.id)
  const orderId = await shop.order(customer)
  const remove = async ({ path: at }: { path: string }) => assert.equal((await admin.delete(at)).status, 200)

  const variant = {
    id: 'one',
    sku: 'SKU',
    pricing: { markets: Object.entries(PRICES).map(([marketId, price]) => ({ marketId, price })) },
    inventory: { tracked: true, quantity: HIDDEN_QUANTITY, lowStockThreshold: HIDDEN_THRESHOLD },
  }
  const pointing = (collectionId: string) => [
    { ...SEES[0], value: admin.id },
    { ...SEES[1], value: orderId },
    { ...SEES[2], value: collectionId },
    // Says not what it points at.
    { id: 'any', type: 'RELATIONSHIP', label: 'hidden anybody', value: customer.id },
  ]
  const journal = await shop.collection({ name: 'Journal', blocks: SCHEMA })
  const lamps = { name: 'Lamps', slug: 'lamps', translations: { de: { name: 'Lampen', slug: 'lampen' } } }
  const category = await admin.post(`${path}/categories`, lamps)
  assert.equal(category.status, 201, category.text)
  const categoryId = category.body.id as string
  const categoryIds = [categoryId]

  const product = async (name: string, statuses: object[], isShown = false) => {
    // What is not shown has values of its own, which no facet may count.
    const value = isShown ? 'Brass' : 'hidden colour'
    const body = {
      name,
      statuses,
      category: 'lamps',
      tags: isShown ? ['lit'] : ['lit', 'hidden'],
      variants: [{ ...variant, attributes: [{ name: 'Colour', value }] }],
      blocks: pointing(journal.id),
    }
    const made = await shop.product(body)
    return { ...made, isShown }
  }
  const gone = await product('hidden, deleted', ACTIVE)
  await remove(gone)
  const products: Made[] = [
    { ...shop.gift, isShown: true },
    await product('Lamp', ACTIVE, true),
    await product('hidden lamp, draft', DRAFT),
    await product('hidden lamp, archived', [...ACTIVE, ...ARCHIVED]),
    gone,
  ]

  const collection = async (name: string, body: object, isShown = false) => {
    const made = await shop.collection({ name, blocks: SCHEMA, ...body })
    return { ...made, slug: made.body.slug as string, isShown }
  }
  const emptied = await collection('hidden, deleted', {})
  await remove(emptied)
  const [drafted, archived] = [
    await collection('hidden, draft', { statuses: DRAFT }),
    await collection('hidden, archived', { statuses: [...PUBLISHED, ...ARCHIVED] }),
  ]
  const free = await collection('Free letter', { type: 'NEWSLETTER', plans: [FREE] }, true)
  const paid = await collection('Paid letter', { type: 'NEWSLETTER', plans: [FREE, PAID] }, true)
  const collections: Made[] = [
    { ...journal, slug: journal.body.slug as string, isShown: true },
    free,
    paid,
    drafted,
    archived,
    emptied,
  ]

  const entry = async (owner: { id: string } | string, title: string, body: object = {}, isShown = false) => {
    const pointers = pointing(journal.id).slice(0, 3)
    const made = await shop.entry(owner, { blocks: [text('title', title), ...pointers], ...body })
    return { ...made, isShown }
  }
  const dropped = await entry(journal, 'hidden lamp, deleted')
  await remove(dropped)
  const entries: Made[] = [
    await entry(journal, 'Lamp', {}, true),
    await entry(free, 'Lamp, for nothing', {}, true),
    await entry(paid, 'hidden lamp, paid'),
    await entry(journal, 'hidden lamp, draft', { statuses: DRAFT }),
    await entry(journal, 'hidden lamp, archived', { statuses: [...PUBLISHED, ...ARCHIVED] }),
    await entry(journal, 'hidden lamp, planned', { statuses: DRAFT, publishAt: Math.floor(nowMs() / 1000) + 3_600 }),
    await entry(drafted, 'hidden lamp, in a draft'),
    await entry(archived, 'hidden lamp, in the archive'),
    await entry(`order:${orderId}`, 'hidden lamp, of an order'),
    await entry('reservation:res_1', 'hidden lamp, of a reservation'),
    dropped,
  ]

  const other = contentOf(await used.make.shop())
  await other.admin.put(other.path, { storefront: { isPublic: true }, name: 'hidden elsewhere' })
  await other.admin.post(`${other.path}/categories`, { name: 'hidden, of others', slug: 'lampen' })
  const theirs = await other.collection({ name: 'hidden, of others', slug: 'theirs' })
  const foreign: Records = {
    products: [
      { ...(await used.make.product(other, { name: 'hidden, of others', slug: 'their-lamp' })), isShown: false },
    ],
    collections: [{ ...theirs, slug: 'theirs', isShown: false }],
    entries: [
      { ...(await other.entry(theirs, { blocks: [text('title', 'hidden lamp, of others')] })), isShown: false },
    ],
  }
  const records: Records = {
    products: [...products, ...foreign.products],
    collections: [...collections, ...foreign.collections],
    entries: [...entries, ...foreign.entries],
  }
  return { shop, path, other, customer, orderId, records, paid, journal, free, categoryIds, categoryId }
}
type World = Awaited<ReturnType<typeof makeShop>>
let world: Promise<World> | undefined
const getWorld = () => (world ??= makeShop())

const VIEWS = ['', '?market=us', '?market=de', '?locale=de']

/** A record by its id and its slug; 404 unless it is shown. */
const single = (list: string, records: Made[], views: string[]): Way[] =>
  records.flatMap(({ id, slug, isShown }) =>
    [id, ...(slug === undefined ? [] : [slug])].flatMap((name) =>
      views.map((view) => ({ path: `/${list}/${name}${view}`, status: isShown ? 200 : 404 })),
    ),
  )
const shownIds = (records: Made[]) => records.filter(({ isShown }) => isShown).map(({ id }) => id)

/** How each route is asked. `ids`: exactly what a list must hold. */
const WAYS: Record<string, (world: World) => Way[]> = {
  '/v1/storefront/:business': () => [
    { path: '', status: 200 },
    { path: '?include=roles', status: 422 },
  ],
  '/v1/storefront/:business/products': ({ records: { products }, categoryId }) => {
    const lamp = products.slice(1, 2).map(({ id }) => id)
    return [
      ...VIEWS.map((view) => ({ path: `/products${view}`, status: 200, ids: shownIds(products) })),
      { path: '/products?category=lamps&limit=100', status: 200, ids: lamp },
      { path: '/products?query=lamp', status: 200, ids: lamp },
      { path: '/products?query=hidden', status: 200, ids: [] },
      { path: '/products?query=lamp&category=lamps&market=us', status: 200, ids: lamp },
      ...products.flatMap(({ id, slug = '', isShown }) => ({
        path: `/products?slug=${slug}`,
        status: 200,
        ids: isShown ? [id] : [],
      })),
      { path: '/products?tag=lit', status: 200, ids: lamp },
      { path: '/products?tag=hidden', status: 200, ids: [] },
      { path: '/products?attribute.Colour=Brass&sort=name', status: 200, ids: lamp },
      { path: `/products?categoryId=${categoryId}`, status: 200, ids: lamp },
      { path: '/products?category=lamps&inStock=true', status: 200, ids: lamp },
      { path: '/products?category=lamps&market=us&sort=-price', status: 200, ids: lamp },
      { path: `/products?market=de&priceFrom=${PRICES.de}`, status: 200, ids: lamp },
      { path: '/products?query=lamp&tag=lit', status: 200, ids: lamp },
      { path: '/products?tag=lit&sku=SKU', status: 422 },
      { path: '/products?categoryId=cat_none', status: 422 },
      { path: '/products?sort=price', status: 422 },
      { path: '/products?market=fr', status: 422 },
      { path: '/products?status=DRAFT', status: 422 },
      { path: '/products?cursor=nonsense', status: 422 },
    ]
  },
  '/v1/storefront/:business/products/facets': ({ categoryId }) => [
    { path: '/products/facets?facets=tag,category,attribute.Colour', status: 200 },
    { path: '/products/facets?facets=tag,price&market=us&query=lamp', status: 200 },
    { path: `/products/facets?facets=tag&categoryId=${categoryId}&attribute.Colour=Brass&inStock=true`, status: 200 },
    { path: '/products/facets?facets=price', status: 422 },
    { path: '/products/facets?facets=tag&status=DRAFT', status: 422 },
    { path: '/products/facets', status: 422 },
  ],
  '/v1/storefront/:business/products/:idOrSlug': ({ records: { products } }) => [
    ...single('products', products, VIEWS),
    { path: `/products/${products[1]?.id}?market=fr`, status: 422 },
    { path: `/products/${products[1]?.id}?include=relations`, status: 422 },
  ],
  '/v1/storefront/:business/categories': ({ categoryIds }) => [
    { path: '/categories', status: 200, ids: categoryIds },
    { path: '/categories?locale=de', status: 200, ids: categoryIds },
    { path: '/categories?slug=lampen', status: 200, ids: categoryIds },
    { path: '/categories?parentId=', status: 200, ids: categoryIds },
    { path: '/categories?locale=no_way', status: 422 },
  ],
  '/v1/storefront/:business/collections/:idOrSlug': ({ records: { collections } }) => [
    ...single('collections', collections, ['']),
    { path: `/collections/${collections[0]?.id}?include=relations`, status: 422 },
  ],
  '/v1/storefront/:business/entries': ({ records: { entries, collections }, shop, orderId, paid, journal, free }) => {
    const ids = shownIds(entries)
    const [inJournal = '', inFree = ''] = ids
    return [
      { path: '/entries', status: 200, ids },
      { path: '/entries?query=lamp', status: 200, ids },
      { path: '/entries?query=hidden', status: 200, ids: [] },
      { path: '/entries?locale=en', status: 200, ids },
      { path: '/entries?block.title=Lamp', status: 200, ids: [inJournal] },
      { path: `/entries?block.see=${journal.id}`, status: 200, ids },
      { path: `/entries?block.author=${shop.admin.id}`, status: 200, ids: [] },
      { path: `/entries?block.sale=${orderId}&query=lamp`, status: 200, ids: [] },
      { path: `/entries?collectionId=${free.id}&collection=${journal.body.slug}`, status: 200, ids: [] },
      ...collections.flatMap(({ id, slug }) => {
        const inside = id === journal.id ? [inJournal] : id === free.id ? [inFree] : []
        return [
          { path: `/entries?collectionId=${id}`, status: 200, ids: inside },
          { path: `/entries?collection=${slug}`, status: 200, ids: inside },
          { path: `/entries?collectionId=${id}&query=lamp`, status: 200, ids: inside },
        ]
      }),
      { path: `/entries?owner=order:${orderId}`, status: 422 },
      { path: `/entries?owner=collection:${paid.id}`, status: 422 },
      { path: '/entries?status=DRAFT', status: 422 },
      { path: '/entries?include=relations', status: 422 },
    ]
  },
  '/v1/storefront/:business/entries/:id': ({ records: { entries } }) => [
    ...single('entries', entries, ['']),
    { path: `/entries/${entries[0]?.id}?include=relations`, status: 422 },
  ],
}

const routes = () => used.api.app.routeTable.filter(({ url }) => url.startsWith('/v1/storefront'))
const waysOf = (made: World) => Object.values(WAYS).flatMap((ways) => ways(made))

test('every route of the storefront is asked here, and is declared as one', () => {
  assert.deepEqual(
    routes()
      .map(({ url }) => url)
      .sort(),
    Object.keys(WAYS).sort(),
  )
  for (const { method, url, access, business } of routes())
    assert.deepEqual([method, access, business], ['GET', 'public', 'storefront'], url)
})

const FORBIDDEN = ['"statuses"', '"lowStockThreshold"', '"publishAt"', '"relations"', '"quantity"', 'usr_', 'ord_']
FORBIDDEN.push(`${HIDDEN_QUANTITY}`, `${HIDDEN_THRESHOLD}`, '"contactEmail"', '"allowedOrigins"', '"orderUrl"')

/** Nothing that must not leave is in it, however it was asked for. */
function assertNothingLeft({ status, text: said }: Answer, way: Way) {
  if (status !== 200) return assert.equal(/hidden/i.test(said.replace(/Unknown query parameter.*/, '')), false, said)
  assert.equal(/hidden/i.test(said), false, `${way.path}: ${said}`)
  for (const word of FORBIDDEN) assert.equal(said.includes(word), false, `${way.path} holds ${word}: ${said}`)
  const market = /market=(\w+)/.exec(way.path)?.[1]
  for (const [id, price] of Object.entries(PRICES))
    if (id !== market && way.path.startsWith('/products'))
      assert.equal(said.includes(`"price":${price}`), false, way.path)
}

for (const by of ['id', 'slug'] as const) {
  test(`asked by its ${by}, a shop shows what is public, and nothing else`, async () => {
    const made = await getWorld()
    const base = `/v1/storefront/${made.shop[by]}`
    const nobody = used.make.anonymous()
    for (const way of waysOf(made)) {
      const answer = await nobody.get(base + way.path)
      assert.equal(answer.status, way.status, `${way.path}: ${answer.text}`)
      assertPublicAnswer(answer, way.path)
      assertNothingLeft(answer, way)
      if (!way.ids) continue
      const ids = answer.body.items.map(({ id }: { id: string }) => id)
      assert.deepEqual(ids.toSorted(), way.ids.toSorted(), way.path)
    }
  })
}

async function credentials({ shop, other, customer }: World): Promise<Record<string, Record<string, string>>> {
  const { make } = used
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const key = async (userId: string, businessId?: string) => (await make.apiKey(userId, businessId)).value
  const expired = await make.user()
  clock.advance(2 * 3_600)
  const fresh = async (userId: string) => {
    const { databases, tokens } = used.api.services
    const { id } = await transaction(databases.control, (tx) => startSession(tx, { userId, provider: 'EMAIL' }))
    return (await tokens.issue('access', { sub: userId, sid: id, provider: 'EMAIL' })).token
  }
  const admin = await fresh(shop.admin.id)
  const members: Record<string, Record<string, string>> = {}
  for (const permission of PERMISSIONS) members[permission] = bearer((await make.member(shop.id, permission)).token)
  return {
    'a guest': bearer((await make.guest()).token),
    'the customer': bearer(await fresh(customer.id)),
    'the owner': bearer(admin),
    'the owner of another shop': bearer(await fresh(other.admin.id)),
    ...members,
    'a key': { 'x-api-key': await key(shop.admin.id) },
    'a key as bearer': bearer(await key(shop.admin.id)),
    'a key of this shop': { 'x-api-key': await key(shop.admin.id, shop.id) },
    'a key of another shop': { 'x-api-key': await key(other.admin.id, other.id) },
    'an expired token': bearer(expired.token),
    'a forged token': bearer(`${admin.slice(0, -6)}AAAAAA`),
    'a garbage token': bearer('garbage'),
    'a garbage key': { 'x-api-key': 'garbage' },
    'no bearer': { authorization: 'Basic eDp5' },
    'two credentials': { ...bearer(admin), 'x-api-key': 'another' },
    cookies: { cookie: `__Host-kontor=${admin}; kontor=${admin}; session=${admin}` },
    'a foreign page': { origin: 'https://elsewhere.example.com' },
  }
}

test('whatever credential comes along, the answer is the same to the byte', async () => {
  const made = await getWorld()
  const asked = await credentials(made)
  const base = `/v1/storefront/${made.shop.id}`
  for (const { path } of waysOf(made)) {
    const expected = seenOf(await used.make.anonymous().get(base + path))
    for (const [name, headers] of Object.entries(asked)) {
      const answer = await createClient(used.api.url, headers).get(base + path)
      assert.deepEqual(seenOf(answer), expected, `${path} with ${name}`)
    }
  }
})

test('a shop that is not public, is suspended, or is not there at all: nobody can tell which', async () => {
  const made = await getWorld()
  const { control } = used.api.services.databases
  const [closed, suspended] = [await used.make.shop(), await used.make.shop()]
  await suspended.admin.put(suspended.path, { storefront: { isPublic: true } })
  await transaction(control, (tx) => suspendBusiness(tx, suspended.id, true))
  const owner = { 'x-api-key': (await used.make.apiKey(closed.admin.id, closed.id)).value }
  const names = [closed.id, closed.slug, suspended.id, suspended.slug, 'biz_000000000000', 'no-such-shop', 'No%20id']
  const expected = new Set<string>()
  for (const { path } of waysOf(made)) {
    for (const name of names) {
      for (const headers of [{}, owner]) {
        const answer = await createClient(used.api.url, headers).get(`/v1/storefront/${name}${path}`)
        assert.equal(answer.status, 404, `${name}${path}: ${answer.text}`)
        assertPublicAnswer(answer, `${name}${path}`)
        expected.add(JSON.stringify(seenOf(answer)))
      }
    }
  }
  assert.equal(expected.size, 1, [...expected].join('\n'))
})

test('a shop that closes, or is suspended, is closed at once', async () => {
  const shop = await used.make.shop()
  const { control } = used.api.services.databases
  const path = `/v1/storefront/${shop.slug}`
  const status = async () => (await used.make.anonymous().get(path)).status
  const open = (isPublic: boolean) => shop.admin.put(shop.path, { storefront: { isPublic } })
  assert.equal(await status(), 404)
  await open(true)
  assert.equal(await status(), 200)
  await open(false)
  assert.equal(await status(), 404)
  await open(true)
  await transaction(control, (tx) => suspendBusiness(tx, shop.id, true))
  assert.equal(await status(), 404)
})

test('a slug that goes to another shop leads there', async () => {
  const [first, second] = [await used.make.shop(), await used.make.shop()]
  for (const { admin, path } of [first, second]) await admin.put(path, { storefront: { isPublic: true } })
  const found = async () => (await used.make.anonymous().get(`/v1/storefront/${first.slug}`)).body.id
  assert.equal(await found(), first.id)
  assert.equal((await first.admin.put(first.path, { slug: `${first.slug}-old` })).status, 200)
  assert.equal(await found(), undefined)
  assert.equal((await second.admin.put(second.path, { slug: first.slug })).status, 200)
  assert.equal(await found(), second.id)
})
