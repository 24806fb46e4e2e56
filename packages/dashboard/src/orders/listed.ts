import type { Answer, Order } from '@kontor/sdk'
import type { States } from './words.tsx'
import { nameOfOrder } from './words.tsx'

/** What a row of the list shows of an order. A list is scrolled through thousands of rows: whole orders would fill the memory. */
export type Listed = States &
  Pick<
    Order,
    | 'id'
    | 'number'
    | 'createdAt'
    | 'updatedAt'
    | 'total'
    | 'currency'
    | 'market'
    | 'contactEmail'
    | 'tags'
    | 'promoCode'
  > & {
    name: string
    /** The first lines, as many as a row shows, and how many there are. */
    lines: Pick<Order['lines'][number], 'id' | 'quantity' | 'name'>[]
    lineCount: number
  }

const SHOWN_LINES = 2

const toListed = (order: Order): Listed => {
  const { id, number, createdAt, updatedAt, total, currency, market, contactEmail, tags, promoCode } = order
  return {
    id,
    number,
    createdAt,
    updatedAt,
    total,
    currency,
    market,
    contactEmail,
    promoCode,
    ...(tags && { tags }),
    fulfillment: order.fulfillment,
    statuses: order.statuses.slice(-1).map(({ status }) => ({ status })),
    paymentStatus: order.paymentStatus.slice(-1).map(({ status }) => ({ status })),
    name: nameOfOrder(order),
    lines: order.lines.slice(0, SHOWN_LINES).map(({ id: line, quantity, name }) => ({ id: line, quantity, name })),
    lineCount: order.lines.length,
  }
}

export const toListedPage = ({ items, cursor }: Answer<'listOrders'>) => ({ items: items.map(toListed), cursor })
