import type { Market } from '#vocabulary/business.ts'

type Preset = [id: string, name: string, currency: string, taxBps: number, shipping: number]

/**
 * At the country's standard rate. Where one rate does not fit all (the states of the USA, the provinces of Canada beyond
 * its GST, the EU as one market) it is 0 or the lowest, and has to be set.
 */
const PRESETS: Preset[] = [
  ['us', 'United States', 'USD', 0, 595],
  ['ca', 'Canada', 'CAD', 500, 995],
  ['gb', 'United Kingdom', 'GBP', 2_000, 395],
  ['eu', 'European Union', 'EUR', 0, 590],
  ['de', 'Germany', 'EUR', 1_900, 490],
  ['at', 'Austria', 'EUR', 2_000, 490],
  ['fr', 'France', 'EUR', 2_000, 490],
  ['nl', 'Netherlands', 'EUR', 2_100, 490],
  ['ch', 'Switzerland', 'CHF', 810, 700],
  ['au', 'Australia', 'AUD', 1_000, 995],
]
/** In most states shipping is not taxed. */
const SHIPPING_IS_NOT_TAXED = new Set(['us'])
/** Elsewhere shoppers must be shown prices with the tax inside. */
const TAX_IS_ADDED = new Set(['us', 'ca'])

/** Markets for a new business: ready to sell, and changeable through the API. */
export const MARKET_PRESETS: readonly Market[] = PRESETS.map(([id, name, currency, taxBps, shipping]) => ({
  id,
  name,
  currency,
  taxBps,
  taxShipping: !SHIPPING_IS_NOT_TAXED.has(id),
  pricesIncludeTax: !TAX_IS_ADDED.has(id),
  taxRates: [],
  shippingMethods: [{ id: 'standard', name: 'Standard', price: shipping }],
  paymentMethods: ['CREDIT_CARD'],
}))
