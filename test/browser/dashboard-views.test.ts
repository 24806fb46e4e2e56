import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { openCustomers } from '../support/customers.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, enter, look, openDashboard } from '../support/served-dashboard.ts'
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

async function openList() {
  const shop = await openCustomers(desk.api, desk.make)
  const buyer = await desk.make.customer(shop.id)
  await shop.sell(buyer.id, { shippingAddress: { name: 'Ada Holm', country: 'DE' } })
  await shop.sell(buyer.id, { market: 'de', currency: 'EUR', shippingAddress: { name: 'Ada Holm', country: 'DE' } })
  await shop.follow()
  const { page, context } = await enterAgain()
  await desk.doorOf(shop.admin)
  await desk.signIn(context, shop.admin.email ?? '')
  const at = (place: string) => `${desk.url}/admin/${shop.slug}${place}`
  const views = `/v1/businesses/${shop.id}/saved-views`
  return { ...shop, page, context, at, views }
}

const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name })
const change = async (page: Page, what: string) => {
  await page.getByRole('button', { name: 'Change this view' }).click()
  await page.getByRole('menuitem', { name: what }).click()
}

test('a view of the orders is named where its tab will be, is an address, and is changed, shared and deleted', async () => {
  const { page, at, views, admin, id } = await openList()
  await page.goto(at('/orders'))
  await tab(page, 'All').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save view' }).count(), 0)
  await page.goto(at('/orders?market=de&columns=customer&columns=total&columns=tags&sort=total'))
  await page.getByText('1 order', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save view' }).click()
  const name = page.getByRole('textbox', { name: 'Name of the view' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Enter a name.').waitFor()
  await name.fill('Germany')
  await look(page, 'views-naming')
  await name.press('Enter')
  await page.waitForURL(/view=view_/)
  await tab(page, 'Germany').and(page.locator('[aria-current=page]')).waitFor()
  await look(page, 'views-1440')
  const { body } = await admin.get(views)
  assert.deepEqual(
    [body.items[0].filters, body.items[0].columns, body.items[0].isShared],
    [{ market: ['de'], sort: 'total' }, ['customer', 'total', 'tags'], false],
  )

  await tab(page, 'All').click()
  await page.getByText('2 orders').waitFor()
  await tab(page, 'Germany').click()
  await page.getByText('1 order', { exact: true }).waitFor()
  assert.match(page.url(), /market=de/)
  await page
    .getByRole('button', { name: /Market/ })
    .last()
    .click()
  await page.getByText('2 orders').waitFor()
  await page.getByRole('button', { name: 'Update view' }).click()
  await page.getByRole('button', { name: 'Update view' }).waitFor({ state: 'detached' })
  assert.deepEqual((await admin.get(views)).body.items[0].filters, { sort: 'total' })

  await change(page, 'Rename')
  await name.fill('By total')
  await page.getByLabel('For the whole team').check()
  await name.press('Enter')
  await tab(page, 'By total').waitFor()
  const colleague = await desk.make.member(id, 'ORDERS_READ')
  const theirs = await enter(browser)
  await theirs.page.goto(await desk.doorOf(colleague))
  await theirs.page.waitForURL(/\/admin\/business/)
  await theirs.page.goto(at('/orders'))
  await tab(theirs.page, 'By total').click()
  await theirs.page.waitForURL(/sort=total/)
  assert.equal(await theirs.page.getByRole('button', { name: 'Change this view' }).count(), 0)
  await theirs.context.close()

  await change(page, 'Delete')
  await tab(page, 'By total').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await tab(page, 'By total').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${page.url()}&query=ada`)
  await page.getByRole('button', { name: 'Save as new' }).click()
  await assertFits(page, 'views-naming-390')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Update view' }).waitFor()
  await assertFits(page, 'views-390')
})

test('what two people change of a view counts; a deleted or refused one keeps what was typed', async () => {
  const { page, at, views, admin } = await openList()
  const made = await admin.post(views, { list: 'orders', name: 'Mine', filters: { market: 'de' }, isShared: true })
  const own = `${views}/${made.body.id}`
  await page.goto(at(`/orders?market=de&query=ada&view=${made.body.id}`))
  await page.getByRole('button', { name: 'Update view' }).waitFor()
  await admin.put(own, { name: 'Ours' })
  await page.getByRole('button', { name: 'Update view' }).click()
  await until('both changes are there', async () => {
    const { name, filters } = (await admin.get(own)).body
    return name === 'Ours' && filters.query === 'ada'
  })
  await tab(page, 'Ours').waitFor()

  await change(page, 'Rename')
  await admin.put(own, { name: 'Theirs' })
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('Also mine')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Somebody was faster' }).waitFor()
  await page.getByRole('radio', { name: /Theirs/ }).check()
  await page.getByRole('button', { name: 'Save these' }).click()
  await tab(page, 'Theirs').waitFor()

  await page.getByLabel('Find orders').fill('holm')
  await page.getByRole('button', { name: 'Update view' }).waitFor()
  await admin.delete(own)
  await page.getByRole('button', { name: 'Update view' }).click()
  await page.getByText('Somebody has deleted Theirs.').waitFor()
  const name = page.getByRole('textbox', { name: 'Name of the view' })
  assert.equal(await name.inputValue(), 'Theirs')
  await page.route('**/saved-views', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 409,
          json: { error: 'CONFLICT', message: 'You have 100 saved views here.', details: [] },
        })
      : route.continue(),
  )
  await name.press('Enter')
  await page.getByRole('alert').getByText('You have 100 saved views here.').waitFor()
  assert.equal(await name.inputValue(), 'Theirs')
  await page.unroute('**/saved-views')
  await name.press('Enter')
  await tab(page, 'Theirs').waitFor()
})

test('customers have saved views as well', async () => {
  const { page, at, views, admin } = await openList()
  await page.goto(at('/customers?query=ada'))
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('Adas')
  await page.keyboard.press('Enter')
  await page.waitForURL(/view=view_/)
  await tab(page, 'Guests').click()
  await page.waitForURL(/show=guests/)
  assert.doesNotMatch(page.url(), /view=|query=/)
  await tab(page, 'Adas').click()
  await page.getByText('1 customer', { exact: true }).waitFor()
  await look(page, 'views-customers')
  assert.deepEqual((await admin.get(`${views}?list=customers`)).body.items[0].filters, { query: 'ada' })
})
