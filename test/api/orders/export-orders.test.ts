import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import pino from 'pino'
import { indexOrders } from '#modules/orders/index.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { refusal } from '../../support/refusal.ts'
import { item, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })
const silent = pino({ level: 'silent' })

async function open() {
  const shop = await openShop(used.make)
  const { admin, orders, db, id: businessId } = shop
  const goods = await shop.priced(500, { tracked: false })
  const line = (quantity: number) => ({ ...item(goods, quantity), unitPrice: 500, totalPrice: 500 * quantity })
  return {
    ...shop,
    make: async (quantities = [1], columns: Record<string, unknown> = {}) => {
      const sum = quantities.reduce((all, quantity) => all + 500 * quantity, 0)
      const { status, body, text } = await admin.post(orders, {
        customerId: admin.id,
        market: 'us',
        lines: quantities.map(line),
        subtotal: sum,
        tax: 0,
        shipping: 0,
        total: sum,
      })
      assert.equal(status, 201, text)
      for (const [column, value] of Object.entries(columns))
        await sql`update orders.orders set ${sql.ref(column)} = ${value} where business_id = ${businessId} and id = ${body.id}`.execute(
          db,
        )
      return body.id as string
    },
    export: async (query = '') => {
      const answer = await admin.get(`${orders}/export?${query}`)
      assert.equal(answer.status, 200, answer.text)
      return answer
    },
  }
}
type Row = Record<string, string>
const rowsOf = (text: string) => parse(text, { columns: true }) as Row[]

test('CSV has a row for each line of an order, oldest first', async () => {
  const shop = await open()
  const [one, two] = [await shop.make([2, 1]), await shop.make([3], { tags: ['gift', 'VIP'] })]
  const { text, headers } = await shop.export()
  assert.match(String(headers.get('content-type')), /^text\/csv/)
  assert.match(String(headers.get('content-disposition')), /orders\.csv/)
  const rows = rowsOf(text)
  assert.deepEqual(
    rows.map(({ orderId, quantity, lineTotal, total, tags }) => [orderId, quantity, lineTotal, total, tags]),
    [
      [one, '2', '1000', '1500', ''],
      [one, '1', '500', '1500', ''],
      [two, '3', '1500', '1500', 'gift, VIP'],
    ],
  )
})

test('cells that a spreadsheet would run get an apostrophe', async () => {
  const { make, export: exported } = await open()
  const address = {
    name: '=cmd()',
    company: '+1',
    street: '-1',
    city: '@SUM(A1)',
    state: '\tx',
    zip: '\rx',
    country: 'DE',
  }
  await make([1], { shipping_address: JSON.stringify(address), customer_note: 'a, "b"\n=c' })
  const [row] = rowsOf((await exported('format=csv')).text)
  assert.deepEqual(
    [
      row?.shippingName,
      row?.shippingCompany,
      row?.shippingStreet,
      row?.shippingCity,
      row?.shippingState,
      row?.shippingZip,
    ],
    ["'=cmd()", "'+1", "'-1", "'@SUM(A1)", "'\tx", "'\rx"],
  )
  assert.equal(row?.customerNote, 'a, "b"\n=c')
  assert.equal(row?.shippingCountry, 'DE')
})

test('NDJSON has an order a line, as it is read', async () => {
  const { make, export: exported, admin, orders } = await open()
  const ids = [await make(), await make([1, 2])]
  const { text } = await exported('format=ndjson')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(lines, await Promise.all(ids.map(async (id) => (await admin.get(`${orders}/${id}`)).body)))
})

test('an export has what its filters find, across pages', async () => {
  const { make, export: exported, db } = await open()
  await forEachLimit(8, Array(210).keys(), async (n) => {
    await make([1 + (n % 2)], n % 3 ? {} : { tags: ['gift'] })
  })
  await sequenceEvents(db, ['order'])
  await indexOrders(db, silent)
  const count = async (query: string) => rowsOf((await exported(query)).text).length
  assert.equal(await count(''), 210)
  assert.equal(await count('tag=gift'), 70)
  assert.equal(await count('totalFrom=1000&tag=gift'), 35)
  assert.equal(await count('query=sku'), 210)
  assert.equal(await count('status=CANCELLED'), 0)
})

test('every export is in the audit log, with its filters', async () => {
  const { export: exported, admin, path, orders, id } = await open()
  await exported('format=csv&tag=gift&tag=a&query=ada&totalFrom=5')
  const { body } = await admin.get(`${path}/audit`)
  const [entry] = body.items
  assert.deepEqual(
    { action: entry.action, subject: entry.subject, actorId: entry.actorId, data: entry.data },
    {
      action: 'orders.exported',
      subject: id,
      actorId: admin.id,
      data: { format: 'csv', tag: ['gift', 'a'], query: 'ada', totalFrom: 5 },
    },
  )
  assert.match(refusal(await admin.get(`${orders}/export?format=xlsx`)), /^422 VALIDATION_FAILED format/)
  assert.equal((await admin.get(`${path}/audit`)).body.items.length, body.items.length)
})

test('words of an order are counted once', async () => {
  const { make, admin, orders, db, id: businessId } = await open()
  const id = await make([1, 2])
  await sequenceEvents(db, ['order'])
  const find = async () => (await admin.get(`${orders}?query=sku`)).body.items.map((order: { id: string }) => order.id)
  assert.deepEqual(await find(), [])
  await indexOrders(db, silent)
  assert.deepEqual(await find(), [id])
  await admin.put(`${orders}/${id}/status`, { status: 'SHIPPED' })
  await sequenceEvents(db, ['order'])
  await indexOrders(db, silent)
  const { rows } = await sql<{ word: string; orders: number }>`
    select word, orders from orders.words where business_id = ${businessId} and word in ('', 'sku', 'm:us')`.execute(db)
  assert.deepEqual(
    rows.map(({ orders: count }) => count),
    [1, 1, 1],
  )
})
