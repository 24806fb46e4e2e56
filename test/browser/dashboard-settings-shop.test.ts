import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { openNewsletter } from '../support/newsletter-api.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'
import { market as aMarket } from '../support/shop.ts'
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

/** The owner of a business, at its settings. */
async function sitDown(business: Awaited<ReturnType<Dashboard['make']['shop']>>) {
  const { page, context, complaints } = await enterAgain({ width: 1_280 })
  await desk.doorOf(business.admin)
  await desk.signIn(context, business.admin.email ?? '')
  const open = async (place: string) => {
    await page.goto(`${desk.url}/admin/${business.id}/settings${place}`)
    await page.locator('main h1').first().waitFor()
  }
  const read = async () => (await business.admin.get(business.path)).body
  return { ...business, page, complaints, open, read }
}
/** On a phone it can be read without scrolling sideways. */
const fits = async (page: Page, name: string) => {
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    assert.equal(overflow, 0, `${name} can be scrolled sideways at ${width}`)
  }
  await page.setViewportSize({ width: 1_280, height: 900 })
}
/** The same where a phone arranges it in another way. */
const phone = async (page: Page, name: string) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await look(page, `${name}-390`)
  await fits(page, name)
}
const MARKETS = Array.from({ length: 30 }, (_, index) =>
  aMarket({
    id: `m${index}`,
    name: `Market ${String(index).padStart(2, '0')}${index === 17 ? ' Norway' : ''}`,
    currency: ['EUR', 'USD', 'NOK', 'JPY'][index % 4],
    taxBps: [1_900, 2_500, 0, 1_000][index % 4],
    pricesIncludeTax: index % 2 === 0,
    taxRates: index % 3 === 0 ? [{ taxClass: 'reduced', taxBps: 700 }] : [],
    shippingMethods: [
      { id: 'post', name: 'Post', price: 490, ...(index % 2 === 0 && { freeFrom: 5_000 }) },
      { id: 'express', name: 'Express courier', price: 1_290 },
    ],
  }),
)

test('the settings are found from the navigation, and what a business is called is changed with its address', async () => {
  const { page, complaints, read, admin, id, path } = await sitDown(await desk.make.shop())
  await page.goto(`${desk.url}/admin/${id}`)
  await page.locator('.side').getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await look(page, 'settings-1280')
  await phone(page, 'settings')
  await page
    .locator('main')
    .getByRole('link', { name: /^Business/ })
    .click()
  await page.getByLabel('Name', { exact: true }).fill('Harbour & Sons')
  await page.getByLabel('Contact address').fill('no address')
  await page.getByText('This is no email address.').waitFor()
  await page.getByLabel('Contact address').fill('hello@harbour.example')
  const slug = `harbour-sons-${process.pid}`
  await page.getByLabel('Address in the dashboard').fill(slug)
  await page.getByLabel('Another language').fill('de-ch')
  await page.getByLabel('Another language').press('Enter')
  await page.getByRole('button', { name: /^Put first.*Swiss High German/ }).click()
  await page.getByLabel('Time zone').selectOption('Europe/Zurich')
  await page.reload() // nothing that was typed is lost
  await page.getByText('6 unsaved changes').waitFor()
  await look(page, 'settings-business-1280')
  await fits(page, 'settings-business')
  // Meanwhile somebody else changes one of these, and another: one is asked, the other kept.
  assert.equal((await admin.put(path, { name: 'Harbour Brothers', storefront: { isPublic: true } })).status, 200)
  await page.getByRole('button', { name: /^Save 6/ }).click()
  const merge = page.getByRole('dialog', { name: 'Somebody was faster' })
  await merge.getByText('Harbour Brothers').waitFor()
  await merge.getByRole('button', { name: 'Save these' }).click()
  await page.waitForURL(`**/admin/${slug}/settings/business`)
  const saved = await read()
  assert.deepEqual(
    [saved.name, saved.slug, saved.contactEmail, saved.locales.at(-1), saved.defaultLocale, saved.timeZone],
    ['Harbour & Sons', slug, 'hello@harbour.example', 'de-CH', 'de-CH', 'Europe/Zurich'],
  )
  assert.equal(saved.storefront.isPublic, true)
  await page.getByText('Changes saved', { exact: true }).waitFor()
  assert.equal(await page.locator('.savebar').count(), 0)
  assert.deepEqual(complaints, [])
})

test('a fresh business says where its shop is, and from then on its entries are previewed there', async () => {
  const letters = await openNewsletter(desk.make, {
    name: 'Harbour Post',
    blocks: [{ id: 'title', type: 'TEXT', label: 'Title' }],
  })
  const entry = await letters.entry([{ id: 'title', type: 'TEXT', value: 'The lamps are lit' }])
  const { page, context, complaints } = await enterAgain({ width: 1_280 })
  await desk.doorOf(letters.admin)
  await desk.signIn(context, letters.admin.email ?? '')
  const place = `${desk.url}/admin/${letters.id}/content/${letters.collection.id}/${entry.id}`
  await page.goto(place)
  await page.getByRole('button', { name: 'Preview in the shop' }).click()
  await page.getByRole('link', { name: 'Set the address' }).click()
  await page.getByText('No shop is known yet.').waitFor()
  await page.getByLabel('Preview of an entry').fill('https://shop.example.com/journal/{entryId}')
  await page.getByText('https://shop.example.com is not among the addresses of your shop.').waitFor()
  await page.getByRole('button', { name: 'Add https://shop.example.com' }).click()
  await page.getByText('It must have {token} in it').waitFor()
  await page.getByLabel('Preview of an entry').fill('https://shop.example.com/journal/{entryId}?preview={token}')
  await page.getByLabel('Another address of the shop').fill('www.example.com/somewhere')
  await page.getByLabel('Another address of the shop').press('Enter')
  await page.locator('.with-act', { hasText: 'Page of an order' }).getByRole('button', { name: 'Begin with' }).click()
  await look(page, 'settings-shop-1280')
  await fits(page, 'settings-shop')
  await page.keyboard.press('Control+s')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const saved = (await letters.admin.get(letters.path)).body
  assert.deepEqual(
    [saved.allowedOrigins, saved.orderUrl],
    [['https://shop.example.com', 'https://www.example.com'], 'https://shop.example.com/orders/{orderId}'],
  )
  await context.route('https://shop.example.com/**', (route) => route.fulfill({ body: 'The shop' }))
  await page.goto(place)
  const shown = context.waitForEvent('page')
  await page.getByRole('button', { name: 'Preview in the shop' }).click()
  await (await shown).waitForURL(new RegExp(`shop.example.com/journal/${entry.id}\\?preview=`))
  assert.deepEqual(complaints, [])
})

test('thirty markets are found at once, and one is set up while an example says what a shopper pays', async () => {
  const shop = await desk.make.shop()
  assert.equal((await shop.admin.put(shop.path, { markets: MARKETS })).status, 200)
  const { page, open, read, admin, path, complaints } = await sitDown(shop)
  await open('/markets')
  await page.getByText('30 markets', { exact: true }).waitFor()
  await look(page, 'settings-markets-1280')
  await phone(page, 'settings-markets')
  await page.getByLabel('Find markets').fill('norway')
  await page.waitForURL(/query=norway/)
  await page.getByText('1 market', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Market 17 Norway' }).click()
  await page.waitForURL(/settings\/markets\/m17/)
  const example = page.getByRole('region', { name: 'Example' })
  const pays = (text: RegExp) => example.locator('dd.sum', { hasText: text }).waitFor()
  // 20.00 and 4.90, tax of 25 % on the goods, on top
  await page.getByText('Tax on top, 25 %').waitFor()
  await pays(/29\.90/)
  await page.getByLabel('Shipping is taxed, too').check()
  await pays(/31\.13/)
  await page.getByLabel('include tax').check()
  await pays(/24\.90/)
  await page.getByText('Tax inside, 25 %').waitFor()
  await page.getByRole('button', { name: 'Add a rate' }).click()
  await page.getByRole('group', { name: 'Other rates' }).getByLabel('Tax %').fill('12')
  await example.getByRole('row', { name: /reduced 12 %/ }).waitFor()
  await page
    .getByLabel(/^Price USD/)
    .first()
    .fill('x')
  await page.getByText('This is no figure that can be used here.').waitFor()
  await page
    .getByLabel(/^Price USD/)
    .first()
    .fill('5,50')
  await pays(/25\.50/)
  await example.getByLabel('Shipping').selectOption('Express courier')
  await pays(/32\.90/)
  await look(page, 'settings-market-1280')
  await phone(page, 'settings-market')
  // Another market changes meanwhile: nothing of either is lost.
  const markets = (await read()).markets.map((one: { id: string }) => (one.id === 'm3' ? { ...one, taxBps: 800 } : one))
  assert.equal((await admin.put(path, { markets })).status, 200)
  await page.keyboard.press('Control+s')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const now = (await read()).markets as ReturnType<typeof aMarket>[]
  const saved = now.find(({ id }) => id === 'm17') as ReturnType<typeof aMarket> & { taxRates: object }
  assert.deepEqual(
    [saved.taxShipping, saved.shippingMethods[0], saved.taxRates],
    [true, { id: 'post', name: 'Post', price: 550 }, [{ taxClass: 'reduced', taxBps: 1_200 }]],
  )
  assert.deepEqual([now.length, now.find(({ id }) => id === 'm3')?.taxBps], [30, 800])
  assert.deepEqual(complaints, [])
})

test('a first market is made, tried before it is there, and deleted again', async () => {
  const shop = await desk.make.shop()
  await shop.admin.put(shop.path, { markets: [] })
  const { page, open, read, complaints } = await sitDown(shop)
  await open('/markets')
  await page.getByText('No market yet').waitFor()
  await look(page, 'settings-markets-empty-1280')
  await page.getByRole('button', { name: 'New market' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Österreich')
  assert.equal(await page.getByLabel('Code').inputValue(), 'osterreich')
  await page.getByLabel('Currency').fill('C') // on the way to CHF nothing breaks
  await page.getByText('This is no currency such as EUR.').waitFor()
  await page.getByLabel('Currency').fill('eur')
  await page.getByLabel('Tax on goods').fill('20')
  await page.getByRole('button', { name: 'Add a way of shipping' }).click()
  await page.getByLabel(/^Price EUR/).fill('4.9')
  await page.getByRole('region', { name: 'Example' }).locator('dd.sum', { hasText: '28.90' }).waitFor()
  await look(page, 'settings-market-new-1280')
  await fits(page, 'settings-market-new')
  await page.reload()
  await page.getByRole('button', { name: 'Create the market' }).click()
  await page.getByRole('heading', { level: 1, name: 'Österreich' }).waitFor()
  const [made] = (await read()).markets
  assert.deepEqual([made.id, made.taxBps, made.shippingMethods[0].price], ['osterreich', 2_000, 490])
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await until('it is gone', async () => (await read()).markets.length === 0)
  await page.waitForURL(/settings\/markets$/)
  assert.deepEqual(complaints, [])
})

test('a second factor is asked of everybody only by who has one, and days are whole ones', async () => {
  const { page, open, read, complaints } = await sitDown(await desk.make.shop())
  await open('/security')
  await page.getByLabel('Days that orders remember').fill('3.5')
  await page.getByText('A whole number of days, 0 at least.').waitFor()
  await page.getByLabel('Days that orders remember').fill('3650')
  await page.getByLabel('Everybody needs a second factor').check()
  await look(page, 'settings-security-1280')
  await fits(page, 'settings-security')
  await page.getByRole('button', { name: /^Save 2/ }).click()
  await page.getByText('Only a session that has passed a second factor').first().waitFor()
  await page.getByLabel('Everybody needs a second factor').uncheck()
  await page.getByRole('button', { name: /^Save 1/ }).click()
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const { keepPersonDays, requireSecondFactor } = await read()
  assert.deepEqual([keepPersonDays, requireSecondFactor], [3_650, false])
  assert.deepEqual(complaints, [])
})

test('where the money goes is shown by four characters; mails are shown as they go out, also in German', async () => {
  const shop = await desk.make.shop()
  const { page, open, complaints } = await sitDown(shop)
  await open('/payments')
  await page.getByText('that of this service').waitFor()
  await look(page, 'settings-payments-1280')
  await open('/mails')
  const frame = page.frameLocator('iframe')
  await frame.getByText('K7Q2-M9X3').first().waitFor()
  await page.getByText('Nobody can answer this mail.').waitFor()
  await look(page, 'settings-mails-1280')
  await fits(page, 'settings-mails')
  await page.getByRole('link', { name: /^Order shipped/ }).click()
  await page.waitForURL(/mail=shipment/)
  await frame.getByText('DHL').first().waitFor()
  await page.getByRole('link', { name: 'Text', exact: true }).click()
  await page.locator('pre', { hasText: 'DHL' }).waitFor()
  await page.evaluate(`localStorage.setItem('kontor:language', 'de')`)
  await open('')
  for (const [place, name] of [
    ['', 'Einstellungen'],
    ['/business', 'Geschäft'],
    ['/shop', 'Shop-Adressen'],
    ['/markets', 'Märkte'],
    ['/markets/us', 'United States'],
    ['/payments', 'Zahlungen'],
    ['/mails', 'Mails'],
    ['/letters', 'Newsletter'],
    ['/team', 'Team'],
    ['/roles', 'Rollen'],
    ['/security', 'Sicherheit'],
    ['/audit', 'Protokoll'],
  ] as const) {
    await page.evaluate(`__TSR_ROUTER__.history.push('/admin/${shop.id}/settings${place}')`)
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }
  await look(page, 'settings-audit-german')
  assert.deepEqual(complaints, [])
})
