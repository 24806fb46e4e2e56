import type { Market } from '#vocabulary/business.ts'

const paymentMethods: Market['paymentMethods'] = ['CREDIT_CARD', 'CARD_PROVIDER']

/** Prices have the tax inside in Europe, and get it on top in the United States. Storefronts have to say so beside each price. */
export const MARKETS: Market[] = [
  {
    id: 'us',
    name: 'United States',
    currency: 'USD',
    taxBps: 725,
    taxShipping: false,
    pricesIncludeTax: false,
    taxRates: [],
    shippingMethods: [
      { id: 'standard', name: 'Standard, 3 to 5 days', price: 595, freeFrom: 7_500 },
      { id: 'express', name: 'Express, next working day', price: 1_895 },
      { id: 'pickup', name: 'Pick up at the harbour', price: 0 },
    ],
    paymentMethods,
  },
  {
    id: 'eu',
    name: 'European Union',
    currency: 'EUR',
    taxBps: 1_900,
    taxShipping: true,
    pricesIncludeTax: true,
    taxRates: [],
    shippingMethods: [
      { id: 'standard', name: 'Standard, 2 to 4 days', price: 490, freeFrom: 6_900 },
      { id: 'express', name: 'Express, next working day', price: 1_490 },
    ],
    paymentMethods,
  },
]
