import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  CSV,
  countsOf,
  dryRun,
  faultsIn,
  importErrors,
  importFile,
  importLines,
  steerImport,
  toLines,
  uploadFile,
} from '../../support/imports.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

type Shop = Awaited<ReturnType<typeof used.make.shop>>

const csv = (...rows: string[]) => `${rows.join('\n')}\n`
const numbersOf = ({ created, updated, unchanged, failed, total }: Awaited<ReturnType<typeof dryRun>>) => ({
  created,
  updated,
  unchanged,
  failed,
  total,
})
const wrongLines = async (shop: Shop, id: string) =>
  (await importLines(shop, id, '&status=FAILED')).map(({ number, details }) => [
    number,
    details.map(({ field, error }) => `${field} ${error}`).join(),
  ])

async function openShop() {
  const shop = await used.make.shop()
  const made = await shop.admin.post(`/v1/businesses/${shop.id}/categories`, { name: 'Mugs', slug: 'mugs' })
  assert.equal(made.status, 201, made.text)
  return shop
}

test("a merchant's CSV › lists the columns that are not imported, with those that may be meant", async () => {
  const shop = await openShop()
  const file = csv(
    'name,sku,price,stock,status,category,Catgory,Remark',
    'Good Mug,GM-1,9.90,10,ACTIVE,mugs,,x',
    'Bad Mug,BM-1,abc,-3,ACTIVE,mugs,,',
  )
  const made = await uploadFile(shop, file, CSV, '?dryRun=true')
  const unknownColumns = [
    { name: 'price', suggestions: ['price:us', 'price:de'] },
    { name: 'stock', suggestions: ['quantity'] },
    { name: 'Catgory', suggestions: ['category'] },
    { name: 'Remark', suggestions: [] },
  ]
  assert.deepEqual(made.body.unknownColumns, unknownColumns, 'at once')
  const read = await shop.admin.get(`${shop.products}/imports/${made.body.id}`)
  assert.deepEqual(read.body.unknownColumns, unknownColumns)
  const listed = await shop.admin.get(`${shop.products}/imports`)
  assert.deepEqual(listed.body.items[0].unknownColumns, unknownColumns)
})

test("a merchant's CSV › has errors on its rows, and is applied as the dry run shows", async () => {
  const shop = await openShop()
  const file = csv(
    'name,sku,price:us,quantity,status,category',
    'Good Mug,GM-1,990,10,ACTIVE,mugs',
    'Word Mug,WM-1,abc,1,ACTIVE,mugs',
    'Comma Mug,CM-1,"9,90",1,ACTIVE,mugs',
    ',NN-1,500,1,DRAFT,mugs',
    'Dup Sku,GM-1,100,1,ACTIVE,mugs',
    'Sold Mug,SM-1,100,1,on sale,mugs',
    'Owed Mug,OM-1,100,-3,ACTIVE,mugs',
    'Lost Mug,LM-1,100,many,ACTIVE,mugs',
    'Nowhere Mug,NM-1,100,1,ACTIVE,Nowhere',
    'Plain Mug,PM-1,,,DRAFT,',
  )
  const report = await dryRun(shop, file, CSV)
  assert.deepEqual(report.unknownColumns, [])
  assert.deepEqual(await wrongLines(shop, report.id), [
    [3, 'price:us INVALID'],
    [4, 'price:us INVALID'],
    [5, 'name REQUIRED'],
    [6, 'variants.0.sku DUPLICATE'],
    [7, 'statuses.0.status INVALID'],
    [8, 'variants.0.inventory.quantity TOO_SMALL'],
    [9, 'quantity INVALID'],
    [10, 'category NOT_FOUND'],
  ])
  const [, , , repeated, , , , lost] = await importErrors(shop, report.id)
  assert.equal(
    repeated?.details[0]?.message,
    'Line 2 already has the SKU GM-1. Give each product its own SKU, or remove one of the lines.',
  )
  assert.equal(
    lost?.details[0]?.message,
    'The category Nowhere does not exist. Enter the slug of an existing category, or create it first.',
  )
  const done = await steerImport(shop, report.id, 'apply')
  assert.deepEqual(numbersOf(done), numbersOf(report))
  assert.equal(countsOf(done), '2/0/8 of 10')
  const { items } = (await shop.admin.get(`${shop.products}?limit=50`)).body
  assert.deepEqual(items.map(({ name }: { name: string }) => name).toSorted(), ['Good Mug', 'Plain Mug'])
})

test('an import without a dry run › has errors for repeated SKUs, and takes any category', async () => {
  const shop = await openShop()
  const done = await importFile(
    shop,
    csv('name,sku,category', 'One,B-1,mugs', 'Two,B-1,mugs', 'Three,B-3,Nowhere'),
    CSV,
  )
  assert.equal(countsOf(done), '2/0/1 of 3')
})

test('a repeated SKU › is an error of the later line, in another batch and after a line with errors, too', async () => {
  const shop = await openShop()
  const rows = Array.from({ length: 450 }, (_, index) => `Mug ${index},M-${index},100`)
  const file = csv('name,sku,price:us', 'First,SAME-1,cheap', ...rows, 'Late,M-3,100', 'Last,SAME-1,100')
  const report = await dryRun(shop, file, CSV)
  assert.deepEqual(await wrongLines(shop, report.id), [
    [2, 'price:us INVALID'],
    [453, 'variants.0.sku DUPLICATE'],
    [454, 'variants.0.sku DUPLICATE'],
  ])
  assert.deepEqual(numbersOf(await steerImport(shop, report.id, 'apply')), numbersOf(report))
})

test('a repeated SKU › can be corrected, and frees the SKU for the other line', async () => {
  const shop = await openShop()
  const report = await dryRun(shop, csv('name,sku', 'One,S-1', 'Two,S-1'), CSV)
  const at = (number: number) => `${shop.products}/imports/${report.id}/lines/${number}`
  const product = (name: string, sku: string) => ({ product: { name, variants: [{ sku }] } })
  const still = await shop.admin.put(at(3), product('Two', 'S-1'))
  assert.deepEqual([still.body.status, still.body.details[0].error], ['FAILED', 'DUPLICATE'])
  assert.equal((await shop.admin.put(at(2), product('One', 'S-2'))).body.status, 'CREATED')
  assert.equal((await shop.admin.put(at(3), product('Two', 'S-1'))).body.status, 'CREATED')
  assert.equal((await shop.admin.put(at(2), product('One', 'S-1'))).body.status, 'FAILED')
  assert.equal(countsOf(await steerImport(shop, report.id, 'apply')), '1/0/1 of 2')
})

test('a repeated SKU › is no error for variants that are named by their ids, as in an export', async () => {
  const shop = await openShop()
  for (const name of ['One', 'Two']) await used.make.product(shop, { name, variants: [{ sku: 'SHARED', name: 'x' }] })
  const { text } = await shop.admin.get(`${shop.products}/export?format=csv`)
  const report = await dryRun(shop, text, CSV)
  assert.deepEqual([report.unchanged, report.failed, report.unknownColumns], [2, 0, []], text)
})

test('two variants of one product with the same SKU › are an error', async () => {
  const shop = await openShop()
  const report = await dryRun(shop, csv('slug,name,sku,variantName', 'a,A,X-1,Red', 'a,A,X-1,Blue'), CSV)
  assert.deepEqual(await wrongLines(shop, report.id), [[2, 'variants.1.sku DUPLICATE']])
})

test('products with the same name and other SKUs › get the slugs that the dry run shows, across batches', async () => {
  const shop = await openShop()
  const rows = Array.from({ length: 250 }, (_, index) => `Mug ${index},M-${index}`)
  const report = await dryRun(shop, csv('name,sku', 'Mug,A-1', ...rows, 'Mug,A-2'), CSV)
  const slugsOf = async () =>
    (await importLines(shop, report.id)).flatMap(({ changes }) => changes.filter(({ field }) => field === 'slug'))
  const shown = await slugsOf()
  const done = await steerImport(shop, report.id, 'apply')
  assert.deepEqual(numbersOf(done), numbersOf(report))
  assert.equal(done.created, 252)
  assert.deepEqual(await slugsOf(), shown)
})

test('a category that is deleted after the dry run › fails its line', async () => {
  const shop = await openShop()
  const report = await dryRun(shop, csv('name,sku,category', 'One,A-1,mugs', 'Two,A-2,'), CSV)
  assert.equal(countsOf(report), '2/0/0 of 2')
  const { items } = (await shop.admin.get(`/v1/businesses/${shop.id}/categories`)).body
  const gone = await shop.admin.delete(`/v1/businesses/${shop.id}/categories/${items[0].id}`)
  assert.equal(gone.status, 200, gone.text)
  assert.equal(countsOf(await steerImport(shop, report.id, 'apply')), '1/0/1 of 2')
})

test('files of other systems and NDJSON › list unknown columns, and take any category', async () => {
  const shop = await openShop()
  const shopify = csv(
    'Handle,Title,Vendor,Type,Variant SKU,Published',
    'board,Board,Snow,Boards,B-1,true',
    'ski,Ski,Snow,Skis,S-1,perhaps',
  )
  const report = await dryRun(shop, shopify, CSV, '&format=shopify-csv&market=us')
  assert.deepEqual(report.unknownColumns, [{ name: 'Vendor', suggestions: [] }])
  assert.deepEqual(await wrongLines(shop, report.id), [[3, 'Published INVALID']])
  const woo = csv('Type,SKU,Name,Published,Position', 'simple,W-1,Wok,yes,3', 'simple,W-2,Wok 2,1,3')
  const other = await dryRun(shop, woo, CSV, '&format=woocommerce-csv&market=us')
  assert.deepEqual(other.unknownColumns, [{ name: 'Position', suggestions: [] }])
  assert.deepEqual(await wrongLines(shop, other.id), [[2, 'Published INVALID']])
  const lines = await dryRun(shop, toLines([{ name: 'One', category: 'anything' }]))
  assert.deepEqual([lines.created, lines.unknownColumns], [1, []])
})
