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
    description: 'All countries, with the fields of their addresses: for the form of a checkout.',
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
    description: 'What a checkout would cost now. Has no effect. `items` is another name for `lines`.',
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
      'What a code would give, with its steps, before it is saved. Callouts are not asked: taxes and shipping are those of the market. Has no effect.',
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
      'What shoppers would pay in a market, with its taxes and shipping, before it is saved; goods are made up by price and tax class. Callouts are not asked. Has no effect.',
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
      'Creates the order and takes its stock. Returns where to pay, or, if there is nothing to pay, `COMPLETED`. An order ' +
      'that is not paid within an hour is cancelled. Ten of a caller may wait to be paid at a time.',
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
    summary: 'Explain an order’s figures',
    description: 'Computes them again, step by step, and says whether they still add up.',
    params: RecordParams,
    response: { 200: shape.Explanation },
  },
})
