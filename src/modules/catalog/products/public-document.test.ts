import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EMPTY_PRODUCT, EMPTY_VARIANT, optionsOf, type Product, type Variant } from './product.ts'
import { localesFor, type PublicReader, toPublicAnswer, toPublicDocument } from './public-document.ts'

const AT = new Date('2026-05-01T12:00:00Z')
const AT_SECONDS = AT.getTime() / 1_000

const productOf = (fields: Partial<Product>): Product => ({
  id: 'prod_1',
  businessId: 'biz_1',
  ...EMPTY_PRODUCT,
  statuses: [{ id: 'one', status: 'ACTIVE', changedBy: 'USER', userId: 'usr_staff', timestamp: 1 }],
  variants: [],
  pricesChangeAt: null,
  version: 1,
  createdAt: AT,
  updatedAt: AT,
  ...fields,
})
const variantOf = (fields: Partial<Variant>): Variant => ({ id: 'one', ...EMPTY_VARIANT, ...fields })

const STRANGER: PublicReader = { market: undefined, locales: [], showQuantity: false }
const read = (product: Product, quantities: string | null, reader: Partial<PublicReader> = {}) =>
  JSON.parse(toPublicAnswer(toPublicDocument(product, AT), quantities, { ...STRANGER, ...reader }))

test('a stranger learns nothing of drafts, thresholds, quantities, people, orders and planned prices', () => {
  const relation = (targetType: 'USER' | 'ORDER' | 'PRODUCT') => ({
    id: targetType,
    type: 'RELATIONSHIP' as const,
    settings: { targetType },
    value: `secret_${targetType}`,
  })
  const product = productOf({
    blocks: [relation('USER'), relation('ORDER'), relation('PRODUCT')],
    variants: [
      variantOf({
        lowStockThreshold: 3,
        prices: [
          { marketId: 'us', currency: 'USD', price: 1_000 },
          { marketId: 'us', currency: 'USD', price: 4_321, validFrom: AT_SECONDS + 1 },
          { marketId: 'de', currency: 'EUR', price: 900 },
        ],
      }),
    ],
  })
  const text = JSON.stringify(read(product, '2', { market: 'us' }))
  for (const secret of [
    'usr_staff',
    'statuses',
    'lowStockThreshold',
    'quantity',
    'secret_USER',
    'secret_ORDER',
    '4321',
    '900',
  ])
    assert.ok(!text.includes(secret), secret)
  assert.ok(text.includes('secret_PRODUCT'))
})

test('availability says whether there is any, few or none', () => {
  const availabilityOf = (quantity: number, fields: Partial<Variant>) =>
    read(productOf({ variants: [variantOf(fields)] }), String(quantity)).variants[0].availability
  assert.deepEqual(
    [
      availabilityOf(4, { lowStockThreshold: 3 }),
      availabilityOf(3, { lowStockThreshold: 3 }),
      availabilityOf(0, { lowStockThreshold: 3 }),
      availabilityOf(1, {}),
      availabilityOf(0, { tracked: false }),
    ],
    ['IN_STOCK', 'LOW_STOCK', 'OUT_OF_STOCK', 'IN_STOCK', 'IN_STOCK'],
  )
})

test('a regional locale takes what it has, then its language, then the default', () => {
  const product = productOf({
    name: 'Mug',
    slug: 'mug',
    description: 'Fired twice',
    translations: {
      de: { name: 'Becher', slug: 'becher', description: 'Zweimal gebrannt' },
      'de-CH': { name: 'Tasse' },
    },
    variants: [
      variantOf({
        attributes: [
          { name: 'Colour', value: 'Blue' },
          { name: 'Size', value: 'L' },
        ],
        translations: { de: { attributes: [{ name: 'Farbe', value: 'Blau' }] } },
      }),
    ],
  })
  const swiss = read(product, '1', { locales: localesFor('de-CH') })
  assert.deepEqual([swiss.name, swiss.slug, swiss.description], ['Tasse', 'becher', 'Zweimal gebrannt'])
  assert.deepEqual(swiss.options, [
    { name: 'Farbe', values: ['Blau'] },
    { name: 'Size', values: ['L'] },
  ])
  assert.deepEqual(swiss.translations, { de: { slug: 'becher' }, 'de-CH': { slug: 'mug' } })
  assert.equal(read(product, '1', { locales: localesFor('fr') }).name, 'Mug')
  assert.deepEqual(read(product, '1').translations, product.translations)
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('\u0001', '\u0002us\u0004', '"', '\\', '*'),
)
const locale = fc.constantFrom('de', 'de-CH', 'fr')
const price = fc.record({
  marketId: fc.constantFrom('us', 'de'),
  price: fc.nat(),
  validFrom: fc.option(fc.constantFrom(AT_SECONDS - 10, AT_SECONDS + 10), { nil: undefined }),
})
const variant = fc.record({
  name: text,
  tracked: fc.boolean(),
  lowStockThreshold: fc.option(fc.nat(5)),
  attributes: fc.array(fc.record({ name: text, value: text }), { maxLength: 3 }),
  translations: fc.dictionary(locale, fc.record({ name: text }), { noNullPrototype: true }),
  prices: fc.uniqueArray(price, { selector: ({ marketId, validFrom }) => `${marketId} ${validFrom}`, maxLength: 4 }),
})

test('whatever a product holds, each reader gets what a plain computation gives', () => {
  const products = fc.record({
    name: text,
    description: text,
    translations: fc.dictionary(locale, fc.record({ name: text }, { requiredKeys: [] }), { noNullPrototype: true }),
    variants: fc.array(variant, { maxLength: 3 }),
  })
  const readers = fc.record({
    market: fc.constantFrom(undefined, 'us', 'de', 'jp'),
    locales: fc.constantFrom(undefined, 'de', 'de-CH', 'en').map(localesFor),
    showQuantity: fc.boolean(),
  })
  fc.assert(
    fc.property(products, readers, fc.array(fc.nat(6), { minLength: 3, maxLength: 3 }), (made, reader, left) => {
      const variants = made.variants.map((each, index) => {
        const prices = each.prices.map(({ validFrom, ...one }) => ({
          ...one,
          currency: 'USD',
          ...(validFrom !== undefined && { validFrom }),
        }))
        return variantOf({ ...each, id: `v${index}`, prices })
      })
      const product = productOf({ ...made, variants })
      const quantities = variants.length > 0 ? left.slice(0, variants.length).join() : null
      const shown = read(product, quantities, reader)
      const inLocale = (texts: Record<string, { name?: string }>, name: string) =>
        reader.locales.map((one) => texts[one]?.name).find((one) => one) ?? name
      assert.equal(shown.name, inLocale(product.translations, product.name))
      assert.equal(shown.description, product.description)
      assert.deepEqual(shown.options, optionsOf(variants.map(({ attributes }) => attributes)))
      for (const [index, { name, translations, prices, tracked, lowStockThreshold }] of variants.entries()) {
        const one = shown.variants[index]
        assert.equal(one.name, inLocale(translations, name))
        const ofMarket = prices.filter(({ marketId }) => marketId === reader.market)
        const holding =
          ofMarket.find(({ validFrom }) => validFrom !== undefined && validFrom <= AT_SECONDS) ??
          ofMarket.find(({ validFrom }) => validFrom === undefined)
        assert.deepEqual(
          one.pricing.markets.map((each: { price: number }) => each.price),
          holding ? [holding.price] : [],
        )
        const quantity = left[index] as number
        assert.deepEqual(one.inventory, { tracked, ...(reader.showQuantity && { quantity }) })
        const isLow = lowStockThreshold !== null && quantity <= lowStockThreshold
        const some = isLow ? 'LOW_STOCK' : 'IN_STOCK'
        assert.equal(one.availability, !tracked ? 'IN_STOCK' : quantity === 0 ? 'OUT_OF_STOCK' : some)
      }
    }),
    { numRuns: 2_000 },
  )
})
