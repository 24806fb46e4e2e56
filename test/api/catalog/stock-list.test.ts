import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { verify } from '../../../src/apps/verify.ts'
import { assertError } from '../../support/assert-error.ts'
import { onServer } from '../../support/database.ts'
import { findSequentialScans, recordStatements } from '../../support/explain.ts'
import { item } from '../../support/shop.ts'
import { openStockDesk } from '../../support/stock-desk.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const open = () => openStockDesk(used.api, used.make)

const variant = (id: string, quantity: number, more: object = {}) => ({
  id,
  name: `Size ${id}`,
  sku: `MUG-${id.toUpperCase()}`,
  inventory: { tracked: true, quantity, ...more },
})

async function withMugs() {
  const desk = await open()
  const mug = await desk.product({
    name: 'Watch Mug',
    variants: [
      variant('s', 7),
      variant('m', 0, { lowStockThreshold: 2 }),
      variant('l', 2, { lowStockThreshold: 2 }),
      variant('xl', 30, { lowStockThreshold: 5 }),
      variant('digital', 0, { tracked: false }),
    ],
  })
  await desk.catchUp()
  return { ...desk, mug }
}

test('stock is listed from the lowest, with names, SKU, threshold and the number of the last movement', async () => {
  const desk = await withMugs()
  const { items, cursor, asOf } = await desk.list()

  assert.deepEqual(
    items.map(({ sku, quantity }) => [sku, quantity]),
    [
      ['MUG-M', 0],
      ['MUG-L', 2],
      ['MUG-S', 7],
      ['MUG-XL', 30],
    ],
  )
  assert.deepEqual(items[1], {
    productId: desk.mug.id,
    variantId: 'l',
    productName: 'Watch Mug',
    variantName: 'Size l',
    sku: 'MUG-L',
    tracked: true,
    quantity: 2,
    committed: 0,
    number: 1,
    lowStockThreshold: 2,
  })
  assert.equal(cursor, null)
  assert.ok(Math.abs(asOf - Date.now() / 1000) < 60)
  assert.deepEqual(await desk.skus('sort=-quantity'), ['MUG-XL', 'MUG-S', 'MUG-L', 'MUG-M'])
})

test('low is at or below the threshold, empty is nothing to sell', async () => {
  const desk = await withMugs()
  assert.deepEqual(await desk.skus('low=true'), ['MUG-M', 'MUG-L'])
  assert.deepEqual(await desk.skus('empty=true'), ['MUG-M'])
  assert.deepEqual(await desk.skus('low=true&sort=-quantity'), ['MUG-L', 'MUG-M'])
})

test('pages go on where the last one ended, in both directions', async () => {
  const desk = await withMugs()
  for (const sort of ['quantity', '-quantity']) {
    const all = await desk.skus(`sort=${sort}`)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof desk.list>> = await desk.list(`sort=${sort}&limit=1&cursor=${cursor}`)
      seen.push(...page.items.map(({ sku }) => sku))
      cursor = page.cursor
    }
    assert.deepEqual(seen, all)
  }
})

test('a query finds by the beginning of an SKU, and by words of product and variant', async () => {
  const desk = await withMugs()
  await desk.product({ name: 'Teapot', description: 'Goes with the watch mug', variants: [variant('pot', 4)] })
  await desk.catchUp()
  assert.deepEqual(await desk.skus('query=mug-x'), ['MUG-XL'])
  assert.deepEqual(await desk.skus('query=watch size l'), ['MUG-L'])
  assert.deepEqual(await desk.skus('query=teapot'), ['MUG-POT'])
  assert.deepEqual(await desk.skus('query=watch&low=true'), ['MUG-M', 'MUG-L'])
  assert.deepEqual(await desk.skus('query=nothing-of-the-kind'), [])
})

test('the variants of a product are read as they are, also those that are not tracked', async () => {
  const desk = await withMugs()
  const { items } = await desk.list(`productId=${desk.mug.id}&limit=100`)
  assert.deepEqual(items.map(({ variantId }) => variantId).toSorted(), ['digital', 'l', 'm', 's', 'xl'])
  await desk.admin.post(`${desk.mug.path}/variants/s/stock`, { delta: 3 })
  assert.equal((await desk.level(desk.mug, 's')).quantity, 10)
  assert.deepEqual(await desk.skus('productId=prod_unknown'), [])
  assert.deepEqual(await desk.skus(`productId=${desk.mug.id}&variantId=l`), ['MUG-L'])
  assertError(await desk.admin.get(`${desk.path}/stock?variantId=l`), 422, 'VALIDATION_FAILED')
})

test('the list is found and sorted as of a minute ago, and shows what is there now', async () => {
  const desk = await withMugs()
  await desk.admin.post(`${desk.mug.path}/variants/m/stock`, { delta: 50 })
  const before = (await desk.list('empty=true')).items
  assert.deepEqual(
    before.map(({ sku, quantity, number }) => [sku, quantity, number]),
    [['MUG-M', 50, 1]],
  )
  await desk.catchUp()
  assert.deepEqual(await desk.skus('empty=true'), [])
  assert.deepEqual(await desk.skus('sort=-quantity&limit=1'), ['MUG-M'])
})

test('the list follows thresholds, removed variants and deleted products', async () => {
  const desk = await withMugs()
  await desk.admin.put(`${desk.mug.path}/variants/s`, { inventory: { lowStockThreshold: 9 } })
  await desk.admin.delete(`${desk.mug.path}/variants/m`)
  assert.deepEqual(await desk.skus(), ['MUG-L', 'MUG-S', 'MUG-XL'])
  await desk.catchUp()
  assert.deepEqual(await desk.skus('low=true'), ['MUG-L', 'MUG-S'])
  await desk.admin.delete(desk.mug.path)
  assert.deepEqual(await desk.skus(), [])
  await desk.catchUp()
  const { rows } = await sql`select from catalog.stock_list where business_id = ${desk.id}`.execute(desk.db)
  assert.equal(rows.length, 0)
})

test('committed is what is ordered and not shipped, whether or not the worker has seen it', async () => {
  const desk = await open()
  const mug = await desk.priced(1_000, { tracked: true, quantity: 10 })
  const sold = (await desk.sell(mug, 3)).body
  const figures = async () => {
    const { quantity, committed, number } = await desk.level(mug)
    return [quantity, committed, number]
  }
  const both = async (expected: number[]) => {
    assert.deepEqual(await figures(), expected)
    await desk.catchUp()
    assert.deepEqual(await figures(), expected)
  }
  await both([7, 3, 2])

  const order = `${desk.orders}/${sold.id}`
  const lineId = sold.lines[0].id
  const shipment = await desk.admin.post(`${order}/shipments`, { lines: [{ lineId, quantity: 2 }] })
  assert.equal(shipment.status, 201, shipment.text)
  await both([7, 1, 2])
  await desk.admin.delete(`${order}/shipments/${shipment.body.id}`)
  await both([7, 3, 2])
  await desk.admin.post(`${order}/shipments`, { lines: [{ lineId, quantity: 2 }] })

  // One that had gone out, and is on the shelf again.
  await desk.admin.post(`${order}/returns`, { lines: [{ lineId, quantity: 1 }] })
  await both([8, 1, 3])
  await desk.admin.put(`${order}/status`, { status: 'CANCELLED' })
  await both([9, 0, 4])
})

test('what is sent by its status alone is on the shelf no more', async () => {
  const desk = await open()
  const mug = await desk.priced(1_000, { tracked: true, quantity: 10 })
  const { id } = (await desk.sell(mug, 4)).body
  await desk.admin.put(`${desk.orders}/${id}/status`, { status: 'SHIPPED' })
  assert.equal((await desk.level(mug)).committed, 0)
  await desk.admin.put(`${desk.orders}/${id}/status`, { status: 'PROCESSING' })
  assert.equal((await desk.level(mug)).committed, 4)

  // Also when it is refunded later; and the books say the same.
  for (const status of ['SHIPPED', 'DELIVERED', 'REFUNDED'])
    assert.equal((await desk.admin.put(`${desk.orders}/${id}/status`, { status })).status, 200, status)
  assert.equal((await desk.level(mug)).committed, 0)
  await desk.catchUp()
  await sql`update orders.orders set updated_at = now() - interval '1 hour' where business_id = ${desk.id}`.execute(
    desk.db,
  )
  for (const { check, violations } of await verify(desk.db, desk.id)) assert.deepEqual(violations, [], check)
})

test('an order that waits for its payment holds its pieces', async () => {
  const desk = await open()
  const mug = await desk.priced(0, { tracked: true, quantity: 10 })
  const bought = await desk.checkout(await used.make.guest(), { items: [item(mug, 2)] })
  assert.equal(bought.status, 200, bought.text)
  const { quantity, committed } = await desk.level(mug)
  assert.deepEqual([quantity, committed], [8, 2])
})

test('committed is null while more than 5,000 orders wait to be counted', async () => {
  const desk = await open()
  const mug = await desk.priced(1_000, { tracked: true, quantity: 10 })
  await desk.sell(mug, 3)
  await desk.catchUp()
  await sql`
    insert into cell.followed (topic, business_id, subject)
    select 'committed', ${desk.id}, 'ord_' || n from generate_series(1, 5001) as n`.execute(desk.db)
  const { quantity, committed } = await desk.level(mug)
  assert.deepEqual([quantity, committed], [7, null])
  await sql`delete from cell.followed where business_id = ${desk.id}`.execute(desk.db)
  assert.equal((await desk.level(mug)).committed, 3)
})

test('the list is for those who look after products, of their own business', async () => {
  const desk = await withMugs()
  const other = await withMugs()
  const reader = await used.make.member(desk.id, 'ORDERS_READ')
  assertError(await reader.get(`${desk.path}/stock`), 403, 'FORBIDDEN')
  assertError(await other.admin.get(`${desk.path}/stock`), 403, 'FORBIDDEN')
  assert.deepEqual(await desk.skus(`productId=${other.mug.id}`), [])
  assertError(await desk.admin.get(`${desk.path}/stock?sort=name`), 422, 'VALIDATION_FAILED')
  assertError(await desk.admin.get(`${desk.path}/stock?colour=red`), 422, 'VALIDATION_FAILED')
})

test('among 20,000 variants a page reads no table whole', async () => {
  const { id, admin, path } = await used.make.shop({ cell: 'main' })
  const product = `'prod_' || lpad(n::text, 26, '0')`
  await onServer(async (client) => {
    await client.query(`
      insert into catalog.products
             (business_id, id, name, slug, description, category, gallery, blocks, statuses, status, version, document, public_document, created_at, updated_at)
      select '${id}', ${product}, 'Product ' || n, 'product-' || n, '', '', '[]', '[]', '[]', 'ACTIVE', 1, '{}', '{}', now(), now()
        from generate_series(1, 20000) as n`)
    await client.query(`
      insert into catalog.variants (business_id, product_id, id, position, name, sku, attributes, prices, gallery)
      select '${id}', ${product}, 'one', 0, '', 'SKU-' || n, '[]', '[]', '[]' from generate_series(1, 20000) as n`)
    await client.query(`
      insert into catalog.stock (business_id, product_id, variant_id, position, tracked, quantity, low_stock_threshold)
      select '${id}', ${product}, 'one', 0, true, n % 500, 5 from generate_series(1, 20000) as n`)
    await client.query(`
      insert into catalog.stock_list (business_id, product_id, variant_id, quantity, is_low)
      select business_id, product_id, variant_id, quantity, quantity <= 5 from catalog.stock where business_id = '${id}'`)
    await client.query('vacuum analyze catalog.products, catalog.variants, catalog.stock, catalog.stock_list')
  }, used.api.databases.main.url)
  for (const query of ['', 'low=true', 'empty=true', 'sort=-quantity', 'query=SKU-1234']) {
    let count = 0
    const statements = await recordStatements(async () => {
      count = (await admin.get(`${path}/stock?limit=100&${query}`)).body.items.length
    })
    assert.deepEqual(await findSequentialScans(statements), [], query)
    assert.ok(count > 10, `${query}: ${count}`)
  }
})

test('no index of stock names its quantity', async () => {
  const desk = await open()
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name
      from pg_index
      join pg_attribute on attrelid = indexrelid
     where indrelid = 'catalog.stock'::regclass and attname = 'quantity'`.execute(desk.db)
  assert.deepEqual(rows, [])
})

test('the books hold after all of it', async () => {
  const desk = await withMugs()
  for (const { check, violations } of await verify(desk.db, desk.id)) assert.deepEqual(violations, [], check)
})
