import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { freePort } from '../../dev/ports.ts'
import { launchBrowser } from '../support/browser.ts'
import { linkIn } from '../support/mail-server.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard, PASSWORD } from '../support/served-dashboard.ts'
import { startApi } from '../support/start-api.ts'

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

test('the address that npm run dev prints signs in with one click', async () => {
  const business = await desk.make.business({ name: 'Harbour Goods' })
  const { page, complaints } = await enterAgain()
  await page.goto(await desk.doorOf(business.admin))
  await page.waitForURL(/\/admin\/harbour-goods/)
  await page.getByRole('button', { name: 'Harbour Goods' }).waitFor()
  assert.equal(new URL(page.url()).hash, '', 'the account does not stay in the address')
  await page.reload()
  await page.getByRole('button', { name: 'Harbour Goods' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('anywhere but in development such an address is not taken, and is forgotten', async (t) => {
  const { admin } = await desk.make.business()
  const door = new URL(await desk.doorOf(admin))
  const port = await freePort(25_000 + (process.pid % 900)) // `openDashboard` takes its port from 27,000 on
  const url = `http://127.0.0.1:${port}`
  const served = await startApi({ publicUrl: url, port, databases: desk.api.databases })
  t.after(() => served.close())
  const { page, context } = await enterAgain()
  await page.goto(url + door.pathname + door.hash)
  await page.getByLabel('Password').waitFor()
  assert.match(page.url(), /\/admin\/login/)
  assert.ok(!page.url().includes(admin.email ?? '?'))
  const { cookies } = await context.storageState()
  assert.deepEqual(cookies, [])
})

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
for (const [name, env, publicUrl, isMarked] of [
  ['development on this machine', { NODE_ENV: 'development' }, 'http://localhost:3000', true],
  ['development for others', { NODE_ENV: 'development' }, 'https://kontor.example.com', false],
  ['production', { NODE_ENV: 'production', SECRET_KEY }, 'https://kontor.example.com', false],
  ['production on this machine', { NODE_ENV: 'production', SECRET_KEY }, 'http://localhost:3000', false],
] as const) {
  test(`${name}: the page ${isMarked ? 'may' : 'must not'} take an account from its address`, async (t) => {
    const served = await startApi({ publicUrl, env: { ...env }, databases: desk.api.databases })
    t.after(() => served.close())
    const page = await (await fetch(`${served.url}/admin/`)).text()
    assert.match(page, /<div id="root">/)
    assert.equal(page.includes('kontor-dev-login'), isMarked)
  })
}

test('somebody who is invited comes from the mail, by a new account, into the frame', async () => {
  const business = await desk.make.business({ name: 'Quay Books' })
  const role = await business.admin.post(`${business.path}/roles`, { name: 'Packers', permissions: ['ORDERS_READ'] })
  const email = `mara-${process.pid}@example.com`
  const invited = await business.admin.post(`${business.path}/invitations`, { email, roleId: role.body.id })
  assert.equal(invited.status, 201, invited.text)
  const invitation = linkIn(await desk.mailServer.mailTo(email), '/admin/invitation')
  assert.equal(invitation.origin, desk.url)

  const { page, complaints } = await enterAgain()
  await page.goto(String(invitation))
  await page.getByRole('heading', { name: 'You are invited' }).waitFor()
  await look(page, 'door-invitation')
  await page.getByRole('link', { name: 'Make an account' }).click()
  await page.getByLabel('Name').fill('Mara Feddersen')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('password12')
  await page.getByRole('button', { name: 'Make the account' }).click()
  await page.locator('.problem').waitFor()
  await look(page, 'door-register')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Make the account' }).click()
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()

  const confirmation = linkIn(await desk.mailServer.mailTo(email, 2), '/admin/confirm')
  await page.goto(String(confirmation))
  await page.getByRole('button', { name: 'Confirm my address' }).click()
  await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
  await look(page, 'door-confirmed')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByRole('heading', { name: 'You are invited to Quay Books' }).waitFor()
  await page.getByText('You work there as Packers.').waitFor()
  await look(page, 'door-accept')
  await page.getByRole('button', { name: 'Accept the invitation' }).click()
  await page.waitForURL(/\/admin\/quay-books/)
  await page.getByRole('link', { name: 'Orders', exact: true }).first().waitFor()
  assert.equal(await page.getByRole('link', { name: 'Settings' }).count(), 0)
  assert.deepEqual(complaints, [])
})

test('somebody with an account accepts at once; a stranger’s invitation is refused in words', async () => {
  const [ada, bo] = [await desk.make.user(), await desk.make.user()]
  const business = await desk.make.business({ name: 'Rope Walk' })
  const role = await business.admin.post(`${business.path}/roles`, { name: 'Editors', permissions: ['CONTENT_WRITE'] })
  await business.admin.post(`${business.path}/invitations`, { email: ada.email, roleId: role.body.id })
  const link = String(linkIn(await desk.mailServer.mailTo(ada.email ?? ''), '/admin/invitation'))

  const stranger = await enterAgain()
  await stranger.page.goto(await desk.doorOf(bo))
  await stranger.page.waitForURL(/\/admin\/start/)
  await stranger.page.goto(link)
  await stranger.page.getByRole('button', { name: 'Accept the invitation' }).click()
  await stranger.page.getByRole('alert').waitFor()

  const { page } = await enterAgain()
  await page.goto(await desk.doorOf(ada))
  await page.waitForURL(/\/admin\/start/)
  await page.goto(link)
  await page.getByRole('button', { name: 'Accept the invitation' }).click()
  await page.waitForURL(/\/admin\/rope-walk/)
})

test('a forgotten password is set anew by the mailed link, once', async () => {
  const { email = '', ...ada } = await desk.make.user()
  await desk.doorOf({ ...ada, email })
  const { page } = await enterAgain({ width: 390 })
  await page.goto(`${desk.url}/admin/login`)
  await page.getByRole('link', { name: 'I forgot my password' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  const link = String(linkIn(await desk.mailServer.mailTo(email), '/admin/reset-password'))
  await page.goto(link)
  await look(page, 'door-reset')
  await page.getByLabel('New password').fill('an entirely new one')
  await page.getByRole('button', { name: 'Save the password' }).click()
  await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()

  await page.goto(link)
  await page.getByLabel('New password').fill('another one after it')
  await page.getByRole('button', { name: 'Save the password' }).click()
  await page.getByRole('link', { name: 'Ask for another link' }).waitFor()
  await page.goto(`${desk.url}/admin/login`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('an entirely new one')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/admin\/start/)
})
