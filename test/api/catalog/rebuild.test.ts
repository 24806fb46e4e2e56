import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { rebuildProducts } from '#modules/catalog/index.ts'
import { runKontor } from '../../support/child.ts'
import { importFile, movementsOf, toLines } from '../../support/imports.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog', own: true })
type Shop = Awaited<ReturnType<typeof used.make.shop>>

const row = (number: number) => ({
  name: `Lantern ${number}`,
  slug: `lantern-${number}`,
  category: 'lamps',
  description: 'Bright & <warm>',
  statuses: [{ status: (['ACTIVE', 'DRAFT', 'ARCHIVED'] as const)[number % 3] }],
  variants: [
    { id: 'a', name: 'Brass', sku: `L-${number}`, inventory: { quantity: number, lowStockThreshold: 3 } },
    { id: 'b', name: 'Tin', pricing: { markets: [{ marketId: 'us', price: number }] }, inventory: { tracked: false } },
  ],
})

/** A shop with that many products; one of them has lost a variant, another one is deleted. */
async function makeShop(count: number, cell = 'main') {
  const shop = await used.make.shop({ cell })
  await importFile(shop, toLines(Array.from({ length: count }, (_, index) => row(index))))
  const [first, second] = (await shop.admin.get(`${shop.products}?slug=lantern-3`)).body.items.concat(
    (await shop.admin.get(`${shop.products}?slug=lantern-4`)).body.items,
  )
  await shop.admin.put(`${shop.products}/${first.id}`, { variants: [{ id: 'b' }] })
  await shop.admin.delete(`${shop.products}/${second.id}`)
  return shop
}

/** All that can be read of a shop. */
async function readAll({ admin, products, db, id }: Shop) {
  const texts: string[] = []
  for (const query of [
    'limit=100',
    'limit=100&category=lamps',
    'query=lantrn',
    'query=brass%20L-7',
    'query=warm',
    'status=DRAFT',
  ]) {
    texts.push(JSON.stringify((await admin.get(`${products}?${query}`)).body.items))
  }
  const { body } = await admin.get(`${products}?limit=100`)
  const etags = await Promise.all(
    body.items.map(async (item: { id: string }) => (await admin.get(`${products}/${item.id}`)).headers.get('etag')),
  )
  const rows = await sql`
    select id, version, updated_at, status from catalog.products where business_id = ${id} order by id`.execute(db)
  const stock = await sql`
    select * from catalog.stock where business_id = ${id} order by product_id, variant_id`.execute(db)
  return { texts, etags, rows: rows.rows, stock: stock.rows, ledger: await movementsOf(db, id) }
}

async function corrupt({ db, id }: Shop) {
  await sql`
    update catalog.products set document = '{"id":"broken","variants":[' || chr(1) || ',' || chr(1) || ']}'
     where business_id = ${id}`.execute(db)
  await sql`update catalog.search set terms = '', category = 'none', status = 'DRAFT' where business_id = ${id}`.execute(
    db,
  )
  await sql`delete from catalog.search where business_id = ${id} and random() < 0.5`.execute(db)
  await sql`delete from catalog.spellings where business_id = ${id}`.execute(db)
}

test('documents, search terms and spellings are made anew, and nothing else changes', async () => {
  const [shop, other] = [await makeShop(230), await makeShop(10)]
  const before = await readAll(shop)
  assert.ok(
    before.texts.every((text) => text.length > 100),
    'there is something to be found',
  )
  await corrupt(shop)
  await corrupt(other)
  assert.notDeepEqual((await readAll(shop)).texts, before.texts)

  const progress: number[] = []
  const done = await rebuildProducts(shop.db, { businessId: shop.id, progress: (count) => progress.push(count) })
  assert.deepEqual([done, progress], [229, [200, 229]])
  assert.deepEqual(await readAll(shop), before)
  const untouched = await sql`
    select count(*) from catalog.products where business_id = ${other.id} and document like '%broken%'`.execute(
    other.db,
  )
  assert.deepEqual(untouched.rows, [{ count: 10 }], 'only those of that business')

  assert.equal(await rebuildProducts(shop.db, { businessId: shop.id }), 229, 'again is harmless')
  assert.deepEqual(await readAll(shop), before)
})

test('the command rebuilds the products of every cell', async () => {
  const shops = [await makeShop(20, 'main'), await makeShop(30, 'second')]
  const before = await Promise.all(shops.map(readAll))
  await Promise.all(shops.map(corrupt))
  const run = await runKontor(['cli', 'products', 'rebuild'], used.api.databases.env)
  assert.equal(run.code, 0, run.output)
  assert.match(run.output, /^main: \d+ products rebuilt$/m)
  assert.match(run.output, /^second: 29 products rebuilt$/m)
  assert.deepEqual(await Promise.all(shops.map(readAll)), before)

  await Promise.all(shops.map(corrupt))
  const one = await runKontor(['cli', 'products', 'rebuild', '--business', shops[1]?.id ?? ''], used.api.databases.env)
  assert.match(one.output, /^main: 0 products rebuilt$/m)
  assert.match(one.output, /^second: 29 products rebuilt$/m)
  assert.deepEqual(await readAll(shops[1] as Shop), before[1])
})

test('what is edited and sold while it runs is not lost', async () => {
  const shop = await makeShop(250)
  const { body } = await shop.admin.get(`${shop.products}?limit=100`)
  const ids = body.items.slice(0, 40).map(({ id }: { id: string }) => id) as string[]
  let isRunning = true
  const rebuilding = (async () => {
    let rounds = 0
    while (isRunning) {
      await rebuildProducts(shop.db, { businessId: shop.id })
      rounds++
    }
    return rounds
  })()
  const answers = await Promise.all(
    ids.flatMap((id, index) => [
      shop.admin.put(`${shop.products}/${id}`, { description: `edited ${index}` }),
      shop.admin.post(`${shop.products}/${id}/variants/b/stock`, { delta: 5 + index }),
    ]),
  )
  isRunning = false
  assert.ok((await rebuilding) > 0)
  assert.deepEqual(
    [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b),
    [200, 201],
  )
  for (const [index, id] of ids.entries()) {
    const read = await shop.admin.get(`${shop.products}/${id}`)
    const variant = read.body.variants.find((element: { id: string }) => element.id === 'b')
    assert.deepEqual([read.body.description, variant.inventory.quantity], [`edited ${index}`, 5 + index])
  }
  const before = await readAll(shop)
  await rebuildProducts(shop.db, { businessId: shop.id })
  assert.deepEqual(await readAll(shop), before, 'what was written meanwhile is what a rebuild would write')
})
