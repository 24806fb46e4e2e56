import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { CSV, countsOf, faultsIn, importErrors, importFile, NDJSON, toLines } from '../../support/imports.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

type Shop = Awaited<ReturnType<typeof used.make.shop>>
// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is for the test to say
type Body = any // oxlint-disable-line typescript/no-explicit-any

const STATUSES = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
const thing = (number: number) => ({
  name: `Thing "${number}", <b>`,
  slug: `thing-${number}`,
  description: `line\nline\u2028${number} =1+1`,
  category: number % 2 ? 'odd' : '',
  statuses: [{ status: 'DRAFT' }, { status: STATUSES[number % 3] }],
  gallery: [{ url: `https://cdn.example.com/${number}.png`, mimeType: 'image/png' }],
  blocks: [{ id: 'note', type: 'TEXT', label: 'Note', value: `a "quoted" ${number}` }],
  variants: Array.from({ length: number % 4 }, (_, index) => ({
    name: `V${index}`,
    sku: `T-${number}-${index}`,
    attributes: [{ name: 'Size: big', value: 'a\nb' }],
    pricing: {
      markets: [
        { marketId: 'us', price: number, compareAtPrice: number + 1 },
        { marketId: 'de', price: 0 },
      ],
    },
    inventory: { tracked: index !== 1, quantity: number, ...(index === 0 ? { lowStockThreshold: 3 } : {}) },
    gallery: [],
  })),
})

async function makeShop(count: number, cell = 'main') {
  const shop = await used.make.shop({ cell })
  await importFile(shop, toLines(Array.from({ length: count }, (_, index) => thing(index))))
  return shop
}

const exportText = async (shop: Shop, format: string) => {
  const { status, text } = await shop.admin.get(`${shop.products}/export?format=${format}`)
  assert.equal(status, 200, text)
  return text
}
const slugsFirst = (a: Body, b: Body) => (a.slug < b.slug ? -1 : 1)
/** In the order of their slugs: ids of one moment have none. */
const exported = async (shop: Shop): Promise<Body[]> =>
  (await exportText(shop, 'ndjson'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .sort(slugsFirst)

/** What two businesses' copies of a product have in common. `history`: whether its former statuses are part of that. */
function copyOf({ id: _id, businessId: _b, createdAt: _c, updatedAt: _u, statuses, ...rest }: Body, history: boolean) {
  return { ...rest, statuses: history ? statuses : statuses.at(-1).status }
}

test('all products that are not deleted are exported as NDJSON, oldest first, as a read shows them', async () => {
  const shop = await makeShop(430)
  const gone = (await shop.admin.get(`${shop.products}?slug=thing-7`)).body.items[0]
  assert.equal((await shop.admin.delete(`${shop.products}/${gone.id}`)).status, 200)

  const { headers, text, status } = await shop.admin.get(`${shop.products}/export`)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  assert.equal(headers.get('content-disposition'), 'attachment; filename="products.ndjson"')
  assert.equal(headers.get('content-length'), null)
  assert.ok(text.endsWith('}\n'))
  const products = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    products.map(({ slug }) => slug as string).sort(),
    Array.from({ length: 430 }, (_, index) => `thing-${index}`)
      .filter((slug) => slug !== 'thing-7')
      .sort(),
  )
  const ids = products.map(({ id }) => id as string)
  assert.deepEqual(ids, ids.toSorted())
  assert.deepEqual(Object.keys(Object.groupBy(products, ({ statuses }) => statuses.at(-1).status)).sort(), [
    'ACTIVE',
    'ARCHIVED',
    'DRAFT',
  ])
  for (const product of [products[0], products[200], products.at(-1)]) {
    assert.deepEqual(product, (await shop.admin.get(`${shop.products}/${product.id}`)).body)
  }
})

test('all products are exported as CSV, a row a variant', async () => {
  const shop = await makeShop(230)
  const { headers, text } = await shop.admin.get(`${shop.products}/export?format=csv`)
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(headers.get('content-disposition'), 'attachment; filename="products.csv"')
  const [header] = text.split('\n')
  assert.equal(
    header,
    'slug,name,description,category,taxClass,tags,seoTitle,seoDescription,translations,status,images,blocks,variantId,variantName,sku,' +
      'attributes,variantTranslations,variantImages,tracked,quantity,' +
      'lowStockThreshold,maxPerOrder,price:us,compareAtPrice:us,price:de,compareAtPrice:de',
  )
  assert.ok(text.includes('\nthing-0,"Thing ""0"", <b>","line\nline\u20280 =1+1",,standard,,,,,DRAFT,'))
})

test('a shop without products exports nothing, or a header', async () => {
  const shop = await used.make.shop()
  assert.equal(await exportText(shop, 'ndjson'), '')
  assert.match(await exportText(shop, 'csv'), /^slug,[^\n]+\n$/)
  assert.equal((await shop.admin.get(`${shop.products}/export?format=xml`)).status, 422)
})

for (const [format, type] of [
  ['ndjson', NDJSON],
  ['csv', CSV],
] as const) {
  test(`what is exported as ${format} gives equal products in another business, of another cell`, async () => {
    const source = await makeShop(230, 'main')
    const target = await used.make.shop({ cell: 'second' })
    const file = await exportText(source, format)
    const done = await importFile(target, file, type)
    assert.equal(countsOf(done), '230/0/0 of 230', JSON.stringify(await importErrors(target, done.id)))
    const copies = (products: Body[]) => products.map((product) => copyOf(product, format === 'ndjson'))
    assert.deepEqual(copies(await exported(target)), copies(await exported(source)))

    const before = await exported(source)
    assert.equal((await importFile(source, file, type)).unchanged, 230)
    const still = ({ updatedAt: _updatedAt, ...rest }: Body) => rest
    assert.deepEqual((await exported(source)).map(still), before.map(still), 'into its own business: no change')
  })
}

/** Reads the export piece by piece: nothing more arrives until the next call. */
async function openExport(shop: Shop) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { authorization: `Bearer ${shop.admin.token}` }
  httpRequest(`${used.api.url}${shop.products}/export`, { headers }, resolve).on('error', reject).end()
  return (await promise).setEncoding('utf8')
}

/** As many copies of a product as are asked for, each of some 90 KB: more than the sockets' buffers hold. */
async function makeLarge(count: number) {
  const shop = await used.make.shop()
  const one = await used.make.product(shop, { slug: 'large', variants: [], description: 'lorem ipsum '.repeat(7_500) })
  await sql`
    insert into catalog.products
           (business_id, id, name, slug, description, category, gallery, blocks, statuses, status, version, document,
            public_document, created_at, updated_at)
    select business_id, id || '-' || number, name, slug || '-' || number, description, category, gallery, blocks, statuses,
           status, version, replace(document, id, id || '-' || number), public_document, created_at, updated_at
      from catalog.products, generate_series(100, ${98 + count}::integer) as number
     where business_id = ${shop.id} and id = ${one.id}`.execute(shop.db)
  return { ...shop, last: `${one.id}-${98 + count}` }
}

test('the first products are sent before the last ones are read', async () => {
  const shop = await makeLarge(420)
  const stream = await openExport(shop)
  const reader = stream[Symbol.asyncIterator]()
  let text = (await reader.next()).value as string
  assert.ok(text.length > 0)
  await sql`update catalog.products set status = 'DELETED' where business_id = ${shop.id} and id = ${shop.last}`.execute(
    shop.db,
  )
  for (let next = await reader.next(); !next.done; next = await reader.next()) text += next.value as string
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id as string)
  assert.equal(ids.length, 419, 'the last one was deleted while the export ran')
  assert.ok(!ids.includes(shop.last))
})

test('a caller who leaves in the middle harms nobody', async () => {
  const shop = await makeLarge(420)
  for (let turn = 0; turn < 15; turn++) {
    const stream = await openExport(shop)
    await stream[Symbol.asyncIterator]().next()
    stream.destroy()
  }
  assert.equal((await shop.admin.get(`${shop.products}?limit=1`)).status, 200)
})

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('=1+1', '"', ',', ': ', '\n', '\r\n', '\\', '[', '\\u0000', '\u2028'),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 4 },
  )
  .map((words) => words.join('').replaceAll('\0', ''))
const name = text.filter((made) => /\S/.test(made))
const variant = fc.record({
  name: text,
  sku: text,
  attributes: fc.array(fc.record({ name, value: text }), { maxLength: 3 }),
  gallery: fc.array(
    fc.record({
      url: fc.webUrl({ withQueryParameters: true }).filter((url) => /^https?:\/\/[^\s/?#"<>\\][^\s"<>\\]*$/.test(url)),
      mimeType: fc.constant('image/png'),
    }),
    { maxLength: 2 },
  ),
  pricing: fc.record({
    markets: fc.subarray(['us', 'de']).chain((ids) =>
      fc.tuple(
        ...ids.map((marketId) =>
          fc.record({
            marketId: fc.constant(marketId),
            price: fc.maxSafeNat(),
            compareAtPrice: fc.option(fc.maxSafeNat()),
          }),
        ),
      ),
    ),
  }),
  inventory: fc.record({
    tracked: fc.boolean(),
    quantity: fc.nat(1_000_000),
    lowStockThreshold: fc.option(fc.nat(99)),
  }),
})
const product = fc.record({
  name,
  description: text,
  category: text,
  statuses: fc.constantFrom(...STATUSES).map((status) => [{ status }]),
  variants: fc.array(variant, { maxLength: 3 }),
})

test('whatever the products are, what is exported is what is imported', async () => {
  const products = fc.array(product, { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(products, fc.constantFrom('ndjson', 'csv'), async (made, format) => {
      const [source, target] = [await used.make.shop({ cell: 'second' }), await used.make.shop({ cell: 'main' })]
      // Slugs and SKUs of their own: else two rows could mean one product.
      const own = (variants: (typeof made)[number]['variants'], index: number) =>
        variants.map((one) => (one.sku ? { ...one, sku: `${index}${one.sku}` } : one))
      const rows = made.map((one, index) => ({ ...one, slug: `p-${index}`, variants: own(one.variants, index) }))
      assert.equal(countsOf(await importFile(source, toLines(rows))), `${made.length}/0/0 of ${made.length}`)
      const done = await importFile(target, await exportText(source, format), format === 'csv' ? CSV : NDJSON)
      assert.deepEqual(await importErrors(target, done.id), [])
      const copies = (all: Body[]) => all.map((one) => copyOf(one, format === 'ndjson'))
      assert.deepEqual(copies(await exported(target)), copies(await exported(source)))
    }),
    { numRuns: 12 },
  )
})

test('two products that share a SKU are still two after an export and an import', async () => {
  const [source, target] = [await used.make.shop(), await used.make.shop()]
  for (const slug of ['first', 'second']) await used.make.product(source, { slug, variants: [{ sku: 'SHARED' }] })
  const done = await importFile(target, await exportText(source, 'ndjson'))
  assert.equal(countsOf(done), '2/0/0 of 2')
  assert.deepEqual(
    (await exported(target)).map(({ slug }) => slug),
    ['first', 'second'],
  )
})
