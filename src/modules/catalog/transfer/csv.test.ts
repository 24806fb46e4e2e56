import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { writeFile } from '#platform/transfer/csv.ts'
import type { Market } from '#vocabulary/business.ts'
import type { Detail } from '#vocabulary/errors.ts'
import type { Product } from '../schemas.ts'
import { csvColumns, readProductCsv, toCsvRows, toProduct } from './csv.ts'

const markets = [
  { id: 'us', currency: 'USD' },
  { id: 'de', currency: 'EUR' },
  { id: 'jp', currency: 'JPY' },
] as Market[]

/** Read as the import reads it. */
async function read(text: string) {
  const rows: { number: number; product: Record<string, unknown>; details: Detail[] | undefined }[] = []
  for await (const { number, line, details } of readProductCsv(Readable.from([Buffer.from(text)]), markets, () => {})) {
    rows.push({ number, product: details ? {} : (JSON.parse(line) as Record<string, unknown>), details })
  }
  return rows
}

/** Written as the export writes it. */
async function write(products: unknown[]): Promise<string> {
  async function* pages() {
    yield products as Product[]
  }
  const toRows = (product: Product) => toCsvRows(product, markets)
  const texts = writeFile(pages(), 'csv', { columns: csvColumns(markets), toRows, toLine: JSON.stringify })
  let text = ''
  for await (const part of texts) text += part
  return text
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
  assert.deepEqual(
    rows.map(({ number }) => number),
    [2, 5, 6, 7, 9],
  )
})

// Text as people and their programs write it, with all that means something in CSV, JSON or a spreadsheet.
const word = fc.oneof(
  fc.constantFrom(
    '=1+1',
    '@x',
    '-',
    '"',
    '""',
    ',',
    ';',
    ': ',
    ':',
    '\n',
    '\r\n',
    '\r',
    '\t',
    ' ',
    '[',
    '{',
    'null',
    '\\',
    '\\u0000',
    '\u2028',
    '\ufeff',
    'é',
    '🙂',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join('').replaceAll('\0', ''))
const name = text.filter((made) => /\S/.test(made))
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
const gallery = fc.array(
  fc.record({
    id,
    url: fc.constantFrom('https://a.example/x.png', 'http://b.example/?a=1,2;3#é'),
    mimeType: fc.constantFrom('image/png', 'text/x+y'),
  }),
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
    {
      tracked: fc.boolean(),
      quantity: fc.nat(1_000_000_000),
      lowStockThreshold: fc.nat(1_000_000_000),
      maxPerOrder: fc.integer({ min: 1, max: 10_000 }),
    },
    { requiredKeys: ['tracked', 'quantity'] },
  ),
  gallery,
})
const product = fc.record({
  slug: fc.stringMatching(/^[a-z0-9]{1,6}(-[a-z0-9]{1,6})?$/),
  name,
  description: text,
  category: text,
  tags: fc.uniqueArray(name, { maxLength: 3 }),
  translations: fc.dictionary(fc.constantFrom('de', 'fr'), fc.record({ name }), { noNullPrototype: true }),
  statuses: fc.array(fc.record({ status: fc.constantFrom('DRAFT', 'ACTIVE', 'ARCHIVED') }), {
    minLength: 1,
    maxLength: 3,
  }),
  gallery,
  blocks: fc.array(fc.record({ id, type: fc.constant('TEXT'), value: text }), { maxLength: 2 }),
  variants: fc.uniqueArray(variant, { selector: (made) => made.id, maxLength: 3 }),
})

/** The fields that survive an export to CSV: all but currencies, which are the markets', and the status history. */
function kept({ variants, statuses, ...own }: ReturnType<typeof product.generate>['value']) {
  const filled = (fields: object) =>
    Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== '' && Object.keys(value as object).length !== 0),
    )
  return {
    ...filled(own),
    statuses: [{ status: statuses.at(-1)?.status }],
    ...(variants.length > 0 && {
      variants: variants.map(({ pricing, ...rest }) => ({
        ...filled(rest),
        ...(pricing.markets.length > 0 && {
          pricing: { markets: pricing.markets.map(({ currency: _currency, ...one }) => one) },
        }),
      })),
    }),
  }
}

test('what is written is read back, whatever it is', async () => {
  const products = fc.uniqueArray(product, { selector: ({ slug }) => slug, minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(products, async (made) => {
      const rows = await read(await write(made))
      assert.deepEqual(
        rows.map((row) => row.product),
        structuredClone(made.map(kept)),
      )
    }),
    { numRuns: 300 },
  )
})

test('a cell that looks like a formula is disarmed for spreadsheets, and read back as it was', async () => {
  for (const formula of ['=HYPERLINK("https://evil.example")', '+1', '-1', '@a', '\tx', '\rx', "'=1", "''@x"]) {
    const one = {
      slug: 'x',
      name: formula,
      description: '',
      category: '',
      statuses: [],
      gallery: [],
      blocks: [],
      variants: [],
    }
    const written = await write([one])
    assert.match(written, /\nx,"?'/, formula)
    const [row] = await read(written)
    assert.equal(row?.product.name, formula)
  }
  const [row] = await read('slug,name\nx,=1+1\n')
  assert.equal(row?.product.name, '=1+1', 'who writes one by hand means it')
})

test('columns may be separated by semicolons or tabs, as spreadsheets write them', async () => {
  for (const separator of [',', ';', '\t']) {
    const text = `\ufeffslug${separator}"a, b; c"${separator}name\r\nmug${separator}x${separator}Mug\r\n`
    assert.deepEqual((await read(text))[0]?.product, { slug: 'mug', name: 'Mug' }, JSON.stringify(separator))
  }
})

test('names of columns are known in any case and with spaces, if it is clear what they mean', async () => {
  const header = 'Slug;NAME;Variant Name;low_stock_threshold;Price: US;Compare at price:us;price:jp;Notes;name'
  const [row] = await read(`${header}\nmug;Wrong;Red;3;2200;2500;22;whatever;Mug\n`)
  const [variant] = (row?.product.variants ?? []) as Record<string, unknown>[]
  assert.equal(row?.product.name, 'Mug', 'the one that is spelled exactly')
  assert.deepEqual(variant, {
    name: 'Red',
    inventory: { lowStockThreshold: 3 },
    pricing: {
      markets: [
        { marketId: 'us', price: 2_200, compareAtPrice: 2_500 },
        { marketId: 'jp', price: 22 },
      ],
    },
  })
})

test('a status may be written in any case', () => {
  for (const status of ['active', 'Active', 'ACTIVE'])
    assert.deepEqual(toProduct([{ slug: 'x', status }]).statuses, [{ status: 'ACTIVE' }])
  assert.deepEqual(
    toProduct([{ slug: 'x', status: 'sold' }]).statuses,
    [{ status: 'sold' }],
    'for the schema to refuse',
  )
})

test('a price that is no whole number is refused by the name of its column, with the right form', async () => {
  const problemsIn = async (cells: string) => {
    const [row] = await read(`slug;price:us;compareAtPrice:de;price:jp;quantity\nmug;${cells}\n`)
    return (row?.details ?? []).map(({ field, error, message }) => `${field} ${error} ${message}`)
  }
  assert.deepEqual(await problemsIn('22.00;;;'), [
    'price:us INVALID price:us must be a whole number of cents: 2200, not 22.00.',
  ])
  for (const [text, form] of [
    ['$22', ': 2200'],
    ['22.5', ': 2250'],
    ['0,99 €', ': 99'],
    ['22.005', ''],
    ['1,000', ''],
    ['1.234,56', ''],
    ['cheap', ''],
    ['-1.00', ''],
  ]) {
    assert.deepEqual(await problemsIn(`;${text};;`), [
      `compareAtPrice:de INVALID compareAtPrice:de must be a whole number of cents${form}, not ${text}.`,
    ])
  }
  assert.deepEqual(await problemsIn(';;22.00;1.5'), [
    'price:jp INVALID price:jp must be a whole number in the smallest unit of JPY: 22, not 22.00.',
    'quantity INVALID quantity must be a whole number, not 1.5.',
  ])
  assert.deepEqual(await problemsIn('2200;0;22;7'), [])
})
