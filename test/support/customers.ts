import assert from 'node:assert/strict'
import pino from 'pino'
import { keepStockList, STOCK_LIST_TOPIC } from '#modules/catalog/index.ts'
import { CUSTOMER_TOPICS, followOrders } from '#modules/customers/index.ts'
import { COMMITTED_TOPIC, followCommitted, indexOrders, ORDER_TOPIC } from '#modules/orders/index.ts'
import { followReports, REPORT_TOPICS } from '#modules/reports/index.ts'
import type { Db } from '#platform/database/database.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { askControl } from '../../src/apps/people.ts'
import type { Make } from './make.ts'
import { item, openShop } from './shop.ts'
import type { TestApi } from './start-api.ts'

export type Customer = {
  id: string
  name: string | null
  email: string | null
  orders: number
  tags: string[]
  isGuest: boolean
  spent: { currency: string; amount: number; orders: number }[]
}

const log = pino({ level: 'silent' })

export const TOPICS = [ORDER_TOPIC, ...CUSTOMER_TOPICS, COMMITTED_TOPIC, STOCK_LIST_TOPIC, ...REPORT_TOPICS]

/** What the worker does all the time, once, now: orders are found by their words, customers are known by their orders. */
export async function follow({ services }: Pick<TestApi, 'services'>, db: Db): Promise<void> {
  while ((await sequenceEvents(db, TOPICS)) !== 0) {}
  await indexOrders(db, log)
  await followCommitted(db, log)
  await keepStockList(db, log)
  await followOrders(db, askControl(services.databases.control), log)
  await followReports(db, log)
}

/** A shop whose orders are written by hand, and its list of customers. */
export async function openCustomers(api: TestApi, make: Make, options?: Parameters<typeof openShop>[1]) {
  const shop = await openShop(make, options)
  const goods = await shop.priced(1_000, { tracked: false })
  const path = `${shop.path}/customers`
  const get = async (query = '') => {
    const answer = await shop.admin.get(`${path}?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body as { items: Customer[]; cursor: string | null }
  }
  return {
    ...shop,
    goods,
    path,
    get,
    follow: () => follow(api, shop.db),
    names: async (query = '') => (await get(query)).items.map(({ name }) => name),
    customer: async (id: string) => {
      const answer = await shop.admin.get(`${path}/${id}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    },
    /** An order by hand, PAID unless told. */
    sell: async (customerId: string, body: object = {}, quantity = 1) => {
      const total = 1_000 * quantity
      const answer = await shop.admin.post(shop.orders, {
        customerId,
        market: 'us',
        lines: [{ ...item(goods, quantity), unitPrice: 1_000, totalPrice: total }],
        subtotal: total,
        tax: 0,
        shipping: 0,
        total,
        paymentStatus: [{ status: 'PAID' }],
        ...body,
      })
      assert.equal(answer.status, 201, answer.text)
      return answer.body as { id: string }
    },
  }
}
