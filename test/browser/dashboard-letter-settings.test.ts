import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startModelTwin } from '../../twins/model/server.ts'
import { launchBrowser } from '../support/browser.ts'
import { openNewsletter } from '../support/newsletter-api.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'

const API_KEY = 'sk-desk'

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
let model: Awaited<ReturnType<typeof startModelTwin>>
before(async () => {
  model = await startModelTwin({ apiKey: API_KEY })
  desk = await openDashboard({ AI_API_URL: model.url, AI_API_KEY: API_KEY, AI_MODEL: 'small-1' })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
  await model?.close()
})

const BLOCKS = [
  { id: 'title', type: 'TEXT', label: 'Title' },
  { id: 'body', type: 'TEXT', label: 'Text', settings: { variant: 'HTML' } },
]

/** A newsletter of a business whose shop is at this desk's own address, and its owner. */
async function sitDown() {
  const letters = await openNewsletter(desk.make, { name: 'Harbour Post', blocks: BLOCKS })
  const set = await letters.admin.put(letters.path, { allowedOrigins: ['https://shop.example.com'] })
  assert.equal(set.status, 200, set.text)
  const entry = await letters.entry([
    { ...BLOCKS[0], value: 'The lamps are lit' },
    { ...BLOCKS[1], value: '<p>Dear {{ subscriber.name }}, hello.</p>' },
  ])
  const { page, context, complaints } = await enterAgain()
  await desk.doorOf(letters.admin)
  await desk.signIn(context, letters.admin.email ?? '')
  const open = async (place: string) => {
    await page.goto(`${desk.url}/admin/${letters.id}/${place}`)
    await page.locator('main h1').first().waitFor()
  }
  return { ...letters, entry, page, context, complaints, open }
}

test('what newsletters count is set on one page, and nothing typed is lost', async () => {
  const { page, open, complaints, admin, collection } = await sitDown()
  await open('settings')
  await page
    .locator('main')
    .getByRole('link', { name: /^Newsletters/ })
    .click()
  await page.waitForURL(/settings\/letters/)
  const counts = page.getByRole('group', { name: 'Harbour Post' })
  await counts.getByLabel('Count clicks').check()
  await page.reload()
  assert.equal(await counts.getByLabel('Count clicks').isChecked(), true)
  await look(page, 'settings-letters')
  await page.getByRole('button', { name: /^Save 1/ }).click()
  await page.getByText('Changes saved', { exact: true }).waitFor()
  assert.equal((await admin.get(collection.path)).body.countClicks, true)
  await until('nothing is left to save', async () => (await page.locator('.savebar').count()) === 0)
  assert.deepEqual(complaints, [])
})

test('an entry is looked at in the shop once the business has said where', async () => {
  const { page, context, open, complaints, admin, path, collection, entry } = await sitDown()
  const place = `content/${collection.id}/${entry.id}`
  await open(place)
  const button = page.getByRole('button', { name: 'Preview in the shop' })
  await button.click()
  await page.getByRole('dialog', { name: 'Where does the shop show it?' }).waitFor()
  await look(page, 'preview-missing')
  await page.getByRole('link', { name: 'Set the address' }).click()
  await page.getByLabel('Preview of an entry').waitFor()
  const previewUrl = 'https://shop.example.com/journal/{entryId}?preview={token}'
  await admin.put(path, { storefront: { previewUrl } })
  await context.route('https://shop.example.com/**', (route) => route.fulfill({ body: 'The shop' }))
  await open(place)
  const shown = context.waitForEvent('page')
  await button.click()
  const shop = await shown
  await shop.waitForURL(/shop\.example\.com\/journal/)
  const { pathname, searchParams } = new URL(shop.url())
  assert.equal(pathname, `/journal/${entry.id}`)
  assert.match(searchParams.get('preview') ?? '', /^\d+\.[\w-]{22}$/)
  assert.deepEqual(complaints, [])
})

test('a variable is put in by a menu, is a chip, and is stored as it was', async () => {
  const { page, open, complaints, admin, collection, entry } = await sitDown()
  await open(`content/${collection.id}/${entry.id}`)
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.locator('.variable').waitFor()
  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Yours, ')
  await page.getByRole('button', { name: 'Variable', exact: true }).click()
  await page.getByText('empty in letters sent by hand').first().waitFor()
  await page.getByRole('menuitem', { name: 'Name of the business' }).click()
  await page.getByRole('button', { name: 'Variable', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Name of the reader' }).click()
  await until('there are three chips', async () => (await text.locator('.variable').count()) === 3)
  const labels = await text
    .locator('.variable')
    .evaluateAll((chips) => chips.map((chip) => chip.getAttribute('data-label')))
  assert.deepEqual(labels, ['Name of the reader', 'Name of the business', 'Name of the reader, or “friend”'])
  await look(page, 'variables-chips')
  await page.keyboard.press('Control+s')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const { blocks } = (await admin.get(entry.path)).body
  assert.equal(
    blocks[1].value,
    '<p>Dear {{ subscriber.name }}, hello. Yours, {{ business.name }}{{ subscriber.name | default: "friend" }}</p>',
  )
  assert.deepEqual(complaints, [])
})

test('whoever asks for a proposal sees what is left before, and what it took after', async () => {
  const { page, open, complaints, collection, entry } = await sitDown()
  await open(`content/${collection.id}/${entry.id}`)
  await page.getByRole('button', { name: 'Propose texts' }).click()
  await page
    .getByText(/200,000 of 200,000 tokens are left until \d\d:\d\d\. Nothing was asked for today yet\./)
    .waitFor()
  await page.getByLabel('What is it about').fill('Lamps')
  await page.getByLabel('Title', { exact: true }).last().check()
  await page.getByRole('button', { name: 'Propose', exact: true }).click()
  await page.getByText(/It took [\d,]+ tokens\./).waitFor()
  await page.getByText(/Today the model took [\d,]+ each time, on average\./).waitFor()
  await look(page, 'proposal-cost')
  assert.deepEqual(complaints, [])
})
