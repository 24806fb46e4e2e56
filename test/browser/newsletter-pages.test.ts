import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { linkIn } from '../support/mail-server.ts'
import { openNewsletter, PLANS } from '../support/newsletter-api.ts'
import { type StartedWorld, startWorld } from '../support/world.ts'

/** `SCREENSHOTS` names a folder to look at afterwards. */
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1_280, height: 800 } }
const EMAIL = 'ada@example.com'
const NAME = 'Letters from the harbour, the lighthouse and the islands beyond'

let service: StartedWorld<'stripe' | 'mail'>
let browser: Browser
before(async () => {
  service = await startWorld({ providers: ['stripe', 'mail'], worker: 'newsletter' })
  browser = await launchBrowser()
})
after(async () => {
  await browser?.close()
  await service?.close()
})

/** The same path at the API that runs: mails lead to the public address, which is another port here. */
const here = (url: URL | string) => String(url).replace(service.api.config.publicUrl, service.api.url)

async function openPage(url: string, size: keyof typeof SIZES): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZES[size], javaScriptEnabled: false })
  await page.goto(here(url))
  return page
}

async function look(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: path.join(folder, `newsletter-page-${name}.png`), fullPage: true })
  const { width } = page.viewportSize() ?? { width: 0 }
  for (const element of await page.locator('h1, p, button').all()) {
    const box = await element.boundingBox()
    assert.ok(box && box.x >= 0 && box.x + box.width <= width, `${name} is wider than the screen`)
  }
}

for (const size of ['phone', 'desktop'] as const) {
  test(`a reader leaves by the link of a mail on a ${size}, without JavaScript`, async () => {
    const letters = await openNewsletter(service.make, { name: NAME })
    const email = `${size}.${EMAIL}`
    await letters.subscribed(letters.admin, { email })
    await letters.send(await letters.entry())
    await service.sendWorker.run(letters.db)
    const link = linkIn(await service.mailServer.mailTo(email), '/newsletters/unsubscribe')

    const page = await openPage(link.href, size)
    assert.equal(await page.innerText('h1'), `Leave ${NAME}?`)
    await look(page, `leave-${size}`)
    assert.equal(await letters.state(email), 'ACTIVE')
    await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click()
    assert.equal(await page.innerText('h1'), 'You are unsubscribed')
    await look(page, `left-${size}`)
    assert.equal(await letters.state(email), 'CANCELLED')
    await page.goto(here(link))
    assert.equal(await page.innerText('h1'), 'You are unsubscribed')
    assert.equal(await page.getByRole('button').count(), 0)
    await page.close()
  })

  test(`a reader of a paid plan hears on a ${size} what becomes of it`, async () => {
    const letters = await openNewsletter(service.make, { name: NAME, plans: PLANS })
    const { body } = await letters.subscribe(letters.admin, { email: EMAIL, planId: 'monthly' })
    const paying = await openPage(body.checkoutUrl, size)
    await paying.click('[value=pay]')
    await service.waitUntilIdle(letters.db)
    await paying.goto(`${service.api.url}/newsletters/result?outcome=paid`)
    await look(paying, `thanks-${size}`)
    await paying.close()
    assert.equal(await letters.state(EMAIL), 'ACTIVE monthly')

    const page = await openPage(
      `${service.api.url}/newsletters/unsubscribe?token=${await letters.tokenOf(EMAIL)}`,
      size,
    )
    assert.match(await page.innerText('main'), /paid plan will not be renewed/)
    await look(page, `leave-paid-${size}`)
    await page.getByRole('button', { name: `Unsubscribe from everything of ${letters.name}` }).click()
    assert.match(await page.innerText('main'), /Your paid plan is not renewed/)
    await look(page, `left-paid-${size}`)
    assert.equal(await letters.state(EMAIL), 'CANCELLED monthly')
    await page.close()
  })

  test(`an address is confirmed on a ${size}`, async () => {
    const letters = await openNewsletter(service.make, { name: NAME, doubleOptIn: true })
    const email = `confirm.${size}.${EMAIL}`
    await letters.subscribed(letters.admin, { email })
    const link = linkIn(await service.mailServer.mailTo(email), '/newsletters/confirm')
    const page = await openPage(link.href, size)
    await look(page, `confirm-${size}`)
    await page.getByRole('button', { name: 'Yes, subscribe me' }).click()
    assert.equal(await page.innerText('h1'), 'You are subscribed')
    await look(page, `confirmed-${size}`)
    assert.equal(await letters.state(email), 'ACTIVE')

    await page.goto(`${here(link)}x`)
    assert.equal(await page.innerText('[role=alert]'), 'This link is not valid.')
    await look(page, `invalid-${size}`)
    await page.close()
  })
}
