import type { Query } from '@kontor/sdk'
import { daysAgo, isDay, nextDay, startOfDay } from '../i18n/days.ts'
import { oneOf, type Search, wholeOf, wordOf, wordsOf } from '../shell/search.ts'

export const STATUSES = ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED'] as const
export const PAYMENT_STATUSES = ['PENDING', 'PAID', 'FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED'] as const
export const FULFILLMENTS = ['UNFULFILLED', 'PARTIALLY_FULFILLED', 'FULFILLED'] as const
export const CUSTOMERS = ['NEW', 'RETURNING'] as const
export const SORTS = ['-createdAt', 'createdAt', '-total', 'total', '-updatedAt'] as const
export const EXTRA_COLUMNS = ['email', 'tags', 'promo', 'updated'] as const
export const COLUMNS = [
  'placed',
  'customer',
  'market',
  'lines',
  'payment',
  'fulfilment',
  'total',
  ...EXTRA_COLUMNS,
] as const
export type ColumnId = (typeof COLUMNS)[number]

/** Days that move with the calendar, by how many days ago they begin: in a saved view they stay true. */
const RELATIVE_DAYS = { today: 0, '7d': 6, '30d': 29 } as const
export type RelativeDays = keyof typeof RELATIVE_DAYS
export const isRelative = (from: string | undefined): from is RelativeDays =>
  from !== undefined && Object.hasOwn(RELATIVE_DAYS, from)

/**
 * What the address of the list says. Days are those of the business; a day `to` counts whole. `from` is a day, or `today`,
 * `7d` or `30d`. A figure of a report leads here with its own query: `createdFrom` and `createdTo` are its exact moments.
 */
export type OrderSearch = {
  status?: (typeof STATUSES)[number][] | undefined
  paymentStatus?: (typeof PAYMENT_STATUSES)[number][] | undefined
  fulfillment?: (typeof FULFILLMENTS)[number][] | undefined
  market?: string[] | undefined
  tag?: string[] | undefined
  promoCode?: string[] | undefined
  /** Those that another page counted. */
  id?: string[] | undefined
  currency?: string[] | undefined
  productId?: string[] | undefined
  variantId?: string[] | undefined
  /** Whether it is the first one of its customer. */
  customer?: (typeof CUSTOMERS)[number] | undefined
  from?: string | undefined
  to?: string | undefined
  /** Unix seconds; the end is not in it. */
  createdFrom?: number | undefined
  createdTo?: number | undefined
  /** In minor units. */
  totalFrom?: number | undefined
  totalTo?: number | undefined
  query?: string | undefined
  sort?: (typeof SORTS)[number] | undefined
  columns?: ColumnId[] | undefined
  /** The saved view that was opened. */
  view?: string | undefined
  /** What is being done with what is picked. */
  do?: 'ship' | undefined
}

/** As many as the service takes. */
const MOST_IDS = 100

const dayIn = (value: unknown) => {
  const day = wordOf(value)
  return day !== undefined && isDay(day) ? day : undefined
}

export const readOrdersSearch = (search: Search): OrderSearch => ({
  status: wordsOf(search.status, STATUSES),
  paymentStatus: wordsOf(search.paymentStatus, PAYMENT_STATUSES),
  fulfillment: wordsOf(search.fulfillment, FULFILLMENTS),
  market: wordsOf(search.market),
  tag: wordsOf(search.tag),
  promoCode: wordsOf(search.promoCode),
  id: wordsOf(search.id)?.slice(0, MOST_IDS),
  currency: wordsOf(search.currency),
  productId: wordsOf(search.productId),
  variantId: wordsOf(search.variantId),
  customer: oneOf(search.customer, CUSTOMERS),
  from: oneOf(search.from, Object.keys(RELATIVE_DAYS)) ?? dayIn(search.from),
  to: dayIn(search.to),
  createdFrom: wholeOf(search.createdFrom),
  createdTo: wholeOf(search.createdTo),
  totalFrom: wholeOf(search.totalFrom),
  totalTo: wholeOf(search.totalTo),
  query: wordOf(search.query),
  sort: oneOf(search.sort, SORTS),
  columns: wordsOf(search.columns, COLUMNS),
  view: wordOf(search.view),
  do: oneOf(search.do, ['ship']),
})

type Filters = Omit<Query<'listOrders'>, 'cursor' | 'limit' | 'sort'>

/** The same, as the API takes it. */
export function filtersOf(search: OrderSearch, timeZone: string): Filters {
  const { from, to, sort: _sort, columns: _columns, view: _view, do: _do, ...rest } = search
  const filters: Filters = {
    ...rest,
    ...(from !== undefined && { createdFrom: startOfDay(firstDayOf(from, timeZone), timeZone) }),
    ...(to !== undefined && { createdTo: startOfDay(nextDay(to), timeZone) }),
  }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}

const firstDayOf = (from: string, timeZone: string) =>
  isRelative(from) ? daysAgo(RELATIVE_DAYS[from], timeZone) : from

export const FILTER_NAMES = [
  'status',
  'paymentStatus',
  'fulfillment',
  'market',
  'tag',
  'promoCode',
  'id',
  'currency',
  'productId',
  'variantId',
  'customer',
  'from',
  'to',
  'createdFrom',
  'createdTo',
  'totalFrom',
  'totalTo',
  'query',
] as const

export const filterKey = (search: OrderSearch) => JSON.stringify(FILTER_NAMES.map((name) => search[name] ?? null))
export const hasFilters = (search: OrderSearch) => FILTER_NAMES.some((name) => search[name] !== undefined)

/** Without any filter. */
export const CLEARED: OrderSearch = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]))
