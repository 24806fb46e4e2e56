import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { createSendWorker, letter, openNewsletter } from '../support/newsletter-api.ts'
import { reusePage } from '../support/reused-page.ts'
import { openRoughServer } from '../support/rough-smtp.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'
import { item, market } from '../support/shop.ts'

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

type Looks = { width?: number }

/** Ten readers; two of them bought a lantern, one of these is of the press. */
async function sitDown(options: Looks = {}) {
  const plans = [{ id: 'free', name: 'Free' }]
  const newsletter = await openNewsletter(desk.make, { name: 'Harbour Post', plans, countClicks: true })
  const { owner, admin, path, db } = newsletter
  await owner.put(path, { markets: [market(), market({ id: 'de', name: 'Germany', currency: 'EUR' })] })
  await owner.post(`${path}/categories`, { name: 'Lamps' })
  const lantern = await desk.make.product(
    { admin, products: `${path}/products` },
    { name: 'Storm Lantern', category: 'lamps' },
  )
  await newsletter.fill(8)
  for (const name of ['ada', 'bob']) {
    const person = await desk.make.user()
    const body = { email: `${name}@readers.example`, planId: 'free', market: name === 'ada' ? 'us' : 'de' }
    await newsletter.subscribed(person, body)
    const lines = [{ ...item(lantern), unitPrice: 1_000, totalPrice: 1_000 }]
    const sums = { subtotal: 1_000, tax: 0, shipping: 0, total: 1_000 }
    const paymentStatus = [{ status: 'PAID' }]
    const order = { customerId: person.id, market: 'us', lines, ...sums, paymentStatus }
    assert.equal((await owner.post(`${path}/orders`, order)).status, 201)
    await desk.follow(db)
    if (name === 'bob') await owner.put(`${path}/customers/${person.id}`, { tags: ['press'] })
  }
  const entry = await newsletter.entry(letter('The lamps are lit'))
  const { page, context, complaints } = await enterAgain(options)
  await desk.doorOf(admin)
  await desk.signIn(context, admin.email ?? '')
  const open = async () => {
    await page.goto(`${desk.url}/admin/${newsletter.id}/letters/${entry.id}`)
    await page.locator('main h1').first().waitFor()
  }
  const addCondition = async (name: string) => {
    await page.getByRole('button', { name: 'Condition', exact: true }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  return { ...newsletter, entry, page, complaints, open, addCondition }
}

test('a letter goes to those who fit, who are counted while the conditions are put together', async () => {
  const { page, complaints, open, addCondition, entry, owner, db } = await sitDown()
  await open()
  await page.getByRole('button', { name: 'Send to 10 readers now' }).waitFor()
  await page.getByLabel('Those who fit').check()
  await page.getByText('Add a condition, or choose all readers.', { exact: true }).waitFor()
  await addCondition('Bought')
  await page.getByText('A condition is not finished.', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Find a product' }).fill('storm')
  await page.getByRole('option', { name: /Storm Lantern/ }).click()
  await page.getByText('2 of 10 readers').waitFor()
  await page.getByLabel('Within').selectOption('90')
  await addCondition('Tag')
  const tag = page.getByRole('group', { name: 'Tag' })
  await tag.getByRole('combobox', { name: 'Tag', exact: true }).selectOption('not')
  await tag.getByLabel('Tags').fill('press')
  await tag.getByLabel('Tags').press('Enter')
  await page.getByText('1 of 10 readers').waitFor()
  await look(page, 'segment')

  await page.reload()
  await page.getByText('1 of 10 readers').waitFor()
  await page.getByText('Storm Lantern').waitFor()
  await addCondition('Market')
  await page.getByText('Readers who did not say one are in none.').waitFor()
  await page.getByLabel('Germany').check()
  await page.getByText('0 of 10 readers').waitFor()
  await page.getByText('Nobody fits.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Take the condition Market away' }).click()
  await page.getByRole('button', { name: 'Send to 1 reader now' }).click()
  const asked = page.getByRole('dialog', { name: 'Send it now?' })
  await asked.getByText('Only to readers who bought Storm Lantern in the last 90 days').waitFor()
  await asked.getByRole('button', { name: 'Send to 1 reader' }).click()
  await page.waitForURL(/sends\/snd_/)
  await page
    .getByText('Only to readers who bought Storm Lantern in the last 90 days and who are not tagged press.')
    .waitFor()
  await look(page, 'segment-send')

  const server = await openRoughServer()
  const sendWorker = createSendWorker(desk.api, { smtpUrl: server.url })
  await sendWorker.run(db)
  sendWorker.close()
  assert.deepEqual(
    server.taken.map(({ recipients }) => recipients),
    [['ada@readers.example']],
  )
  await server.close()
  const [send] = (await owner.get(`${entry.path}/sends`)).body.items
  assert.deepEqual([send.total, send.conditions.length], [1, 2])
  await open()
  await page.getByLabel('Those who fit').waitFor()
  assert.equal(await page.getByLabel('All readers').isChecked(), true, 'the next time begins with everybody')
  assert.deepEqual(complaints, [])
})

test('conditions of every kind are chosen on a phone, in the dark', async () => {
  const { page, complaints, open, addCondition } = await sitDown({ width: 390 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await open()
  await page.getByLabel('Those who fit').check()
  for (const name of ['Bought', 'Plan', 'Clicked', 'Reader since']) await addCondition(name)
  await page.getByLabel('What', { exact: true }).selectOption('category')
  await page.getByLabel('Category', { exact: true }).selectOption({ label: 'Lamps' })
  await page.getByRole('group', { name: 'Plan' }).getByLabel('Free').check()
  await page.getByRole('combobox', { name: 'Clicked', exact: true }).selectOption('not')
  await page.getByLabel('From', { exact: true }).fill('2031-01-01')
  await page.getByLabel('Before', { exact: true }).fill('2030-01-01')
  await page.getByText('It ends before it begins.').waitFor()
  await page.getByLabel('From', { exact: true }).fill('2020-01-01')
  await page.getByLabel('Before', { exact: true }).fill('2099-01-01')
  await page.getByText('2 of 10 readers').waitFor()
  await look(page, 'segment-phone-dark')
  assert.deepEqual(complaints, [])
})
