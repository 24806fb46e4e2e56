import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { RULES } from '#apps/rules.ts'
import { now } from '#platform/clock.ts'
import { assertFitsPhones } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { checkAll, checkOnce } from '../support/checks.ts'
import { follow } from '../support/customers.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'

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

async function enterAs(person: { id: string; email?: string | undefined }) {
  const entered = await enterAgain({ width: 1_280 })
  await desk.doorOf(person)
  await desk.signIn(entered.context, person.email ?? '')
  return entered
}

/** A shop with a product, and its admin at the page. */
async function sitDown() {
  const shop = await desk.make.shop()
  const product = await desk.make.product(shop)
  await follow(desk.api, shop.db)
  const { page, complaints } = await enterAs(shop.admin)
  const open = async () => {
    await page.goto(`${desk.url}/admin/${shop.id}/settings/checks`)
    await page.locator('main h1').first().waitFor()
  }
  const fits = (name: string) => assertFitsPhones(page, name)
  /** The same where a phone arranges it in another way. */
  const narrow = async (name: string) => {
    await page.setViewportSize({ width: 360, height: 780 })
    await look(page, `${name}-360`)
    await fits(name)
  }
  return { ...shop, product, page, complaints, open, fits, narrow }
}

test('somebody checks the books, watches how far it is, and sees that they balance', async () => {
  const { page, db, open, fits, complaints } = await sitDown()
  await open()
  await page.getByText('Not checked yet.').waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('Waits for its turn').waitFor()
  await checkOnce(db)
  await page.getByText(/\d+ of \d+ rules/).waitFor()
  await look(page, 'checks-running')
  await checkAll(db)
  await page.getByText('The books balance.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Check now' }).isDisabled(), true)
  await look(page, 'checks-balance')
  await fits('checks-balance')
  assert.deepEqual(complaints, [])
})

test('a rule that is broken comes first, with its rows, which lead to what they are about', async () => {
  const { page, db, id, product, open, narrow, complaints } = await sitDown()
  await sql`update catalog.stock set quantity = quantity + 1 where business_id = ${id}`.execute(db)
  await open()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('Waits for its turn').waitFor()
  await checkAll(db)
  await page.getByText('1 rule does not hold.').waitFor()
  const broken = page.locator('[data-rule="stock-ledger"]')
  assert.match(await broken.innerText(), /Stock adds up: what was counted, sold and returned/)
  await look(page, 'checks-broken')
  await narrow('checks-broken')
  await broken.getByRole('link', { name: 'Open the product' }).click()
  await page.waitForURL(new RegExp(`/products/${product.id}`))
  assert.deepEqual(complaints, [])
})

test('the page says how many rules could not be looked at, and does not call the books balanced then', async () => {
  const { page, db, id, open, fits, complaints } = await sitDown()
  await open()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('Waits for its turn').waitFor()
  await checkAll(db)
  await page.getByText(`All ${RULES.length} rules were looked at`).waitFor()
  await sql`update checks.businesses set unchecked = '{order-total,order-once}' where business_id = ${id}`.execute(db)
  await open()
  await page.getByText('Nothing wrong was found.').waitFor()
  await page.getByText(`${RULES.length - 2} of ${RULES.length} rules were looked at`).waitFor()
  await page.getByText('2 rules could not be looked at.').waitFor()
  assert.equal(await page.getByText('not known yet').count(), 2)
  assert.equal(await page.getByText('The books balance.').count(), 0)
  await look(page, 'checks-unknown')
  await fits('checks-unknown')
  assert.deepEqual(complaints, [])
})

test('each rule that is broken is named on the page, in words of a shop', async () => {
  const { page, db, id, open } = await sitDown()
  await db
    .insertInto('checks.broken')
    .values(
      RULES.map(({ name }) => ({
        businessId: id,
        rule: name,
        count: 1,
        examples: JSON.stringify([{ orderId: 'ord_1', total: 5 }]),
        since: now(),
      })),
    )
    .execute()
  await open()
  await page.locator('.check-broken').first().waitFor()
  for (const { name, says } of RULES) {
    const heading = await page.locator(`.check-broken[data-rule="${name}"] h2`).innerText()
    assert.notEqual(heading, says, `${name} has no words of its own`)
    assert.match(heading, /\.$/)
  }
})

test('in German every rule has German words', async () => {
  const { page, open } = await sitDown()
  await page.evaluate(`localStorage.setItem('kontor:language', 'de')`)
  await open()
  await page.getByText('Noch nicht geprüft.').waitFor()
  await look(page, 'checks-german')
  const words = await page.locator('.check-list .status').allInnerTexts()
  assert.equal(words.length, RULES.length)
  assert.deepEqual(
    words.filter((text) => /\b(the|each|orders?|no)\b/i.test(text)),
    [],
  )
})

test('whoever is no ADMIN does not see the page', async () => {
  const { page, id, open } = await sitDown()
  await open()
  assert.ok((await page.getByRole('link', { name: 'Checks' }).count()) > 0)
  await enterAs(await desk.make.member(id, 'SETTINGS_WRITE'))
  await page.goto(`${desk.url}/admin/${id}/settings`)
  await page.locator('main h1').first().waitFor()
  assert.equal(await page.getByRole('link', { name: 'Checks' }).count(), 0)
})
