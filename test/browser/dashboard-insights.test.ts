import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { ORDER_TOPIC } from '#modules/orders/index.ts'
import { listen } from '../../packages/dashboard/journeys/meter.ts'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { openReports, type Shop } from '../support/reports.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, enter, look, openDashboard } from '../support/served-dashboard.ts'
import { market } from '../support/shop.ts'
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

const DAY_MS = 86_400_000
const at = (shop: { slug: string }, place = '') => `${desk.url}/admin/${shop.slug}${place}`
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const dayOf = (days: number) => ago(days).slice(0, 10)
const LONG = 'Wilhelmina-Konstantia von Hohenfels-Schillingsfürst zu Langenburg'
const addressOf = (name: string) => ({ name, street: 'Quay 7', zip: '22767', city: 'Hamburg', country: 'DE' })

/** Times were changed after the worker may have seen the orders: it looks at all of them again. */
async function recount(shop: Shop): Promise<void> {
  for (const topic of [ORDER_TOPIC, 'reports-orders'])
    await sql`
      insert into cell.followed (topic, business_id, subject)
      select ${topic}, business_id, id from orders.orders where business_id = ${shop.id}`.execute(shop.db)
  await shop.follow()
}

type Looks = Parameters<typeof enter>[1] & object
type Person = { id: string; email?: string | undefined }

async function signIn(shop: Shop, place: string, looks: Looks = {}, person: Person = shop.admin) {
  const all = { width: 1_280, ...looks }
  const entered = looks.locale ? await enter(browser, all) : await enterAgain(all)
  await desk.doorOf(person)
  await desk.signIn(entered.context, person.email ?? '')
  await entered.page.goto(at(shop, place))
  return entered
}

test('did we sell: home says it on the first screen of a phone, against last week, and follows what is sold', async () => {
  const shop = await openReports(desk.api, desk.make)
  const [ada, bo] = [await desk.make.customer(shop.id), await desk.make.customer(shop.id)]
  await shop.sellAt(ada.id, ago(7), { shippingAddress: addressOf('Ada Lovelace') })
  await shop.sell(ada.id, { shippingAddress: addressOf(LONG) }, 2)
  await shop.sell(bo.id, { shippingAddress: addressOf('Bo Sørensen') }, 1)
  await shop.sell(bo.id, { market: 'de', currency: 'EUR', shippingAddress: addressOf('Bo Sørensen') }, 3)
  await recount(shop)
  const { page, complaints } = await signIn(shop, '', { width: 360, height: 740 })
  const hero = page.locator('.hero')
  await hero.getByText('+200%').waitFor()
  assert.match(await hero.innerText(), /Sales in USD\s+\$\s*30\.00[^]*Sales in EUR\s+€\s*30\.00[^]*Orders\s+3\s+\+2/)
  const box = await hero.boundingBox()
  assert.ok(box && box.y + box.height < 740 - 64, 'the answer is above the fold, and not below the navigation')
  await assertFits(page, 'home-360')
  await page.setViewportSize({ width: 1_280, height: 860 })
  const name = page.getByRole('cell', { name: LONG })
  const isCut = await name.evaluate((cell) => {
    const { scrollWidth, clientWidth } = cell as unknown as { scrollWidth: number; clientWidth: number }
    return scrollWidth > clientWidth
  })
  assert.equal(isCut, false, 'names are not cut')
  await page.getByText('Nothing. Payments').waitFor()
  await assertFits(page, 'home-1280')

  // Somebody buys meanwhile.
  await shop.sell(ada.id, { shippingAddress: addressOf('Ada Lovelace') }, 4)
  await hero.getByText('70.00').waitFor()

  await hero.getByRole('link', { name: /Sales in USD/ }).click()
  await page.getByText('3 orders', { exact: true }).waitFor()
  await page.getByText('Currency').waitFor()
  await page.goBack()
  await hero.waitFor()

  // Opened from another page.
  await page.goto(at(shop, '/stock'))
  const calls = listen(page)
  await page.getByRole('heading', { level: 1, name: 'Stock' }).waitFor()
  await calls.quiet()
  calls.begin()
  await page.getByRole('link', { name: 'Home' }).first().click()
  await hero.getByText('70.00').waitFor()
  await calls.quiet()
  assert.ok(calls.inSequence() <= 2, calls.what().join('\n'))
  assert.ok(calls.count() <= 6, calls.what().join('\n'))
  assert.deepEqual(complaints, [])
})

test('a shop that has never sold says what comes first; yen have no cents', async () => {
  const shop = await openReports(desk.api, desk.make, 'Asia/Tokyo')
  const market = { id: 'jp', name: 'Japan', currency: 'JPY', taxBps: 0, taxShipping: false, shippingMethods: [] }
  const card = { paymentMethods: ['CREDIT_CARD'] }
  await shop.configure({
    markets: [
      { ...market, ...card },
      { ...market, ...card, id: 'us', name: 'United States', currency: 'USD' },
    ],
  })
  const { page, complaints } = await signIn(shop, '')
  await page.getByRole('link', { name: 'Add a first product' }).waitFor()
  assert.match(await page.locator('.hero').innerText(), /Sales in JPY\s+¥\s*0\s/)
  await page.getByRole('link', { name: 'Add a contact email' }).waitFor()
  await look(page, 'home-first-1280')
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page, 'home-first-390')
  await page.setViewportSize({ width: 1_280, height: 900 })
  await shop.configure({ contactEmail: 'shop@example.com' })
  await page.reload()
  await page.getByRole('link', { name: 'Add a first product' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Add a contact email' }).count(), 0)
  await page.goto(at(shop, '/insights'))
  await page.getByText('Nothing was sold in this period').waitFor()
  await look(page, 'insights-none-1280')

  const ada = await desk.make.customer(shop.id)
  await shop.sell(ada.id, { market: 'jp', currency: 'JPY' }, 5)
  await page.getByRole('link', { name: /Net sales/ }).waitFor()
  await page.goto(at(shop, '/insights?time=today'))
  assert.match(await page.locator('.figures').innerText(), /Net sales\s+¥\s*5,000\s/)
  await page.setViewportSize({ width: 360, height: 740 })
  await assertFits(page, 'insights-yen-360')
  assert.deepEqual(complaints, [])
})

test('forints have hundredths, as the service counts them', async () => {
  const shop = await openReports(desk.api, desk.make)
  await shop.configure({ markets: [market({ id: 'hu', name: 'Hungary', currency: 'HUF' })] })
  const ada = await desk.make.customer(shop.id)
  const { id } = await shop.sell(ada.id, { market: 'hu', currency: 'HUF' }, 5)
  await shop.follow()
  const { page, complaints } = await signIn(shop, '/insights?time=today')
  await page.getByRole('link', { name: /Net sales/ }).waitFor()
  assert.match(await page.locator('.figures').innerText(), /Net sales\s+Ft\s*50\.00\s/)
  await page.goto(at(shop, `/orders/${id}`))
  await page.locator('.sums').getByText('50.00').first().waitFor()
  assert.deepEqual(complaints, [])
})

test('a day whose midnight is skipped is no day more in the sums', async () => {
  const shop = await openReports(desk.api, desk.make, 'Atlantic/Azores')
  const ada = await desk.make.customer(shop.id)
  await shop.sellAt(ada.id, '2026-03-28T12:00:00Z', {}, 4)
  await shop.sellAt(ada.id, '2026-03-29T12:00:00Z', {}, 2)
  await recount(shop)
  const { page, complaints } = await signIn(shop, '/insights?from=2026-03-29&to=2026-03-31')
  await page.locator('.figures').getByText('20.00').first().waitFor()
  assert.match(await page.locator('.figures').innerText(), /Orders\s+1\s/)
  assert.equal(await page.getByRole('figure').locator('a.column').count(), 1)
  assert.deepEqual(complaints, [])
})

test('a ranking of days is held against those before, but not one of a day that is not over, and says in which currency nothing was sold', async () => {
  const shop = await openReports(desk.api, desk.make)
  const ada = await desk.make.customer(shop.id)
  await shop.sellAt(ada.id, ago(1))
  await shop.sell(ada.id, {}, 2)
  await recount(shop)
  const { page, complaints } = await signIn(shop, '/insights?report=products&time=yesterday')
  const change = page.getByRole('columnheader', { name: 'Change' })
  await change.waitFor()
  await page.getByRole('link', { name: '7 days' }).click()
  await change.waitFor()
  await page.getByRole('link', { name: 'Today' }).click()
  await page.locator('.ranking').getByText('20.00').first().waitFor()
  assert.equal(await change.count(), 0)
  await look(page, 'insights-products-today-1280')
  await page.getByRole('link', { name: 'EUR' }).click()
  await page.getByText('Nothing was sold in EUR in this period').waitFor()
  await page.getByRole('navigation', { name: 'Reports' }).getByText('Promo codes').click()
  await page.getByText('No promo code was used in EUR in this period').waitFor()
  assert.deepEqual(complaints, [])
})

test('revenue: each column opens its orders, the table is behind it, and the address keeps it all', async () => {
  const shop = await openReports(desk.api, desk.make)
  const [ada, bo] = [await desk.make.customer(shop.id), await desk.make.customer(shop.id)]
  for (const [days, quantity] of [
    [1, 2],
    [1, 1],
    [3, 5],
    [8, 4],
    [40, 3],
  ] as const)
    await shop.sellAt(days === 3 ? bo.id : ada.id, ago(days), {}, quantity)
  await shop.sellAt(bo.id, ago(1), { market: 'de', currency: 'EUR' }, 7)
  await recount(shop)
  const { page, complaints } = await signIn(shop, '/insights?time=7d')
  const figures = page.locator('.figures')
  await figures.getByText('80.00').waitFor()
  assert.match(await figures.innerText(), /Net sales\s+\$\s*80\.00\s+\+100%[^]*Orders\s+3\s/)
  const columns = page.getByRole('figure').locator('a.column')
  assert.equal(await columns.count(), 2)
  await look(page, 'insights-revenue-1280')

  // By keyboard: one stop, arrows, Enter.
  await columns.last().focus()
  await page.keyboard.press('ArrowLeft')
  await page.locator('.columns-said').getByText('$ 50.00, 1 order').waitFor()
  assert.equal(await page.locator('a.column[tabindex="0"]').count(), 1)
  await page.keyboard.press('Enter')
  // Which orders are found by these times is for the service's own tests: an id has its time in it, and these were changed.
  const secondsOf = (days: number) => Date.parse(dayOf(days)) / 1_000
  await page.waitForURL(new RegExp(`/orders\\?.*createdFrom=${secondsOf(3)}&createdTo=${secondsOf(2)}$`))
  await page.goBack()
  await page.waitForURL(/insights\?time=7d/)
  await columns.last().click()
  await page.waitForURL(new RegExp(`/orders\\?.*currency=USD.*createdFrom=${secondsOf(1)}&createdTo=${secondsOf(0)}$`))
  const chips = (await page.locator('.tools .chip').allInnerTexts()).join(' | ')
  for (const said of ['Payment', 'Paid', 'Market', 'United States', 'Currency', 'USD', 'Placed'])
    assert.ok(chips.includes(said), `${said}: ${chips}`)
  await look(page, 'insights-orders-1280')
  await page.getByRole('button', { name: 'Remove the filter Placed' }).click()
  await page.getByText('5 orders', { exact: true }).waitFor()
  await page.goBack()
  await page.goBack()

  await page.getByRole('link', { name: 'EUR' }).click()
  await figures.getByText('70.00').first().waitFor()
  await page
    .getByRole('link', { name: /^Orders/ })
    .last()
    .click()
  await page.getByRole('link', { name: 'Table' }).click()
  await page.waitForURL(/currency=EUR.*as=table|as=table.*currency=EUR/)
  await page.reload()
  await page.getByRole('row', { name: /All 1 7/ }).waitFor()
  await look(page, 'insights-table-1280')
  await page.setViewportSize({ width: 360, height: 740 })
  await look(page, 'insights-table-360')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  const saved = readFileSync(await file.path(), 'utf8')
    .replace(/^\u{feff}/u, '')
    .trim()
    .split('\n')
  assert.equal(saved.length, 8)
  assert.ok(
    saved.some((line) => line.endsWith(',EUR,1,7,70,0,70,0')),
    saved.join('\n'),
  )

  await page.goto(at(shop, `/insights?from=${dayOf(45)}&to=${dayOf(35)}`))
  await figures.getByText('30.00').first().waitFor()
  await look(page, 'insights-revenue-360')
  // A finger reads first, and opens with the link that is shown then.
  const column = page.locator('a.column')
  const spot = await column.boundingBox()
  await column.dispatchEvent('pointerdown', { pointerType: 'touch', clientX: (spot?.x ?? 0) + 2, bubbles: true })
  await column.dispatchEvent('click', { button: 0 })
  await page.getByRole('link', { name: 'Open 1 order' }).click()
  await page.waitForURL(/\/orders\?/)
  assert.deepEqual(complaints, [])
})

test('products, customers, promo codes and readers: every row opens its list', async () => {
  const shop = await openReports(desk.api, desk.make)
  const [ada, bo] = [await desk.make.customer(shop.id), await desk.make.customer(shop.id)]
  await shop.sellAt(ada.id, ago(4), {}, 2)
  const { id } = await shop.sellAt(ada.id, ago(2), {}, 3)
  await shop.sellAt(bo.id, ago(1))
  await sql`
    update orders.orders set promo_code = 'SUMMER', version = version + 1
     where business_id = ${shop.id} and id = ${id}`.execute(shop.db)
  await recount(shop)
  const { page, complaints } = await signIn(shop, '/insights?report=products')
  await page.locator('.ranking tbody a').first().click()
  await page.getByText('3 orders', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove the filter With' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'By pieces' }).click()
  await page.waitForURL(/sort=-units/)
  await look(page, 'insights-products-1280')

  await page.getByRole('link', { name: 'Customers' }).last().click()
  await page.getByText('33.3% of orders are by returning customers').waitFor()
  await look(page, 'insights-customers-1280')
  await page.getByRole('link', { name: /New customers/ }).click()
  await page.getByText('2 orders', { exact: true }).waitFor()
  assert.match((await page.locator('.tools .chip').allInnerTexts()).join(' | '), /Customer\s*new/)
  await page.goBack()
  await page.getByRole('link', { name: 'Table' }).click()
  await page.setViewportSize({ width: 360, height: 740 })
  await look(page, 'insights-customers-360')

  await page.goto(at(shop, '/insights?report=promo-codes'))
  await page.locator('.insights').getByRole('heading', { name: 'Orders with a promo code' }).waitFor()
  await look(page, 'insights-codes-360')
  await page.goto(at(shop, '/insights?report=readers'))
  await page.getByText('No readers in this period').waitFor()
  const tab = await page.getByRole('navigation', { name: 'Reports' }).getByText('Readers').boundingBox()
  assert.ok(tab && tab.x + tab.width <= 360, 'the open tab is on the screen')
  await look(page, 'insights-readers-none-360')
  assert.deepEqual(complaints, [])
})

test('who may not see sales sees what runs low and what waits for them; German is complete', async () => {
  const shop = await openReports(desk.api, desk.make)
  const keeper = await desk.make.member(shop.id, 'PRODUCTS_WRITE')
  const variant = { id: 'one', name: 'Navy', sku: 'LOW-1', pricing: { markets: [{ marketId: 'us', price: 1_000 }] } }
  await desk.make.product(shop, {
    name: 'Watch Mug',
    variants: [{ ...variant, inventory: { tracked: true, quantity: 2, lowStockThreshold: 5 } }],
  })
  await shop.follow()
  const refused: string[] = []
  const { page, complaints } = await signIn(shop, '', {}, keeper)
  page.on('response', (answer) => void (answer.status() === 403 && refused.push(answer.url())))
  await page.reload()
  await until('the mug runs low', async () => (await page.getByRole('link', { name: 'Watch Mug, Navy' }).count()) > 0)
  assert.equal(await page.locator('.hero').count(), 0)
  await look(page, 'home-keeper-1280')
  assert.deepEqual(refused, [])

  const ada = await desk.make.customer(shop.id)
  await shop.sell(ada.id, {}, 2)
  await shop.follow()
  const german = await signIn(shop, '/insights', { locale: 'de-DE', width: 360, height: 740 })
  await german.page.getByRole('heading', { level: 1, name: 'Auswertung' }).waitFor()
  await german.page.getByRole('link', { name: /^Nettoumsatz/ }).waitFor()
  await assertFits(german.page, 'insights-german-360')
  await german.page.goto(at(shop))
  await german.page.getByText('Bestellwert im Schnitt').waitFor()
  await assertFits(german.page, 'home-german-360')
  assert.deepEqual([...complaints, ...german.complaints], [])
  await german.context.close()
})
