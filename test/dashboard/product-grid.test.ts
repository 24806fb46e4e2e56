import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dashboardSdk, dashboardSource } from '../support/dashboard-source.ts'

type Edits = Record<string, { was: unknown; now: unknown }>
type Row = { id: string; name: string; attributes: { name: string; value: string }[]; isNew: boolean }
type Column = { id: string; kind: string; market?: { id: string; name: string; currency: string } }
type Range = { top: number; bottom: number; left: number; right: number }
type Sheet = { product: object; edits: Edits; rows: Row[]; columns: Column[]; locale: string }
type Patch = Record<string, unknown>
type Seed = Pick<Row, 'name' | 'attributes'>
type Body = Record<string, unknown> & { variants: Record<string, unknown>[] }

const { parseAmount, plainAmount } = (await dashboardSource('products/amount.ts')) as {
  parseAmount: (text: string, currency: string) => number | undefined
  plainAmount: (minor: number, currency: string) => string
}
const cells = (await dashboardSource('products/product/cells.ts')) as {
  columnsOf: (markets: object[], isWithSales: boolean) => Column[]
  parseCell: (text: string, column: Column, product: object, row: Row) => unknown
  readTable: (text: string) => string[][]
  paste: (sheet: Sheet, at: Range, text: string) => { patch: Patch; range: Range; left: number }
  fillDown: (sheet: Sheet, at: Range) => Patch
  clear: (sheet: Sheet, at: Range) => Patch
  copy: (sheet: Sheet, at: Range) => string
}
const edits = (await dashboardSource('products/product/edits.ts')) as {
  applyPatch: (product: object, edits: Edits, patch: Patch) => { edits: Edits; change: object }
  applyChange: (edits: Edits, change: object, side: 'before' | 'after') => Edits
  rowsOf: (product: object, edits: Edits) => Row[]
}
const { combine, missing, optionsOf, readValues, skuOf, toPatch } = (await dashboardSource(
  'products/product/generate.ts',
)) as {
  combine: (options: object[]) => Seed[]
  missing: (options: object[], rows: Seed[]) => Seed[]
  optionsOf: (rows: Seed[]) => { name: string; values: string[] }[]
  readValues: (text: string) => string[]
  skuOf: (prefix: string, seed: Seed) => string
  toPatch: (seeds: Seed[], rows: Row[], prefix: string, newId: () => string) => Patch
}
const { toChanges, toNewProduct } = (await dashboardSource('products/product/to-body.ts')) as {
  toChanges: (product: object, edits: Edits, markets: object[]) => Body
  toNewProduct: (product: object, edits: Edits, markets: object[]) => Body
}
const { buyableIn, oddPrices } = (await dashboardSource('products/product/buyable.ts')) as {
  buyableIn: (product: object, edits: Edits, marketId: string) => { count: number; unpriced: Row[]; empty: Row[] }
  oddPrices: (product: object, edits: Edits, marketIds: string[]) => { field: string }[]
}
const { saveProduct } = (await dashboardSource('products/product/save-product.ts')) as {
  saveProduct: (saving: object) => Promise<unknown>
}

const ETAG = Symbol.for('kontor.etag')
const EU = { id: 'eu', name: 'Europe', currency: 'EUR' }
const US = { id: 'us', name: 'US', currency: 'USD' }
const MARKETS = [EU, US]
const COLUMNS = cells.columnsOf(MARKETS, false)
const [SKU, IN_EU, IN_US, STOCK, LOW] = [0, 1, 2, 3, 4] as const

const variant = (id: string, price: number | null = 2_200, quantity = 18, tracked = true) => ({
  id,
  name: id,
  sku: `S-${id}`,
  attributes: [{ name: 'Size', value: id }],
  translations: {},
  pricing: { markets: price === null ? [] : [{ marketId: 'eu', currency: 'EUR', price }] },
  inventory: { tracked, quantity, lowStockThreshold: 5 },
  gallery: [],
})
const product = (...variants: object[]) => ({
  id: 'prod_1',
  businessId: 'biz_1',
  name: 'Mug',
  slug: 'mug',
  description: '',
  category: '',
  taxClass: 'standard',
  tags: [],
  seo: { title: '', description: '' },
  translations: { de: { name: 'Becher' } },
  options: [],
  gallery: [],
  statuses: [{ id: 's1', status: 'ACTIVE', timestamp: 1 }],
  blocks: [],
  createdAt: 1,
  updatedAt: 1,
  variants: variants.length > 0 ? variants : [variant('a'), variant('b'), variant('c')],
})
const sheetOf = (of = product(), made: Edits = {}): Sheet => ({
  product: of,
  edits: made,
  rows: edits.rowsOf(of, made),
  columns: COLUMNS,
  locale: 'en',
})
const at = (top: number, left: number, bottom = top, right = left): Range => ({ top, left, bottom, right })
const edit = (of: object, patch: Patch, before: Edits = {}) => edits.applyPatch(of, before, patch).edits

test('an amount is read as people write it in either language', () => {
  const cases: [text: string, minor: number | undefined][] = [
    ['22', 2_200],
    ['22.9', 2_290],
    ['22,90', 2_290],
    ['1.234,50', 123_450],
    ['1,234.50', 123_450],
    ['1.234', undefined],
    ['21,945', undefined],
    ['1.234.567', 123_456_700],
    ['1 234,5', 123_450],
    ['€ 12.00', 1_200],
    ['12 EUR', 1_200],
    ['1’234.50', 123_450],
    ['12,-', 1_200],
    ['.5', 50],
    ['0.500', 50],
    ['0', 0],
    ['12.345,678', undefined],
    ['1.2.3', undefined],
    ['12.999', undefined],
    ['1,23,4', undefined],
    ['-5', undefined],
    ['abc', undefined],
    ['', undefined],
    ['99999999999999999999', undefined],
  ]
  for (const [text, minor] of cases) assert.equal(parseAmount(text, 'EUR'), minor, text)
  assert.equal(parseAmount('1.500', 'JPY'), 1_500)
  assert.equal(parseAmount('15.5', 'JPY'), undefined, 'a yen has no parts')
  assert.equal(parseAmount('1.234', 'KWD'), 1_234, 'a dinar has a thousand')
  assert.equal(parseAmount('1.2345', 'KWD'), undefined)
})

test('what is shown of an amount is read as the same amount', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.constantFrom('EUR', 'JPY', 'KWD'), (minor, currency) => {
      const most = minor % 1_000_000_000_000
      assert.equal(parseAmount(plainAmount(most, currency), currency), most)
    }),
  )
})

test('a cell takes what belongs into it, and keeps what it cannot read', () => {
  const of = product()
  const row = edits.rowsOf(of, {})[0] as Row
  const parse = (column: number, text: string) => cells.parseCell(text, COLUMNS[column] as Column, of, row)
  assert.equal(parse(IN_EU, '22,90'), 2_290)
  assert.equal(parse(IN_EU, ''), null, 'not sold there')
  const inKuwait = { id: 'price/kw', kind: 'price' as const, market: { id: 'kw', name: 'Kuwait', currency: 'KWD' } }
  assert.equal(cells.parseCell('1.010', inKuwait, of, row), 1_010)
  assert.equal(cells.parseCell('1.002', inKuwait, of, row), '1.002', 'dinars are charged in steps of 0.010')
  assert.equal(parse(IN_EU, 'not sold'), null)
  assert.equal(parse(IN_EU, 'cheap'), 'cheap')
  assert.equal(parse(STOCK, '+ 24'), 24)
  assert.equal(parse(STOCK, '-3'), -3)
  assert.equal(parse(STOCK, '− 3'), -3)
  assert.equal(parse(STOCK, '20'), 2, 'of 18 there')
  assert.equal(parse(STOCK, '1.000'), 982)
  assert.equal(parse(STOCK, '-19'), '-19', 'no more than is there')
  assert.equal(parse(STOCK, '2.5'), '2.5')
  assert.equal(parse(LOW, '12'), 12)
  assert.equal(parse(LOW, ''), null)
  assert.equal(parse(LOW, '-1'), '-1')
  assert.equal(parse(SKU, ' HG-1 '), 'HG-1')
})

test('a table of a spreadsheet is read with its tabs, lines and quotes', () => {
  assert.deepEqual(cells.readTable('a\tb\r\n1.234,50\t\r\n'), [
    ['a', 'b'],
    ['1.234,50', ''],
  ])
  assert.deepEqual(cells.readTable('"two\nlines"\t"a ""quote"""\nlast'), [['two\nlines', 'a "quote"'], ['last']])
  assert.deepEqual(cells.readTable('one'), [['one']])
})

test('what is pasted begins at the upper left, one cell fills the selection, and what has no place is told', () => {
  const sheet = sheetOf()
  const { patch, left } = cells.paste(sheet, at(1, IN_EU), '1.234,50\t9.00\n12\t\n7\t8')
  assert.deepEqual(patch, {
    'price/b/eu': 123_450,
    'price/b/us': 900,
    'price/c/eu': 1_200,
    'price/c/us': null,
  })
  assert.equal(left, 1)
  const filled = cells.paste(sheet, at(0, IN_EU, 2, IN_US), '5')
  assert.equal(Object.keys(filled.patch).length, 6)
  assert.ok(Object.values(filled.patch).every((value) => value === 500))
})

test('filling down takes the first row of the selection, or what stands above one row', () => {
  const sheet = sheetOf(product(), edit(product(), { 'price/a/us': 2_400 }))
  assert.deepEqual(cells.fillDown(sheet, at(0, IN_EU, 2, IN_US)), {
    'price/b/eu': 2_200,
    'price/b/us': 2_400,
    'price/c/eu': 2_200,
    'price/c/us': 2_400,
  })
  assert.deepEqual(cells.fillDown(sheet, at(1, IN_US)), { 'price/b/us': 2_400 })
  assert.deepEqual(cells.fillDown(sheet, at(0, IN_US)), {})
})

test('Del is “not sold there”, no difference, no threshold and no number; what is not counted is left alone', () => {
  const sheet = sheetOf(product(variant('a'), variant('b', 100, 0, false)))
  assert.deepEqual(cells.clear(sheet, at(0, SKU, 1, LOW)), {
    'sku/a': '',
    'price/a/eu': null,
    'price/a/us': null,
    'stock/a': 0,
    'low/a': null,
    'sku/b': '',
    'price/b/eu': null,
    'price/b/us': null,
    'low/b': null,
  })
})

test('what is copied can be pasted back and changes nothing', () => {
  const of = product()
  const sheet = sheetOf(of, edit(of, { 'price/a/us': 2_490, 'stock/b': 24, 'sku/c': 'a "b"\tc' }))
  const whole = at(0, SKU, 2, LOW)
  const { patch } = cells.paste(sheet, whole, cells.copy(sheet, whole))
  const again = edits.applyPatch(of, sheet.edits, { ...patch, 'sku/c': 'a "b"\tc' })
  assert.deepEqual(again.change, {})
})

test('whatever is done can be taken back and done again', () => {
  const of = product()
  const fields = ['price/a/eu', 'price/b/eu', 'price/b/us', 'stock/c', 'low/a', 'sku/a', 'variant/b']
  const step = fc.dictionary(fc.constantFrom(...fields), fc.constantFrom(null, 0, 5, 2_200, 'x'))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const states: Edits[] = [{}]
      const changes: object[] = []
      for (const patch of steps) {
        const applied = edits.applyPatch(of, states.at(-1) ?? {}, patch)
        states.push(applied.edits)
        changes.push(applied.change)
      }
      let now = states.at(-1) ?? {}
      for (let index = changes.length - 1; index >= 0; index--) {
        now = edits.applyChange(now, changes[index] ?? {}, 'before')
        assert.deepEqual(now, states[index])
      }
      for (const [index, change] of changes.entries()) {
        now = edits.applyChange(now, change, 'after')
        assert.deepEqual(now, states[index + 1])
      }
    }),
  )
})

test('what has its old value again is no change', () => {
  const of = product()
  const once = edit(of, { 'price/a/eu': 2_290, name: 'Cup' })
  assert.deepEqual(once['price/a/eu'], { was: 2_200, now: 2_290 })
  assert.deepEqual(edit(of, { 'price/a/eu': 2_200, name: 'Mug' }, once), {})
})

test('three colours in four sizes are twelve variants, the last option changes first', () => {
  const options = [
    { name: 'Colour', values: readValues('Navy, Cream,Navy ,  Red') },
    { name: 'Size', values: readValues('S;M\nL\tXL') },
  ]
  const made = combine(options)
  assert.equal(made.length, 12)
  assert.deepEqual(
    made.slice(0, 2).map(({ name }) => name),
    ['Navy, S', 'Navy, M'],
  )
  assert.deepEqual(optionsOf(made), options)
  assert.equal(skuOf('HG1', made[0] as Seed), 'HG1-NAV-S')
  assert.deepEqual(combine([]), [])
})

test('only what is missing is made, whatever the order of the options is', () => {
  const known = [
    {
      name: '',
      attributes: [
        { name: 'Size', value: 'S' },
        { name: 'Colour', value: 'Navy' },
      ],
    },
  ]
  const options = [
    { name: 'Colour', values: ['Navy', 'Red'] },
    { name: 'Size', values: ['S'] },
  ]
  assert.deepEqual(
    missing(options, known).map(({ name }) => name),
    ['Red, S'],
  )
})

test('the only variant of a product becomes the first of those that are made', () => {
  const rows: Row[] = [{ id: 'only', name: '', attributes: [], isNew: false }]
  let next = 0
  const patch = toPatch(combine([{ name: 'Size', values: ['S', 'M'] }]), rows, 'HG', () => `new${++next}`)
  assert.deepEqual(Object.keys(patch), ['variant/only', 'sku/only', 'variant/new1', 'sku/new1'])
  assert.equal(patch['sku/new1'], 'HG-M')
})

test('only what was changed is sent; planned prices and those of other markets stay', () => {
  const first = variant('a')
  const planned = { marketId: 'eu', currency: 'EUR', price: 1_900, validFrom: 10, validTo: 20 }
  const elsewhere = { marketId: 'old', currency: 'NOK', price: 5 }
  first.pricing.markets.push(planned, elsewhere)
  const of = product(first, variant('b'))
  const body = toChanges(of, edit(of, { 'price/a/eu': 2_290, 'low/b': null, 'stock/b': 4 }), MARKETS)
  assert.deepEqual(body, {
    variants: [
      { id: 'a', pricing: { markets: [{ marketId: 'eu', price: 2_290 }, planned, elsewhere] } },
      { id: 'b', inventory: { lowStockThreshold: null } },
    ],
  })
  assert.deepEqual(toChanges(of, edit(of, { 'stock/a': 4 }), MARKETS), {}, 'stock is moved by itself')
  assert.deepEqual(toChanges(of, edit(of, { 'price/a/eu': null }), MARKETS).variants[0], {
    id: 'a',
    pricing: { markets: [elsewhere] },
  })
  const texts = edit(of, { 'text/de/description': 'Gut.', 'text/sv/name': 'Mugg', 'text/de/name': '' })
  assert.deepEqual(toChanges(of, texts, MARKETS), {
    translations: { de: { description: 'Gut.' }, sv: { name: 'Mugg' } },
  })
  assert.deepEqual(toChanges(of, edit(of, { 'variant/a': null }), MARKETS), { variants: [{ id: 'b' }] })
  assert.deepEqual(toChanges(of, edit(of, { status: 'ARCHIVED' }), MARKETS), {
    statuses: [{ id: 's1', status: 'ACTIVE' }, { status: 'ARCHIVED' }],
  })
})

test('a new variant is sent with its stock, a new product whole', () => {
  const of = product(variant('a'))
  const seed = { name: 'L', attributes: [{ name: 'Size', value: 'L' }] }
  const edited = edit(of, { 'variant/n': seed, 'price/n/us': 900, 'stock/n': 24, 'sku/n': 'HG-L' })
  assert.deepEqual(toChanges(of, edited, MARKETS).variants, [
    { id: 'a' },
    {
      id: 'n',
      ...seed,
      sku: 'HG-L',
      pricing: { markets: [{ marketId: 'us', price: 900 }] },
      inventory: { tracked: true, quantity: 24, lowStockThreshold: null },
    },
  ])
  const empty = { ...product(variant('only', null, 0)), id: '', name: '', slug: '', statuses: [] }
  const made = toNewProduct(empty, edit(empty, { name: ' Mug ', 'price/only/eu': 5, 'stock/only': 3 }), MARKETS)
  assert.equal(made.name, 'Mug')
  assert.equal(made.slug, undefined)
  assert.deepEqual(made.statuses, [{ status: 'DRAFT' }])
  assert.deepEqual(
    made.variants.map(({ inventory }) => (inventory as { quantity: number }).quantity),
    [3],
  )
})

test('why something cannot be bought: no price there, or nothing left, with what is not yet saved', () => {
  const of = product(variant('a'), variant('b', null), variant('c', 100, 0))
  const before = buyableIn(of, {}, 'eu')
  assert.deepEqual([before.count, before.unpriced[0]?.id, before.empty[0]?.id], [1, 'b', 'c'])
  assert.equal(buyableIn(of, edit(of, { 'stock/c': 24, 'price/b/eu': 5 }), 'eu').count, 3)
  assert.equal(buyableIn(of, {}, 'us').count, 0)
})

test('a price that is ten times the others is noticed', () => {
  const of = product()
  assert.deepEqual(
    oddPrices(of, edit(of, { 'price/b/eu': 22_000 }), ['eu']).map(({ field }) => field),
    ['price/b/eu'],
  )
  assert.deepEqual(oddPrices(of, edit(of, { 'price/b/eu': 2_900 }), ['eu']), [])
})

test('two people who change two prices of one product have both; of one price they are asked', async () => {
  const mine = { ...product(), [ETAG]: '"1.1"' }
  const theirs = { ...product(variant('a', 2_500), variant('b'), variant('c')), [ETAG]: '"2.1"' }
  const save = async (patch: Patch, decide: (merged: { conflicts: { field: string }[] }) => unknown) => {
    const bodies: Body[] = []
    const saved = await saveProduct({
      product: mine,
      edits: edit(mine, patch),
      markets: MARKETS,
      read: async () => theirs,
      write: async (body: Body) => {
        bodies.push(body)
        if (bodies.length === 1)
          throw new dashboardSdk.KontorError({ status: 412, code: 'PRECONDITION_FAILED', message: '', details: [] })
        return theirs
      },
      decide: async (merged: { conflicts: { field: string }[]; value: unknown }) => decide(merged),
    })
    return { bodies, saved }
  }
  const apart = await save({ 'price/b/eu': 2_290 }, () => assert.fail('nothing to decide'))
  assert.deepEqual(
    apart.bodies[1]?.variants.map(({ pricing }: { pricing?: object }) => pricing !== undefined),
    [false, true, false],
  )
  const asked: string[] = []
  const both = await save({ 'price/a/eu': 2_290 }, ({ conflicts }) => {
    asked.push(...conflicts.map(({ field }) => field))
    return undefined
  })
  assert.deepEqual(asked, ['price/a/eu'])
  assert.equal(both.saved, undefined)
  assert.equal(both.bodies.length, 1)
})
