import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { assertFits } from '../support/assert-fits.ts'
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

async function enter(place: string, looks: { width?: number } = {}) {
  const entered = await enterAgain(looks)
  await desk.signIn(entered.context)
  await entered.page.goto(desk.at(`/promo-codes${place}`))
  return entered
}
const promos = () => `${desk.business}/promo-codes`
const find = async (code: string) => (await desk.owner.get(`${promos()}?code=${code}`)).body.items[0]
async function make(body: object) {
  const made = await desk.owner.post(promos(), { type: 'PERCENT', value: 1_000, ...body })
  assert.equal(made.status, 201, made.text)
  return made.body as { id: string; code: string }
}

async function put(page: Page, words: string) {
  const goods = page.getByRole('combobox', { name: 'Find goods' })
  await goods.fill(words)
  await page.locator('.found [role=option]').first().waitFor()
  await goods.press('Enter')
}

test('codes with their status, terms and uses in words; found and filtered by the address', async () => {
  await make({ code: 'LIST-PLANNED', startsAt: 4_000_000_000, markets: ['us'], maxPerCustomer: 1 })
  await make({ code: 'LIST-ENDED', endsAt: 1_000_000_000, maxRedemptions: 50 })
  const { page, complaints } = await enter('?query=list-')
  const row = (code: string) => page.getByRole('row').filter({ hasText: code })
  await row('LIST-PLANNED').getByText('Planned', { exact: true }).waitFor()
  await row('LIST-PLANNED').getByText('once a customer').waitFor()
  await row('LIST-ENDED').getByText('Ended', { exact: true }).waitFor()
  await row('LIST-ENDED').getByText('0 of 50').waitFor()
  await page.getByRole('link', { name: 'Ended 1' }).click()
  await page.waitForURL(/status=ENDED/)
  await page.getByText('1 code', { exact: true }).waitFor()
  await page.goBack()
  await page.getByText('2 codes').waitFor()
  await page.getByLabel('Find promo codes').fill('list-pl')
  await page.waitForURL(/query=list-pl/)
  await page.getByText('1 code', { exact: true }).waitFor()
  await page.goto(desk.at('/promo-codes'))
  await row('WELCOME10').getByText('Active').waitFor()
  await look(page, 'promos-1440')
  await page.getByRole('button', { name: 'Market' }).click()
  await page.getByRole('menuitem').last().click()
  await page.waitForURL(/market=/)
  await row('LIST-PLANNED').waitFor({ state: 'detached' })
  await page.getByLabel('Find promo codes').fill('nothing-like-it')
  await page.getByText('No code is found so').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(desk.at('/promo-codes'))
  await row('WELCOME10').waitFor()
  await look(page, 'promos-390')
  assert.deepEqual(complaints, [])
})

test('a new code is tried on a cart before it exists, then made once though the answer is lost', async () => {
  const { page, complaints } = await enter('/new')
  await page.getByLabel('Code', { exact: true }).fill('new-one')
  await page.getByLabel('Percent').fill('12,5')
  await page.getByLabel('Goods at least').fill('50')
  await put(page, 'watch mug')
  await page.getByText('A checkout would refuse it now.').waitFor()
  await page.getByText('The goods cost $ 22.00; it needs $ 50.00.').waitFor()
  await page.getByLabel('Pieces of').fill('3')
  await page.getByText('It saves $').waitFor()
  await page.getByText('12.5% of 66.00').waitFor()
  await look(page, 'promo-new-1440')
  assert.equal(await find('NEW-ONE'), undefined)

  let asked = 0
  await page.route('**/promo-codes', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    asked += 1
    if (asked > 1) return route.fallback()
    await route.fetch() // it was done; nobody hears of it
    await route.abort('connectionreset')
  })
  await page.getByLabel('From').fill('2026-12-01T00:00')
  await page.reload() // what was typed is still there
  await page.getByRole('button', { name: 'Create the code' }).click()
  await page.getByRole('heading', { level: 1, name: 'NEW-ONE' }).waitFor()
  const made = await find('NEW-ONE')
  assert.deepEqual([made.value, made.minSubtotal, made.type], [1_250, 5_000, 'PERCENT'])
  const { body } = await desk.owner.get(desk.business)
  const shown = new Intl.DateTimeFormat('sv', { timeZone: body.timeZone, dateStyle: 'short', timeStyle: 'short' })
  assert.equal(shown.format(made.startsAt * 1_000), '2026-12-01 00:00')
  assert.ok(asked >= 2)
  assert.deepEqual(complaints, [])
})

test('a code is changed, tried as it will be, merged with what somebody else saved, and deleted', async () => {
  const made = await make({ code: 'CHANGE-ME', maxRedemptions: 10 })
  const { page, complaints } = await enter(`/${made.id}`)
  await page.getByLabel('Percent').fill('20')
  await page.getByText('1 unsaved change').waitFor()
  await put(page, 'storm lantern')
  await page.getByText('20% of').waitFor()
  await page.getByLabel('Uses in all').fill('0')
  await page.getByText('This is no figure that can be used here.').waitFor()
  await page.getByRole('button', { name: /^Save 2/ }).click({ force: true })
  assert.equal((await find('CHANGE-ME')).value, 1_000)
  await page.getByLabel('Uses in all').fill('10')
  assert.equal((await desk.owner.put(`${promos()}/${made.id}`, { value: 1_500, minSubtotal: 700 })).status, 200)
  await page.keyboard.press('Control+s')
  const merge = page.getByRole('dialog', { name: 'Somebody was faster' })
  await merge.waitFor()
  await look(page, 'promo-merge')
  await merge.getByRole('button', { name: 'Save these' }).click()
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const { value, minSubtotal, maxRedemptions } = await find('CHANGE-ME')
  assert.deepEqual([value, minSubtotal, maxRedemptions], [2_000, 700, 10])
  await page.getByLabel('Kind').selectOption('FIXED')
  await page.getByLabel('Amount').fill('5.95')
  await look(page, 'promo-1440')
  await page.keyboard.press('Control+s')
  await until('it is an amount', async () => (await find('CHANGE-ME')).type === 'FIXED')
  assert.equal((await find('CHANGE-ME')).value, 595)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'CHANGE-ME' }).waitFor()
  await assertFits(page, 'promo-390')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Nobody has used it.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await until('it is gone', async () => (await find('CHANGE-ME')) === undefined)
  assert.deepEqual(complaints, [])
})

test('the uses of a code lead to the orders with it', async () => {
  const order = await desk.buy('uses@example.com')
  const { id } = await find('WELCOME10')
  const { page } = await enter(`/${id}`)
  await page.locator('.used').getByText('1', { exact: true }).waitFor()
  await page.getByRole('link', { name: order.number }).waitFor()
  await page.getByRole('link', { name: 'All orders with this code' }).click()
  await page.waitForURL(/orders\?promoCode=WELCOME10/)
  await page.locator('.chip', { hasText: 'WELCOME10' }).waitFor()
  await page.getByRole('link', { name: order.number }).waitFor()
})

test('whoever may make codes but not see orders is told so; the other way round there is no such section', async () => {
  const { id } = await find('WELCOME10')
  const seller = await desk.make.member(desk.businessId, 'PROMOS_WRITE')
  const { page } = await enterAgain()
  await page.goto(await desk.doorOf(seller))
  await page.waitForURL(/harbour-goods/)
  await page.goto(desk.at(`/promo-codes/${id}`))
  await page.getByRole('button', { name: /^All orders with this code.*Needs ORDERS_READ/ }).waitFor()
  await put(page, 'watch mug')
  await page.locator('.new-lines .sum-row').waitFor()
  assert.equal(await page.locator('.side .nav a', { hasText: 'Categories' }).count(), 0)
})
