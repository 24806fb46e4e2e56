import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pino from 'pino'
import type { Browser } from 'playwright-core'
import { followFeed, planDue } from '#modules/newsletter/index.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { launchBrowser } from '../support/browser.ts'
import { createSendWorker, letter, openNewsletter } from '../support/newsletter-api.ts'
import { openRoughServer } from '../support/rough-smtp.ts'
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

const PUBLISHED = { statuses: [{ status: 'PUBLISHED' }] }

async function sitDown(options: Parameters<typeof enter>[1] = {}) {
  const newsletter = await openNewsletter(desk.make, { name: 'Harbour Post' })
  const { page, context, complaints } = await enter(browser, options)
  await desk.doorOf(newsletter.admin)
  await desk.signIn(context, newsletter.admin.email ?? '')
  const open = (place = '') => page.goto(`${desk.url}/admin/${newsletter.id}/letters${place}`)
  return { ...newsletter, page, complaints, open }
}

test('a letter is set up to go out by itself, in plain words, and its people are found', async (t) => {
  const { page, complaints, open, entry, subscribed, admin, db } = await sitDown()
  const { id } = await entry(letter('Welcome aboard', 'Good to have you.'), PUBLISHED)
  await entry(letter('A draft'))
  await open()
  await page.getByRole('button', { name: 'Set up Welcome' }).click()
  const form = page.getByRole('form', { name: 'Welcome' })
  await form.getByRole('button', { name: 'Set up' }).click()
  await form.getByText('Choose a letter.').waitFor()
  await form.getByLabel('Letter').selectOption({ label: 'A draft (not published)' })
  await form.getByText('It is not published: nothing goes out until it is.').waitFor()
  await form.getByRole('link', { name: 'Open the letter' }).waitFor()
  await form.getByLabel('Letter').selectOption({ label: 'Welcome aboard' })
  await form.getByLabel('After').fill('31')
  await form.getByLabel('Unit').selectOption('days')
  await form.getByText('Up to 30 days.').waitFor()
  await form.getByLabel('After').fill('2')
  await form.getByLabel('Unit').selectOption('hours')
  await page.reload()
  await form.getByText('2 hours after somebody becomes a reader, they get “Welcome aboard”.').waitFor()
  await look(page, 'automation-form')
  await form.getByLabel('After').fill('0')
  await form.getByText(/^As soon as somebody becomes a reader, they get “Welcome aboard”\. Nobody/).waitFor()
  await form.getByRole('button', { name: 'Set up' }).click()
  await page.getByText('Nobody was due yet').waitFor()

  await subscribed(admin, { email: 'ada@by-itself.example' })
  const server = await openRoughServer()
  const worker = createSendWorker(desk.api, { smtpUrl: server.url })
  t.after(async () => {
    worker.close()
    await server.close()
  })
  const log = pino({ level: 'silent' })
  while (((await sequenceEvents(db)) ?? 0) > 0);
  await followFeed(db, log)
  await planDue(desk.api.services.databases.control, db, desk.url, log)
  await worker.run(db)
  await open()
  await look(page, 'automations')
  await page.getByRole('link', { name: '1 in 30 days' }).click()
  await page.getByText('ada@by-itself.example').first().waitFor()
  await page.getByText('whoever becomes due within the hour joins this send').waitFor()
  assert.equal(await page.getByRole('heading', { name: /rest/i }).count(), 0)
  await look(page, 'automation-send')
  await open(`/${id}`)
  await page.getByRole('heading', { name: 'Goes out by itself' }).waitFor()
  await page.getByRole('link', { name: 'Change when and to whom' }).click()
  await form.getByLabel('It goes out').uncheck()
  await form.getByRole('button', { name: 'Save' }).click()
  await page.locator('.by-themselves').getByText('Off', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Change Welcome' }).click()
  await form.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Set up Welcome' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('on a phone, in the dark, in German', async () => {
  const { page, complaints, open, entry, admin, collection } = await sitDown({
    locale: 'de-DE',
    dark: true,
    width: 390,
  })
  const { id: entryId } = await entry(letter('Noch zu haben', 'Da ist es.'))
  const body = { trigger: 'CHECKOUT_UNFINISHED', entryId, delayMinutes: 120 }
  assert.equal((await admin.post(`${collection.path}/automations`, body)).status, 201)
  await open('?set=CHECKOUT_UNFINISHED')
  await page.getByText('Versendet nichts').waitFor()
  await page
    .getByText(/^2 Stunden nachdem/)
    .first()
    .waitFor()
  await look(page, 'phone-automations')
  assert.deepEqual(complaints, [])
})
