import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import {
  CSV,
  changeText,
  countsOf,
  dryRun,
  eventsOf,
  faultsIn,
  finishImport,
  importErrors,
  importFile,
  importLines,
  movementsOf,
  steerImport,
  toLines,
  uploadFile,
} from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

type Shop = Awaited<ReturnType<typeof used.make.shop>>
// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is for the test to say
type Body = any // oxlint-disable-line typescript/no-explicit-any

const range = (count: number, from = 1) => Array.from({ length: count }, (_, index) => index + from)
const cup = (number: number, price = 1_000, more: object = {}) => ({
  name: `Cup ${number}`,
  slug: `cup-${number}`,
  statuses: [{ status: 'ACTIVE' }],
  variants: [
    {
      name: 'Plain',
      sku: `CUP-${number}`,
      pricing: { markets: [{ marketId: 'us', price }] },
      inventory: { quantity: 10 },
    },
  ],
  ...more,
})

/** All rows of the catalog but those of imports, as text. */
async function catalogOf({ db, id }: Shop): Promise<Record<string, string>> {
  const tables = 'products variants stock stock_movements search product_slugs price_history listing'.split(' ')
  const found = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql<{ all: string }>`
        select coalesce(string_agg(whole::text, ' ' order by whole::text), '') as all
          from ${sql.table(`catalog.${table}`)} as whole where business_id = ${id}`.execute(db)
      return [table, rows[0]?.all ?? ''] as const
    }),
  )
  return Object.fromEntries(found)
}
const bySlug = async (shop: Shop, slug: string): Promise<Body> =>
  (await shop.admin.get(`${shop.products}?slug=${slug}`)).body.items[0]

test('a dry run says of each line what it would do, field by field, and writes nothing but its report', async () => {
  const shop = await used.make.shop()
  await importFile(shop, toLines(range(5).map((number) => cup(number))))
  const before = await catalogOf(shop)
  const events = await eventsOf(shop.db, shop.id, 'product.created', 'product.updated', 'import.finished')

  const report = await dryRun(
    shop,
    toLines([
      cup(1),
      cup(2, 500),
      { slug: 'cup-3', category: 'cups', variants: [{ name: 'New', sku: 'CUP-3-N', inventory: { quantity: 4 } }] },
      { slug: 'cup-4', statuses: [{ status: 'ARCHIVED' }], variants: [{ sku: 'CUP-4', inventory: { quantity: 7 } }] },
      cup(6, 900),
      { slug: 'cup-7', name: '' },
      'no product',
    ]),
  )
  assert.equal(countsOf(report), '1/3/2 of 7')
  assert.deepEqual([report.unchanged, report.done, report.skipped], [1, 5, 0])
  const lines = await importLines(shop, report.id)
  assert.deepEqual(
    lines.map(({ number, status, warnings }) => `${number} ${status} ${warnings.join()}`.trim()),
    [
      '1 UNCHANGED',
      '2 CHANGED PRICE_DROP',
      '3 CHANGED VARIANT_REMOVED',
      '4 CHANGED NOT_SOLD,STOCK_SET',
      '5 CREATED',
      '6 FAILED',
      '7 FAILED',
    ],
  )
  const said = (number: number) => lines.find((line) => line.number === number)?.changes.map(changeText)
  assert.deepEqual(said(2), ['price us CUP-2: 1000 → 500'])
  assert.deepEqual(said(3), [
    'category: "" → "cups"',
    'variant CUP-3-N: null → "CUP-3-N"',
    'name CUP-3-N: null → "New"',
    'sku CUP-3-N: null → "CUP-3-N"',
    'tracked CUP-3-N: null → true',
    'variant CUP-3: "CUP-3" → null',
    'quantity CUP-3-N: null → 4',
  ])
  assert.deepEqual(said(4), ['status: "ACTIVE" → "ARCHIVED"', 'quantity CUP-4: 10 → 7'])
  assert.ok(said(5)?.includes('price us CUP-6: null → 900'))
  assert.equal(lines[4]?.productId, null, 'what is not there yet has no id')
  assert.deepEqual([lines[5]?.name, lines[5]?.details[0]?.field], ['', 'name'])
  assert.deepEqual(
    report.warnings.map(({ code, count }) => `${code} ${count}`),
    ['NOT_SOLD 1', 'PRICE_DROP 1', 'STOCK_SET 1', 'VARIANT_REMOVED 1'],
  )

  const wrong = await importLines(shop, report.id, '&status=FAILED')
  assert.deepEqual(
    wrong.map(({ number }) => number),
    [6, 7],
  )
  const some = await importLines(shop, report.id, '&status=CREATED&status=UNCHANGED')
  assert.deepEqual(
    some.map(({ number }) => number),
    [1, 5],
  )
  const warned = await importLines(shop, report.id, '&warning=PRICE_DROP')
  assert.deepEqual(
    warned.map(({ number }) => number),
    [2],
  )
  assert.deepEqual(await catalogOf(shop), before)
  assert.deepEqual(
    await eventsOf(shop.db, shop.id, 'product.created', 'product.updated', 'import.finished'),
    events,
    'no event, either',
  )
})

test('what a dry run has shown is applied, once, and its wrong lines stay out', async () => {
  const shop = await used.make.shop()
  await importFile(shop, toLines(range(3).map((number) => cup(number))))
  const report = await dryRun(shop, toLines([...range(450).map((number) => cup(number, 2_000)), { name: '' }]))
  assert.equal(countsOf(report), '447/3/1 of 451')
  const [one, other] = await Promise.all(
    range(2).map(() => shop.admin.post(`${shop.products}/imports/${report.id}/apply`, {})),
  )
  assert.deepEqual([one?.status, other?.status], [202, 202], `${one?.text} ${other?.text}`)
  const done = await finishImport(shop, report.id)
  assert.equal(countsOf(done), '447/3/1 of 451')
  assert.equal((await shop.admin.post(`${shop.products}/imports/${report.id}/apply`, {})).status, 202, 'and once more')
  assert.equal((await bySlug(shop, 'cup-2')).variants[0].pricing.markets[0].price, 2_000)
  assert.equal((await movementsOf(shop.db, shop.id)).filter(({ reference }) => reference === report.id).length, 447)
  assert.equal((await eventsOf(shop.db, shop.id, 'import.finished')).length <= 2, true)
  assert.deepEqual(
    (await importErrors(shop, report.id)).map(({ number }) => number),
    [451],
  )
  const lines = await importLines(shop, report.id, '&status=CHANGED')
  assert.deepEqual(lines[0]?.changes.map(changeText), ['price us CUP-1: 1000 → 2000'])
})

test('a product that somebody changes, makes or deletes after the dry run is left alone', async () => {
  const shop = await used.make.shop()
  await importFile(shop, toLines(range(4).map((number) => cup(number))))
  const report = await dryRun(shop, toLines(range(6).map((number) => cup(number, 3_000))))
  const [edited, gone] = await Promise.all([bySlug(shop, 'cup-1'), bySlug(shop, 'cup-2')])
  await shop.admin.put(`${shop.products}/${edited.id}`, { description: 'by hand' })
  await shop.admin.delete(`${shop.products}/${gone.id}`)
  await used.make.product(shop, { slug: 'cup-5', name: 'Somebody was faster' })
  const stocked = await bySlug(shop, 'cup-3')
  await shop.admin.post(`${shop.products}/${stocked.id}/variants/${stocked.variants[0].id}/stock`, { delta: -1 })

  const done = await steerImport(shop, report.id, 'apply')
  assert.equal(countsOf(done), '1/2/0 of 6', 'a sale does not make it another product')
  assert.equal(done.skipped, 3)
  assert.deepEqual(
    (await importLines(shop, report.id, '&status=SKIPPED')).map(({ number }) => number),
    [1, 2, 5],
  )
  const { description, variants } = await bySlug(shop, 'cup-1')
  assert.deepEqual([description, variants[0].pricing.markets[0].price], ['by hand', 1_000])
  assert.equal((await bySlug(shop, 'cup-5')).name, 'Somebody was faster')
})

test('stock moves by the difference that was agreed to: what is sold after the dry run stays sold', async () => {
  const shop = await used.make.shop()
  await importFile(shop, toLines([cup(1), cup(2)]))
  const stocked = (number: number, quantity: number) =>
    cup(number, 2_000, { variants: [{ sku: `CUP-${number}`, inventory: { quantity } }] })
  const report = await dryRun(shop, toLines([stocked(1, 10), stocked(2, 30)]))
  for (const slug of ['cup-1', 'cup-2']) {
    const { id, variants } = await bySlug(shop, slug)
    await shop.admin.post(`${shop.products}/${id}/variants/${variants[0].id}/stock`, { delta: -3 })
  }
  await steerImport(shop, report.id, 'apply')
  const quantityOf = async (slug: string) => (await bySlug(shop, slug)).variants[0].inventory.quantity
  assert.deepEqual([await quantityOf('cup-1'), await quantityOf('cup-2')], [7, 27])
})

test('a line that was looked at again does not let another line through that was not', async () => {
  const shop = await used.make.shop()
  await importFile(shop, toLines([cup(1)]))
  const report = await dryRun(
    shop,
    toLines([
      { slug: 'cup-1', description: 'From the file' },
      { slug: 'cup-1', name: 'Renamed' },
    ]),
  )
  const { id } = await bySlug(shop, 'cup-1')
  await shop.admin.put(`${shop.products}/${id}`, { description: 'By hand, later' })
  const line = `${shop.products}/imports/${report.id}/lines/2`
  const looked = await shop.admin.put(line, { product: { slug: 'cup-1', name: 'Renamed' } })
  assert.deepEqual([looked.status, looked.body.status, looked.body.details[0].error], [200, 'FAILED', 'DUPLICATE'])
  const done = await steerImport(shop, report.id, 'apply')
  assert.deepEqual([done.updated, done.skipped, done.failed], [0, 1, 1])
  const { name, description } = await bySlug(shop, 'cup-1')
  assert.deepEqual([name, description], ['Cup 1', 'By hand, later'])
})

test('a line about the product of an earlier line is an error, and is left out', async () => {
  const shop = await used.make.shop()
  const report = await dryRun(
    shop,
    toLines([
      cup(1),
      { slug: 'cup-1', name: 'Second' },
      { name: 'Cup 1' },
      cup(2),
      { name: 'Plain' },
      { name: 'Plain' },
    ]),
  )
  assert.deepEqual(
    (await importErrors(shop, report.id)).map(({ number, details }) => [number, details[0]?.field, details[0]?.error]),
    [
      [2, 'slug', 'DUPLICATE'],
      [3, 'slug', 'DUPLICATE'],
      [6, 'slug', 'DUPLICATE'],
    ],
  )
  assert.equal(countsOf(report), '3/0/3 of 6')
  assert.equal(countsOf(await steerImport(shop, report.id, 'apply')), '3/0/3 of 6')
  assert.equal((await bySlug(shop, 'cup-1')).name, 'Cup 1')
})

test('a slug that another product has in any language is wrong before anything is written', async () => {
  const shop = await used.make.shop()
  await used.make.product(shop, { slug: 'cup-9', translations: { de: { name: 'Tasse', slug: 'tasse' } } })
  const inGerman = (slug: string) => ({ translations: { de: { name: 'Tasse', slug } } })
  const report = await dryRun(
    shop,
    toLines([cup(1, 1_000, inGerman('tasse')), cup(2, 1_000, inGerman('becher')), cup(3, 1_000, inGerman('becher'))]),
  )
  assert.deepEqual([report.created, report.failed], [1, 2])
  const wrong = await importLines(shop, report.id, '&status=FAILED')
  assert.deepEqual(
    wrong.map(({ number, details }) => [number, details[0]?.error]),
    [
      [1, 'SLUG_EXISTS'],
      [3, 'SLUG_EXISTS'],
    ],
  )
  assert.equal(countsOf(await steerImport(shop, report.id, 'apply')), '1/0/2 of 3')
})

test('a wrong line is corrected in its place, and looked at once more', async () => {
  const shop = await used.make.shop()
  const text = [
    'slug,name,sku,price:us,description',
    'a,A,A-1,1000,',
    `b,B,B-1,12.50,${'long '.repeat(300)}`,
    'c,,C-1,100,',
  ].join('\n')
  const report = await dryRun(shop, text, CSV, '&fileName=goods.csv')
  assert.equal(countsOf(report), '1/0/2 of 3')
  const at = `${shop.products}/imports/${report.id}/lines`
  const wrong = await shop.admin.get(`${at}/3`)
  assert.deepEqual([wrong.body.status, wrong.body.details[0].field], ['FAILED', 'price:us'])
  const { product } = wrong.body
  assert.equal(product.description.length, 1_499, 'it is kept whole')

  product.variants[0].pricing.markets[0].price = 'still wrong'
  const still = await shop.admin.put(`${at}/3`, { product })
  assert.equal(still.status, 200, still.text)
  assert.deepEqual([still.body.status, still.body.details[0].field], ['FAILED', 'variants.0.pricing.markets.0.price'])
  product.variants[0].pricing.markets[0].price = 1_250
  const right = await shop.admin.put(`${at}/3`, { product })
  assert.deepEqual([right.body.status, right.body.details], ['CREATED', []])
  assert.ok(right.body.changes.map(changeText).includes('price us B-1: null → 1250'))
  const now = await shop.admin.get(`${shop.products}/imports/${report.id}`)
  assert.equal(countsOf(now.body), '2/0/1 of 3')
  const again = await shop.admin.put(`${at}/3`, { product: { ...product, name: 'Bee' } })
  assert.deepEqual([again.body.status, again.body.name], ['CREATED', 'Bee'])
  assert.equal(await bySlug(shop, 'b'), undefined, 'nothing is written before it is applied')

  const done = await steerImport(shop, report.id, 'apply')
  assert.equal(countsOf(done), '2/0/1 of 3')
  assert.equal((await bySlug(shop, 'b')).name, 'Bee')
  assert.equal(refusal(await shop.admin.put(`${at}/4`, { product: { name: 'C' } })), '409 CONFLICT status WRONG_STATE')
  assert.equal((await shop.admin.put(`${at}/77`, { product: {} })).status, 409)
  assert.equal((await shop.admin.get(`${at}/77`)).status, 404)
})

test('a dry run that is discarded leaves nothing but a line in the history', async () => {
  const shop = await used.make.shop()
  const report = await dryRun(shop, toLines(range(300).map((number) => cup(number))))
  const gone = await shop.admin.post(`${shop.products}/imports/${report.id}/discard`, {})
  assert.deepEqual([gone.status, gone.body.status], [200, 'DISCARDED'], gone.text)
  assert.equal((await shop.admin.post(`${shop.products}/imports/${report.id}/discard`, {})).status, 200)
  for (const verb of ['apply', 'undo'])
    assert.equal(
      refusal(await shop.admin.post(`${shop.products}/imports/${report.id}/${verb}`, {})),
      '409 CONFLICT status WRONG_STATE',
    )
  await until('its lines are gone', async () => {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from catalog.import_rows where business_id = ${shop.id})
           + (select count(*) from catalog.import_items where business_id = ${shop.id}) as left`.execute(shop.db)
    return Number(rows[0]?.left) === 0
  })
  const { body } = await shop.admin.get(`${shop.products}/imports`)
  assert.deepEqual(
    body.items.map(({ id, status }: Body) => [id, status]),
    [[report.id, 'DISCARDED']],
  )
})

test('an import under way is stopped: what is done stays, the rest is left alone', async () => {
  const shop = await used.make.shop()
  const report = await dryRun(shop, toLines(range(3_000).map((number) => cup(number))))
  const at = `${shop.products}/imports/${report.id}`
  await shop.admin.post(`${at}/apply`, {})
  await until('some of it is done', async () => (await shop.admin.get(at)).body.done > 0, { everyMs: 5 })
  const stopped = await shop.admin.post(`${at}/discard`, {})
  assert.equal(stopped.status, 200, stopped.text)
  assert.equal(stopped.body.status, 'STOPPED')
  const { created, skipped, failed } = stopped.body
  assert.equal(created + skipped + failed, 3_000)
  assert.ok(skipped > 0, `${created} were done already`)
  await until('the rest is marked', async () => {
    const { rows: marked } = await sql<{ count: number }>`
      select count(*) as count from catalog.import_items
       where business_id = ${shop.id} and status = 'SKIPPED'`.execute(shop.db)
    return Number(marked[0]?.count) === skipped
  })
  assert.equal((await shop.admin.get(`${at}/lines?status=SKIPPED`)).body.items.length, 20)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from catalog.products where business_id = ${shop.id}`.execute(shop.db)
  assert.equal(Number(rows[0]?.count), created)
  const undone = await steerImport(shop, report.id, 'undo')
  assert.deepEqual([undone.undone, undone.kept], [created, 0])
})

test('imports are listed, newest first, with what they were', async () => {
  const shop = await used.make.shop()
  const first = await importFile(shop, toLines([cup(1)]))
  const second = await uploadFile(shop, 'slug,name\na,A\n', CSV, '?dryRun=true&fileName=my%20goods.csv')
  const page = await shop.admin.get(`${shop.products}/imports?limit=1`)
  assert.deepEqual(
    page.body.items.map((item: Body) => [item.id, item.fileName, item.format, item.isDryRun, item.createdBy]),
    [[second.body.id, 'my goods.csv', 'csv', true, shop.admin.id]],
  )
  const rest = await shop.admin.get(`${shop.products}/imports?limit=1&cursor=${page.body.cursor}`)
  assert.deepEqual([rest.body.items[0].id, rest.body.cursor], [first.id, null])
  const stranger = await used.make.shop()
  assert.deepEqual((await stranger.admin.get(`${stranger.products}/imports`)).body.items, [])
  for (const path of [`imports/${first.id}`, `imports/${first.id}/lines`, `imports/${first.id}/lines/1`])
    assert.equal((await stranger.admin.get(`${stranger.products}/${path}`)).status, 404, path)
  for (const verb of ['apply', 'discard', 'undo'])
    assert.equal((await stranger.admin.post(`${stranger.products}/imports/${first.id}/${verb}`, {})).status, 404, verb)
})

test('an empty dry run is done, and a file that is none is refused as ever', async () => {
  const shop = await used.make.shop()
  const empty = await uploadFile(shop, '\n', CSV, '?dryRun=true')
  assert.deepEqual([empty.status, empty.body.status], [201, 'DONE'])
  const broken = await uploadFile(shop, 'slug,name\na,"open\n', CSV, '?dryRun=true')
  assert.equal(refusal(broken), '400 BAD_REQUEST')
  const other = await uploadFile(shop, '{}', 'application/x-ndjson', '?format=csv')
  assert.equal(refusal(other), '422 VALIDATION_FAILED format INVALID')
})
