import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { now } from '#platform/clock.ts'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { createSendWorker, openNewsletter } from '../support/newsletter-api.ts'
import { type Dashboard, enter, look, openDashboard } from '../support/served-dashboard.ts'

let desk: Dashboard
let browser: Browser
before(async () => {
  desk = await openDashboard()
  browser = await launchBrowser()
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

const BLOCKS = [
  { id: 'title', type: 'TEXT', label: 'Title', required: true },
  { id: 'body', type: 'TEXT', label: 'Text', required: true, settings: { variant: 'HTML' } },
]
const TEXT =
  '<p><a href="https://shop.example.com/lamps">Lamps</a>, <a href="https://shop.example.com/ropes?a=1">ropes</a>: 10 % with LAMP10.</p>'

/** A letter that two of three readers clicked in; one of them bought. */
async function sentLetter(fields: object) {
  const shop = await desk.make.shop()
  const product = await desk.make.product(shop)
  const letters = await openNewsletter(desk.make, { business: shop, name: 'Harbour Post', blocks: BLOCKS, ...fields })
  const readers = await letters.fill(3, `${shop.id.replaceAll('_', '-')}.example`)
  const entry = await letters.entry([
    { ...BLOCKS[0], value: 'The lamps are lit' },
    { ...BLOCKS[1], value: TEXT },
  ])
  const send = await letters.send(entry)
  const worker = createSendWorker(desk.api, { smtpUrl: desk.mailServer.env.SMTP_URL })
  await worker.run(letters.db)
  worker.close()
  const rows = await letters.db
    .selectFrom('newsletter.subscriptions')
    .select(['id', 'email'])
    .where('businessId', '=', shop.id)
    .orderBy('id')
    .execute()
  const row = (index: number) => ({ businessId: shop.id, sendId: send.id, subscriptionId: rows[index]?.id ?? '' })
  const at = { firstAt: now(), lastAt: now() }
  await letters.db
    .insertInto('newsletter.clicks')
    .values([
      { ...row(0), link: 0, clicks: 3, ...at },
      { ...row(1), link: 0, clicks: 1, ...at },
      { ...row(1), link: 1, clicks: 1, ...at },
    ])
    .execute()
  await letters.db
    .insertInto('newsletter.opens')
    .values({ ...row(0), firstAt: now() })
    .execute()
  await letters.db
    .insertInto('newsletter.unsubscribes')
    .values({ ...row(2), leftAt: now() })
    .execute()
  const bought = await letters.owner.post(`${shop.path}/orders`, {
    customerId: (await desk.make.guest()).id,
    contactEmail: readers[0],
    market: 'us',
    lines: [{ productId: product.id, variantId: 'one', quantity: 1, unitPrice: 1_000, totalPrice: 1_000 }],
    subtotal: 1_000,
    tax: 0,
    shipping: 0,
    total: 1_000,
    paymentStatus: [{ status: 'PAID' }],
  })
  assert.equal(bought.status, 201, bought.text)
  await letters.owner.post(`${shop.path}/orders`, {
    customerId: (await desk.make.guest()).id,
    contactEmail: 'stranger@example.com',
    market: 'us',
    lines: [{ productId: product.id, variantId: 'one', quantity: 1, unitPrice: 1_000, totalPrice: 1_000 }],
    subtotal: 1_000,
    tax: 0,
    shipping: 0,
    total: 1_000,
    paymentStatus: [{ status: 'PAID' }],
  })
  await desk.follow(letters.db)
  return { ...letters, entry, send, number: bought.body.number as string }
}

test('the list of letters asks once for the sends of all of them; the page of a send shows its results and orders', async () => {
  const { admin, id, entry, send, number } = await sentLetter({ countClicks: true })
  const { page, context, complaints } = await enter(browser)
  await desk.doorOf(admin)
  await desk.signIn(context, admin.email ?? '')
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('/sends')) asked.push(pathname)
  })
  await page.goto(`${desk.url}/admin/${id}/letters`)
  const row = page.getByRole('row', { name: /The lamps are lit/ })
  await row.getByText('Sent').waitFor()
  assert.deepEqual([...new Set(asked)], [`/v1/businesses/${id}/sends`], entry.id)

  await page.goto(`${desk.url}/admin/${id}/letters/${entry.id}/sends/${send.id}`)
  const results = page.getByRole('region', { name: 'Results' })
  await results.getByText('66.7% of them; 5 clicks').waitFor()
  const figures = await results.locator('.figures > div').allInnerTexts()
  assert.deepEqual(
    figures.map((text) => text.split('\n').slice(0, 2).join(' ')),
    ['Reached 3', 'Clicked 2', 'Unsubscribed 1', 'Orders that followed 1'],
  )
  assert.doesNotMatch(figures.join(), /Opened/, 'nobody asked to count that')
  const links = results.getByRole('table', { name: 'Links of the letter' }).getByRole('row')
  assert.match(await links.nth(1).innerText(), /shop\.example\.com\/lamps\s+2\s+4/)
  assert.match(await links.nth(2).innerText(), /shop\.example\.com\/ropes\?a=1\s+1\s+1/)
  await look(page, 'send-results')
  await results.getByRole('link', { name: 'Show these orders' }).click()
  await page.waitForURL(/\/orders\?id=ord_/)
  await page.getByText('1 picked order').waitFor()
  await page.getByRole('link', { name: number }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1, 'and no others')
  assert.deepEqual(complaints, [])
  await context.close()
})

test('open letters are shown where they are counted, as unreliable; on a phone and in German', async () => {
  const { admin, id, entry, send } = await sentLetter({ countOpens: true })
  const { page, context, complaints } = await enter(browser, { width: 390, locale: 'de-DE', dark: true })
  await desk.doorOf(admin)
  await desk.signIn(context, admin.email ?? '')
  await page.goto(`${desk.url}/admin/${id}/letters/${entry.id}/sends/${send.id}`)
  const results = page.getByRole('region', { name: 'Ergebnisse' })
  await results.getByText('unzuverlässig: Mailprogramme öffnen Briefe von selbst').waitFor()
  await results.getByRole('link', { name: 'wird nicht gezählt' }).waitFor()
  await assertFits(page, 'send-results-phone')
  assert.deepEqual(complaints, [])
})
