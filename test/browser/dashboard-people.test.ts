import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { rememberCustomer } from '#modules/access/index.ts'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { openCustomers } from '../support/customers.ts'
import { openPaidShop, waitUntilIdle } from '../support/paid-shop.ts'
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

const at = (shop: { slug: string }, place = '') => `${desk.url}/admin/${shop.slug}${place}`
const addressOf = (name: string) => ({
  name,
  street: 'Große Elbstraße 132',
  zip: '22767',
  city: 'Hamburg',
  country: 'DE',
})

test('customers: found, filtered, sorted by the address, and one of them looked at', async () => {
  const shop = await openCustomers(desk.api, desk.make)
  const [ada, bo] = [await desk.make.customer(shop.id), await desk.make.customer(shop.id)]
  const euros = { market: 'de', currency: 'EUR' }
  await shop.sell(ada.id, { shippingAddress: addressOf('Ada Lovelace'), phone: '+49 40 123456' }, 3)
  await shop.sell(ada.id, { ...euros, shippingAddress: addressOf('Ada Lovelace') }, 2)
  await shop.sell(bo.id, { shippingAddress: addressOf('Bo Sørensen') }, 9)
  for (const name of ['Cleo', 'Dirk', 'Eske']) {
    const guest = await desk.make.guest()
    await rememberCustomer(desk.api.services.databases.control, shop.id, guest.id)
    await shop.sell(guest.id, { shippingAddress: addressOf(name) })
  }
  await shop.follow()

  const { page, context, complaints } = await enterAgain()
  await desk.doorOf(shop.admin)
  await desk.signIn(context, shop.admin.email ?? '')
  await page.goto(at(shop, '/customers'))
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  await look(page, 'customers-1440')
  const names = () => page.locator('tbody tr .whole').allInnerTexts()
  assert.equal((await names()).length, 5)

  await page.getByRole('button', { name: 'Spent' }).click()
  await page.getByRole('menuitem', { name: 'Most spent in USD' }).click()
  await page.waitForURL(/sort=-spent.*currency=USD/)
  await page.getByRole('button', { name: 'Spent in USD' }).waitFor()
  await page.locator('tbody tr').first().getByText('Bo Sørensen').waitFor()
  await page.getByRole('link', { name: 'Guests' }).click()
  await page.getByText('3 customers').waitFor()
  await page.goBack()
  await page.getByText('5 customers').waitFor()
  await page.getByLabel('Find customers').fill('lovel')
  await page.waitForURL(/query=lovel/)
  await page.getByText('1 customer', { exact: true }).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  assert.match(file.suggestedFilename(), /customers\.csv$/)

  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await page.waitForURL(new RegExp(ada.id))
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
  await page.getByText('In 1 paid order').first().waitFor()
  assert.match(await page.locator('.facts').innerText(), /\$\s?30\.00[^]*€\s?20\.00|€\s?20\.00[^]*\$\s?30\.00/)
  await page.getByText('+49 40 123456').waitFor()
  await page.getByText('22767 Hamburg').first().waitFor()
  assert.equal(await page.locator('.work tbody tr').count(), 2)

  await page.getByRole('textbox', { name: 'Comment' }).fill('Prefers a call before delivery.')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.locator('.comment', { hasText: 'Prefers a call' }).getByRole('button', { name: 'Delete' }).waitFor()
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByRole('textbox', { name: 'Tag' }).fill('regular')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove the tag regular' }).waitFor()
  // Meanwhile a colleague adds another one: nothing of either is lost.
  const etag = (
    await fetch(`${desk.url}${shop.path}/${ada.id}`, { headers: { authorization: `Bearer ${shop.admin.token}` } })
  ).headers.get('etag')
  const theirs = await shop.admin.put(
    `${shop.path}/${ada.id}`,
    { tags: ['regular', 'theirs'] },
    { 'if-match': etag ?? '' },
  )
  assert.equal(theirs.status, 200, theirs.text)
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByRole('textbox', { name: 'Tag' }).fill('mine')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove the tag mine' }).waitFor()
  await page.getByRole('button', { name: 'Remove the tag theirs' }).waitFor()
  await look(page, 'customer-1440')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete it?' }).click()
  await page.locator('.comment').waitFor({ state: 'detached' })

  const [kept] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  assert.match(kept.suggestedFilename(), new RegExp(`${ada.id}\\.json$`))
  await page.goto(at(shop, '/customers?tag=mine'))
  await page.getByText('1 customer', { exact: true }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await look(page, 'customers-390')
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
  await assertFits(page, 'customer-390')
  assert.deepEqual(complaints, [])
})

test('a customer is erased after one has read what goes and what stays; colleagues are called by their names', async () => {
  const shop = await openCustomers(desk.api, desk.make)
  const buyer = await desk.make.customer(shop.id)
  await shop.sell(buyer.id, { shippingAddress: addressOf('Ida Holm'), statuses: [{ status: 'DELIVERED' }] })
  await shop.sell(buyer.id, { shippingAddress: addressOf('Ida Holm'), statuses: [{ status: 'PROCESSING' }] })
  await shop.follow()
  const colleague = await desk.make.member(shop.id, 'ORDERS_READ', 'ORDERS_WRITE')
  const { control } = desk.api.services.databases
  await control.updateTable('accounts.users').set({ name: 'Jonas Lind' }).where('id', '=', colleague.id).execute()
  assert.equal((await colleague.post(`${shop.path}/${buyer.id}/comments`, { text: 'Called twice.' })).status, 201)

  const { page, context, complaints } = await enterAgain()
  await desk.doorOf(shop.admin)
  await desk.signIn(context, shop.admin.email ?? '')
  await page.goto(at(shop, `/customers/${buyer.id}`))
  await page.locator('.comment', { hasText: 'Called twice.' }).getByText('Jonas Lind').waitFor()
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.waitForURL(/do=erase/)
  await page.getByText('1 order in work').waitFor()
  await look(page, 'customer-erase')
  const erase = page.getByRole('button', { name: /^Erase for good/ })
  await erase.click({ force: true })
  assert.equal((await shop.customer(buyer.id)).isErased, false, 'it was not said yet that it is meant')
  await page.getByLabel('This cannot be undone. I mean it.').check()
  await erase.click()
  await page.getByText('Customer data erased, except for open orders').waitFor()
  await page.getByText('This customer was erased.').waitFor()
  await page.getByRole('button', { name: 'Erase the rest' }).waitFor()
  assert.equal((await shop.customer(buyer.id)).name, null)
  await look(page, 'customer-erased')
  assert.deepEqual(complaints, [])
})

test('of many customers only those in sight are in the page, and all are reached', async () => {
  const shop = await openCustomers(desk.api, desk.make)
  await sql`
    insert into customers.customers (business_id, user_id, name, sort_name, last_order_at, created_at, updated_at)
    select ${shop.id}, 'usr_' || n, 'Number ' || n, n, now() - n * interval '1 hour', now(), now()
      from generate_series(1, 450) as n`.execute(shop.db)
  const { page, context } = await enterAgain()
  await desk.doorOf(shop.admin)
  await desk.signIn(context, shop.admin.email ?? '')
  await page.goto(at(shop, '/customers'))
  await page.getByRole('link', { name: 'Number 1', exact: true }).waitFor()
  assert.ok((await page.locator('tbody tr').count()) <= 60)
  for (let turns = 0; turns < 40 && (await page.getByRole('link', { name: 'Number 450' }).count()) === 0; turns++) {
    await page.mouse.wheel(0, 3_000)
    await page.waitForTimeout(150)
  }
  await page.getByRole('link', { name: 'Number 450' }).waitFor()
  assert.ok((await page.locator('tbody tr').count()) <= 60)
  await page.getByText('450 customers').waitFor()
  await page.getByRole('link', { name: 'Number 450' }).click()
  await page.waitForURL(/usr_450/)
  await page.goBack()
  await page.getByRole('link', { name: 'Number 450' }).waitFor()
})

test('whoever may only read sees no way to change, and why', async () => {
  const shop = await openCustomers(desk.api, desk.make)
  const buyer = await desk.make.customer(shop.id)
  await shop.sell(buyer.id, { shippingAddress: addressOf('Ida Holm') })
  await shop.follow()
  const reader = await desk.make.member(shop.id, 'ORDERS_READ')
  const { page, context } = await enterAgain()
  const refused: string[] = []
  page.on('response', (answer) => answer.status() === 403 && refused.push(answer.url()))
  await desk.doorOf(reader)
  await desk.signIn(context, reader.email ?? '')
  await page.goto(at(shop))
  await page.getByText('Nothing. Payments').waitFor()
  await page.goto(at(shop, `/customers/${buyer.id}`))
  await page.getByRole('button', { name: /^Export.*Needs ADMIN/ }).waitFor()
  await page.getByRole('button', { name: /^Add.*Needs ORDERS_WRITE/ }).waitFor()
  await look(page, 'customer-reader')
  assert.deepEqual(refused, [])
})

test('home is calm, tells of money that went wrong, and is calm again once it is mended', async () => {
  const { shop, owner, db, buy } = await openPaidShop(desk)
  const { page, context, complaints } = await enterAgain()
  await desk.doorOf(shop.admin)
  await desk.signIn(context, shop.admin.email ?? '')
  await page.goto(at(shop))
  await page.getByText('Nothing. Payments').waitFor()
  await page.getByText('No orders yet').waitFor()
  await assertFits(page, 'home-first')

  const [odd, paid] = [await buy({ email: 'odd@example.com' }), await buy({ email: 'paid@example.com' })]
  await db.updateTable('payments.payments').set({ amount: 1_200 }).where('subject', '=', `order:${odd.id}`).execute()
  for (const { pageId } of [odd, paid]) desk.twin.pay(pageId)
  await waitUntilIdle(desk, db)
  desk.twin.behave({ next: 'refuse', path: 'POST /v1/refunds' })
  const asked = await owner.post(`${paid.path}/refunds`, { amount: 400 })
  assert.equal(asked.status, 201, asked.text)
  await desk.sweep(db)
  await desk.follow(db)

  const needs = page.locator('.needs')
  await needs.getByText('What was paid is not $ 11.00').waitFor()
  await needs.getByText('A refund failed').waitFor()
  await needs.getByText('1 order to pack').waitFor()
  assert.equal(await needs.locator('li').count(), 3)
  const { body: bought } = await owner.get(paid.path)
  await page.getByRole('link', { name: bought.number }).first().waitFor()
  assert.match(await page.locator('.hero').innerText(), /Sales in USD\s+\$\s*11\.00[^]*Orders\s+1/)
  await look(page, 'home-1440')
  await page.setViewportSize({ width: 390, height: 844 })
  await look(page, 'home-390')
  await page.setViewportSize({ width: 1_440, height: 900 })
  await needs.getByRole('link', { name: 'Look' }).first().click()
  await page.waitForURL(new RegExp(`/orders/(${odd.id}|${paid.id})`))
  await page.goBack()

  assert.equal((await owner.post(`${paid.path}/refunds`, { amount: 400 })).status, 201)
  await desk.sweep(db)
  assert.equal((await owner.put(`${odd.path}/status`, { status: 'CANCELLED' })).status, 200)
  await desk.follow(db)
  await needs.getByText('A refund failed').waitFor({ state: 'detached' })
  await needs.getByText('What was paid').waitFor({ state: 'detached' })
  assert.equal(await needs.locator('li').count(), 1)
  assert.deepEqual(complaints, [])
})
