import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CSV, dryRun, faultsIn, importLines, uploadFile } from '../../support/imports.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

const QUICK_MS = 3_000

async function quickly<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const begun = performance.now()
  const answer = await work()
  assert.ok(performance.now() - begun < QUICK_MS, `it took ${Math.round(performance.now() - begun)} ms`)
  return answer
}

test('a header of nothing but quotation marks is refused at once', async () => {
  const shop = await used.make.shop()
  const { status } = await quickly(() => uploadFile(shop, `${'"'.repeat(5_001)}\nx\n`, CSV))
  assert.equal(status, 400)
})

test('a header with thousands of columns, and a row with millions of cells, are refused at once', async () => {
  const shop = await used.make.shop()
  const names = Array.from({ length: 40_000 }, (_, index) => `c${index}`).join(',')
  const wide = await quickly(() => uploadFile(shop, `${names}\n`, CSV))
  assert.deepEqual([wide.status, /2000/.test(wide.text)], [400, true], wide.text)
  const long = await quickly(() => uploadFile(shop, `slug,name\na,A${','.repeat(3_000_000)}\n`, CSV))
  assert.deepEqual([long.status, /100000/.test(long.text)], [400, true], long.text)
})

test('a table in a description is text, however wide it says that it is', async () => {
  const shop = await used.make.shop()
  const table = '<table><tr><td colspan=""100000"">Wood</td><td>Oak</td></tr><tr><th>Size</th><td>L</td></tr></table>'
  const file = `Handle,Title,Body (HTML),Variant SKU,Variant Price\nboard,Board,"${table}",B-1,12.00\n`
  const report = await quickly(() => dryRun(shop, file, CSV, '&format=shopify-csv&market=us'))
  const [line] = await importLines(shop, report.id)
  const description = line?.changes.find(({ field }) => field === 'description')?.after
  assert.equal(description, 'Wood   Oak\nSize   L')
})

test('a wrong cell that is cut in the middle of a character is told, and the file is taken', async () => {
  const shop = await used.make.shop()
  const report = await dryRun(shop, `slug,name,price:us\na,A,${'x'.repeat(49)}😀\n`, CSV)
  assert.equal(report.failed, 1)
})
