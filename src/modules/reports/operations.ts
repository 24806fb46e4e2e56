import { operation } from '#platform/http/operation.ts'
import { BusinessParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

const COUNTED =
  'Counted are orders whose payment is PAID, PARTIALLY_REFUNDED or REFUNDED, at the time when they were made. Figures follow a change within seconds; `upToEvent` says how far.'

export const readSales = operation({
  method: 'GET',
  url: '/reports/sales',
  config: { access: 'ORDERS_READ', business: 'path', reads: 'replica' },
  schema: {
    operationId: 'readSalesReport',
    tags: ['Reports'],
    summary: 'Sales over time',
    description: `A row for each interval, market and currency that has something; 800 intervals at most. ${COUNTED}`,
    params: BusinessParams,
    querystring: shape.SalesQuery,
    response: { 200: shape.SalesReport },
  },
})

export const readCustomers = operation({
  method: 'GET',
  url: '/reports/customers',
  config: { access: 'ORDERS_READ', business: 'path', reads: 'replica' },
  schema: {
    operationId: 'readCustomersReport',
    tags: ['Reports'],
    summary: 'New and returning customers',
    description: `As the sales, with a row for orders that are the first of their customer, and one for all others: \`orders\` of \`NEW\` is the number of new customers. ${COUNTED}`,
    params: BusinessParams,
    querystring: shape.SalesQuery,
    response: { 200: shape.CustomersReport },
  },
})

export const readProducts = operation({
  method: 'GET',
  url: '/reports/products',
  config: { access: 'ORDERS_READ', business: 'path', reads: 'replica' },
  schema: {
    operationId: 'readProductsReport',
    tags: ['Reports'],
    summary: 'What sells',
    description: `A row for each variant, market and currency that was sold in these days. From and to are widened to whole days of the business. ${COUNTED}`,
    params: BusinessParams,
    querystring: shape.ProductsQuery,
    response: { 200: shape.ProductsReport },
  },
})

export const readPromoCodes = operation({
  method: 'GET',
  url: '/reports/promo-codes',
  config: { access: 'ORDERS_READ', business: 'path', reads: 'replica' },
  schema: {
    operationId: 'readPromoCodesReport',
    tags: ['Reports'],
    summary: 'What promo codes brought',
    description: `A row for each code, market and currency that was used in these days: the figures of the orders with it. From and to are widened to whole days of the business. ${COUNTED}`,
    params: BusinessParams,
    querystring: shape.ProductsQuery,
    response: { 200: shape.PromoCodesReport },
  },
})

export const readSubscribers = operation({
  method: 'GET',
  url: '/reports/subscribers',
  config: { access: 'SUBSCRIBERS_READ', business: 'path', reads: 'replica' },
  schema: {
    operationId: 'readSubscribersReport',
    tags: ['Reports'],
    summary: 'Subscribers over time',
    description:
      'A row for each interval and newsletter that has something: who became active, who is active no longer, and how many are at its end.',
    params: BusinessParams,
    querystring: shape.SubscribersQuery,
    response: { 200: shape.SubscribersReport },
  },
})

export const readHome = operation({
  method: 'GET',
  url: '/reports/home',
  config: { access: ['ORDERS_READ', 'PRODUCTS_WRITE', 'SUBSCRIBERS_READ'], business: 'path' },
  schema: {
    operationId: 'readHomeReport',
    tags: ['Reports'],
    summary: 'The day at a glance',
    description: `Today against the same weekday last week, what needs a person, what sells, and what runs low; of these, what you may see: sales and payments with ORDERS_READ, stock and imports with PRODUCTS_WRITE, newsletters with SUBSCRIBERS_READ. ${COUNTED}`,
    params: BusinessParams,
    response: { 200: shape.HomeReport },
  },
})
