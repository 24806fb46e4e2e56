import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CURRENCIES, exponentOf } from '#vocabulary/currencies.ts'
import { dashboardSource } from '../support/dashboard-source.ts'

type Method = { price: unknown }
type Market = { id: string; currency: string }

const { createFormat } = (await dashboardSource('i18n/format.ts')) as {
  createFormat: (
    locale: string,
    timeZone: string,
  ) => { moneyParts: (amount: number, currency: string) => { figure: string } }
}
const { parseAmount, plainAmount } = (await dashboardSource('products/amount.ts')) as {
  parseAmount: (text: string, currency: string) => number | undefined
  plainAmount: (minor: number, currency: string) => string
}
const { readAmount, unitFor } = (await dashboardSource('orders/amounts.ts')) as {
  readAmount: (typed: string, currency: string) => number | undefined
  unitFor: (search: { currency: string[] }, markets: Market[]) => number
}
const { changesOf } = (await dashboardSource('bulk-edits/rules.ts')) as {
  changesOf: (rule: object, markets: Market[]) => { value: unknown }[]
}
const market = (await dashboardSource('settings/markets/form.ts')) as {
  toForm: (market: object) => { shippingMethods: Method[] }
  readForm: (form: object) => { market: { shippingMethods: Method[] } }
}
const promo = (await dashboardSource('promos/promo/form.ts')) as {
  toForm: (promo: object, business: object, timeZone: string) => { value: string; minSubtotal: string }
  readForm: (form: object, business: object, timeZone: string) => { body: { value: number; minSubtotal: number } }
}

/** Seven coins and, where there are parts of them, some of these. */
const amounts = CURRENCIES.map((currency) => {
  const part = '505'.slice(0, exponentOf(currency))
  return { currency, minor: Number(`7${part}`), text: part === '' ? '7' : `7.${part}` }
})

test('every currency is shown with the digits that the service counts', () => {
  const { moneyParts } = createFormat('en', 'UTC')
  for (const { currency, minor, text } of amounts) {
    assert.equal(moneyParts(minor, currency).figure, text, currency)
    assert.equal(plainAmount(minor, currency), text, currency)
  }
})

test('what is typed in any currency is the amount that the service means', () => {
  for (const { currency, minor, text } of amounts) {
    assert.equal(parseAmount(text, currency), minor, currency)
    assert.equal(readAmount(text, currency), minor, currency)
    assert.equal(unitFor({ currency: [currency] }, []), 10 ** exponentOf(currency), currency)
    const rule = { field: 'price:here', op: 'set', value: text, round: '' }
    assert.equal(changesOf(rule, [{ id: 'here', currency }])[0]?.value, minor, currency)
  }
})

test('shipping and promo codes come back from their forms as they were, and stand there as people write them', () => {
  for (const { currency, minor, text } of amounts) {
    const shipping = { id: 'post', name: 'Post', price: minor }
    const form = market.toForm({
      id: 'here',
      name: 'Here',
      currency,
      taxBps: 0,
      taxRates: [],
      shippingMethods: [shipping],
    })
    assert.equal(form.shippingMethods[0]?.price, text, currency)
    assert.deepEqual(market.readForm(form).market.shippingMethods, [shipping], currency)

    const business = { markets: [{ id: 'here', currency }] }
    const terms = { maxRedemptions: null, maxPerCustomer: null, startsAt: null, endsAt: null, markets: null }
    const code = { code: 'SEVEN', type: 'FIXED', value: minor, currency, minSubtotal: minor, ...terms }
    const typed = promo.toForm(code, business, 'UTC')
    assert.deepEqual([typed.value, typed.minSubtotal], [text, text], currency)
    const { body } = promo.readForm(typed, business, 'UTC')
    assert.deepEqual([body.value, body.minSubtotal], [minor, minor], currency)
  }
})
