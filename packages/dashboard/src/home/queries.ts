import { type Answer, type Order, paymentStatusOf } from '@kontor/sdk'
import { query } from '../api/query.ts'

export const TO_PACK = {
  status: ['PROCESSING' as const],
  fulfillment: ['UNFULFILLED' as const, 'PARTIALLY_FULFILLED' as const],
}
export const SOLD = { paymentStatus: ['PAID' as const, 'PARTIALLY_REFUNDED' as const, 'REFUNDED' as const] }

const PACKED_FIRST = 8
const ONE_PAGE = 100
export const NEWEST = 6

export const toPackQuery = (businessId: string) =>
  query(businessId, 'listOrders', { query: { ...TO_PACK, sort: 'createdAt', limit: PACKED_FIRST } })
export const toPackCountQuery = (businessId: string) =>
  query(businessId, 'countOrders', { query: { ...TO_PACK, by: 'status' } })

export const newestQuery = (businessId: string) => query(businessId, 'listOrders', { query: { limit: NEWEST } })

/** Since the beginning of yesterday. Of most businesses this is all that the page has to know of two days. */
export const recentQuery = (businessId: string, createdFrom: number) =>
  query(businessId, 'listOrders', { query: { createdFrom, limit: ONE_PAGE } })

/** How many orders there were since then, however they were paid. */
export const countQuery = (businessId: string, createdFrom: number, createdTo?: number) =>
  query(businessId, 'countOrders', {
    query: { by: 'paymentStatus', createdFrom, ...(createdTo === undefined ? {} : { createdTo }) },
  })

export const soldQuery = (businessId: string, createdFrom: number) =>
  query(businessId, 'listOrders', { query: { ...SOLD, createdFrom, limit: ONE_PAGE } })

type Counts = { items: readonly { count: number }[]; isExact: boolean }
export const totalOf = ({ items }: Counts) => items.reduce((sum, { count }) => sum + count, 0)

type Orders = Answer<'listOrders'>

/** Whether a page, the newest first, has all orders since then. */
export const reachesBack = ({ items, cursor }: Orders, since: number): boolean =>
  cursor === null || (items.at(-1)?.createdAt ?? since) < since

/** Those of a page that were paid since then, as a page. */
export const soldIn = ({ items }: Orders, since: number): Orders => ({
  items: items.filter(
    (order) => order.createdAt >= since && SOLD.paymentStatus.some((status) => status === paymentStatusOf(order)),
  ),
  cursor: null,
})

export type Sold = { currency: string; amount: number; orders: number }

/** By currency, the first of the business's own first. Undefined if that is not all: a sum of a part would be no sum. */
export function sumsOf(
  page: { items: readonly Order[]; cursor: string | null },
  currencies: readonly string[],
): Sold[] | undefined {
  if (page.cursor !== null) return undefined
  const sums = new Map<string, Sold>(currencies.map((currency) => [currency, { currency, amount: 0, orders: 0 }]))
  for (const { currency, total } of page.items) {
    const { amount, orders } = sums.get(currency) ?? { amount: 0, orders: 0 }
    sums.set(currency, { currency, amount: amount + total, orders: orders + 1 })
  }
  return [...sums.values()]
}
