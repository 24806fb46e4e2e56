import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { reusePage } from '../support/reused-page.ts'
import { look } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'

let desk: DemoDesk
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
before(async () => {
  desk = await openDemoDesk()
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

async function sit(options: { width?: number } = {}) {
  const opened = await enterAgain(options)
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: desk.url })
  await desk.signIn(opened.context)
  return opened
}

let count = 0

/** A product of its own: three sizes, sold in the US only, 10 of each. */
async function makeProduct() {
  const name = `Deck Pan ${++count}`
  const variants = ['S', 'M', 'L'].map((size) => ({
    id: size.toLowerCase(),
    name: size,
    sku: `DP${count}-${size}`,
    attributes: [{ name: 'Size', value: size }],
    pricing: { markets: [{ marketId: 'us', price: 2_200 }] },
    inventory: { tracked: true, quantity: 10, lowStockThreshold: 3 },
  }))
  const made = await desk.owner.post(`${desk.business}/products`, { name, statuses: [{ status: 'ACTIVE' }], variants })
  assert.equal(made.status, 201, made.text)
  const path = `${desk.business}/products/${made.body.id}`
  const read = async () => (await desk.owner.get(path)).body
  return { id: made.body.id as string, name, path, read }
}

type Read = {
  id: string
  name: string
  variants: {
    id: string
    pricing: { markets: { marketId: string; price: number }[] }
    inventory: { quantity: number }
  }[]
}
const pricesIn = ({ variants }: Read, market: string) =>
  variants.map(({ pricing }) => pricing.markets.find(({ marketId }) => marketId === market)?.price)
const stockOf = ({ variants }: Read) => variants.map(({ inventory }) => inventory.quantity)

const cell = (page: Page, row: number, column: number) => page.locator(`[data-row="${row}"] [data-column="${column}"]`)
const [US, EU, STOCK] = [1, 2, 3] as const
const saved = (page: Page) => page.getByText('Changes saved', { exact: true }).first().waitFor()

async function openProduct(page: Page, id: string, search = '') {
  await page.goto(desk.at(`/products/${id}${search}`))
  await cell(page, 0, US).waitFor()
}

test('the list has views with counts, is filtered and sorted by its address, and leads by keys to a product', async () => {
  const { page, complaints } = await sit()
  await page.goto(desk.at('/products'))
  await page.locator('tbody tr[data-index]').first().waitFor()
  await look(page, 'products-1440')
  await page.getByRole('button', { name: 'Price, United States' }).click()
  await page.waitForURL(/sort=-price/)
  await page.getByRole('searchbox', { name: 'Find products' }).fill('lantern')
  await page.waitForURL(/query=lantern/)
  await until('only lanterns are left', async () => {
    const names = await page.locator('tbody .goods').allTextContents()
    return names.length > 0 && names.length < 10
  })
  await page.goto(desk.at('/products?status=DRAFT'))
  await page.getByRole('heading', { name: 'No product fits' }).waitFor()
  await page.getByRole('button', { name: 'Take the filters off' }).click()
  await page.locator('tbody tr[data-index]').first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  const name = await page.locator('tr.at .goods').innerText()
  await page.keyboard.press('e')
  await page.getByRole('heading', { level: 1, name }).waitFor()
  assert.deepEqual(complaints, [])
})

test('picked products are archived and tagged at once, and lead to the bulk edit by their ids', async () => {
  const one = await makeProduct()
  const other = await makeProduct()
  const { page } = await sit()
  await page.goto(desk.at('/products?query=Deck+Pan'))
  for (const { name } of [one, other]) await page.getByLabel(`Select ${name}`, { exact: true }).click()
  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByRole('menuitem', { name: 'Archived' }).click()
  await page.getByText('2 changed: Archived.').waitFor()
  assert.equal((await one.read()).statuses.at(-1).status, 'ARCHIVED')
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByLabel('Tag', { exact: true }).last().fill('galley')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('2 tagged “galley”.').waitFor()
  assert.deepEqual((await other.read()).tags, ['galley'])
  await page.getByRole('button', { name: 'Edit…', exact: true }).click()
  await page.waitForURL((url) => {
    const ids = url.searchParams.get('ids')?.split(',') ?? []
    return url.pathname.endsWith('/bulk-edits/new') && ids.includes(one.id) && ids.includes(other.id)
  })
})

test('the grid works like a spreadsheet: type, fill, paste, copy, take back; Del is “not sold there”', async () => {
  const product = await makeProduct()
  const { page, complaints } = await sit()
  await openProduct(page, product.id)
  await cell(page, 0, EU).click()
  await page.keyboard.type('1.234,50')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Control+d')
  await cell(page, 2, EU).getByText('1234.50').waitFor()
  await page.keyboard.press('Control+z')
  await cell(page, 2, EU).getByText('not sold').waitFor()
  await page.keyboard.press('Control+y')
  await cell(page, 2, EU).getByText('1234.50').waitFor()

  await page.evaluate(`navigator.clipboard.writeText('23.00\\t21,00\\r\\n24.00\\t22,00\\r\\n')`)
  await cell(page, 1, US).click()
  await page.keyboard.press('Control+v')
  await cell(page, 2, EU).getByText('22.00').waitFor()
  await cell(page, 0, US).click()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Control+c')
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), '22.00\t1234.50')
  await page.keyboard.press('Home')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Delete')
  await cell(page, 0, US).getByText('not sold').waitFor()
  await look(page, 'product-edited-1440')

  await page.reload()
  await cell(page, 0, US).getByText('not sold').waitFor()
  await page.getByText('6 unsaved changes').waitFor()
  await page.keyboard.press('Control+s')
  await saved(page)
  const now = await product.read()
  assert.deepEqual(pricesIn(now, 'us'), [undefined, 2_300, 2_400])
  assert.deepEqual(pricesIn(now, 'eu'), [123_450, 2_100, 2_200])
  assert.equal(await page.locator('.savebar').count(), 0)
  assert.deepEqual(complaints, [])
})

test('stock is moved by a difference: what is sold meanwhile stays sold, and shows', async () => {
  const product = await makeProduct()
  const { page } = await sit()
  await openProduct(page, product.id)
  await cell(page, 0, STOCK).click()
  await page.keyboard.type('+ 24')
  await page.keyboard.press('Enter')
  await cell(page, 0, STOCK).getByText('+ 24').waitFor()
  for (const variant of ['s', 'm'])
    assert.equal((await desk.owner.post(`${product.path}/variants/${variant}/stock`, { delta: -4 })).status, 201)
  await desk.follow(desk.db)
  await cell(page, 1, STOCK).getByText('4 sold just now').waitFor()
  await page.getByRole('button', { name: 'Save 1' }).click()
  await saved(page)
  assert.deepEqual(stockOf(await product.read()), [30, 6, 10])
})

test('what cannot be read stays in its cell and is not saved; a price far from the others is warned of', async () => {
  const product = await makeProduct()
  const { page } = await sit()
  await openProduct(page, product.id)
  await cell(page, 0, US).click()
  await page.keyboard.type('cheap')
  await page.keyboard.press('Enter')
  await page.locator('.savebar').getByText('“cheap” isn’t valid.').first().waitFor()
  assert.equal(await page.getByRole('button', { name: /^Save 1/ }).getAttribute('aria-disabled'), 'true')
  await cell(page, 0, US).click()
  await page.keyboard.type('249')
  await page.keyboard.press('Enter')
  await page.locator('.savebar').getByText('249.00 is far from the others.').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await cell(page, 0, US).getByText('22.00').waitFor()
})

test('texts of two people are merged; of the same text they are put side by side', async () => {
  const product = await makeProduct()
  const { page } = await sit()
  await openProduct(page, product.id)
  await page.getByLabel('Description').fill('Two coats.')
  await cell(page, 0, US).click()
  await page.keyboard.type('25')
  await page.keyboard.press('Enter')
  await desk.owner.put(product.path, {
    category: 'kitchen',
    variants: [{ id: 's' }, { id: 'm', sku: 'THEIRS' }, { id: 'l' }],
  })
  await page.getByRole('button', { name: 'Save 2' }).click()
  await saved(page)
  const merged = await product.read()
  assert.deepEqual([merged.description, merged.category, merged.variants[1].sku], ['Two coats.', 'kitchen', 'THEIRS'])
  assert.deepEqual(pricesIn(merged, 'us'), [2_500, 2_200, 2_200])

  await page.getByLabel('Name', { exact: true }).fill('Mine')
  await desk.owner.put(product.path, { name: 'Theirs' })
  await page.getByRole('button', { name: 'Save 1' }).click()
  await page.getByRole('dialog', { name: 'Somebody was faster' }).waitFor()
  await page.getByText('Mine', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Save these' }).click()
  await until('mine counts', async () => (await product.read()).name === 'Mine')
})

test('a product with twelve variants is made by one request, by its options', async () => {
  const { page, complaints } = await sit()
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/products')) posts.push(request.url())
  })
  await page.goto(desk.at('/products/new'))
  await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Quay Bowl')
  await page.getByRole('button', { name: 'Variants', exact: true }).click()
  await page.getByLabel('Option', { exact: true }).fill('Colour')
  await page.getByLabel('Values, with commas').fill('Navy, Cream, Red')
  await page.getByLabel('Option 2', { exact: true }).fill('Size')
  await page.getByLabel('Values of option 2').fill('S, M, L, XL')
  await page.getByLabel('SKUs begin with').fill('QB')
  await page.getByRole('button', { name: 'Make 12 variants' }).click()
  await page.keyboard.type('18')
  await page.keyboard.press('Control+Shift+ArrowDown')
  await page.keyboard.press('Control+d')
  await page.getByRole('button', { name: 'By address' }).click()
  await page.getByLabel('Addresses, one a line').fill('no address')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('is no whole address').waitFor()
  await page.getByLabel('Addresses, one a line').fill('https://pictures.example/bowl.png')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('img', { name: 'Picture 1' }).waitFor()
  await look(page, 'product-new-1440')
  await page.keyboard.press('Control+s')
  await page.waitForURL(/\/products\/prod_/)
  await page.getByText('12 variants, 1 market').waitFor()
  assert.equal(posts.length, 1)
  const { body } = await desk.owner.get(`${desk.business}/products?query=quay+bowl`)
  assert.deepEqual(
    pricesIn(body.items[0], 'us'),
    Array.from({ length: 12 }, () => 1_800),
  )
  assert.equal(body.items[0].variants[0].sku, 'QB-NAV-S')
  assert.deepEqual(complaints, [])
})

test('a variant is removed and comes back by undo; leaving what is not saved asks', async () => {
  const product = await makeProduct()
  const { page } = await sit()
  await openProduct(page, product.id)
  await cell(page, 1, US).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Variant M removed').waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await cell(page, 2, US).waitFor()
  await cell(page, 1, US).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('link', { name: 'Products' }).first().click()
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Save 1' }).click()
  await saved(page)
  assert.deepEqual(
    (await product.read()).variants.map(({ id }: { id: string }) => id),
    ['s', 'l'],
  )
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByText(/changed: variants and prices/).waitFor()
  await look(page, 'product-history-1440')
})

test('on a phone the list, a product and its grid fit, in both themes', async () => {
  const product = await makeProduct()
  const { page } = await sit({ width: 390 })
  await page.goto(desk.at('/products'))
  await page.locator('tbody tr[data-index]').first().waitFor()
  await look(page, 'products-390')
  await openProduct(page, product.id, '?locale=de')
  await cell(page, 0, US).click()
  await page.keyboard.type('23')
  await page.keyboard.press('Enter')
  await look(page, 'product-390')
})
