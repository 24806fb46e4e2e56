import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse'
import fc from 'fast-check'
import type { Market } from '#vocabulary/business.ts'
import { csvHeader, groupCsvRecords, toCsv, toProduct } from './csv.ts'
import type { Product } from './schemas.ts'

const markets = [{ id: 'us' }, { id: 'de' }] as Market[]

/** Read as the import reads it. */
async function read(text: string) {
  const parser = parse(text, { columns: true, bom: true, info: true, skip_empty_lines: true, relax_column_count: true, trim: true }) // biome-ignore format: one line
  const rows: { number: number; product: Record<string, unknown> }[] = []
  for await (const { number, line } of groupCsvRecords(parser as Parameters<typeof groupCsvRecords>[0])) {
    rows.push({ number, product: JSON.parse(line) as Record<string, unknown> })
  }
  return rows
}

test('cells become a product; what is empty is not sent', () => {
  const cells = { slug: 'mug', name: 'Mug', description: '', status: 'ACTIVE', images: 'https://a.example/x.PNG?w=1' }
  assert.deepEqual(toProduct([{ ...cells, variantName: 'Red', tracked: 'FALSE', quantity: '7', 'price:us': '100' }]), {
    slug: 'mug',
    name: 'Mug',
    statuses: [{ status: 'ACTIVE' }],
    gallery: [{ url: 'https://a.example/x.PNG?w=1', mimeType: 'image/png' }],
    variants: [
      {
        name: 'Red',
        inventory: { tracked: false, quantity: 7 },
        pricing: { markets: [{ marketId: 'us', price: 100 }] },
      },
    ],
  })
  assert.deepEqual(toProduct([{ slug: 'mug', 'price:us': '' }]), { slug: 'mug' })
})

test('a cell that is no number, no boolean or no JSON stays text, for the schema to refuse', () => {
  const row = { slug: 'x', tracked: 'maybe', quantity: '1.5', 'price:us': '1,00', blocks: '{', attributes: '[oops' }
  const { blocks, variants } = toProduct([row]) as { blocks: unknown; variants: Record<string, unknown>[] }
  assert.equal(blocks, '{')
  assert.deepEqual(variants[0]?.inventory, { tracked: 'maybe', quantity: '1.5' })
  assert.deepEqual(variants[0]?.pricing, { markets: [{ marketId: 'us', price: '1,00' }] })
  assert.equal(variants[0]?.attributes, '[oops')
})

test('attributes stand one a line', () => {
  const read = (attributes: string) =>
    (toProduct([{ slug: 'x', attributes }]).variants as { attributes: unknown }[])[0]?.attributes
  assert.deepEqual(read('Colour: Red\r\nRatio: 1: 2'), [
    { name: 'Colour', value: 'Red' },
    { name: 'Ratio', value: '1: 2' },
  ])
  assert.deepEqual(read('[{"name":"a","value":"b"}]'), [{ name: 'a', value: 'b' }])
})

test('rows with the same slug, or with neither slug nor name, go on with the product before them', async () => {
  const rows = await read('slug,name,sku\na,A,1\na,,2\n,,3\nb,B,4\na,,5\n,C,6\n,,7\n,C,8\n')
  const skus = rows.map(({ product }) => (product.variants as { sku: string }[]).map(({ sku }) => sku).join())
  assert.deepEqual(skus, ['1,2,3', '4', '5', '6,7', '8'])
  assert.deepEqual(rows.map(({ number }) => number), [2, 5, 6, 7, 9]) // biome-ignore format: one line
})

// Text as people and their programs write it, with all that means something in CSV, JSON or a spreadsheet.
const word = fc.oneof(
  fc.constantFrom('=1+1', '@x', '-', '"', '""', ',', ';', ': ', ':', '\n', '\r\n', '\r', '\t', ' ', '[', '{', 'null', '\\', '\\u0000', '\u2028', '\ufeff', 'é', '🙂'), // biome-ignore format: one line
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join('').replaceAll('\0', ''))
const name = text.filter((made) => /\S/.test(made))
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
const gallery = fc.array(
  fc.record({ id, url: fc.constantFrom('https://a.example/x.png', 'http://b.example/?a=1,2;3#é'), mimeType: fc.constantFrom('image/png', 'text/x+y') }), // biome-ignore format: one line
  { maxLength: 2 },
)
const money = fc.oneof(fc.nat(100_000), fc.maxSafeNat())
const price = (marketId: string, currency: string) =>
  fc.record(
    { marketId: fc.constant(marketId), currency: fc.constant(currency), price: money, compareAtPrice: money },
    { requiredKeys: ['marketId', 'currency', 'price'] },
  )
const prices = fc
  .tuple(fc.option(price('us', 'USD'), { nil: undefined }), fc.option(price('de', 'EUR'), { nil: undefined }))
  .map((made) => made.filter((one) => one !== undefined))
const variant = fc.record({
  id,
  name: text,
  sku: text,
  attributes: fc.array(fc.record({ name: fc.oneof(name, fc.constant('Colour')), value: text }), { maxLength: 3 }),
  pricing: fc.record({ markets: prices }),
  inventory: fc.record(
    { tracked: fc.boolean(), quantity: fc.nat(1_000_000_000), lowStockThreshold: fc.nat(1_000_000_000) },
    { requiredKeys: ['tracked', 'quantity'] },
  ),
  gallery,
})
const product = fc.record({
  slug: fc.stringMatching(/^[a-z0-9]{1,6}(-[a-z0-9]{1,6})?$/),
  name,
  description: text,
  category: text,
  statuses: fc.array(fc.record({ status: fc.constantFrom('DRAFT', 'ACTIVE', 'ARCHIVED') }), { minLength: 1, maxLength: 3 }), // biome-ignore format: one line
  gallery,
  blocks: fc.array(fc.record({ id, type: fc.constant('TEXT'), value: text }), { maxLength: 2 }),
  variants: fc.uniqueArray(variant, { selector: (made) => made.id, maxLength: 3 }),
})

/** What of a product an export to CSV keeps: all but the currency, which is the market's, and the history of its status. */
function kept({ variants, statuses, ...own }: ReturnType<typeof product.generate>['value']) {
  const filled = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0))) // biome-ignore format: one line
  return {
    ...filled(own),
    statuses: [{ status: statuses.at(-1)?.status }],
    ...(variants.length > 0 && {
      variants: variants.map(({ pricing, ...rest }) => ({
        ...filled(rest),
        ...(pricing.markets.length > 0 && { pricing: { markets: pricing.markets.map(({ currency: _currency, ...one }) => one) } }), // biome-ignore format: one line
      })),
    }),
  }
}

test('what is written is read back, whatever it is', async () => {
  const products = fc.uniqueArray(product, { selector: ({ slug }) => slug, minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(products, async (made) => {
      const written = made.map((one) => toCsv(one as unknown as Product, markets)).join('')
      const rows = await read(`${csvHeader(markets)}\n${written}`)
      assert.deepEqual(
        rows.map((row) => row.product),
        structuredClone(made.map(kept)),
      )
    }),
    { numRuns: 300 },
  )
})

test('a cell that looks like a formula is written as it is: the file is for reading it in again', async () => {
  const [row] = await read('slug,name\nx,=1+1\n')
  assert.equal(row?.product.name, '=1+1')
  const one = { slug: 'x', name: '=1+1', description: '@a', category: '', statuses: [], gallery: [], blocks: [], variants: [] } // biome-ignore format: one line
  assert.match(toCsv(one as unknown as Product, markets), /^x,=1\+1,@a,/)
})
