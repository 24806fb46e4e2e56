import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { keepStockList } from '#modules/catalog/index.ts'
import { refreshListedStock } from '#modules/catalog/listing/refresh-stock.ts'
import { followCommitted, indexOrders } from '#modules/orders/index.ts'
import { followReports } from '#modules/reports/index.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { holdClock } from '../../support/clock.ts'
import { TOPICS } from '../../support/customers.ts'
import { openStockDesk, type StockDesk } from '../../support/stock-desk.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

type Projection = (db: StockDesk['db'], log: pino.Logger) => Promise<void>
type Logged = { businessId: string; subject: string; topic: string; attempts: number }

/** Two businesses in one cell. */
async function openTwo() {
  const broken = await openStockDesk(used.api, used.make)
  let healthy = await openStockDesk(used.api, used.make)
  while (healthy.db !== broken.db) healthy = await openStockDesk(used.api, used.make)
  await Promise.all([broken.catchUp(), healthy.catchUp()])
  const logged: Logged[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const run = async (projection: Projection) => {
    while ((await sequenceEvents(broken.db, TOPICS)) !== 0) {}
    await projection(broken.db, log)
  }
  return { broken, healthy, logged, run }
}

const mug = (desk: StockDesk) =>
  desk.product({
    name: 'Watch Mug',
    variants: [
      {
        id: 'one',
        sku: 'MUG',
        pricing: { markets: [{ marketId: 'us', price: 1_000 }] },
        inventory: { tracked: true, quantity: 10 },
      },
    ],
  })

async function order(desk: StockDesk, product: { id: string }, changes: object = {}): Promise<string> {
  const { status, body, text } = await desk.sell(product, 1, changes)
  assert.equal(status, 201, text)
  return body.id
}

const setLine = ({ db, id }: StockDesk, orderId: string, field: string, value: string) =>
  sql`
    update orders.orders set lines = jsonb_set(lines::jsonb, ${`{0,${field}}`}::text[], to_jsonb(${value}::text))::json
     where business_id = ${id} and id = ${orderId}`.execute(db)

const touch = async ({ admin, orders }: StockDesk, orderId: string) => {
  const { status, text } = await admin.put(`${orders}/update`, { id: orderId, tags: ['touched'] })
  assert.equal(status, 200, text)
}

/** Retries are due a minute after the first failure. */
async function later(work: () => Promise<void>) {
  const clock = holdClock()
  try {
    clock.advance(61)
    await work()
  } finally {
    clock.release()
  }
}

test('an order that cannot be indexed does not keep orders of other businesses out of the search', async () => {
  const { broken, healthy, logged, run } = await openTwo()
  const product = await mug(broken)
  const bad = await order(broken, product)
  await setLine(broken, bad, 'productId', 'x'.repeat(3_000))
  await touch(broken, bad)
  const good = await order(healthy, await mug(healthy))
  await run(indexOrders)

  const found = async ({ admin, orders }: StockDesk) =>
    (await admin.get(`${orders}?query=mug`)).body.items.map(({ id }: { id: string }) => id)
  assert.deepEqual(await found(healthy), [good])
  assert.deepEqual(await found(broken), [])
  assert.deepEqual(
    logged.map(({ businessId, subject, topic }) => ({ businessId, subject, topic })),
    [{ businessId: broken.id, subject: bad, topic: 'order' }],
  )

  await setLine(broken, bad, 'productId', product.id)
  await run(indexOrders)
  assert.deepEqual(await found(broken), [], 'not before its time')
  await later(() => run(indexOrders))
  assert.deepEqual(await found(broken), [bad], 'without another event')
})

test('an order whose units cannot be counted does not hold up the committed stock of other businesses', async () => {
  const { broken, healthy, logged, run } = await openTwo()
  const [bought, sold] = [await mug(broken), await mug(healthy)]
  const bad = await order(broken, bought)
  await setLine(broken, bad, 'taken', '2.5')
  await touch(broken, bad)
  await order(healthy, sold)
  await run(followCommitted)

  const waiting = await sql`
    select from cell.followed where topic = 'committed' and business_id in (${broken.id}, ${healthy.id})`.execute(
    broken.db,
  )
  assert.equal(waiting.rows.length, 0)
  assert.equal((await healthy.level(sold)).committed, 1)
  assert.equal((await broken.level(bought)).committed, 0, 'its own list of stock can be read')
  assert.deepEqual(
    logged.map(({ businessId, subject, topic }) => ({ businessId, subject, topic })),
    [{ businessId: broken.id, subject: bad, topic: 'committed' }],
  )

  await setLine(broken, bad, 'taken', '1')
  await later(() => run(followCommitted))
  assert.equal((await broken.level(bought)).committed, 1)
})

test('a product whose stock cannot be listed does not keep products of other businesses out of the list', async () => {
  const { broken, healthy, logged, run } = await openTwo()
  const bad = await mug(broken)
  await sql`
    alter table catalog.stock_list add constraint refused check (product_id <> ${sql.lit(bad.id)}) not valid`.execute(
    broken.db,
  )
  try {
    await mug(healthy)
    await run(keepStockList)
  } finally {
    await sql`alter table catalog.stock_list drop constraint refused`.execute(broken.db)
  }
  assert.deepEqual(await healthy.skus(), ['MUG'])
  assert.deepEqual(await broken.skus(), [])
  assert.deepEqual(
    logged.map(({ businessId, subject, topic }) => ({ businessId, subject, topic })),
    [{ businessId: broken.id, subject: bad.id, topic: 'stock-list' }],
  )
  await later(() => run(keepStockList))
  assert.deepEqual(await broken.skus(), ['MUG'])
})

test('sales of a product whose stock cannot be listed do not hold up the list of other businesses', async () => {
  const { broken, healthy, logged, run } = await openTwo()
  const [bad, good] = [await mug(broken), await mug(healthy)]
  await run(keepStockList)
  await sql`
    alter table catalog.stock_list add constraint refused check (product_id <> ${sql.lit(bad.id)}) not valid`.execute(
    broken.db,
  )
  try {
    await order(broken, bad)
    for (let sold = 0; sold < 10; sold++) await order(healthy, good)
    assert.deepEqual(await healthy.skus('empty=true'), [])
    await refreshListedStock.run({}, { db: broken.db, signal: new AbortController().signal } as never)
    assert.deepEqual(await healthy.skus('empty=true'), ['MUG'])
    await run(keepStockList)
  } finally {
    await sql`alter table catalog.stock_list drop constraint refused`.execute(broken.db)
  }
  assert.deepEqual(
    logged.map(({ businessId, subject }) => ({ businessId, subject })),
    [{ businessId: broken.id, subject: bad.id }],
  )
})

test('reports count a skipped order as soon as it has another event', async () => {
  const { broken, run } = await openTwo()
  const bad = await order(broken, await mug(broken), { paymentStatus: [{ status: 'PAID' }] })
  await setLine(broken, bad, 'quantity', 'many')
  await run(followReports)
  const counted = async () =>
    (await sql`select from reports.orders where business_id = ${broken.id}`.execute(broken.db)).rows.length
  assert.equal(await counted(), 0)
  await setLine(broken, bad, 'quantity', '1')
  await touch(broken, bad)
  await run(followReports)
  assert.equal(await counted(), 1)
})
