import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, enter, look, openDashboard } from '../support/served-dashboard.ts'
import { openStockDesk, type StockDesk } from '../support/stock-desk.ts'
import { until } from '../support/until.ts'

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
before(async () => {
  desk = await openDashboard()
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

const PHONE = { width: 390, height: 844 }
const at = (shop: StockDesk, place = '') => `${desk.url}/admin/${shop.slug}${place}`

const variant = (id: string, name: string, quantity: number, lowStockThreshold = 5) => ({
  id,
  name,
  sku: `HG-${id.toUpperCase()}`,
  pricing: { markets: [{ marketId: 'us', price: 1_000 }] },
  inventory: { tracked: true, quantity, lowStockThreshold },
})

async function openShelf() {
  const shop = await openStockDesk(desk.api, desk.make)
  const mug = await shop.product({
    name: 'Watch Mug',
    variants: [
      variant('one', 'Navy 350 ml', 12),
      variant('two', 'Navy 500 ml', 4),
      variant('three', 'White 350 ml', 0),
    ],
  })
  const lamp = await shop.product({ name: 'Storm Lantern', variants: [variant('lamp', 'Brass', 30)] })
  await shop.catchUp()
  const stockOf = async (variantId = 'one') => (await shop.level(mug, variantId)).quantity
  return { ...shop, mug, lamp, stockOf, statement: `/stock/${mug.id}/one` }
}

async function signIn(
  shop: StockDesk,
  place: string,
  looks = {},
  person: { id: string; email?: string | undefined } = shop.admin,
) {
  const entered = person === shop.admin ? await enterAgain(looks) : await enter(browser, looks)
  await desk.doorOf(person)
  await desk.signIn(entered.context, person.email ?? '')
  await entered.page.goto(at(shop, place))
  return entered
}

test('stock is found, filtered and sorted by the address, and a variant opens its account', async () => {
  const shop = await openShelf()
  const { page, complaints } = await signIn(shop, '/stock')
  const names = () => page.locator('tbody tr[data-index] .p1').allInnerTexts()
  await page.getByRole('link', { name: 'Watch Mug, White 350 ml' }).waitFor()
  await look(page, 'stock-1440')
  assert.deepEqual(await names(), [
    'Watch Mug, White 350 ml',
    'Watch Mug, Navy 500 ml',
    'Watch Mug, Navy 350 ml',
    'Storm Lantern, Brass',
  ])
  await page.getByRole('button', { name: 'Can be sold' }).click()
  await page.waitForURL(/sort=-quantity/)
  await until('the most comes first', async () => (await names())[0] === 'Storm Lantern, Brass')
  await page.getByRole('link', { name: 'Low', exact: true }).click()
  await page.getByText('2 variants').waitFor()
  await page.getByRole('link', { name: 'Empty', exact: true }).click()
  await page.getByText('1 variant', { exact: true }).waitFor()
  await page.goBack()
  await page.getByText('2 variants').waitFor()
  await page.goto(at(shop, '/stock'))
  await page.getByLabel('Find in stock').fill('hg-one')
  await page.waitForURL(/query=hg-one/)
  await page.getByText('1 variant', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Watch Mug, Navy 350 ml' }).click()
  await page.getByRole('heading', { level: 1, name: 'Watch Mug, Navy 350 ml' }).waitFor()
  // Enter opens the only one that is found, also for who is faster than the list.
  await page.goto(at(shop, '/stock'))
  await page.getByLabel('Find in stock').fill('hg-lamp')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Storm Lantern, Brass' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('the account of a variant adds up on the screen, and is corrected with a reason while it sells', async () => {
  const shop = await openShelf()
  const address = { name: 'Ingrid Sørensen', street: '7 Quay Road', city: 'Portland', zip: '04101', country: 'US' }
  const sold = (await shop.sell(shop.mug, 2, { shippingAddress: address })).body
  const gone = (await shop.sell(shop.mug, 1)).body
  await shop.admin.put(`${shop.orders}/${gone.id}/status`, { status: 'CANCELLED' })
  await shop.admin.post(`${shop.mug.path}/variants/one/stock`, { delta: -3, reason: 'Photo samples' })
  // Over two weeks, one movement every three days.
  await sql`
    update catalog.stock_movements set created_at = now() - make_interval(days => 16 - 3 * number)
     where business_id = ${shop.id} and product_id = ${shop.mug.id}`.execute(shop.db)
  const { page, complaints } = await signIn(shop, shop.statement)
  await page.getByText('5 movements, no number missing, their sum is 7.').waitFor()
  await page.getByText('0 + 13 − 6 = 7, added up on this screen just now.').waitFor()
  await page.getByRole('link', { name: sold.number }).waitFor()
  await page.getByRole('cell', { name: 'Ingrid Sørensen' }).waitFor()
  await page.getByText('Photo samples').waitFor()
  assert.match(await page.locator('.facts .pairs').first().innerText(), /Sold, not sent\s*\+ 2\s*On the shelf\s*9/)
  await page.getByRole('figure', { name: /^From 12 to 7 since/ }).waitFor()
  await page.getByText('0.2 a day').waitFor()
  await look(page, 'stock-statement-1440')

  await page.getByLabel('By how many').fill('+ 3')
  await page.getByText('makes 10 now; if one sells meanwhile, 9').waitFor()
  await shop.sell(shop.mug, 1)
  await page.getByText('makes 9 now').waitFor() // the feed told of it
  await page.getByLabel('Reason').fill('The samples are back')
  await page.getByRole('button', { name: 'Enter + 3' }).click()
  await page.getByText('7 movements, no number missing, their sum is 9.').waitFor()
  assert.equal(await shop.stockOf(), 9)

  // Counted while it sells: what was on the shelf when counting began is what counts.
  await page.getByText('Count', { exact: true }).click()
  await page.getByLabel('Counted on the shelf').fill('11')
  await page.getByText('1 fewer than the book').waitFor()
  await shop.sell(shop.mug, 2)
  await page.getByText('8 movements, no number missing, their sum is 7.').waitFor()
  await page.getByText('1 fewer than the book').waitFor()
  await page.getByLabel('Reason').fill('One is broken')
  await page.getByRole('button', { name: 'Enter − 1' }).click()
  await page.getByText('9 movements, no number missing, their sum is 6.').waitFor()
  assert.equal(await shop.stockOf(), 6)

  await page.getByRole('link', { name: 'By people' }).click()
  await page.waitForURL(/kind=people/)
  assert.equal(await page.locator('.statement tbody tr').count(), 4)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Statement', exact: true }).click(),
  ])
  assert.equal(file.suggestedFilename(), 'HG-ONE-statement.csv')
  assert.deepEqual(complaints, [])
})

test('on a phone the account is two lines a movement, and is corrected on a page of its own', async () => {
  const shop = await openShelf()
  await shop.sell(shop.mug, 2)
  const { page, complaints } = await signIn(shop, shop.statement, PHONE)
  await page.getByText('2 movements, no number missing, their sum is 10.').waitFor()
  await look(page, 'stock-statement-390')
  await page.getByRole('button', { name: 'Correct stock' }).click()
  await page.waitForURL(/do=correct/)
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('By how many').fill('-2')
  await sheet.getByLabel('Reason').fill('Broken')
  await look(page, 'stock-correct-390')
  await sheet.getByRole('button', { name: 'Enter − 2' }).click()
  await until('it is entered', async () => (await shop.stockOf()) === 8)
  await page.goto(at(shop, '/stock'))
  await page.getByRole('link', { name: 'Watch Mug, White 350 ml' }).waitFor()
  await assertFits(page, 'stock-390')
  assert.deepEqual(complaints, [])
})

const scan = async (page: Page, sku: string) => {
  await page.getByLabel('SKU').fill(sku)
  await page.keyboard.press('Enter')
}
const rowOf = (page: Page, name: string) => page.locator('.counts > li').filter({ hasText: name })
const fillIn = (page: Page, name: string, pieces: number) =>
  rowOf(page, name).getByLabel(`Pieces of ${name}`).fill(String(pieces))

test('stock is taken without a line, kept through a reload, and brought in when the line is back', async () => {
  const shop = await openShelf()
  await shop.sell(shop.mug, 3) // still on the shelf
  const { page, context, complaints } = await signIn(shop, '/stock/count', PHONE)
  await page.getByText('variants are known without a line').waitFor()
  await look(page, 'stock-count-empty-390')
  await context.setOffline(true)
  await page.getByText('No line: everything is kept on this device').waitFor()
  await scan(page, 'hg-one')
  await scan(page, 'HG-ONE')
  await rowOf(page, 'Navy 350 ml').getByText('− 10: 12 should be there').waitFor()
  await fillIn(page, 'Watch Mug, Navy 350 ml', 11)
  await rowOf(page, 'Navy 350 ml').getByText('− 1: 12 should be there').waitFor()
  await scan(page, 'HG-TWO')
  await fillIn(page, 'Watch Mug, Navy 500 ml', 4)
  await rowOf(page, 'Navy 500 ml').getByText('as the book says').waitFor()
  await scan(page, 'HG-NEVER-SEEN')
  await rowOf(page, 'HG-NEVER-SEEN').getByText('not looked up yet').waitFor()
  await page.getByLabel('Shelf, or why').fill('Shelf B4')
  await page.getByRole('button', { name: 'Bring in 3 counts when there is a line' }).click()
  await page.getByText('Kept on this device.').waitFor()
  await page.waitForTimeout(500) // it has been tried once by now
  assert.equal(await page.locator('.counts > li.troubled').count(), 0)
  await scan(page, 'HG-THREE') // the next shelf, of which nobody has said that it is done
  await page.getByRole('button', { name: 'Bring in 1 count when there is a line' }).waitFor()
  await look(page, 'stock-count-390')
  await shop.sell(shop.mug, 2) // while nobody can tell
  assert.equal(await shop.stockOf(), 7)

  await context.setOffline(false)
  await until('it is brought in', async () => (await shop.stockOf()) === 6)
  await rowOf(page, 'HG-NEVER-SEEN').getByText('No variant has the SKU').waitFor()
  await page.getByText('Shelf B4').waitFor()
  const { items } = (await shop.admin.get(`${shop.path}/stocktakes`)).body
  assert.deepEqual(
    items.map(({ reason, variants, changed, delta }: Record<string, unknown>) => [reason, variants, changed, delta]),
    [['Shelf B4', 2, 1, -1]],
  )
  await rowOf(page, 'HG-THREE').waitFor()
  await page.getByRole('button', { name: 'Bring in 1 count' }).waitFor()
  await page.reload()
  await rowOf(page, 'HG-THREE')
    .getByRole('button', { name: /^Leave out/ })
    .click()
  await rowOf(page, 'HG-NEVER-SEEN').waitFor()
  await rowOf(page, 'HG-NEVER-SEEN').getByRole('button', { name: 'Leave mine out' }).click()
  await page.getByText('What lies on the shelf?').waitFor()
  assert.deepEqual(complaints, [])
})

test('three people count at once: a difference is brought in once, and each is asked what is true', async () => {
  const shop = await openShelf()
  const colleague = () => desk.make.member(shop.id, 'PRODUCTS_WRITE')
  const people = await Promise.all(
    [shop.admin, await colleague(), await colleague()].map((person) => signIn(shop, '/stock/count', PHONE, person)),
  )
  const name = 'Watch Mug, Navy 350 ml'
  const counted = [14, 14, 5] // the third one counts another shelf
  for (const [index, { page }] of people.entries()) {
    await page.getByText('variants are known without a line').waitFor()
    await scan(page, 'HG-ONE')
    await rowOf(page, name).waitFor()
    await fillIn(page, name, counted[index] ?? 0)
  }
  const [ada, bo, cleo] = people.map(({ page }) => page) as [Page, Page, Page]
  for (const page of [ada, bo, cleo]) {
    await page.getByRole('button', { name: 'Bring in 1 count' }).click()
    await page.locator('.counts > li.troubled, .empty').first().waitFor()
  }
  assert.equal(await shop.stockOf(), 14)
  await look(bo, 'stock-counted-390')
  await rowOf(bo, name).getByText('Somebody else has counted this meanwhile').waitFor()
  await rowOf(bo, name).getByRole('button', { name: 'Leave mine out' }).click()
  await rowOf(cleo, name).getByRole('button', { name: 'Add my 5' }).click()
  await cleo.getByRole('button', { name: 'Bring in 1 count' }).click()
  await until('both shelves are in the book', async () => (await shop.stockOf()) === 19)
  for (const { context, complaints } of people) {
    assert.deepEqual(complaints, [])
    if (context !== people[0]?.context) await context.close()
  }
})

test('what was sent while somebody counted is a question, and what was sold and is missing is said', async () => {
  const shop = await openShelf()
  const sold = (await shop.sell(shop.mug, 3)).body
  const { page, complaints } = await signIn(shop, '/stock/count', PHONE)
  await page.getByText('variants are known without a line').waitFor()
  const name = 'Watch Mug, Navy 350 ml'
  await scan(page, 'HG-ONE')
  await rowOf(page, name).waitFor()
  await fillIn(page, name, 9) // after the parcel has left
  await shop.admin.post(`${shop.orders}/${sold.id}/shipments`, {})
  await page.getByRole('button', { name: 'Bring in 1 count' }).click()
  await rowOf(page, name).getByText('12 should have been there when you began, and 9 should be there now').waitFor()
  await rowOf(page, name).getByRole('button', { name: 'I counted after' }).click()
  await rowOf(page, name).getByText('as the book says').waitFor()
  await page.getByRole('button', { name: 'Bring in 1 count' }).click()
  await page.getByText('What lies on the shelf?').waitFor()
  assert.equal(await shop.stockOf(), 9)

  await scan(page, 'HG-ONE')
  await rowOf(page, name).waitFor()
  await fillIn(page, name, 2)
  await shop.sell(shop.mug, 5)
  await page.getByRole('button', { name: 'Bring in 1 count' }).click()
  await rowOf(page, name).getByText('More was sold meanwhile than you found').waitFor()
  await rowOf(page, name).getByRole('button', { name: 'Nothing left to sell' }).click()
  await page.getByRole('button', { name: 'Bring in 1 count' }).click()
  await until('nothing can be sold', async () => (await shop.stockOf()) === 0)
  assert.deepEqual(complaints, [])
})
