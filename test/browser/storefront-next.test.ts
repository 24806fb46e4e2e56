import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { type NextStorefront, openNextStorefront } from '../support/storefront-next.ts'
import { until } from '../support/until.ts'

const DESKTOP = { width: 1_280, height: 800 }
const PHONE = { width: 390, height: 844 }
const HOME = '/en'
const SHELF = '/en/c/lighting'
const LANTERN = '/en/p/storm-lantern-no-3'
const SALE = 'wolldecke-schaere'
const MOST_PAGES = 200
const SEEN_MS = 2_000

let shop: NextStorefront
let browser: Browser

before(async () => {
  shop = await openNextStorefront()
  browser = await launchBrowser()
})
after(async () => {
  await browser?.close()
  await shop?.close()
})

async function enter(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US', ...options })
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, context, complaints }
}

/** `SCREENSHOTS` names a folder to look at afterwards. */
async function look(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (folder) {
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: path.join(folder, `next-${name}.png`) })
  }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(overflow, 0, `${name} can be scrolled sideways`)
}

const read = async (place: string) => (await fetch(shop.url + place)).text()
const unescape = (text: string) => text.replaceAll('&amp;', '&')
const all = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, found = '']) => unescape(found))

test('every link leads to a page, and every page says what it is', async (t) => {
  const found = new Set([HOME, '/de'])
  const problems: string[] = []
  let visited = 0
  const waiting = [...found]
  const visitOne = async (place: string) => {
    const answer = await fetch(shop.url + place)
    const html = await answer.text()
    const head = html.slice(0, html.indexOf('</head>'))
    if (answer.status !== 200) problems.push(`${place}: ${answer.status}`)
    for (const needed of [
      /<title>[^<]+/,
      /<meta name="description" content="[^"]+/,
      /<link rel="canonical" href="http/,
    ])
      if (!needed.test(head)) problems.push(`${place}: no ${needed.source}`)
    for (const json of all(html, /<script type="application\/ld\+json">(.*?)<\/script>/g)) JSON.parse(json)
    for (const href of all(html, /<a\b[^>]* href="(\/[^"]*)"/g)) {
      if (found.has(href)) continue
      found.add(href)
      waiting.push(href)
    }
  }
  while (waiting.length > 0 && visited < MOST_PAGES) {
    const batch = waiting.splice(0, 4)
    await Promise.all(batch.map(visitOne))
    visited += batch.length
  }
  t.diagnostic(`${visited} pages of ${found.size} found`)
  assert.ok(visited > 100)
  assert.deepEqual(problems, [])
})

test('the sitemap lists every product in every language, and robots.txt names the sitemap', async () => {
  const listed = new Set(all(await read('/sitemap.xml'), /<loc>(.*?)<\/loc>/g))
  const { body } = await shop.owner.get(`${shop.business}/products?limit=100`)
  for (const { slug, translations } of body.items as { slug: string; translations: { de: { slug: string } } }[]) {
    assert.ok(listed.has(`${shop.url}/en/p/${slug}`), slug)
    assert.ok(listed.has(`${shop.url}/de/p/${translations.de.slug}`), translations.de.slug)
  }
  assert.ok(listed.has(`${shop.url}/de/c/beleuchtung`))
  assert.match(await read('/robots.txt'), new RegExp(`Sitemap: ${shop.url}/sitemap.xml`))
})

test('a product is known to search engines in each language, with its price', async () => {
  const html = await read('/de/p/sturmlaterne-nr-3')
  assert.match(html, /<html lang="de"/)
  assert.match(html, new RegExp(`hrefLang="en" href="${shop.url}/en/p/storm-lantern-no-3"`, 'i'))
  const data = all(html, /<script type="application\/ld\+json">(.*?)<\/script>/g).map((json) => JSON.parse(json))
  const product = data.find((each) => each['@type'] === 'Product')
  assert.equal(product.name, 'Sturmlaterne Nr. 3')
  assert.equal(product.offers[0].priceCurrency, 'EUR')
  assert.match(product.offers[0].price, /^\d+\.\d\d$/)
  assert.ok(data.some((each) => each['@type'] === 'BreadcrumbList'))

  const { status, headers } = await fetch(`${shop.url}/de/p/storm-lantern-no-3`, { redirect: 'manual' })
  assert.equal(status, 308)
  assert.match(headers.get('location') ?? '', /\/de\/p\/sturmlaterne-nr-3$/)
})

test('a page that there is not is 404', async () => {
  for (const place of ['/en/p/nothing', '/en/c/nothing', '/en/journal/nothing', '/xx', '/en/c/lighting?cursor=made-up'])
    await assert404(place)
})

async function assert404(place: string) {
  const answer = await fetch(shop.url + place)
  assert.equal(answer.status, 404, place)
  assert.match(await answer.text(), /There is no such page/)
}

test('a text that would end the script of structured data does not', async () => {
  const { body } = await shop.owner.get(`${shop.business}/products?slug=tide-tapers`)
  const { id } = body.items[0]
  const description = '</script><script>window.isBroken = true</script>'
  assert.equal((await shop.owner.put(`${shop.business}/products/${id}`, { description })).status, 200)
  const { page, context } = await enter()
  await until('it is on the page', async () => (await read('/en/p/tide-tapers')).includes('window.isBroken'))
  await page.goto(`${shop.url}/en/p/tide-tapers`)
  assert.equal(await page.evaluate('window.isBroken'), undefined)
  await context.close()
})

test('a new price is on the pages within two seconds, through the feed', async (t) => {
  const { body } = await shop.owner.get(`${shop.business}/products?slug=storm-lantern-no-3`)
  const price = `${shop.business}/products/${body.items[0].id}/variants/navy/prices/us`
  for (const place of [HOME, SHELF, LANTERN]) assert.match(await read(place), /\$64\.00/)
  const since = performance.now()
  const { status, text } = await shop.owner.put(price, { price: 6_123 })
  assert.equal(status, 200, text)
  for (const place of [HOME, SHELF, LANTERN])
    await until(`it is on ${place}`, async () => (await read(place)).includes('$61.23'))
  const ms = performance.now() - since
  t.diagnostic(`${ms.toFixed(0)} ms`)
  assert.ok(ms < SEEN_MS, `It took ${ms} ms.`)
})

test('nobody but the follower may empty the cache', async () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${shop.url}/revalidate`, { method: 'POST', headers, body: '{"tags":[]}' })
  assert.equal((await post({})).status, 401)
  assert.equal((await post({ authorization: 'Bearer guessed' })).status, 401)
})

test('without JavaScript a shopper finds a shelf, filters it, and sees a variant', async () => {
  const { page, context } = await enter({ javaScriptEnabled: false })
  await page.goto(shop.url + SHELF)
  const before = await page.locator('.grid li').count()
  await page.getByLabel(/^Navy/).check()
  await page.getByLabel('Sort by').selectOption('Price, low first')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL(/Colour=Navy/)
  const names = await page.locator('.grid .card-name').allInnerTexts()
  assert.ok(names.length > 0 && names.length < before, names.join())
  assert.ok(await page.getByLabel(/^Navy/).isChecked())
  await page.getByRole('link', { name: /Storm Lantern/ }).click()
  await page.getByRole('link', { name: 'Moss', exact: true }).click()
  await page.waitForURL(/variant=moss/)
  assert.match(await page.content(), /<noscript>The cart needs JavaScript/)
  await page.getByRole('searchbox').fill('lantern')
  await page.getByRole('searchbox').press('Enter')
  await page.waitForURL(/search\?query=lantern/)
  await page.getByRole('link', { name: /Storm Lantern/ }).waitFor()
  await page.getByRole('link', { name: 'Deutsch' }).click()
  await page.waitForURL(/\/de\/search/)
  await context.close()
})

for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  test(`a shopper on a ${size} sees pages that stand still, fills the cart, pays, and sees that it is paid`, async (t) => {
    const { page, context, complaints } = await enter({ viewport })
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true }) // as on a first visit
    const visit = async (place: string) => {
      const { lcpMs, cls, bytes, requests } = await measure(page, session, place)
      t.diagnostic(
        `${size} ${place}: LCP ${lcpMs.toFixed(0)} ms, CLS ${cls.toFixed(3)}, ${Math.round(bytes / 1_024)} kB in ${requests}`,
      )
      assert.ok(cls < 0.05, `${place} moves: ${cls}`)
    }
    await visit(HOME)
    await look(page, `home-${size}`)
    await visit(SHELF)
    await look(page, `shelf-${size}`)
    await page.goto(`${shop.url}/en/journal`)
    await look(page, `journal-${size}`)
    await page.locator('.articles a').first().click()
    await page.locator('.prose').waitFor()
    await look(page, `article-${size}`)
    await visit(LANTERN)
    await session.send('Network.setCacheDisabled', { cacheDisabled: false })
    await page.getByRole('link', { name: 'Red', exact: true }).click()
    await page.waitForURL(/variant=red/)
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await look(page, `product-${size}`)
    await page.getByRole('link', { name: 'It is in your cart' }).click()
    await page.getByText('In all').waitFor()
    for (const [label, text] of Object.entries({
      Email: 'ada@example.com',
      'Full name': 'Ada Lund',
      'Street and number': '7 Quay Road',
      City: 'Portland',
      State: 'ME',
      'ZIP code': '04101',
    }))
      await page.getByLabel(label, { exact: true }).fill(text)
    await look(page, `cart-${size}`)
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.click('[value=pay]')
    await page.getByRole('heading', { name: 'It is paid' }).waitFor({ timeout: 20_000 })
    await look(page, `order-${size}`)
    await page.goto(`${shop.url}/en/cart`)
    await page.getByText('Your cart is empty.').waitFor()
    assert.deepEqual(complaints, [])
    await context.close()
  })
}

/** What Chromium says of a first visit. */
async function measure(page: Page, session: CDPSession, place: string) {
  let bytes = 0
  let requests = 0
  const count = ({ encodedDataLength }: { encodedDataLength: number }) => {
    bytes += encodedDataLength
    requests++
  }
  session.on('Network.loadingFinished', count)
  await page.goto(shop.url + place, { waitUntil: 'networkidle' })
  const { lcpMs, cls } = await page.evaluate<{ lcpMs: number; cls: number }>(`new Promise((resolve) => {
    let [lcpMs, cls] = [0, 0]
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) lcpMs = entry.startTime })
      .observe({ type: 'largest-contentful-paint', buffered: true })
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) cls += entry.value })
      .observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve({ lcpMs, cls }), 200)
  })`)
  session.off('Network.loadingFinished', count)
  return { lcpMs, cls, bytes, requests }
}

test('a sale names the lowest price of the last 30 days, in German and in the dark, too', async () => {
  const { page, context } = await enter({ colorScheme: 'dark' })
  await page.goto(`${shop.url}/de/c/beleuchtung`)
  await look(page, 'dark-shelf')
  await page.goto(`${shop.url}/de/p/${SALE}`)
  await page.getByText(/Niedrigster Preis der letzten 30 Tage: \d+,\d\d\s€/).waitFor()
  await look(page, 'dark')
  await context.close()
})

test('nothing was complained about on the server', () => assert.equal(shop.complaints(), ''))
