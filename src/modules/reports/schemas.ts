import { type Static, Type } from 'typebox'
import {
  Currency,
  idOf,
  MarketId,
  moneyOf,
  Nullable,
  OneOf,
  PageQuery,
  ProductId,
  UnixSeconds,
  VariantId,
} from '#vocabulary/schemas.ts'

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]
export const CUSTOMERS = ['NEW', 'RETURNING'] as const
export const PRODUCT_SORTS = ['-net', '-units'] as const
export type ProductSort = (typeof PRODUCT_SORTS)[number]

const Count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

const figures = {
  orders: Count('Whose payment is PAID, PARTIALLY_REFUNDED or REFUNDED.', 3),
  units: Count('Pieces in their lines.', 5),
  subtotal: moneyOf(5_000),
  discount: moneyOf(500),
  shipping: moneyOf(900),
  tax: Type.Integer({ ...moneyOf(1_026), description: 'On top of the prices and inside them.' }),
  total: moneyOf(6_426),
  refunded: Type.Integer({ ...moneyOf(1_000), description: 'Of these orders, so far.' }),
  net: Type.Integer({ ...moneyOf(5_426), description: '`total` less `refunded`.' }),
}
const Figures = Type.Object(figures)
/** What is added up. */
export type Figures = Static<typeof Figures>

const span = {
  from: Type.Integer({ ...UnixSeconds, description: 'The beginning, inclusive.' }),
  to: Type.Integer({ ...UnixSeconds, description: 'The end, exclusive.' }),
}
const OrderQueryText = Type.String({
  description: 'The query of `GET …/orders` for exactly these orders.',
  examples: [
    'createdFrom=1788998400&createdTo=1789084800&paymentStatus=PAID&paymentStatus=PARTIALLY_REFUNDED&paymentStatus=REFUNDED&market=us&currency=USD',
  ],
})
const Previous = Type.Object(
  { ...span, ...figures, orderQuery: OrderQueryText },
  { title: 'ReportBefore', description: 'With `compare`: the same of the time before.' },
)
const row = {
  ...span,
  market: MarketId,
  currency: Currency,
  ...figures,
  orderQuery: OrderQueryText,
  previous: Type.Optional(Previous),
}
export const SalesRow = Type.Object(row, { title: 'SalesRow' })
export type SalesRow = Static<typeof SalesRow>
export const CustomersRow = Type.Object(
  {
    ...row,
    customer: OneOf(CUSTOMERS, { description: '`NEW`: the first order of its customer that was paid.' }),
  },
  { title: 'CustomersRow' },
)
export type CustomersRow = Static<typeof CustomersRow>
const SHARES =
  'Of the lines with it: `total` is theirs after discount and tax, `refunded` their share of what went back. `shipping` belongs to no product, and is 0.'
export const ProductsRow = Type.Object(
  {
    ...row,
    productId: ProductId,
    variantId: VariantId,
    name: Type.String({ description: 'As it was sold last.', examples: ['Harbour lantern'] }),
  },
  { title: 'ProductsRow', description: SHARES },
)
export type ProductsRow = Static<typeof ProductsRow>
export const PromoCodesRow = Type.Object(
  { ...row, promoCode: Type.String({ examples: ['SUMMER'] }) },
  { title: 'PromoCodesRow' },
)
export type PromoCodesRow = Static<typeof PromoCodesRow>

const readers = {
  joined: Count('Became active.', 12),
  left: Count('Were active, and are no longer.', 2),
  active: Count('At the end.', 1_204),
}
export const SubscribersRow = Type.Object(
  {
    ...span,
    collectionId: idOf('col', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    ...readers,
    previous: Type.Optional(
      Type.Object(
        { ...span, ...readers },
        { title: 'SubscribersBefore', description: 'With `compare`: the same of the time before.' },
      ),
    ),
  },
  { title: 'SubscribersRow' },
)
export type SubscribersRow = Static<typeof SubscribersRow>

const upToEvent = Type.Integer({
  minimum: 0,
  description: 'Number of the last event included in the figures. 0 while the reports are being rebuilt.',
  examples: [4_812],
})

export const SalesReport = Type.Object({ items: Type.Array(SalesRow), upToEvent }, { title: 'SalesReport' })
export type SalesReport = Static<typeof SalesReport>
export const CustomersReport = Type.Object({ items: Type.Array(CustomersRow), upToEvent }, { title: 'CustomersReport' })
export type CustomersReport = Static<typeof CustomersReport>
const cursor = Nullable(
  Type.String({ description: 'Hand it back to get the next page; `null` on the last.', examples: ['WyJ4IiwiYSJd'] }),
)
export const ProductsReport = Type.Object(
  { items: Type.Array(ProductsRow), cursor, upToEvent },
  { title: 'ProductsReport' },
)
export type ProductsReport = Static<typeof ProductsReport>
export const PromoCodesReport = Type.Object(
  { items: Type.Array(PromoCodesRow), cursor, upToEvent },
  { title: 'PromoCodesReport' },
)
export type PromoCodesReport = Static<typeof PromoCodesReport>
export const SubscribersReport = Type.Object(
  { items: Type.Array(SubscribersRow), upToEvent },
  { title: 'SubscribersReport' },
)
export type SubscribersReport = Static<typeof SubscribersReport>

export const TASKS = [
  'ORDERS_TO_SHIP',
  'PAYMENTS_TO_CHECK',
  'REFUNDS_FAILED',
  'SENDS_STOPPED',
  'IMPORTS_INCOMPLETE',
] as const
const Task = Type.Object(
  {
    task: OneOf(TASKS, {
      description:
        '`ORDERS_TO_SHIP`: paid, and something has not gone out. `PAYMENTS_TO_CHECK`: paid, but not what was asked for. `REFUNDS_FAILED`: of the last 30 days, and no other was asked for since. `SENDS_STOPPED`: newsletters that a problem has paused. `IMPORTS_INCOMPLETE`: files of products of the last 7 days of which lines were left out.',
    }),
    count: Type.Integer({ minimum: 1, examples: [4] }),
    isExact: Type.Boolean({ description: '`false`: there are more than were counted.', examples: [true] }),
    orderQuery: Nullable(Type.String({ ...OrderQueryText, description: 'The list; null where it is not of orders.' })),
  },
  { title: 'Task' },
)
export type Task = Static<typeof Task>
const LowStock = Type.Object(
  {
    productId: ProductId,
    variantId: VariantId,
    productName: Type.String({ examples: ['Watch Mug'] }),
    variantName: Type.String({ examples: ['Navy 350 ml'] }),
    sku: Type.String({ examples: ['HG001-WM-NAV-M'] }),
    quantity: Type.Integer({ minimum: 0, examples: [2] }),
    lowStockThreshold: Nullable(Type.Integer({ examples: [5] })),
  },
  { title: 'LowStock' },
)
export type LowStock = Static<typeof LowStock>
export const HomeReport = Type.Object(
  {
    today: Type.Array(SalesRow, {
      description:
        'Today so far, with the same weekday last week up to the same quarter of an hour as `previous`; this and `selling` are empty without ORDERS_READ.',
    }),
    needsPerson: Type.Array(Task, { description: 'What waits for somebody; of what you may see.' }),
    selling: Type.Array(ProductsRow, {
      description: 'What brought most in the last seven days and today, in the currency of most orders; 5 at most.',
    }),
    lowStock: Type.Array(LowStock, { description: 'The lowest first, 5 at most; none without PRODUCTS_WRITE.' }),
    upToEvent,
  },
  { title: 'HomeReport' },
)
export type HomeReport = Static<typeof HomeReport>

const time = {
  from: Type.Optional(
    Type.Integer({ ...UnixSeconds, description: 'A time in the first interval. Absent: 30 days before `to`.' }),
  ),
  to: Type.Optional(
    Type.Integer({
      ...UnixSeconds,
      description: 'The end, exclusive: the interval before it is the last. Absent: now.',
    }),
  ),
  compare: Type.Optional(
    OneOf(['previous'], { description: 'Each row also with the figures of the same length of time right before.' }),
  ),
}
const interval = Type.Optional(
  OneOf(INTERVALS, {
    default: 'day',
    description: 'In the time zone of the business. Weeks begin on Monday. First and last are whole ones.',
  }),
)
const places = {
  market: Type.Optional(MarketId),
  currency: Type.Optional(Type.String({ ...Currency, description: 'Only this currency.' })),
}
const known = {
  upToEvent: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The number of an event that you know of: figures that lack it are read again where everything is.',
      examples: [4_812],
    }),
  ),
}
export const SalesQuery = Type.Object({ ...time, interval, ...places, ...known })
export type SalesQuery = Static<typeof SalesQuery>
const sort = Type.Optional(OneOf(PRODUCT_SORTS, { default: '-net', description: 'The highest first.' }))
export const ProductsQuery = Type.Object({ ...PageQuery, ...time, ...places, sort, ...known })
export type ProductsQuery = Static<typeof ProductsQuery>
export const SubscribersQuery = Type.Object({
  ...time,
  interval,
  collectionId: Type.Optional(idOf('col', '01jcq3v7k8f5t9x2m4n6p8r0sw')),
  ...known,
})
export type SubscribersQuery = Static<typeof SubscribersQuery>
