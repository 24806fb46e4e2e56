import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { assertFitsPhones } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Receiver, startReceiver } from '../support/callout-receiver.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
let service: Receiver
before(async () => {
  desk = await openDashboard({ OUTGOING_LOOPBACK: 'on' })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
  service = await startReceiver()
})
after(async () => {
  await service?.close()
  await browser?.close()
  await desk?.close()
})

/** A business, and somebody at its settings. */
async function sitDown({ as }: { as?: 'settler' } = {}) {
  const shop = await desk.make.shop()
  const { admin, path, id: businessId } = shop
  const person = as ? await desk.make.member(businessId, 'SETTINGS_WRITE') : admin
  const { page, context, complaints } = await enterAgain({ width: 1_280 })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await desk.doorOf(person)
  await desk.signIn(context, person.email ?? '')
  const open = async (place = '') => {
    await page.goto(`${desk.url}/admin/${businessId}/settings/callouts${place}`)
    await page.locator('main h1').first().waitFor()
  }
  const fits = (name: string) => assertFitsPhones(page, name)
  /** The same where a phone arranges it in another way. */
  const narrow = async (name: string) => {
    await page.setViewportSize({ width: 360, height: 780 })
    await look(page, `${name}-360`)
    await fits(name)
  }
  const callouts = async () => (await admin.get(`${path}/callouts`)).body.items
  return { ...shop, page, complaints, open, fits, narrow, callouts }
}

test('a service for taxes is set up, kept over a reload and a refusal; its secret is shown once; a test call shows what came', async () => {
  const { page, open, fits, narrow, callouts, complaints } = await sitDown()
  await open()
  await page.getByText('Taxes are calculated by the rates of your markets.').waitFor()
  await page.getByText('Every cart may be bought.').waitFor()
  await look(page, 'callouts-1280')
  await narrow('callouts')
  await page.getByRole('link', { name: /^Taxes/ }).click()
  await page.getByRole('button', { name: /^Ask it with a made-up cart.*save first/ }).waitFor()
  await page.getByLabel('Address').fill('https://10.0.0.1/tax')
  await page.getByLabel('Time limit').fill('3500')
  await page.getByText('A whole number from 100 to 3000.').first().waitFor()
  await page.getByLabel('Time limit').fill('850')
  await page.getByLabel('Use our own rates').check()
  await page.reload()
  assert.equal(await page.getByLabel('Address').inputValue(), 'https://10.0.0.1/tax')
  assert.equal(await page.getByLabel('Use our own rates').isChecked(), true)
  await look(page, 'callouts-new-1280')
  await fits('callouts-new')
  await page.keyboard.press('Control+s')
  await page.getByText('The address must begin with https://').first().waitFor()
  assert.deepEqual(await callouts(), [])
  await page.getByLabel('Address').fill(service.url)
  await page.keyboard.press('Control+s')
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
  assert.match(secret, /^whsec_/)
  await look(page, 'callouts-secret-1280')
  await page.getByRole('link', { name: 'Checkout services' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Copy the secret' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)
  await page.getByRole('button', { name: 'Done' }).click()
  const [{ url, timeoutMs, onFailure, isEnabled }] = await callouts()
  assert.deepEqual([url, timeoutMs, onFailure, isEnabled], [service.url, 850, 'FALLBACK', true])

  await page.getByRole('button', { name: 'Ask it with a made-up cart' }).click()
  await page.getByText('Its answer can be used').waitFor()
  await page
    .getByText(/"shippingTax"/)
    .first()
    .waitFor()
  await look(page, 'callouts-tried-1280')
  await fits('callouts-tried')
  service.answers.set('tax.calculate', { lines: [], shippingTax: 0, taxes: [] })
  await page.keyboard.press('t')
  await page.getByText('Its answer cannot be used').waitFor()
  await page.getByText('Line 1 is missing.').waitFor()
  await page.getByText(/\d ms/).first().waitFor()
  await look(page, 'callouts-wrong-1280')
  await fits('callouts-wrong')
  service.answers.clear()
  await open()
  await page.getByText(/Taxes are calculated by 127\.0\.0\.1/).waitFor()
  assert.deepEqual(complaints, [])
})

test('what somebody else changed of a service stays; it is switched off, and deleted once asked', async () => {
  const { page, open, fits, callouts, admin, path, complaints } = await sitDown()
  const put = (body: object) => admin.put(`${path}/callouts/shipping.rates`, body)
  assert.equal((await put({ url: service.url })).status, 200)
  await open('/shipping.rates')
  await page.getByRole('checkbox', { name: /^Is asked/ }).uncheck()
  await page.getByText('Is asked: no').waitFor()
  assert.equal((await put({ timeoutMs: 700 })).status, 200)
  await page.keyboard.press('Control+s')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const [{ timeoutMs, isEnabled }] = await callouts()
  assert.deepEqual([timeoutMs, isEnabled], [700, false])
  await page.getByText('Shipping prices are those of your markets.').first().waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const question = page.getByRole('dialog')
  await question.getByText('Its secret is gone for good.').waitFor()
  await look(page, 'callouts-delete-1280')
  await fits('callouts-delete')
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Not set up').waitFor()
  assert.deepEqual(await callouts(), [])
  await page.goto(page.url().replace('callouts/shipping.rates', 'audit'))
  await page.getByText('removed a checkout service (Shipping prices)').waitFor()
  assert.deepEqual(complaints, [])
})

test('only an admin sees the services; in German, too', async () => {
  const settler = await sitDown({ as: 'settler' })
  await settler.open()
  await settler.page.getByText('Your role does not show this page.').waitFor()
  assert.equal(await settler.page.locator('.settings-nav a', { hasText: 'Checkout services' }).count(), 0)
  assert.deepEqual(settler.complaints, [])
  const german = await sitDown()
  await german.page.evaluate(`localStorage.setItem('kontor:language', 'de')`)
  await german.open('/cart.validate')
  await german.page.getByText('Jeder Warenkorb darf gekauft werden.').waitFor()
  await look(german.page, 'callouts-de-1280')
  await german.fits('callouts-de')
  assert.deepEqual(german.complaints, [])
})
