import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { findOrder, type OrderRow } from '#modules/orders/index.ts'
import type { Make } from './make.ts'
import { openShop } from './shop.ts'

export type Shippable = Awaited<ReturnType<typeof openShippable>>
type Made = { id: string; path: string; lines: { id: string; quantity: number }[] }

/** A shop whose orders, made by hand, are PROCESSING unless told otherwise. */
export async function openShippable(make: Make, settings: object = {}) {
  const shop = await openShop(make)
  if (Object.keys(settings).length > 0) await shop.configure(settings)
  const customer = await make.user()
  const goods = [
    await shop.product({ name: 'Mug' }),
    await shop.product({ name: 'Teapot' }),
    await shop.product({ name: 'Tray' }),
  ]

  /** One line for each quantity. */
  async function order(quantities: readonly number[] = [2, 1], changes: object = {}): Promise<Made> {
    const lines = quantities.map((quantity, index) => ({
      productId: goods[index % goods.length]?.id,
      variantId: 'one',
      quantity,
      unitPrice: 1_000,
      totalPrice: quantity * 1_000,
    }))
    const subtotal = lines.reduce((sum, { totalPrice }) => sum + totalPrice, 0)
    const figures = { subtotal, tax: 0, shipping: 0, total: subtotal }
    const answer = await shop.admin.post(shop.orders, {
      customerId: customer.id,
      market: 'us',
      lines,
      ...figures,
      statuses: [{ status: 'PROCESSING' }],
      ...changes,
    })
    assert.equal(answer.status, 201, answer.text)
    return { id: answer.body.id, path: `${shop.orders}/${answer.body.id}`, lines: answer.body.lines }
  }

  const row = async (id: string) => (await findOrder(shop.db, shop.id, id)) as OrderRow
  return {
    ...shop,
    customer,
    goods,
    makeOrder: order,
    row,
    /** `SHIPPED/FULFILLED`: the status and the fulfillment that is stored. */
    state: async (id: string) => {
      const { status, fulfillment } = await row(id)
      return `${status}/${fulfillment}`
    },
    shipments: async ({ path }: Made) => (await shop.admin.get(`${path}/shipments`)).body.items,
    events: async (subject: string) => {
      const { rows } = await sql<{ type: string; actorKind: string; data: Record<string, unknown> }>`
        select type, actor_kind, data from cell.event_outbox
         where business_id = ${shop.id} and subject = ${subject} order by position`.execute(shop.db)
      return rows
    },
  }
}
