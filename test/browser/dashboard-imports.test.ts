import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { catalogJobs } from '#modules/catalog/index.ts'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { shopifyExport, spell } from '../support/foreign-exports.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'
import { startTestWorker, type TestWorker } from '../support/start-worker.ts'

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
let worker: TestWorker
before(async () => {
  desk = await openDashboard()
  worker = startTestWorker(
    desk.api.databases.env,
    catalogJobs.map(({ cron: _cron, ...job }) => job),
  )
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await worker?.stop()
  await desk?.close()
})

async function openImports(options: { width?: number } = {}) {
  const shop = await desk.make.shop()
  const { page, context, complaints } = await enterAgain(options)
  await desk.doorOf(shop.admin)
  await desk.signIn(context, shop.admin.email ?? '')
  await page.goto(`${desk.url}/admin/${shop.slug}/products/imports`)
  await page.getByText('Drop a file here').waitFor()
  const give = (name: string, text: string, mimeType = 'text/csv') =>
    page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType, buffer: Buffer.from(text) })
  return { ...shop, page, context, complaints, give }
}

const HEADER = 'slug,name,status,sku,quantity,price:us'
const row = (number: number, name = `Rope ${number}`, price = '1200') =>
  `rope-${number},${name},ACTIVE,R-${number},5,${price}`
const lines = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1))

test('a file is tried, corrected in place, applied and undone, and stands in the history', async () => {
  const { page, give, admin, products, complaints } = await openImports()
  await look(page, 'imports-empty')
  const file = [HEADER, ...lines(40), row(41, ''), row(42, 'Rope 42', '12.50'), row(43, 'Rope 43', 'cheap')].join('\n')
  await give('ropes.csv', file)
  await page.getByText('Recognized as Kontor’s CSV.').waitFor()
  assert.equal(await page.getByLabel('It is').inputValue(), 'csv')
  await look(page, 'imports-chosen')
  await page.keyboard.press('Enter')
  await page.waitForURL(/imports\/imp_/)
  await page.getByRole('heading', { name: '3 lines are wrong' }).waitFor()
  await page.getByText('Dry run, nothing is written yet').waitFor()
  assert.equal((await admin.get(`${products}?limit=1`)).body.items.length, 0)
  await look(page, 'imports-report')

  await page.locator('.wrong input:focus').first().waitFor()
  await page.keyboard.type('Rope forty-one')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '2 lines are wrong' }).waitFor()
  await page.locator('.wrong li', { hasText: 'Rope 42' }).locator('input:focus').waitFor()
  await page.keyboard.press('Enter') // 12.50 is right as an amount of money
  await page.getByRole('heading', { name: '1 line is wrong' }).waitFor()
  await page.locator('.wrong li', { hasText: 'Rope 43' }).locator('input:focus').waitFor()
  await page.keyboard.type('still not')
  const looked = page.waitForResponse((answer) => answer.request().method() === 'PUT')
  await page.keyboard.press('Enter')
  await looked
  await page
    .getByText(/must be a whole number/)
    .first()
    .waitFor()
  await page.locator('.wrong input').fill('13')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /wrong/ }).waitFor({ state: 'detached' })
  await page.getByText('43 products will be made, 0 will change').waitFor()

  await page.getByRole('button', { name: 'Apply 43 lines' }).click()
  await page.getByText('43 products were made, 0 were changed').waitFor()
  await look(page, 'imports-applied')
  const found = await admin.get(`${products}?sku=R-42`)
  assert.equal(found.body.items[0].variants[0].pricing.markets[0].price, 1_250)
  assert.equal((await admin.get(`${products}?sku=R-41`)).body.items[0].name, 'Rope forty-one')

  await page.getByRole('button', { name: 'Undo 43 products' }).click()
  await page.getByText('43 products were put back').waitFor()
  assert.equal((await admin.get(`${products}?sku=R-42`)).body.items[0].statuses.at(-1).status, 'ARCHIVED')
  await page.getByRole('navigation', { name: 'Where' }).getByRole('link', { name: 'Imports' }).click()
  await page
    .getByRole('row', { name: /ropes\.csv/ })
    .getByText('Undone')
    .waitFor()
  await look(page, 'imports-history')
  assert.deepEqual(complaints, [])
})

test('a Shopify export is recognised, is for a market, and shows what changes and what to look at first', async () => {
  const { page, give, admin, products, complaints } = await openImports()
  const made = await admin.post(products, {
    name: 'Old board',
    slug: 'board-1',
    statuses: [{ status: 'ACTIVE' }],
    variants: [
      { sku: '001', pricing: { markets: [{ marketId: 'us', price: 9_900 }] }, inventory: { quantity: 3 } },
      { sku: 'GONE', name: 'Gone' },
    ],
  })
  assert.equal(made.status, 201, made.text)
  await give('products_export.csv', spell(shopifyExport(20), { delimiter: ';', hasBom: true, lineEnd: '\r\n' }))
  await page.getByText('Recognized as Shopify’s CSV.').waitFor()
  assert.equal(await page.getByLabel('It is').inputValue(), 'shopify-csv')
  assert.equal(await page.getByLabel('Its prices are for').inputValue(), 'us')
  await look(page, 'imports-shopify-chosen')
  await page.getByRole('button', { name: 'Try it: dry run' }).click()
  await page.getByText('19 products will be made, 1 will change').waitFor()
  const first = page.getByRole('list', { name: 'Look first' })
  await first.getByText('A price falls by more than 30 %').waitFor()
  await first.getByText('A variant is taken away').waitFor()
  await page.getByRole('link', { name: /^Change 1/ }).click()
  await page.waitForURL(/show=changed/)
  await page.getByRole('row', { name: /Price in .* 99\.00/ }).waitFor()
  await look(page, 'imports-shopify')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page
    .getByRole('row', { name: /products_export\.csv/ })
    .getByText('Discarded')
    .waitFor()
  assert.deepEqual(complaints, [])
})

test('columns that are not imported are listed before anything is applied, with the names that may be meant', async () => {
  const { page, give, complaints } = await openImports()
  const file = [
    'name,sku,price,stock,status,category,Remark',
    'Good Mug,GM-1,9.90,10,ACTIVE,,first',
    'Bad Mug,BM-1,abc,3,on sale,,',
    ',NN-1,5.00,3,ACTIVE,,',
    'Dup Sku,GM-1,1.00,1,ACTIVE,,',
    'Lost Mug,LM-1,1.00,1,ACTIVE,Nowhere,',
  ]
  await give('mugs.csv', file.join('\n'))
  await page.getByRole('button', { name: 'Try it: dry run' }).click()
  await page.getByRole('heading', { name: '4 lines are wrong' }).waitFor()
  const columns = page.getByRole('region', { name: 'Columns not imported' })
  await columns.getByText('3 columns won’t be imported.').waitFor()
  await columns.getByRole('listitem').filter({ hasText: 'price' }).getByText('price:us').waitFor()
  await columns.getByRole('listitem').filter({ hasText: 'stock' }).getByText('quantity').waitFor()
  await columns.getByText('No matching field: Remark').waitFor()
  await page.getByText('Line 2 already has the SKU GM-1.').waitFor()
  await page.getByText('The category Nowhere does not exist.').waitFor()
  await page.getByText('The status must be ACTIVE, DRAFT, or ARCHIVED, not on sale.').waitFor()
  await look(page, 'imports-unknown-columns')
  await page.setViewportSize({ width: 390, height: 844 })
  await look(page, 'imports-unknown-columns-390')
  await page.getByRole('button', { name: 'Apply 1 line' }).click()
  await page.getByText('1 product was made').or(page.getByText('1 products were made, 0 were changed')).waitFor()
  await columns.getByText('3 columns weren’t imported.').waitFor()
  assert.deepEqual(complaints, [])
})

test('what is no product file says so, and on a phone everything is in reach', async () => {
  const { page, give, complaints } = await openImports({ width: 390 })
  await give('letter.txt', 'Dear customers,\nall is well.\n', 'text/plain')
  await page.getByText('The first line names no columns that are known.').waitFor()
  await page.getByRole('button', { name: 'Try it: dry run' }).click()
  await page.getByText(/must name its columns/).waitFor()
  await look(page, 'imports-phone-refused')
  await give('ropes.csv', [HEADER, ...lines(12), row(13, '')].join('\n'))
  await page.getByText('Recognized as Kontor’s CSV.').waitFor()
  await page.getByRole('button', { name: 'Try it: dry run' }).click()
  await page.getByRole('heading', { name: '1 line is wrong' }).waitFor()
  await look(page, 'imports-phone-report')
  await page.getByRole('button', { name: 'Apply 12 lines' }).click()
  await page.getByText('12 products were made, 0 were changed').waitFor()
  await assertFits(page, 'imports-phone-applied')
  assert.equal(complaints.length, 1, complaints.join('\n'))
  assert.match(complaints[0] ?? '', /status of 400/, 'of the letter')
})
