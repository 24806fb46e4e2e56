import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { ControlDb, Db } from '#platform/database/database.ts'
import { businessTables } from '../../src/apps/portable/tables.ts'
import type { Make } from './make.ts'
import { item, openShop, type Shop } from './shop.ts'

/** A shop whose one article costs nothing, so that an order needs no provider. */
export async function openFreeShop(
  make: Make,
  options?: Parameters<typeof openShop>[1],
): Promise<{ shop: Shop; product: Awaited<ReturnType<Shop['priced']>> }> {
  const shop = await openShop(make, options)
  return { shop, product: await shop.priced(0, { tracked: true, quantity: 100_000 }) }
}

export type Sold = {
  /** Orders that were acknowledged, by the key of the request. */
  orders: Map<string, string>
  /** How long the slowest of them took, with all that was tried again. */
  slowestMs: number
  refused: number
  failedReads: string[]
  reads: number
}

/** Buys and reads until it is stopped. Whoever is refused because of the move tries again with the same key. */
export function keepSelling(
  make: Make,
  shop: Shop,
  product: { id: string; path: string },
  { buyers = 3, pauseMs = 25 } = {},
) {
  const sold: Sold = { orders: new Map(), slowestMs: 0, refused: 0, failedReads: [], reads: 0 }
  let isOver = false
  async function buy(): Promise<void> {
    const guest = await make.guest()
    while (!isOver) {
      const key = randomUUID()
      const since = performance.now()
      for (;;) {
        const answer = await shop
          .checkout(guest, { items: [item(product)] }, { 'idempotency-key': key })
          .catch((error: Error) => ({ status: 0, text: error.message, body: {} as { orderId?: string } }))
        if (answer.status === 200) {
          sold.orders.set(key, String(answer.body.orderId))
          break
        }
        assert.ok([0, 409, 503].includes(answer.status), `${answer.status} ${answer.text}`)
        sold.refused++
        await sleep(50)
      }
      sold.slowestMs = Math.max(sold.slowestMs, performance.now() - since)
      await sleep(pauseMs)
    }
  }
  async function read(): Promise<void> {
    while (!isOver) {
      const answer = await shop.admin.get(product.path)
      sold.reads++
      if (answer.status !== 200) sold.failedReads.push(`${answer.status} ${answer.text}`)
      await sleep(pauseMs)
    }
  }
  const running = Promise.all([...Array.from({ length: buyers }, buy), read()])
  running.catch(() => {})
  return {
    sold,
    async stop(): Promise<Sold> {
      isOver = true
      await running
      return sold
    },
  }
}

/** Each acknowledged order once, and nothing else; the stock is what they left. */
export async function assertSold(cell: Db, businessId: string, { orders }: Sold): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from orders.orders where business_id = ${businessId}`.execute(
    cell,
  )
  const found = new Set(rows.map(({ id }) => id))
  const acknowledged = new Set(orders.values())
  assert.equal(acknowledged.size, orders.size, 'one order answers to two keys')
  assert.deepEqual(
    [...acknowledged].filter((id) => !found.has(id)),
    [],
    'acknowledged, and lost',
  )
  assert.deepEqual(
    [...found].filter((id) => !acknowledged.has(id)),
    [],
    'made twice',
  )
  const stock = await sql<{ quantity: number }>`
    select sum(quantity) as quantity from catalog.stock where business_id = ${businessId}`.execute(cell)
  assert.equal(stock.rows[0]?.quantity, 100_000 - orders.size)
}

/** Tables of a cell that still have rows of the business. */
export async function leftBehind(cell: Db, businessId: string): Promise<string[]> {
  const left: string[] = []
  for (const { table, of } of businessTables.filter((each) => each.in === 'cell')) {
    // What was counted for it in this process is written ten seconds later; old rows stay for two minutes, by default.
    if (table === 'cell.moves' || table === 'cell.usage') continue
    const { rows } = await sql`
      select from ${sql.table(table)} where ${sql.ref(of)} = ${businessId} limit 1`.execute(cell)
    if (rows.length > 0) left.push(table)
  }
  return left
}

export async function homeOf(control: ControlDb, id: string): Promise<string> {
  const row = await control
    .selectFrom('access.businesses')
    .select('cell')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.cell
}
