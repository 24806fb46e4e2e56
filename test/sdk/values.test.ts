import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CURRENCIES, exponentOf, stepOf } from '#vocabulary/currencies.ts'
import {
  amountStep,
  blockText,
  blockValue,
  formatPrice,
  fractionDigits,
  priceOf,
} from '../../packages/sdk/src/index.ts'

test('prices have the digits of ISO 4217, whatever is customary', () => {
  const plain = (text: string) => text.replaceAll(/\s/g, ' ')
  assert.equal(formatPrice(1_999, 'USD', 'en'), '$19.99')
  assert.equal(formatPrice(5, 'usd', 'en'), '$0.05')
  assert.deepEqual(['huf', 'J', ''].map(fractionDigits), [2, 2, 2])
  assert.equal(formatPrice(-1_999, 'USD', 'en'), '-$19.99')
  assert.equal(plain(formatPrice(199_900, 'HUF', 'de')), '1.999,00 HUF')
  assert.equal(formatPrice(1_980, 'JPY', 'en'), '¥1,980')
  assert.equal(plain(formatPrice(12_345, 'KWD', 'en')), 'KWD 12.345')
  assert.equal(formatPrice(Number.MAX_SAFE_INTEGER, 'USD', 'en'), '$90,071,992,547,409.91')
})

test('the client and the service count the same minor units', () => {
  for (const currency of new Set([...CURRENCIES, ...Intl.supportedValuesOf('currency')])) {
    assert.equal(fractionDigits(currency), exponentOf(currency), currency)
    assert.equal(amountStep(currency), stepOf(currency), currency)
    const [, rest = ''] = /\.(\d+)$/.exec(formatPrice(123_456, currency, 'en')) ?? []
    assert.equal(rest.length, exponentOf(currency), currency)
  }
})

test('a variant has the price of the market, or none', () => {
  const markets = [{ marketId: 'us', currency: 'USD', price: 1_999 }]
  assert.equal(priceOf({ pricing: { markets } }, 'us')?.price, 1_999)
  assert.equal(priceOf({ pricing: { markets } }, 'de'), undefined)
})

test('a text comes in the language that was asked for, or the nearest one', () => {
  const title = { en: 'Boat', 'de-CH': 'Boot' }
  const blocks = [
    { id: 'title', type: 'TEXT' as const, value: title },
    { id: 'plain', type: 'TEXT' as const, value: 'Harbour' },
    { id: 'length', type: 'NUMBER' as const, value: 0 },
    { id: 'place', type: 'GEO_LOCATION' as const, value: { latitude: 54.3, longitude: 10.1 } },
    { id: 'tags', type: 'MULTI_SELECT' as const, value: ['a', 'b'] },
    { id: 'empty', type: 'TEXT' as const },
  ]
  const inLocales = ['en', 'en-GB', 'de-CH', 'de', 'de-AT', 'fr', undefined].map((one) =>
    blockText(blocks, 'title', one),
  )
  assert.deepEqual(inLocales, ['Boat', 'Boat', 'Boot', 'Boot', 'Boot', 'Boat', 'Boat'])
  assert.equal(blockText(blocks, 'plain', 'de'), 'Harbour')
  assert.equal(blockValue<number>(blocks, 'length'), 0)
  assert.deepEqual(blockValue(blocks, 'place', 'en'), { latitude: 54.3, longitude: 10.1 })
  assert.deepEqual(
    ['length', 'tags', 'empty', 'none'].map((id) => blockText(blocks, id)),
    ['0', 'a, b', '', ''],
  )
  assert.equal(blockValue(blocks, 'none'), undefined)
})
