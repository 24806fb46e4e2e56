import type { Market } from '#vocabulary/business.ts'

const paymentMethods: Market['paymentMethods'] = ['CREDIT_CARD', 'CARD_PROVIDER']

/** A price never holds its tax: it comes on top, in both markets. Shops have to say so beside each price. */
export const MARKETS: Market[] = [
  {
    id: 'us',
    name: 'United States',
    currency: 'USD',
    taxBps: 725,
    taxShipping: false,
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
    shippingMethods: [
      { id: 'standard', name: 'Standard, 2 to 4 days', price: 490, freeFrom: 6_900 },
      { id: 'express', name: 'Express, next working day', price: 1_490 },
    ],
    paymentMethods,
  },
]
