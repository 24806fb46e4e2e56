import assert from 'node:assert/strict'
import { refreshListedStock } from '#modules/catalog/listing/refresh-stock.ts'
import { follow } from './customers.ts'
import type { Make } from './make.ts'
import { item, openShop } from './shop.ts'
import type { TestApi } from './start-api.ts'

export type Level = {
  productId: string
  variantId: string
  productName: string
  variantName: string
  sku: string
  tracked: boolean
  quantity: number
  committed: number | null
  number: number
  lowStockThreshold: number | null
}

/** A shop whose shelf is looked after: its orders are written by hand, and its stock is listed and counted. */
export async function openStockDesk(api: TestApi, make: Make) {
  const shop = await openShop(make)
  const { admin, path } = shop
  const customer = await make.user()
  const list = async (query = '') => {
    const answer = await admin.get(`${path}/stock?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body as { items: Level[]; cursor: string | null; asOf: number }
  }
  return {
    ...shop,
    list,
    /** One variant as the list shows it. */
    level: async ({ id }: { id: string }, variantId = 'one') => {
      const found = (await list(`productId=${id}&limit=100`)).items.find((each) => each.variantId === variantId)
      assert.ok(found)
      return found
    },
    skus: async (query = '') => (await list(query)).items.map(({ sku }) => sku),
    /** An order by hand that is being packed. */
    sell: async (goods: { id: string }, quantity = 1, changes: object = {}) => {
      const total = 1_000 * quantity
      return admin.post(shop.orders, {
        customerId: customer.id,
        market: 'us',
        lines: [{ ...item(goods, quantity), unitPrice: 1_000, totalPrice: total }],
        subtotal: total,
        tax: 0,
        shipping: 0,
        total,
        statuses: [{ status: 'PROCESSING' }],
        ...changes,
      })
    },
    take: (items: readonly object[], reason?: string, headers: Record<string, string> = {}) =>
      admin.post(`${path}/stocktakes`, { items, ...(reason && { reason }) }, headers),
    /** What the worker does all the time, and once a minute. */
    catchUp: async () => {
      await follow(api, shop.db)
      await refreshListedStock.run({}, { db: shop.db, signal: new AbortController().signal } as never)
    },
  }
}
export type StockDesk = Awaited<ReturnType<typeof openStockDesk>>
