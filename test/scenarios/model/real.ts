import assert from 'node:assert/strict'
import { sql } from 'kysely'
import pino from 'pino'
import { endExpired } from '#modules/checkout/index.ts'
import { carryOutRefunds, reconcileStale } from '#modules/payments/index.ts'
import { verify } from '../../../src/apps/verify.ts'
import type { holdClock } from '../../support/clock.ts'
import { item, openShop, stateOf } from '../../support/shop.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'
import { type Model, type ModelOrder, type ModelProduct, sumOf } from './model.ts'
import { fulfillmentOf, type Origin } from './pieces.ts'
import { createTroubles } from './troubles.ts'

export type Real = Awaited<ReturnType<typeof openReal>>

let count = 0

/** The shop of a model, in the service itself. Its callers have keys, which last however the clock is moved. */
export async function openReal(service: World<'stripe'>, clock: ReturnType<typeof holdClock>, model: Model) {
  const { make, twin, context } = service
  const shop = await openShop(make, { cell: 'main' })
  const { db } = shop
  const products = await Promise.all(
    model.products.map(({ price, stock }) => shop.priced(price, { tracked: true, quantity: stock })),
  )
  const promos = await Promise.all(
    model.promos.map(({ code, bps, max }) => shop.promo({ code, value: bps, maxRedemptions: max })),
  )
  const admin = await make.apiKey(shop.admin.id, shop.id)
  const buyers = await Promise.all([0, 1].map(async () => make.apiKey((await make.user()).id)))
  const buyerOf = (buyer: number) => buyers[buyer] ?? assert.fail()
  const productAt = (which: number) => products[which] ?? assert.fail()
  const troubles = createTroubles(twin)
  const pathOf = ({ id }: ModelOrder) => `${shop.orders}/${id}`
  const newKey = () => `model-${process.pid}-${++count}`
  const log = pino({ level: 'silent' })

  const readOrder = async (order: ModelOrder) => {
    const { status, text, body } = await admin.get(pathOf(order))
    assert.equal(status, 200, text)
    return body
  }

  async function compareOrder(order: ModelOrder): Promise<void> {
    const body = await readOrder(order)
    const { total, discount, promoCode, lines, fulfillment, refundedAmount } = body
    const { quantity, unitPrice } = lines[0]
    assert.deepEqual(
      { state: stateOf(body), total, discount, promoCode, quantity, unitPrice, fulfillment, refundedAmount },
      {
        state: `${order.status}/${order.payment}`,
        total: order.total,
        discount: order.discount,
        promoCode: order.promo?.code ?? null,
        quantity: order.quantity,
        unitPrice: order.unitPrice,
        fulfillment: fulfillmentOf(order),
        refundedAmount: order.refundedHere,
      },
      `order ${order.id}`,
    )
    await compareParts(order)
  }

  /** Its shipments and refunds, one by one. */
  async function compareParts(order: ModelOrder): Promise<void> {
    if (order.shipments.length > 0) {
      const { items } = (await buyerOf(order.buyer).get(`${pathOf(order)}/shipments`)).body
      const shipped = (items as { lines: { quantity: number }[] }[]).map(({ lines }) => lines[0]?.quantity)
      assert.deepEqual(shipped, order.shipments, `shipments of order ${order.id}`)
    }
    if (order.refunds.length > 0) {
      const { items } = (await admin.get(`${pathOf(order)}/refunds?limit=100`)).body
      const refunds = (items as { amount: number; status: string; lines: { quantity: number }[] }[])
        .map(({ amount, status, lines }) => ({ amount, status, pieces: sumOf(lines.map(({ quantity }) => quantity)) }))
        .toReversed()
      const expected = order.refunds.map(({ amount, status, pieces }) => ({ amount, status, pieces }))
      assert.deepEqual(refunds, expected, `refunds of order ${order.id}`)
    }
  }

  const lineIds = new Map<string, string>()
  async function lineOf(order: ModelOrder): Promise<string> {
    const known = lineIds.get(order.id) ?? ((await readOrder(order)).lines[0].id as string)
    lineIds.set(order.id, known)
    return known
  }
  const newPost = (order: ModelOrder, path: string, body: object) => {
    const headers = { 'idempotency-key': newKey() }
    return () => admin.post(`${pathOf(order)}/${path}`, body, headers)
  }

  async function compareStock(model: Model, product: ModelProduct): Promise<void> {
    const which = model.products.indexOf(product)
    const { body } = await admin.get(productAt(which).path)
    const [variant] = body.variants
    assert.deepEqual(
      { stock: variant.inventory.quantity, price: variant.pricing.markets[0].price },
      { stock: product.stock, price: product.price },
      `product ${which}`,
    )
  }

  async function compareAllStock(model: Model): Promise<void> {
    for (const product of model.products) await compareStock(model, product)
  }

  /** Jobs that failed need not wait for their time: nobody else is there to be spared. */
  async function deliver(): Promise<void> {
    twin.release()
    try {
      await twin.settled()
      await until(
        'no job waits',
        async () => {
          const { rows } = await sql`
          with nudged as (
            update graphile_worker._private_jobs set run_at = now() where run_at > now() and locked_at is null returning 1
          )
          select case when exists (select from nudged) then pg_notify('jobs:insert', '{"r":0,"count":1}') end
            from graphile_worker._private_jobs as job
            join graphile_worker._private_tasks as task on task.id = job.task_id
           where task.identifier ~ '^(checkout|payments)[.]'`.execute(db)
          return rows.length === 0
        },
        { everyMs: 5 },
      )
    } finally {
      twin.hold()
    }
  }

  const sessionOf = ({ pageId }: ModelOrder) => twin.sessions().find(({ id }) => id === pageId) ?? assert.fail()

  /** Each order has one page there, also when the answer to its opening got lost. */
  async function comparePages({ orders }: Model): Promise<void> {
    const states = new Map<string, string[]>()
    for (const { metadata, status, payment_status: paid } of twin.sessions()) {
      const there = status === 'open' ? 'OPEN' : paid === 'paid' ? 'PAID' : 'ENDED'
      const { subject = '' } = metadata ?? {}
      states.set(subject, [...(states.get(subject) ?? []), there])
    }
    for (const { id, pageId, there } of orders) {
      assert.deepEqual(states.get(`order:${id}`) ?? [], pageId === undefined ? [] : [there], `the pages of order ${id}`)
    }
  }

  async function paidNews(): Promise<string[]> {
    const { rows } = await sql<{ subject: string }>`
      select subject from cell.event_outbox where business_id = ${shop.id} and type = 'order.paid'`.execute(db)
    return rows.map(({ subject }) => subject).sort()
  }

  /** What an order took and gave back, as its events tell it and as the ledger has it. */
  async function movedByOrders(): Promise<{ told: string[]; ledger: string[] }> {
    const { rows } = await sql<{ source: 'told' | 'ledger'; moved: string }>`
      select 'told' as source, concat_ws(' ', subject, data ->> 'kind', change ->> 'productId', sum((change ->> 'delta')::integer)) as moved
        from cell.event_outbox
       cross join lateral jsonb_array_elements(data -> 'changes') as change
       where business_id = ${shop.id} and type = 'stock.changed' and data ->> 'kind' <> 'MANUAL'
       group by subject, data ->> 'kind', change ->> 'productId'
      union all
      select 'ledger', concat_ws(' ', reference, kind, product_id, sum(delta))
        from catalog.stock_movements
       where business_id = ${shop.id} and kind <> 'MANUAL'
       group by reference, kind, product_id`.execute(db)
    const of = (wanted: string) => rows.flatMap(({ source, moved }) => (source === wanted ? [moved] : [])).sort()
    return { told: of('told'), ledger: of('ledger') }
  }

  return {
    /** Commands that were carried out. */
    done: 0,
    shop,
    twin,
    clock,
    troubles,
    compareOrder,
    compareStock,
    compareAllStock,
    deliver,
    stateOf: async (order: ModelOrder) => stateOf(await readOrder(order)),
    newCheckout(which: number, quantity: number, promoCode: string | undefined, buyer: number) {
      const key = newKey()
      const body = { market: 'us', items: [item(productAt(which), quantity)], ...(promoCode && { promoCode }) }
      const send = () => buyerOf(buyer).post(`${shop.orders}/checkout`, body, { 'idempotency-key': key })
      return { key, body, send }
    },
    repeatCheckout: ({ key, body, buyer }: ModelOrder) =>
      buyerOf(buyer).post(`${shop.orders}/checkout`, body, { 'idempotency-key': key }),
    setStatus: (order: ModelOrder, status: string) => admin.put(`${pathOf(order)}/status`, { status }),
    cancelAs: (buyer: number, order: ModelOrder) => buyerOf(buyer).post(`${pathOf(order)}/cancel`, {}),
    newRefund: (order: ModelOrder, amount: number | undefined) =>
      newPost(order, 'refunds', amount === undefined ? {} : { amount }),
    newLineRefund: async (order: ModelOrder, quantity: number, from: Origin | undefined, restock: boolean) =>
      newPost(order, 'refunds', { lines: [{ lineId: await lineOf(order), quantity, from }], restock }),
    quoteRefund: async (order: ModelOrder, quantity: number, from: Origin | undefined) =>
      admin.post(`${pathOf(order)}/refunds/quote`, { lines: [{ lineId: await lineOf(order), quantity, from }] }),
    newShipment: async (order: ModelOrder, quantity: number | undefined) =>
      newPost(order, 'shipments', quantity === undefined ? {} : { lines: [{ lineId: await lineOf(order), quantity }] }),
    newReturn: async (order: ModelOrder, quantity: number) =>
      newPost(order, 'returns', { lines: [{ lineId: await lineOf(order), quantity }] }),
    async deleteLastShipment(order: ModelOrder) {
      const { items } = (await admin.get(`${pathOf(order)}/shipments`)).body
      return admin.delete(`${pathOf(order)}/shipments/${items.at(-1).id}`)
    },
    newStockChange(which: number, delta: number) {
      const headers = { 'idempotency-key': newKey() }
      return () => admin.post(`${productAt(which).path}/variants/one/stock`, { delta }, headers)
    },
    editProduct(which: number, change: { price?: number; isActive?: boolean; isTracked?: boolean; stock?: number }) {
      const { price, isActive, isTracked: tracked, stock: quantity } = change
      const variant = {
        id: 'one',
        ...(price !== undefined && { pricing: { markets: [{ marketId: 'us', price }] } }),
        ...(tracked !== undefined && { inventory: { tracked } }),
        ...(quantity !== undefined && { inventory: { quantity } }),
      }
      const statuses = [{ status: isActive ? 'ACTIVE' : 'DRAFT' }]
      return admin.put(productAt(which).path, isActive === undefined ? { variants: [variant] } : { statuses })
    },
    limitPromo: (which: number, maxRedemptions: number) =>
      admin.put((promos[which] ?? assert.fail()).path, { maxRedemptions }),
    /** What the worker does every two seconds, once, now. */
    async sweep() {
      await endExpired(context, db, log)
      await reconcileStale(context, db, log)
      await carryOutRefunds(context, db, log)
    },
    intentOf: (order: ModelOrder) => sessionOf(order).payment_intent as string,
    /** The last event of each refund that was made there comes once more, or at last. */
    async tellOfRefunds(orders: readonly ModelOrder[]) {
      const subjects = new Set(orders.map(({ id }) => `order:${id}`))
      const last = new Map<string, string>()
      for (const { id, type, data } of twin.events()) {
        const { subject = '' } = (data.object as { metadata?: { subject?: string } }).metadata ?? {}
        if (type === 'charge.refunded' && subjects.has(subject)) last.set(subject, id)
      }
      for (const id of last.values()) assert.equal((await twin.redeliver(id)).status, 200)
    },
    async compareAll(model: Model) {
      for (const order of model.orders) await compareOrder(order)
      await compareAllStock(model)
    },
    /** What a run must leave behind, here and at the provider. */
    async compareInTheEnd(model: Model) {
      const list = await admin.get(`${shop.orders}?limit=100`)
      assert.deepEqual(
        (list.body.items as { id: string }[]).map(({ id }) => id).sort(),
        model.orders.map(({ id }) => id).sort(),
        'the orders that there are',
      )
      for (const [which, promo] of promos.entries()) {
        const { body } = await admin.get(promo.path)
        assert.equal(body.redemptions, model.promos[which]?.used, `uses of promo code ${which}`)
      }
      await comparePages(model)
      assert.deepEqual(
        await paidNews(),
        model.orders
          .filter(({ pageId, here }) => pageId === undefined || here === 'PAID')
          .map(({ id }) => id)
          .sort(),
        'orders that were told to be paid, each once',
      )
      const { told, ledger } = await movedByOrders()
      assert.deepEqual(told, ledger, 'stock that orders moved')
      const broken = (await verify(db)).flatMap(({ check, violations }) =>
        violations.filter(({ businessId }) => businessId === shop.id).map((row) => `${check}: ${JSON.stringify(row)}`),
      )
      assert.deepEqual(broken, [], 'invariants')
    },
  }
}
