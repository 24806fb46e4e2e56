import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { reusePage } from '../support/reused-page.ts'
import { enter as enterPage, look } from '../support/served-dashboard.ts'

const PHONE = { width: 390, height: 844 }

let desk: DemoDesk
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>

before(async () => {
  desk = await openDemoDesk({ withOrders: true })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

async function enter({ isSignedIn = true } = {}) {
  const entered = await enterAgain()
  if (isSignedIn) await desk.signIn(entered.context)
  return entered
}

async function signIn(page: Page, password = desk.password) {
  await page.getByLabel('Email').fill(desk.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const rows = (page: Page) => page.locator('tbody tr[data-index]')
const numbers = (page: Page) => page.locator('tbody .no').allTextContents()
const openOrders = async (page: Page, query = '') => {
  await page.goto(desk.at(`/orders${query}`))
  await rows(page).first().waitFor()
}

test('a wrong password keeps what was typed; the right one leads to where one wanted to go', async () => {
  const { page, complaints } = await enter({ isSignedIn: false })
  await page.goto(desk.at('/orders?paymentStatus=PAID'))
  await signIn(page, 'not the password')
  await page.getByText('Email or password is wrong').waitFor()
  assert.equal(await page.getByLabel('Email').inputValue(), desk.email)
  await signIn(page)
  await page.waitForURL(desk.at('/orders?paymentStatus=PAID'))
  await rows(page).first().waitFor()
  assert.deepEqual(complaints, [])

  await page.reload()
  await rows(page).first().waitFor() // by the cookie
  await page.getByTitle('Open the menu of').or(page.locator('.who')).first().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

test('a list of two hundred has sixty rows in the page at most, and shows each of them once', async () => {
  const { page, complaints } = await enter()
  await openOrders(page)
  const seen = new Set<string>()
  for (let step = 0; step < 40; step++) {
    assert.ok((await rows(page).count()) <= 60)
    for (const number of await numbers(page)) seen.add(number)
    await page.mouse.wheel(0, 600)
    await page.waitForTimeout(60)
  }
  assert.equal(seen.size, 200)
  assert.deepEqual(complaints, [])
})

test('filters are the address: they survive a reload, and Back takes the last one off', async () => {
  const { page, complaints } = await enter()
  await openOrders(page)
  const all = await numbers(page)
  await page.getByRole('link', { name: /^To pack/ }).click()
  await page.waitForURL(/status=PROCESSING/)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('United States').click()
  await page.waitForURL(/status=PROCESSING&market=us/)
  await page.keyboard.press('Escape')
  await page.reload()
  await page.getByRole('button', { name: 'Remove the filter Market' }).waitFor()
  await page.goBack()
  await page.goBack()
  await page
    .locator('tbody .no')
    .first()
    .getByText(all[0] ?? '', { exact: true })
    .waitFor()
  assert.equal(new URL(page.url()).search, '')

  const [wanted = ''] = all.slice(5)
  await page.getByLabel('Find orders').fill(wanted)
  await page.waitForURL((url) => url.searchParams.get('query') === wanted)
  await rows(page).nth(1).waitFor({ state: 'detached' })
  assert.deepEqual(await numbers(page), [wanted])
  await page.getByLabel('Find orders').fill('nobody has this')
  await page.getByText('No order fits').waitFor()
  await page.getByRole('button', { name: 'Take the filters off' }).click()
  await rows(page).nth(5).waitFor()
  assert.deepEqual(complaints, [])
})

test('picked orders are shipped with pasted numbers, once, though the first answer is lost', async () => {
  const { page, complaints } = await enter()
  await openOrders(page, '?status=PROCESSING')
  const all = await numbers(page)
  const shipped = all.slice(0, 2)
  assert.equal(shipped.length, 2)
  let sent = 0
  await page.route('**/orders/shipments', async (route) => {
    sent++
    if (sent > 1) return route.continue()
    await route.fetch() // it is done, and nobody is told
    return route.abort()
  })
  for (const number of shipped) await page.getByRole('checkbox', { name: number }).click()
  await page.getByRole('button', { name: 'Mark shipped' }).click()
  await page.getByLabel('Tracking numbers').fill(`${shipped[1]}\tBBB2\nAAA1`)
  await page.getByText('1 line is not matched.').waitFor()
  assert.equal(await page.getByLabel(`Tracking number of ${shipped[0]}`).inputValue(), '')
  await page.getByLabel(`Tracking number of ${shipped[0]}`).fill('AAA1')
  await page.getByRole('button', { name: 'Mark 2 orders shipped' }).click()
  await page.getByText('2 orders marked shipped.').waitFor()
  for (const number of shipped) await page.getByRole('row', { name: number }).waitFor({ state: 'detached' })
  assert.deepEqual(await numbers(page), all.slice(2))
  assert.equal(sent, 2)
  for (const [index, number] of shipped.entries()) {
    const found = await desk.owner.get(`${desk.business}/orders?query=${number}`)
    const { body } = await desk.owner.get(`${desk.business}/orders/${found.body.items[0].id}/shipments`)
    assert.deepEqual(
      body.items.map(({ trackingNumber }: { trackingNumber: string }) => trackingNumber),
      [['AAA1', 'BBB2'][index]],
    )
  }
  assert.deepEqual(complaints, [])
})

test('what was asked before a reload is asked again with the same key, and said to be unknown until then', async () => {
  const { page } = await enter()
  await openOrders(page)
  const [number = ''] = await numbers(page)
  const keys: string[] = []
  let isCut = true
  await page.route('**/orders/update', async (route) => {
    keys.push((await route.request().headerValue('if-match')) ?? '')
    return isCut ? route.abort() : route.continue()
  })
  await page.getByLabel(`Select ${number}`).click()
  await page.getByRole('button', { name: 'Tag' }).click()
  await page.getByRole('dialog').getByLabel('Tag').fill('fragile')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('1 pending').waitFor()
  isCut = false
  await page.reload()
  await page.getByText(`Completed: Tag ${number} “fragile”`).waitFor()
  await page.getByText('1 pending').waitFor({ state: 'detached' })
  const { body } = await desk.owner.get(`${desk.business}/orders?query=${number}`)
  assert.deepEqual(body.items[0].tags, ['fragile'])
  assert.equal(new Set(keys).size, 1)
})

async function tagFirst(page: Page, tag: string) {
  const [number = ''] = await numbers(page)
  await page.getByLabel(`Select ${number}`).click()
  await page.getByRole('button', { name: 'Tag' }).click()
  await page.getByRole('dialog').getByLabel('Tag').fill(tag)
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('1 pending').waitFor()
  return number
}

async function signOut(page: Page) {
  await page.locator('.who').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
}

test('what was refused after a reload stays in the outbox, on a phone as well, until it was seen', async () => {
  const { page } = await enter()
  await openOrders(page)
  await page.route('**/orders/update', (route) => route.abort())
  const number = await tagFirst(page, 'refused')
  await page.unroute('**/orders/update')
  await page.route('**/orders/update', (route) =>
    route.fulfill({ status: 403, json: { error: 'FORBIDDEN', message: 'You may not tag it any more.' } }),
  )
  await page.reload()
  await page.getByText('1 failed').waitFor()
  await page.reload() // it is not only in the page
  await page.getByText('1 failed').waitFor()
  await page.setViewportSize(PHONE)
  await page.getByRole('button', { name: 'Outbox' }).click()
  await page.getByText(`Couldn’t complete “Tag ${number} “refused””`).waitFor()
  await page.getByRole('dialog').getByText('You may not tag it any more.').waitFor()
  await page.getByRole('button', { name: 'I have seen it' }).click()
  await page.getByText('Everything is known').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Outbox' }).waitFor({ state: 'detached' })
})

test('what somebody asked waits for them while they are signed out', async () => {
  const { page } = await enter()
  await openOrders(page)
  let isCut = true
  let sent = 0
  await page.route('**/orders/update', (route) => {
    sent++
    return isCut ? route.abort() : route.continue()
  })
  const number = await tagFirst(page, 'patient')
  await signOut(page)
  isCut = false
  const before = sent
  await page.evaluate(`dispatchEvent(new Event('online'))`)
  await page.waitForTimeout(1_500)
  assert.equal(sent, before)
  const done = page.waitForResponse((response) => response.url().endsWith('/orders/update') && response.ok())
  await signIn(page)
  await done
  const { body } = await desk.owner.get(`${desk.business}/orders?query=${number}`)
  assert.ok(body.items[0].tags.includes('patient'))
})

test('signing out is for all tabs, and holds though the service did not hear of it', async () => {
  const { page, context } = await enterPage(browser)
  await desk.signIn(context)
  await openOrders(page)
  const other = await context.newPage()
  await openOrders(other)
  let isCut = true
  await context.route('**/admin/session', (route) =>
    isCut && route.request().method() === 'DELETE' ? route.abort() : route.continue(),
  )
  await signOut(page)
  await other.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.goto(desk.at('/orders'))
  await page.getByRole('button', { name: 'Sign in' }).waitFor() // the cookie is still there, and is not used
  isCut = false
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE' && response.ok())
  await page.goto(desk.at('/orders'))
  await ended
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  const cookies = await context.cookies()
  assert.deepEqual(cookies, [])
  await context.close()
})

test('what somebody else changes is seen a moment later', async () => {
  const { page } = await enter()
  await openOrders(page, '?status=PENDING')
  await page.getByRole('heading', { name: 'Orders' }).locator('..').getByText('Up to date at event').waitFor()
  const [number = ''] = await numbers(page)
  const { body } = await desk.owner.get(`${desk.business}/orders?query=${number}`)
  const changed = await desk.owner.put(`${desk.business}/orders/${body.items[0].id}/status`, { status: 'CANCELLED' })
  assert.equal(changed.status, 200)
  await page.getByRole('link', { name: number }).waitFor({ state: 'detached' })
})

test('the list can be worked without a mouse', async () => {
  const { page, complaints } = await enter()
  await page.goto(desk.at())
  await page.getByRole('region', { name: 'Today' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await rows(page).first().waitFor()
  for (const key of ['j', 'j', 'x', 'j', 'x', 'k']) await page.keyboard.press(key)
  await page.getByText('2 selected').waitFor()
  const link = page.locator('tr.at a').first()
  assert.equal(await link.evaluate((one) => one.matches(':focus')), true)
  await page.keyboard.press('Escape')
  await page.getByText('2 selected').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.keyboard.type('nobody')
  await page.getByText('No order fits').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type('keys')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  const keys = await page.locator('.keys dt').allTextContents()
  assert.equal(new Set(keys).size, keys.length, `each does one thing: ${keys.join(', ')}`)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('to orders')
  await page.keyboard.press('Enter')
  await rows(page).nth(2).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await page.waitForURL(/\/orders\/ord_/)
  assert.deepEqual(complaints, [])
})

test('Enter opens what was typed, however long it takes to be found', async () => {
  const { page } = await enter()
  await openOrders(page)
  const [first = '', second = ''] = await numbers(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(first)
  await page.getByRole('option', { name: first }).waitFor()
  await page.route('**/search?**', async (route) => {
    await sleep(1_500)
    await route.continue()
  })
  await page.getByRole('combobox').fill(second)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: second }).waitFor()
})

test('the sign-in page, the list of orders, and their dialogs are accessible in both themes', async () => {
  const { page } = await enter({ isSignedIn: false })
  await page.goto(desk.door)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await look(page, 'login')
  await enter()
  await openOrders(page)
  await page.locator('tbody .check').nth(2).click()
  await look(page, 'orders, one picked')
  await page.getByRole('button', { name: 'Mark shipped' }).click()
  await page.getByLabel('Tracking numbers').waitFor()
  await look(page, 'ship')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('United States').waitFor()
  await look(page, 'filter')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await look(page, 'palette')
  await page.setViewportSize(PHONE)
  await openOrders(page)
  await look(page, 'orders on a phone')
})

test('at 320 px, and in German, nothing has to be scrolled sideways', async () => {
  const { page, context } = await enterPage(browser, { width: 320, height: 700, locale: 'de-DE' })
  await desk.signIn(context)
  await openOrders(page)
  await page.getByRole('heading', { name: 'Bestellungen' }).waitFor()
  for (const width of [320, 390, 900, 1_100]) {
    await page.setViewportSize({ width, height: 700 })
    await rows(page).first().waitFor()
    await assertFits(page, `${width} px`)
  }
  await context.close()
})
