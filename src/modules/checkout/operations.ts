import { operation } from '#platform/http/operation.ts'
import { BusinessParams, RecordParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const listAddressFormats = operation({
  method: 'GET',
  url: '/v1/address-formats',
  config: { access: 'public', business: 'none' },
  schema: {
    operationId: 'listAddressFormats',
    tags: ['Checkout'],
    summary: 'List address formats',
    description: 'Returns all countries with the address fields that a checkout form needs.',
    querystring: shape.AddressFormatQuery,
    response: { 200: shape.AddressFormats },
  },
})

export const quote = operation({
  method: 'POST',
  url: '/v1/payments/quote',
  config: { access: 'guest', business: 'body' },
  schema: {
    operationId: 'quote',
    tags: ['Checkout'],
    summary: 'Quote a price',
    description: 'Calculates the price of a cart without creating an order. `items` is an alias of `lines`.',
    body: shape.QuoteBody,
    response: { 200: shape.Quote },
  },
})

export const tryPromoCode = operation({
  method: 'POST',
  url: '/v1/businesses/:businessId/promo-codes/try',
  config: { access: 'PROMOS_WRITE', business: 'path' },
  schema: {
    operationId: 'tryPromoCode',
    tags: ['Promo codes'],
    summary: 'Try a promo code on a cart',
    description:
      'Calculates the discount of an unsaved promo code on a sample cart, with all steps. Uses the taxes and shipping methods of the market and skips callouts.',
    params: BusinessParams,
    body: shape.TryPromoBody,
    response: { 200: shape.TriedPromo },
  },
})

export const tryMarket = operation({
  method: 'POST',
  url: '/v1/businesses/:businessId/markets/try',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'tryMarket',
    tags: ['Businesses'],
    summary: 'Try a market on carts',
    description:
      'Calculates what customers would pay in an unsaved market, with its taxes and shipping. Items are given by price and tax class. Skips callouts.',
    params: BusinessParams,
    body: shape.TryMarketBody,
    response: { 200: shape.TriedMarket },
  },
})

export const checkout = operation({
  method: 'POST',
  url: '/v1/businesses/:businessId/orders/checkout',
  config: { access: 'guest', business: 'path', idempotent: true, fails: [403, 502] },
  schema: {
    operationId: 'checkout',
    tags: ['Checkout'],
    summary: 'Check out',
    description:
      'Creates the order and reserves its stock. Returns the URL of the payment page, or `COMPLETED` if the total is 0. Orders ' +
      'that are not paid within one hour are canceled. A caller can have up to 10 unpaid orders.',
    params: BusinessParams,
    body: shape.CheckoutBody,
    response: { 200: shape.CheckoutResult },
  },
})

export const explainOrder = operation({
  method: 'GET',
  url: '/v1/businesses/:businessId/orders/:id/explain',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'explainOrder',
    tags: ['Orders'],
    summary: 'Explain an order’s calculation',
    description: 'Recalculates the order step by step and compares the result with its stored amounts.',
    params: RecordParams,
    response: { 200: shape.Explanation },
  },
})
