import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardSource } from '../../../../../test/support/dashboard-source.ts'
import type * as Form from './form.ts'

const { codeOf, emptyForm, readForm, toForm } = (await dashboardSource('settings/markets/form.ts')) as typeof Form

const MARKET = {
  id: 'de',
  name: 'Germany',
  currency: 'EUR',
  taxBps: 1_900,
  taxShipping: true,
  pricesIncludeTax: true,
  taxRates: [{ taxClass: 'reduced', taxBps: 750 }],
  shippingMethods: [
    { id: 'dhl', name: 'DHL', price: 490, freeFrom: 5_000 },
    { id: 'pickup', name: 'Pickup', price: 0 },
  ],
  paymentMethods: ['CREDIT_CARD' as const],
}

test('a market comes back from the form as it was, in any currency', () => {
  for (const currency of ['EUR', 'JPY', 'KWD']) {
    const market = { ...MARKET, currency }
    const { market: read, problems } = readForm(toForm(market))
    assert.deepEqual(problems, {})
    assert.deepEqual(read, market)
  }
})

test('figures are read with a comma or a point, rates to a hundredth of a percent', () => {
  const form = { ...toForm(MARKET), percent: '19,25' }
  form.shippingMethods = [{ id: 'a', name: 'A', price: '4,9', freeFrom: '' }]
  const { market, problems } = readForm(form)
  assert.deepEqual(problems, {})
  assert.deepEqual([market.taxBps, market.shippingMethods], [1_925, [{ id: 'a', name: 'A', price: 490 }]])
})

test('what cannot be is said where it stands', () => {
  const form = {
    ...emptyForm('EURO'),
    id: 'with space',
    percent: '101',
    taxRates: [
      { taxClass: 'Reduced', percent: '7' },
      { taxClass: 'books', percent: '' },
      { taxClass: 'books', percent: 'x' },
    ],
    shippingMethods: [{ id: 'a', name: ' ', price: '-1', freeFrom: '1.234' }],
  }
  assert.deepEqual(readForm(form).problems, {
    id: 'code',
    name: 'missing',
    currency: 'currency',
    percent: 'percent',
    'taxRates.0.taxClass': 'class',
    'taxRates.1.percent': 'missing',
    'taxRates.2.taxClass': 'twice',
    'taxRates.2.percent': 'figure',
    'shippingMethods.0.name': 'missing',
    'shippingMethods.0.price': 'figure',
    'shippingMethods.0.freeFrom': 'figure',
  })
  assert.equal(readForm({ ...toForm(MARKET) }, ['de']).problems.id, 'twice')
})

test('a code is made of a name, and never one that is taken', () => {
  assert.deepEqual(
    [codeOf('United States', []), codeOf('Österreich', ['x']), codeOf('日本', []), codeOf('Standard', ['standard'])],
    ['united-states', 'osterreich', 'one', 'standard-2'],
  )
})

test('a shipping price must be a multiple of the currency step, but not a threshold', () => {
  const form = (price: string, currency: string) => ({
    ...toForm({ ...MARKET, currency }),
    shippingMethods: [{ id: 'a', name: 'A', price, freeFrom: '9.995' }],
  })
  assert.deepEqual(readForm(form('1.002', 'KWD')).problems, { 'shippingMethods.0.price': 'step' })
  assert.deepEqual(readForm(form('1.010', 'KWD')).problems, {})
})
