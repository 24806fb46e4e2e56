import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { reusePage } from '../support/reused-page.ts'
import { look } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'

/** A window of 1,440 × 900 px at 200 % zoom. */
const ZOOMED = { width: 720, height: 450 }
/** Around each breakpoint between a phone and a desk. */
const WIDTHS = [641, 720, 800, 900, 901, 1_100]
const LISTS = [
  '/orders',
  '/products',
  '/stock',
  '/customers',
  '/promo-codes',
  '/content',
  '/letters',
  '/settings/markets',
]
/** Shows the start of a name. */
const LEGIBLE_PX = 90

let desk: DemoDesk
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
before(async () => {
  desk = await openDemoDesk({ withOrders: true })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

async function enter(size: { width?: number; height?: number } = {}) {
  const entered = await enterAgain(size)
  await desk.signIn(entered.context)
  return entered
}

const isIdle = (page: Page) => page.locator('[aria-busy=true], .bone').first().waitFor({ state: 'detached' })

test('each list fits between a phone and a desk, with room for its main column', async () => {
  const { page, complaints } = await enter()
  for (const list of LISTS) {
    await page.goto(desk.at(list))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await isIdle(page)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 700 })
      const [overflow = 0, room = 0] = await page.evaluate<number[]>(`[
        document.documentElement.scrollWidth - document.documentElement.clientWidth,
        document.querySelector('.table.stack tbody .p1')?.getBoundingClientRect().width ?? ${LEGIBLE_PX},
      ]`)
      assert.equal(overflow, 0, `${list} at ${width} px can be scrolled sideways`)
      assert.ok(room >= LEGIBLE_PX, `${list} at ${width} px has ${room} px for its main column`)
    }
  }
  assert.deepEqual(complaints, [])
})

test('at 200 % zoom each section is in reach, with its name', async () => {
  const { page } = await enter(ZOOMED)
  await page.goto(desk.at('/orders'))
  const sections = page.getByRole('navigation', { name: 'Sections' })
  await sections.getByRole('link', { name: 'Products' }).waitFor()
  await isIdle(page)
  await look(page, 'orders-zoomed')
  await sections.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await page.waitForURL(/\/settings/)
})

test('hovering an order leaves the tables of orders and products as they are', async () => {
  const { page } = await enter()
  const display = () => page.evaluate("getComputedStyle(document.querySelector('td.pick')).display")
  await page.goto(desk.at('/orders'))
  await page.locator('tbody .no a').first().hover()
  await until('the page of the order is preloaded', async () =>
    page.evaluate(
      "[...document.styleSheets].some(({ cssRules }) => [...cssRules].some((rule) => rule.cssText.includes('.pick-line')))",
    ),
  )
  assert.equal(await display(), 'table-cell')
  await page.getByRole('link', { name: 'Products', exact: true }).click()
  await page.locator('td.pick').first().waitFor()
  assert.equal(await display(), 'table-cell')
})

for (const size of [{ width: 1_440, height: 600 }, ZOOMED, { width: 390, height: 700 }]) {
  test(`at ${size.width} px the save bar never covers the focused field`, async () => {
    const { page } = await enter(size)
    await page.goto(desk.at('/settings/business'))
    await page.getByLabel('Name', { exact: true }).fill('Harbour Goods and more')
    const bar = page.getByRole('region', { name: 'Unsaved changes' })
    await bar.waitFor()
    for (const key of [...Array<string>(40).fill('Tab'), ...Array<string>(40).fill('Shift+Tab')]) {
      await page.keyboard.press(key)
      const covered = await page.evaluate<string | undefined>(`(() => {
        const focused = document.activeElement
        if (!focused?.closest('main') || focused.closest('.savebar')) return undefined
        const field = focused.getBoundingClientRect()
        const bar = document.querySelector('.savebar').getBoundingClientRect()
        return field.top < bar.bottom && field.bottom > bar.top ? focused.outerHTML : undefined
      })()`)
      assert.equal(covered, undefined)
    }
  })
}

test('a market that is incomplete is not created: the first field to correct has the focus and says why', async () => {
  const { page } = await enter()
  await page.goto(desk.at('/settings/markets/new'))
  const create = page.getByRole('button', { name: 'Create the market' })
  await create.click()
  const name = page.getByLabel('Name', { exact: true })
  assert.ok(await name.evaluate((field) => field.matches(':focus[aria-invalid=true]')))
  await page.getByText('Enter a value.').first().waitFor()
  await name.fill('Norway')
  await page.getByRole('button', { name: 'Add a way of shipping' }).click()
  await create.click()
  const price = page.getByLabel(/^Price [A-Z]{3}/)
  assert.ok(await price.evaluate((field) => field.matches(':focus[aria-invalid=true]')))
  await look(page, 'market-incomplete')
})

test('an order without a customer or items is not created: the first to choose has the focus and says so', async () => {
  const { page } = await enter()
  await page.goto(desk.at('/orders/new'))
  await page.getByLabel('Promo code').focus()
  await page.getByRole('button', { name: 'Create the order' }).click()
  assert.ok(await page.getByRole('combobox', { name: 'Customer' }).evaluate((field) => field.matches(':focus')))
  await page.getByText('Choose a customer.').waitFor()
  await page.getByText('Add an item.').waitFor()
  await look(page, 'order-incomplete')
})

test('a refund of nothing is not requested: the items have the focus, and the sheet says what to choose', async () => {
  const order = await desk.buy('ingrid@sorensen.example')
  const { page } = await enter()
  await page.goto(desk.at(`/orders/${order.id}?sheet=refund`))
  await page.getByRole('button', { name: 'Ask to refund' }).click()
  await page.getByRole('alert').getByText('Choose what to refund, or enter an amount.').waitFor()
  const item = page.getByRole('checkbox', { name: /Watch Mug/ })
  assert.ok(await item.evaluate((field) => field.matches(':focus')))
  await look(page, 'refund-incomplete')
  await item.check()
  await page.getByRole('alert').waitFor({ state: 'detached' })
})
