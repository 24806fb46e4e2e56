import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { shopifyExport, spell, wooCommerceExport } from '../../support/foreign-exports.ts'
import {
  CSV,
  countsOf,
  dryRun,
  faultsIn,
  importErrors,
  importFile,
  importLines,
  steerImport,
  uploadFile,
} from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

type Shop = Awaited<ReturnType<typeof used.make.shop>>
// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is for the test to say
type Body = any // oxlint-disable-line typescript/no-explicit-any

const bySlug = async (shop: Shop, slug: string): Promise<Body> =>
  (await shop.admin.get(`${shop.products}?slug=${slug}`)).body.items[0]
const SHOPIFY = '&format=shopify-csv&market=us'
const WOO = '&format=woocommerce-csv&market=de'

test('500 products of a Shopify export are imported with options, pictures, and prices to the cent', async () => {
  const shop = await used.make.shop()
  const report = await dryRun(shop, spell(shopifyExport(500)), CSV, SHOPIFY)
  assert.equal(countsOf(report), '500/0/0 of 500', JSON.stringify(await importErrors(shop, report.id)))
  assert.equal(countsOf(await steerImport(shop, report.id, 'apply')), '500/0/0 of 500')

  const plain = await bySlug(shop, 'board-4')
  assert.deepEqual(
    [plain.name, plain.description, plain.category, plain.tags, plain.seo.title, plain.statuses.at(-1).status],
    [
      'Board 4 5" "wide", soft',
      'Line one & bold.\n\n• a\n• b',
      'snow-boards',
      ['winter', 'new arrivals'],
      'Buy board 4',
      'ACTIVE',
    ],
  )
  assert.deepEqual(
    plain.gallery.map(({ url, mimeType }: Body) => [url, mimeType]),
    [1, 2].map((position) => [`https://cdn.example.com/b4-${position}.jpg?v=1`, 'image/jpeg']),
  )
  assert.deepEqual(
    plain.variants.map(({ name, sku, attributes, pricing, inventory }: Body) => ({
      name,
      sku,
      attributes,
      ...pricing,
      inventory,
    })),
    [
      {
        name: '',
        sku: '004',
        attributes: [],
        markets: [{ marketId: 'us', currency: 'USD', price: 1_004, compareAtPrice: 1_504 }],
        inventory: { tracked: true, quantity: 4 },
      },
    ],
  )
  const many = await bySlug(shop, 'board-3')
  assert.deepEqual(many.options, [
    { name: 'Colour', values: ['Red', 'Blue'] },
    { name: 'Size', values: ['S', 'L'] },
  ])
  assert.deepEqual(
    many.variants.map(({ name, sku, inventory, gallery }: Body) => [name, sku, inventory.quantity, gallery[0].url]),
    [
      ['Red / S', 'B-3-Red-S', 0, 'https://cdn.example.com/b3-Red.png'],
      ['Red / L', 'B-3-Red-L', 1, 'https://cdn.example.com/b3-Red.png'],
      ['Blue / S', 'B-3-Blue-S', 2, 'https://cdn.example.com/b3-Blue.png'],
      ['Blue / L', 'B-3-Blue-L', 3, 'https://cdn.example.com/b3-Blue.png'],
    ],
  )
  assert.deepEqual(
    many.gallery.map(({ url }: Body) => url),
    [1, 2].map((position) => `https://cdn.example.com/b3-${position}.jpg?v=1`),
    'by their position',
  )
  assert.equal(many.category, 'boards', 'without a type of its own, the end of Shopify’s category')
  assert.deepEqual(
    await Promise.all(
      ['board-7', 'board-10', 'board-11'].map(async (slug) => (await bySlug(shop, slug)).statuses.at(-1).status),
    ),
    ['DRAFT', 'DRAFT', 'ARCHIVED'],
  )

  const again = await dryRun(shop, spell(shopifyExport(500)), CSV, SHOPIFY)
  assert.equal(again.unchanged, 500, 'the same file changes nothing')
  assert.equal(again.total, 500)
})

test('the same with semicolons, decimal commas, CRLF and a BOM is the same', async () => {
  const shop = await used.make.shop()
  await importFile(shop, '{"name":"Nothing yet"}\n')
  const spelling = { delimiter: ';', lineEnd: '\r\n', hasBom: true, decimal: ',' } as const
  await steerImport(shop, (await dryRun(shop, spell(shopifyExport(30)), CSV, SHOPIFY)).id, 'apply')
  const report = await dryRun(shop, spell(shopifyExport(30, spelling), spelling), CSV, SHOPIFY)
  assert.deepEqual([report.unchanged, report.failed, report.total], [30, 0, 30])
  await steerImport(shop, (await dryRun(shop, spell(wooCommerceExport(30)), CSV, WOO)).id, 'apply')
  const woo = await dryRun(shop, spell(wooCommerceExport(30, spelling), spelling), CSV, WOO)
  assert.deepEqual([woo.unchanged, woo.failed, woo.total], [30, 0, 30])
})

test('500 products of a WooCommerce export are imported, variations with the parents that they name', async () => {
  const shop = await used.make.shop()
  const report = await dryRun(shop, spell(wooCommerceExport(500)), CSV, WOO)
  assert.equal(countsOf(report), '500/0/0 of 500', JSON.stringify(await importErrors(shop, report.id)))
  assert.equal(countsOf(await steerImport(shop, report.id, 'apply')), '500/0/0 of 500')
  const simple = await bySlug(shop, 'jumper-4-chunky-3')
  assert.deepEqual(
    [simple.name, simple.description, simple.category, simple.tags, simple.statuses.at(-1).status, simple.taxClass],
    ['Jumper 4 "chunky"; 3"', 'Wool\n\nWarm <3', 'jumpers', ['wool', 'warm', 'Sale'], 'ACTIVE', 'standard'],
  )
  const [variant] = simple.variants
  assert.deepEqual(variant.pricing.markets, [{ marketId: 'de', currency: 'EUR', price: 1_500, compareAtPrice: 2_004 }])
  assert.deepEqual(variant.inventory, { tracked: true, quantity: 4, lowStockThreshold: 3 })
  assert.deepEqual(variant.attributes, [{ name: 'Material', value: 'Wool, merino' }])
  assert.deepEqual(
    simple.gallery.map(({ mimeType }: Body) => mimeType),
    ['image/png', 'image/webp'],
  )
  const variable = await bySlug(shop, 'jumper-3-chunky-3')
  assert.deepEqual(
    variable.variants.map(({ name, sku, inventory, attributes }: Body) => [name, sku, inventory.quantity, attributes]),
    ['S', 'L'].map((size, index) => [
      `${size} / Grey`,
      `W-3-${size}`,
      index + 1,
      [
        { name: 'Size', value: size },
        { name: 'Colour', value: 'Grey' },
      ],
    ]),
  )
  assert.equal((await bySlug(shop, 'jumper-9-chunky-3')).statuses.at(-1).status, 'DRAFT')
  assert.equal((await dryRun(shop, spell(wooCommerceExport(500)), CSV, WOO)).unchanged, 500)
})

test('the prices of a file are those of one market: the others stay', async () => {
  const shop = await used.make.shop()
  const sku = 'B-3-Red-S'
  await used.make.product(shop, {
    slug: 'board-3',
    variants: [
      {
        sku,
        pricing: {
          markets: [
            { marketId: 'us', price: 1 },
            { marketId: 'de', price: 777 },
          ],
        },
      },
    ],
  })
  await steerImport(shop, (await dryRun(shop, spell(shopifyExport(3)), CSV, SHOPIFY)).id, 'apply')
  const found = (await bySlug(shop, 'board-3')).variants.find((variant: Body) => variant.sku === sku)
  assert.deepEqual(
    found.pricing.markets.map(({ marketId, price }: Body) => [marketId, price]),
    [
      ['us', 1_003],
      ['de', 777],
    ],
  )
})

const prices = [
  ['12.90', 1_290],
  ['12,9', 1_290],
  ['1.299,00', 129_900],
  ['1,299.00', 129_900],
  ['€ 1 299,50', 129_950],
  ['12.9000', 1_290],
  ['1.234.567', 123_456_700],
  ['0.00', 0],
  ['1299', 129_900],
  ['12.905', undefined],
  ['1,299', undefined],
  ['12.90.1', undefined],
  ['free', undefined],
  ['-5.00', undefined],
] as const

test('an amount is read exactly, or not at all', async () => {
  const shop = await used.make.shop()
  const rows = prices.map(([text], index) => `p-${index};P ${index};${text}`)
  const report = await dryRun(shop, ['Handle;Title;Variant Price', ...rows].join('\n'), CSV, SHOPIFY)
  const lines = await importLines(shop, report.id)
  for (const [index, [text, cents]] of prices.entries()) {
    const line = lines.find(({ number }) => number === index + 2)
    const price = line?.changes.find(({ field }) => field === 'price')?.after
    assert.equal(price, cents, `${text}: ${JSON.stringify(line?.details)}`)
    if (cents === undefined)
      assert.deepEqual([line?.status, line?.details[0]?.field], ['FAILED', 'Variant Price'], text)
  }
  const unclear = lines.find(({ number }) => number === 12)
  assert.equal(
    unclear?.details[0]?.message,
    'Variant Price is 1,299, which may be read in two ways. Write 1299.00 or 1.29.',
  )
})

test('rows of one handle that stand apart, and types that cannot be sold here, are wrong lines', async () => {
  const shop = await used.make.shop()
  const apart = ['Handle,Title,Option1 Name,Option1 Value', 'a,A,Size,S', 'b,B,Size,S', 'a,,,L'].join('\n')
  const report = await dryRun(shop, apart, CSV, SHOPIFY)
  assert.deepEqual(
    (await importErrors(shop, report.id)).map(({ number, details }) => [number, details[0]?.field, details[0]?.error]),
    [[4, 'Handle', 'DUPLICATE']],
  )
  const woo = await dryRun(
    shop,
    ['Type,SKU,Name,Parent,Regular price', 'grouped,G,All,,', 'variation,V,One,nobody,5', 'simple,S,Fine,,5'].join(
      '\n',
    ),
    CSV,
    WOO,
  )
  assert.deepEqual(
    (await importErrors(shop, woo.id)).map(({ number, details }) => [number, details[0]?.field]),
    [
      [2, 'Type'],
      [3, 'Parent'],
    ],
  )
})

test('a sale with dates is a planned price, from the first day to the last in the time zone of the shop', async () => {
  const shop = await used.make.shop()
  await shop.admin.put(`/v1/businesses/${shop.id}`, { timeZone: 'Europe/Berlin' })
  const text = [
    'Type,SKU,Name,Published,Regular price,Sale price,Date sale price starts,Date sale price ends',
    'simple,S-1,Scarf,1,20,15,2030-03-30,2030-03-31',
  ].join('\n')
  const report = await dryRun(shop, text, CSV, WOO)
  assert.equal(countsOf(report), '1/0/0 of 1', JSON.stringify(await importErrors(shop, report.id)))
  await steerImport(shop, report.id, 'apply')
  const { variants } = await bySlug(shop, 'scarf')
  assert.deepEqual(variants[0].pricing.markets, [
    { marketId: 'de', currency: 'EUR', price: 2_000 },
    {
      marketId: 'de',
      currency: 'EUR',
      price: 1_500,
      compareAtPrice: 2_000,
      validFrom: Date.UTC(2030, 2, 29, 23) / 1_000,
      validTo: Date.UTC(2030, 2, 31, 22) / 1_000, // summer time has begun
    },
  ])
})

test('a file of another system says which market its prices are for, and is one of that system', async () => {
  const shop = await used.make.shop()
  const file = spell(shopifyExport(1))
  const asked = (query: string) => uploadFile(shop, file, CSV, query)
  assert.equal(refusal(await asked('?format=shopify-csv')), '422 VALIDATION_FAILED market REQUIRED')
  assert.equal(refusal(await asked('?format=shopify-csv&market=mars')), '422 VALIDATION_FAILED market NOT_FOUND')
  assert.equal(refusal(await asked('?format=excel')), '422 VALIDATION_FAILED format INVALID')
  const other = await asked('?format=woocommerce-csv&market=us')
  assert.equal(refusal(other), '400 BAD_REQUEST')
  assert.match(other.body.message, /not a product file of WooCommerce/)
})
