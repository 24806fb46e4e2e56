import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { findBusinessBySlug } from '#modules/access/index.ts'
import { DEMO_OWNER } from '../../../src/apps/demo/demo.ts'
import { type Made, makeDemo } from '../../../src/apps/demo/make-demo.ts'
import { verify } from '../../../src/apps/verify.ts'
import { Order } from '../../../src/modules/orders/schemas.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true }) // checks the rules of the whole cell

const run = (slug = 'harbour-goods', ownerEmail?: string) =>
  makeDemo({ databases: used.api.services.databases, publicUrl: used.api.config.publicUrl, ownerEmail, slug })

let first: Promise<Made> | undefined

/** The demo, made once for all tests, and a guest who looks at it. */
async function open() {
  first ??= run()
  const made = await first
  const { control, cells } = used.api.services.databases
  const business = await findBusinessBySlug(control, made.slug)
  const cell = cells.get(business?.cell ?? '')! // oxlint-disable-line typescript/no-non-null-assertion
  return { made, cell, guest: await used.make.guest(), path: `/v1/businesses/${made.businessId}` }
}

const COUNTS = { categories: 8, products: 60, promoCodes: 5, customers: 80, orders: 200, entries: 12, subscribers: 150 }

test('the demo has all its parts, and every rule holds', async () => {
  const { made, cell } = await open()
  assert.deepEqual(made.counts, COUNTS)
  assert.deepEqual(made.made, COUNTS)
  for (const { check, violations } of await verify(cell)) assert.deepEqual(violations, [], check)
})

test('new orders are reported to the owner of the demo', async () => {
  const { made } = await open()
  const { control } = used.api.services.databases
  assert.equal((await findBusinessBySlug(control, made.slug))?.contactEmail, DEMO_OWNER)
})

test('no event names a field that the API does not show', async () => {
  const { cell } = await open()
  const { rows } = await sql<{ field: string }>`
    select distinct jsonb_array_elements_text(data -> 'fields') as field
      from cell.event_outbox
     where type = 'order.updated'`.execute(cell)
  assert.deepEqual(
    rows.filter(({ field }) => !(field in Order.properties)),
    [],
  )
})

test('a second run makes nothing', async () => {
  const { cell, made } = await open()
  const countAll = async () => ({
    events: await cell
      .selectFrom('cell.eventOutbox')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .execute(),
    movements: await cell
      .selectFrom('catalog.stockMovements')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .execute(),
  })
  const before = await countAll()
  const again = await run()
  assert.equal(again.businessId, made.businessId)
  assert.deepEqual(again.counts, COUNTS)
  assert.ok(Object.values(again.made).every((count) => count === 0))
  assert.deepEqual(await countAll(), before)
})

test('nobody is mailed: no job waits', async () => {
  await open()
  const { cells, control } = used.api.services.databases
  for (const db of [...cells.values(), control]) {
    const { rows } = await sql`select * from graphile_worker.jobs`.execute(db)
    assert.deepEqual(rows, [])
  }
})

test('a guest finds products by category and by words, with prices in both markets', async () => {
  const { guest, path } = await open()
  const kitchen = await guest.get(`${path}/products?category=kitchen&limit=100`)
  assert.equal(kitchen.body.items.length, 10)
  const { body: found } = await guest.get(`${path}/products?query=storm%20lantren`)
  assert.equal(found.items[0].slug, 'storm-lantern-no-3')
  const { body: product } = await guest.get(`${path}/products/${found.items[0].id}`)
  assert.deepEqual(
    product.variants[0].pricing.markets.map(({ currency }: { currency: string }) => currency),
    ['USD', 'EUR'],
  )
})

test('WELCOME10 takes a tenth off in both markets', async () => {
  const { guest, path, made } = await open()
  const { body } = await guest.get(`${path}/products?slug=watch-mug`)
  const [mug] = body.items
  const ask = (market: string) =>
    guest.post('/v1/payments/quote', {
      businessId: made.businessId,
      market,
      shippingMethodId: 'standard',
      promoCode: 'WELCOME10',
      items: [{ productId: mug.id, variantId: 'navy', quantity: 2 }],
    })
  const [us, eu] = [await ask('us'), await ask('eu')]
  const figures = ({ body: { subtotal, discount, shipping, tax, total } }: typeof us) => [
    subtotal,
    discount,
    shipping,
    tax,
    total,
  ]
  assert.deepEqual(figures(us), [4_400, 440, 595, 287, 4_842])
  assert.deepEqual(figures(eu), [4_800, 480, 490, 0, 4_810])
})

test('the newest products are from every category, not from the last one alone', async () => {
  const { guest, path } = await open()
  const { body } = await guest.get(`${path}/products?limit=6`)
  assert.equal(body.items[0].slug, 'storm-lantern-no-3')
  assert.equal(new Set(body.items.map(({ category }: { category: string }) => category)).size, 6)
})

test('the newsletter has addresses confirmed, and those of the past are', async () => {
  const { guest, cell, path } = await open()
  const { body } = await guest.get(`${path}/collections?slug=harbour-letter`)
  assert.equal(body.items[0].doubleOptIn, true)
  const rows = await cell.selectFrom('newsletter.subscriptions').select('status').distinct().execute()
  assert.deepEqual(rows.map(({ status }) => status).toSorted(), ['ACTIVE', 'CANCELLED'])
})

test('the journal tells of products, in two languages where there are two', async () => {
  const { guest, path } = await open()
  const { body: collections } = await guest.get(`${path}/collections?slug=journal`)
  const { body } = await guest.get(
    `${path}/entries?collectionId=${collections.items[0].id}&limit=100&include=relations`,
  )
  assert.equal(body.items.length, 12)
  assert.equal(Object.keys(body.relations.PRODUCT).length, 11)
  const titles = body.items.map(
    ({ blocks }: { blocks: { id: string; value: unknown }[] }) => blocks.find(({ id }) => id === 'title')?.value,
  )
  assert.equal(titles.filter((title: unknown) => typeof title === 'object').length, 4)
})

test('strangers read the shop in English and German: a tree of categories, and every name and text', async () => {
  const { path } = await open()
  const anonymous = used.make.anonymous()
  const shop = path.replace('businesses', 'storefront')
  const { body: tree } = await anonymous.get(`${shop}/categories?locale=de&limit=100`)
  const house = tree.items.find(({ slug }: { slug: string }) => slug === 'haus')
  const below = tree.items.filter(({ parentId }: { parentId: string | null }) => parentId === house.id)
  assert.deepEqual(below.map(({ slug }: { slug: string }) => slug).toSorted(), ['beleuchtung', 'kueche', 'textilien'])
  const { body: inHouse } = await anonymous.get(`${shop}/products?categoryId=${house.id}&limit=100`)
  assert.equal(inHouse.items.length, 30)

  type Texts = { name: string; slug: string; description: string }
  const inLocale = async (locale: string): Promise<Texts[]> =>
    (await anonymous.get(`${shop}/products?limit=100&locale=${locale}`)).body.items
  const [english, german] = [await inLocale('en'), await inLocale('de')]
  assert.equal(new Set([...english, ...german].map(({ slug }) => slug)).size, 2 * 60)
  for (const [index, { name, slug, description }] of german.entries()) {
    assert.notEqual(name, english[index]?.name)
    assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.notEqual(description, english[index]?.description)
  }
})

test('one price is reduced for a fortnight, and says what the lowest was before', async () => {
  const { path } = await open()
  const shop = path.replace('businesses', 'storefront')
  const { body } = await used.make.anonymous().get(`${shop}/products/wolldecke-schaere?market=eu`)
  const [price] = body.variants[0].pricing.markets
  assert.deepEqual([price.price, price.lowestOf30Days], [11_800, 14_800])
  const daysLeft = (price.validTo - Date.now() / 1_000) / 86_400
  assert.ok(daysLeft > 12 && daysLeft < 14, String(daysLeft))
})

test('orders lie in the past 90 days, in every state', async () => {
  const { cell, made } = await open()
  const rows = await cell
    .selectFrom('orders.orders')
    .select(['id', 'status', 'createdAt', 'promoId'])
    .where('businessId', '=', made.businessId)
    .orderBy('id')
    .execute()
  const states = new Set(rows.map(({ status }) => status))
  for (const state of ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED'])
    assert.ok(states.has(state), state)
  const times = rows.map(({ createdAt }) => createdAt.getTime())
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
  const ages = times.map((time) => (Date.now() - time) / 86_400_000)
  assert.ok(ages.every((days) => days > 0 && days < 91))
  assert.ok(ages.filter((days) => days < 45).length > 100, 'more is sold than before')
})

test('a business that is not the demo is left alone', async () => {
  await open()
  const { slug } = await used.make.business({ name: 'Somebody else' })
  await assert.rejects(run(slug), /not the demo/)
  await assert.rejects(run('harbour-goods', 'nobody@example.com'), /Nobody has a confirmed account/)
})

test('pictures are drawn, stay what they are, and nothing else is', async () => {
  const { guest, path } = await open()
  const { body } = await guest.get(`${path}/products?slug=watch-mug`)
  const { pathname } = new URL(body.items[0].gallery[0].url)
  const anonymous = used.make.anonymous()
  const picture = await anonymous.get(pathname)
  assert.equal(picture.status, 200)
  assert.equal(picture.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
  assert.match(picture.headers.get('cache-control') ?? '', /immutable/)
  assert.match(picture.headers.get('content-security-policy') ?? '', /sandbox/)
  assert.equal(picture.headers.get('x-content-type-options'), 'nosniff')
  assert.match(picture.text, /^<svg [^>]*viewBox="0 0 800 800"[^<]*>.+<\/svg>$/)
  assert.equal((await anonymous.get(pathname)).text, picture.text)
  for (const wrong of [
    'unicorn/blue.svg',
    'mug/%3Cscript%3E.svg',
    `mug/${'a'.repeat(200)}.svg`,
    'mug/blue.png',
    'constructor/a.svg',
  ]) {
    const { status } = await anonymous.get(`/demo/images/${wrong}`)
    assert.ok([400, 404, 422].includes(status), `${wrong}: ${status}`)
  }
})
