import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { openPaidShop, type PaidShop, waitUntilIdle } from '../support/paid-shop.ts'
import { type StartedWorld, startWorld } from '../support/world.ts'

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1_280, height: 800 } }

let service: StartedWorld<'stripe'>
let paidShop: PaidShop
let browser: Browser
let shopUrl = ''

// A shop front as small as can be.
const front = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><title>Shop</title><h1>${request.url?.startsWith('/thanks') ? 'Thanks' : 'Cart'}</h1>`)
})

before(async () => {
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  shopUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  // The result page is the API's own: its address has to be one that the browser reaches.
  service = await startWorld({ providers: ['stripe'], env: { ALLOWED_ORIGINS: shopUrl } })
  browser = await launchBrowser()
  paidShop = await openPaidShop(service)
})
after(async () => {
  await browser?.close()
  front.close()
  await service?.close()
})

const buttons = { pay: '[value=pay]', decline: '[value=decline]', close: '[value=close]' }

async function openPage(url: string, size: keyof typeof SIZES = 'desktop'): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZES[size], locale: 'en-US' })
  const answer = await page.goto(url)
  assert.equal(answer?.status(), 200)
  return page
}

async function look(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(overflow, 0, `${name} can be scrolled sideways`)
}

for (const size of ['phone', 'desktop'] as const) {
  test(`a shopper pays on a ${size}, comes back to the shop, and the order is PAID`, async () => {
    const order = await paidShop.buy({ returnUrl: `${shopUrl}/thanks?from=pay`, cancelUrl: `${shopUrl}/cart` })
    const page = await openPage(order.checkoutUrl, size)
    assert.match(await page.innerText('body'), /Sea salt, One size\n\$10\.00\nTax\n\$1\.00\nTotal\n\$11\.00/)
    assert.match(await page.innerText('body'), /\$11\.00/)
    await look(page, `pay-${size}`)
    await page.fill('input[name=email]', 'ada@example.com')
    await page.click(buttons.pay)
    await page.waitForURL(`${shopUrl}/thanks?from=pay&orderId=${order.id}`)
    assert.equal(await page.innerText('h1'), 'Thanks')
    await waitUntilIdle(service, paidShop.db)

    assert.equal(await order.state(), 'PROCESSING/PAID')
    assert.equal((await order.row()).contactEmail, 'ada@example.com')
    await page.close()
  })
}

test('a shopper whose card is declined may try again', async () => {
  const order = await paidShop.buy({ returnUrl: `${shopUrl}/thanks` })
  const page = await openPage(order.checkoutUrl, 'phone')
  await page.fill('input[name=email]', 'ada@example.com')
  await page.click(buttons.decline)
  await page.getByText('declined').waitFor()
  await look(page, 'declined-phone')
  await waitUntilIdle(service, paidShop.db)
  assert.equal(await order.state(), 'PENDING/PENDING')
  await page.click(buttons.pay)
  await page.waitForURL(`${shopUrl}/thanks?orderId=${order.id}`)
  await waitUntilIdle(service, paidShop.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')

  await page.goto(order.checkoutUrl)
  assert.match(await page.innerText('body'), /done/)
  await look(page, 'paid-already-phone')
  await page.close()
})

test('a shopper who goes back lands where the shop said, and can still pay', async () => {
  const order = await paidShop.buy({ returnUrl: `${shopUrl}/thanks`, cancelUrl: `${shopUrl}/cart?step=3` })
  const page = await openPage(order.checkoutUrl)
  await page.click(buttons.close)
  await page.waitForURL(`${shopUrl}/cart?step=3&orderId=${order.id}`)
  assert.equal(await page.innerText('h1'), 'Cart')
  assert.equal(await order.state(), 'PENDING/PENDING')
  await page.goto(order.checkoutUrl)
  await page.fill('input[name=email]', 'ada@example.com')
  await page.click(buttons.pay)
  await page.waitForURL(/thanks/)
  await waitUntilIdle(service, paidShop.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')
  await page.close()
})

test('a page of an order that has ended says so', async () => {
  const order = await paidShop.buy()
  const { status } = await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
  assert.equal(status, 200)
  const page = await openPage(order.checkoutUrl, 'phone')
  assert.match(await page.innerText('body'), /expired/)
  await look(page, 'expired-phone')
  await page.close()
})

for (const size of ['phone', 'desktop'] as const) {
  test(`a shop that does not say where to go gets a page of ours (${size})`, async () => {
    // The twin leads to the public address, which is another port here: the same path, at the API that runs.
    const here = (url: string) => url.replace(service.api.config.publicUrl, service.api.url)
    const order = await paidShop.buy()
    const { number } = await order.row()
    const { success_url: success, cancel_url: cancel } = order.page()
    const page = await openPage(here(cancel ?? ''), size)
    assert.equal(await page.innerText('h1'), 'Nothing was paid')
    await look(page, `result-cancelled-${size}`)
    await page.goto(here(success ?? ''))
    assert.equal(await page.innerText('h1'), 'Thank you')
    assert.match(await page.innerText('body'), new RegExp(number))
    await look(page, `result-paid-${size}`)
    await page.goto(here(success ?? '').replace(number, '<script>alert(1)</script>'))
    assert.doesNotMatch(await page.innerText('body'), /alert/)
    await page.close()
  })
}
