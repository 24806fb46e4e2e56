import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recordStatements } from '../../support/explain.ts'
import { openShippable } from '../../support/shippable.ts'
import { item } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Told = { subject: string; actorId: string | null; data: Record<string, unknown> }

async function open() {
  const shop = await openShippable(used.make)
  const [mug, teapot] = shop.goods
  assert.ok(mug && teapot)
  /** What was told since it was asked last. */
  let seen = '0'
  const told = async () => {
    const { rows } = await sql<Told & { position: string }>`
      select position::text, subject, actor_id, data from cell.event_outbox
       where business_id = ${shop.id} and type = 'stock.changed' and position > ${seen}::bigint
       order by position`.execute(shop.db)
    seen = rows.at(-1)?.position ?? seen
    return rows.map(({ subject, actorId, data }) => ({ subject, actorId, data }))
  }
  const change = ({ id: productId }: { id: string }, delta: number) => ({ productId, variantId: 'one', delta })
  return { ...shop, mug, teapot, told, change }
}

test('POST …/stock tells by how much, not how many there are', async () => {
  const { admin, mug, told, change } = await open()
  await admin.post(`${mug.path}/variants/one/stock`, { delta: -7, reason: 'Broken by Carla' })
  const refused = await admin.post(`${mug.path}/variants/one/stock`, { delta: -1_000 })
  assert.equal(refused.status, 409)
  assert.deepEqual(await told(), [
    { subject: mug.id, actorId: admin.id, data: { kind: 'MANUAL', reference: null, changes: [change(mug, -7)] } },
  ])
})

test('an order tells once what it takes, once what comes back, and once what it gives back', async () => {
  const { admin, mug, teapot, makeOrder, told, change } = await open()
  const { id, path, lines } = await makeOrder([3, 1])
  const of = (kind: string, changes: object[]) => [
    { subject: id, actorId: admin.id, data: { kind, reference: id, changes } },
  ]
  const byProduct = (changes: object[]) =>
    changes.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
  assert.deepEqual(await told(), of('ORDER', byProduct([change(mug, -3), change(teapot, -1)])))

  await admin.post(`${path}/returns`, { lines: [{ lineId: lines[0]?.id, quantity: 2 }] })
  assert.deepEqual(await told(), of('RETURN', [change(mug, 2)]))

  await admin.put(`${path}/status`, { status: 'CANCELLED' })
  assert.deepEqual(await told(), of('CANCEL', byProduct([change(mug, 1), change(teapot, 1)])))
  await admin.put(`${path}/status`, { status: 'CANCELLED' })
  assert.deepEqual(await told(), [])
})

test('an order whose lines change tells what it takes more and what it gives back', async () => {
  const { admin, orders, mug, teapot, makeOrder, told, change } = await open()
  const { id } = await makeOrder([2, 2], { statuses: [{ status: 'PENDING' }] })
  await told()
  const line = (product: { id: string }, quantity: number) => ({
    productId: product.id,
    variantId: 'one',
    quantity,
    unitPrice: 1_000,
    totalPrice: quantity * 1_000,
  })
  const changed = await admin.put(`${orders}/update`, { id, lines: [line(mug, 3), line(teapot, 1)] })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(
    (await told()).map(({ data }) => data),
    [
      { kind: 'ORDER', reference: id, changes: [change(mug, -1)] },
      { kind: 'CANCEL', reference: id, changes: [change(teapot, 1)] },
    ],
  )
  await admin.put(`${orders}/update`, { id, tags: ['gift'] })
  assert.deepEqual(await told(), [])
})

test('a checkout tells it in the statement that places the order, and nothing of goods that nobody counts', async () => {
  const { checkout, mug, product, told, change } = await open()
  const free = { pricing: { markets: [{ marketId: 'us', price: 0 }] } }
  const book = await product({ variants: [{ id: 'one', sku: 'B', ...free, inventory: { tracked: false } }] })
  const pin = await product({ variants: [{ id: 'one', sku: 'P', ...free, inventory: { tracked: true, quantity: 9 } }] })
  const guest = await used.make.guest()
  const asked: Awaited<ReturnType<typeof checkout>>[] = []
  const statements = await recordStatements(async () => {
    asked.push(await checkout(guest, { items: [item(pin, 2), item(book)] }))
  })
  const [{ body, text } = assert.fail()] = asked
  assert.ok(body.orderId, text)
  const telling = statements.filter((statement) => statement.text.includes('event_outbox'))
  assert.deepEqual([telling.length, telling[0]?.text.includes('stock_movements')], [1, true])
  assert.deepEqual(await told(), [
    {
      subject: body.orderId,
      actorId: guest.id,
      data: { kind: 'ORDER', reference: body.orderId, changes: [change(pin, -2)] },
    },
  ])
  await checkout(guest, { items: [item(book)] })
  assert.deepEqual(await told(), [])
  assert.equal(await mug.stock(), 100)
})

test('a PUT of a product does not tell it', async () => {
  const { admin, mug, told } = await open()
  await admin.put(mug.path, { variants: [{ id: 'one', inventory: { quantity: 5 } }] })
  assert.equal(await mug.stock(), 5)
  assert.deepEqual(await told(), [])
})
