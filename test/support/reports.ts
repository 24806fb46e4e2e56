import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { openCustomers } from './customers.ts'
import type { Make } from './make.ts'
import type { TestApi } from './start-api.ts'

export type Shop = Awaited<ReturnType<typeof openReports>>

/** A shop with reports. */
export async function openReports(
  api: TestApi,
  make: Make,
  timeZone = 'UTC',
  options?: Parameters<typeof openCustomers>[2],
) {
  const shop = await openCustomers(api, make, options)
  const base = `/v1/businesses/${shop.id}`
  const set = await shop.admin.put(base, { timeZone })
  assert.equal(set.status, 200, set.text)
  const report = async (name: string, query: Record<string, string | number> = {}) => {
    const asked = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const answer = await shop.admin.get(`${base}/reports/${name}?${asked.toString()}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  /** All orders of a list, page after page. */
  const listed = async (query: string) => {
    const items: { id: string; total: number; refundedAmount: number }[] = []
    for (let cursor = ''; ; ) {
      const answer = await shop.admin.get(`${base}/orders?${query}&limit=100&cursor=${cursor}`)
      assert.equal(answer.status, 200, answer.text)
      items.push(...answer.body.items)
      if (answer.body.cursor === null) return items
      cursor = answer.body.cursor
    }
  }
  return {
    ...shop,
    base,
    report,
    listed,
    /** Sold at another time than now. */
    sellAt: async (customerId: string, at: string, body: object = {}, quantity = 1) => {
      const order = await shop.sell(customerId, body, quantity)
      await sql`
        update orders.orders set created_at = ${new Date(at)}, version = version + 1
         where business_id = ${shop.id} and id = ${order.id}`.execute(shop.db)
      return order
    },
  }
}
